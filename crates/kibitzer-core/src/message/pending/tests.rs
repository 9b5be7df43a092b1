use proptest::prelude::*;

use super::*;

fn print(pending: &PendingOffer) -> String {
    let PendingOffer { actor, index, name, kind, parameters } = pending;
    let tag = if *actor == MeOrOther::Me { "<pt>" } else { "<pf>" };
    format!("{tag} {index} w={name} t={kind} p={parameters}")
}

fn pending(actor: MeOrOther, index: u32, name: &str, kind: &str, parameters: &str) -> PendingOffer {
    PendingOffer {
        actor,
        index,
        name: Handle::from_wire(name.as_bytes()),
        kind: ServerText::from_wire(kind.as_bytes()),
        parameters: ServerText::from_wire(parameters.as_bytes()),
    }
}

// Rules: datagrams P1, bugs 65
#[test]
fn parameters_go_to_the_end_of_the_line() {
    use MeOrOther::{Me, Other};
    let cases: &[(&str, PendingOffer)] = &[
        (
            "<pf> 7 w=Foo t=match p=Foo (1708) Bar (----) unrated blitz 5 0",
            pending(Other, 7, "Foo", "match", "Foo (1708) Bar (----) unrated blitz 5 0"),
        ),
        (
            "<pt> 7 w=GuestSSXE t=match p=Bogoljubov (----) GuestSSXE (++++) unrated lightning 0 1",
            pending(Me, 7, "GuestSSXE", "match", "Bogoljubov (----) GuestSSXE (++++) unrated lightning 0 1"),
        ),
        (
            "<pt> 15 w=Euwe t=match p=Duras (----) [white] Euwe (----) rated slow 90 30 overtime 40/90,SD/30+30",
            pending(
                Me,
                15,
                "Euwe",
                "match",
                "Duras (----) [white] Euwe (----) rated slow 90 30 overtime 40/90,SD/30+30",
            ),
        ),
        (
            "<pf> 2 w=Foo t=match p=Foo (1708) Bar ( 958) unrated blitz chess960 5 0 idn=518 w=Baz",
            pending(Other, 2, "Foo", "match", "Foo (1708) Bar ( 958) unrated blitz chess960 5 0 idn=518 w=Baz"),
        ),
        ("<pf> 1 w=Flohr t=takeback p=1", pending(Other, 1, "Flohr", "takeback", "1")),
        ("<pt> 1 w=Duras t=partner p=# ", pending(Me, 1, "Duras", "partner", "#")),
        ("<pt>1 x=1 t=draw  w=Duras", pending(Me, 1, "Duras", "draw", "")),
    ];
    for (sent, want) in cases {
        assert_eq!(PendingOffer::parse(sent.as_bytes()).as_ref(), Some(want), "{sent}");
    }
}

#[test]
fn a_line_with_a_missing_or_wrong_value_is_refused() {
    let cases = [
        "<pr> 7",
        "<pt>",
        "<pt> w=Foo t=draw p=#",
        "<pt> 7 t=draw p=#",
        "<pt> 7 w= t=draw p=#",
        "<pt> 7 w=Foo p=t=draw",
    ];
    for sent in cases {
        assert_eq!(PendingOffer::parse(sent.as_bytes()), None, "{sent}");
    }
}

// Rules: datagrams P6, bugs 64
#[test]
fn one_line_removes_any_number_of_offers() {
    let cases: &[(&str, Option<&[u32]>)] = &[
        ("<pr> 7 8", Some(&[7, 8])),
        ("<pr> 18", Some(&[18])),
        ("<pr> 4000000000", Some(&[4_000_000_000])),
        ("<pr>", None),
        ("<pr> all", None),
        ("<pt> 7", None),
    ];
    for &(sent, want) in cases {
        let read = PendingOffersRemoved::parse(sent.as_bytes());
        assert_eq!(read.as_ref().map(|r| &r.indexes[..]), want, "{sent}");
    }
}

prop_compose! {
    fn any_pending()(
        to in any::<bool>(),
        index in any::<u32>(),
        name in "[A-Za-z]{1,17}",
        kind in "[a-z]{1,9}",
        parameters in "([!-%'-~][ -%'-~]{0,80}[!-%'-~])?",
    ) -> PendingOffer {
        let actor = if to { MeOrOther::Me } else { MeOrOther::Other };
        pending(actor, index, &name, &kind, &parameters)
    }
}

proptest! {
    #[test]
    fn a_printed_line_parses_to_the_same_value(value in any_pending()) {
        prop_assert_eq!(PendingOffer::parse(print(&value).as_bytes()), Some(value));
    }

    #[test]
    fn removals_are_read_back(indexes in proptest::collection::vec(any::<u32>(), 1..20)) {
        let printed = indexes.iter().fold("<pr>".to_owned(), |line, index| format!("{line} {index}"));
        prop_assert_eq!(PendingOffersRemoved::parse(printed.as_bytes()).unwrap().indexes, indexes);
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(line in "<p[tfr]> ?[0-9]{0,11}( [wtpx]?=?[a-z#= ]{0,9}){0,9}", bytes in any::<Vec<u8>>()) {
        let _ = (PendingOffer::parse(line.as_bytes()), PendingOffer::parse(&bytes), PendingOffersRemoved::parse(line.as_bytes()));
    }
}
