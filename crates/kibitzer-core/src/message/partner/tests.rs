use super::*;

#[test]
fn every_text_of_a_partnership() {
    let foo = || Handle::from_wire(b"Foo");
    let team = |text: &str| PartnershipUpdate::Team(PlayerText::from_wire(text.as_bytes()));
    let playing = |game| PartnershipUpdate::Playing {
        game: GameId(game),
        white: Handle::from_wire(b"A"),
        black: Handle::from_wire(b"B"),
    };
    let cases = [
        ("Foo offers to be your bughouse partner; type \"partner Foo\" to accept.", PartnershipUpdate::Offered(foo())),
        ("Foo offers to be your bughouse partner; type \"partner Foo\" to  accept.", PartnershipUpdate::Offered(foo())),
        ("Making a partnership offer to Foo.", PartnershipUpdate::OfferSent(foo())),
        ("Foo agrees to be your partner.", PartnershipUpdate::Agreed { actor: MeOrOther::Other, name: foo() }),
        ("You agree to be Foo's partner.", PartnershipUpdate::Agreed { actor: MeOrOther::Me, name: foo() }),
        ("Foo declines the partnership request.", PartnershipUpdate::Declined(foo())),
        ("Foo withdraws partnership request.", PartnershipUpdate::Withdrawn { actor: MeOrOther::Other, name: foo() }),
        (
            "You withdraw the partnership request to Foo.",
            PartnershipUpdate::Withdrawn { actor: MeOrOther::Me, name: foo() },
        ),
        ("You no longer have a bughouse partner.", PartnershipUpdate::Ended),
        ("Your partner has ended partnership.", PartnershipUpdate::EndedByPartner),
        ("You are no longer Foo's partner.", PartnershipUpdate::Ended),
        ("Your partner has just unset his/her partner.", PartnershipUpdate::EndedByPartner),
        ("Your partner has unset his/her partner variable.", PartnershipUpdate::EndedByPartner),
        ("Your partner has just chosen a new partner.", PartnershipUpdate::EndedByPartner),
        ("Your partner has accepted a partnership with Foo.", PartnershipUpdate::EndedByPartner),
        ("Your partner has disconnected.", PartnershipUpdate::Disconnected),
        ("Your partner, Bogoljubov, has departed.", PartnershipUpdate::Disconnected),
        ("Your partner is playing game 75 (A vs. B).", playing(75)),
        ("Your partner is playing game 2 (A(GM) vs. B(C)).", playing(2)),
        (
            "Your bughouse partner issuing A (1500) B (1600) rated bughouse 2 0.",
            team("issuing A (1500) B (1600) rated bughouse 2 0."),
        ),
        (
            "Your partner was challenged A (1500) B (1600) rated bughouse 2 0.",
            team("was challenged A (1500) B (1600) rated bughouse 2 0."),
        ),
        ("Your opponent's partner has lagged.", team("has lagged.")),
        ("Your partner accepts the challenge of Alekhine.", team("accepts the challenge of Alekhine.")),
    ];
    for (line, want) in cases {
        assert_eq!(PartnershipUpdate::parse(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn other_lines_are_not_parsed() {
    let lines = [
        "",
        "Foo (your partner) tells you: Your partner has disconnected.",
        "Your opponent offers you a draw.",
        "Your challenge intercepts Foo's challenge.",
        "Game 3: Foo agrees to be your partner.",
        "Foo Bar agrees to be your partner.",
        "You no longer care.",
        "Your opponent has no partner for bughouse.",
    ];
    for line in lines {
        assert_eq!(PartnershipUpdate::parse(line.as_bytes()), None, "{line}");
    }
}
