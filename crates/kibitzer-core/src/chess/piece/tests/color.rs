use super::*;

#[test]
fn letters_in_either_case() {
    for (letters, color) in [("Ww", Color::White), ("Bb", Color::Black)] {
        for letter in letters.bytes() {
            assert_eq!(Color::from_letter(letter), Some(color), "{}", char::from(letter));
        }
    }
    assert_eq!((0..=u8::MAX).filter_map(Color::from_letter).count(), 4);
}

#[test]
fn each_side_is_the_other_ones_opponent() {
    assert_eq!(!Color::White, Color::Black);
    assert_eq!(Color::Black.opponent(), Color::White);
    assert_eq!(Color::BOTH.map(|color| color.to_string()), ["white", "black"]);
}
