use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn words_read_at_once_are_those_read_one_by_one(unit in "[a-z0-9+= \\-]{0,70}|[ -~\x19\r\n\u{ff}]{0,70}") {
        let unit: Vec<u8> = unit.chars().map(|letter| letter as u8).collect();
        let one_by_one: Vec<_> = Argument::split_all(&unit).collect();
        prop_assert_eq!(&NamedArguments::split(&[], &unit).received[..], &one_by_one[..]);
        let is_plain = unit.len() < 64 && unit.iter().all(|&b| b != b'{' && b >= b' ' && b != 255);
        prop_assert_eq!(UnquotedWords::try_split(&unit).is_some(), is_plain);
    }
}
