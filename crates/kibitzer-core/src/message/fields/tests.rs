mod clock;
mod rating;

use proptest::prelude::*;

use super::*;

fn pairs(line: &[u8]) -> Vec<(String, String)> {
    let mut at = Cursor::new(line);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    std::iter::from_fn(|| next_pair(&mut at).map(|(key, value)| (text(key), text(value)))).collect()
}

// Rules: bugs 65, bugs 66
#[test]
fn pairs_are_split_at_the_first_equals_sign_and_at_any_number_of_blanks() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("rt=2194  t=4", &[("rt", "2194"), ("t", "4")]),
        ("  rt=2194 ", &[("rt", "2194")]),
        ("rr=0-9999 x=a=b", &[("rr", "0-9999"), ("x", "a=b")]),
        ("rt=2100 ,1586E  ts=1,0", &[("rt", "2100 ,1586E"), ("ts", "1,0")]),
        ("c= word a=t", &[("a", "t")]),
        ("word", &[]),
        ("", &[]),
    ];
    for &(sent, want) in cases {
        let want: Vec<_> = want.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        assert_eq!(pairs(sent.as_bytes()), want, "{sent}");
    }
}

#[test]
fn a_list_has_at_least_one_number() {
    let cases: &[(&str, Option<&[u32]>)] =
        &[("7 8", Some(&[7, 8])), ("7 ", Some(&[7])), ("", None), ("7 x", None), ("99999999999", None)];
    for &(sent, want) in cases {
        let read = parse_number_list(Cursor::new(sent.as_bytes()));
        assert_eq!(read.as_deref(), want, "{sent}");
    }
}

proptest! {
    #[test]
    fn any_bytes_come_to_an_end(line in proptest::collection::vec(prop_oneof![Just(b' '), Just(b'='), Just(b','), any::<u8>()], 0..200)) {
        pairs(&line);
        let _ = parse_number_list(Cursor::new(&line));
    }
}
