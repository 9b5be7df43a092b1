use super::*;

#[test]
fn letters_and_values_of_all_roles() {
    let cases = [("Pp", 1), ("Nn", 3), ("Bb", 3), ("Rr", 5), ("Qq", 9), ("Kk", 0)];
    for ((letters, value), role) in cases.into_iter().zip(Role::ALL) {
        for (letter, color) in letters.bytes().zip(Color::BOTH) {
            assert_eq!(Role::from_letter(letter), Some(role), "{letters}");
            assert_eq!(Piece::from_letter(letter), Some(Piece { color, role }), "{letters}");
            assert_eq!(Piece { color, role }.letter(), char::from(letter), "{letters}");
        }
        assert_eq!(role.letter(), char::from(letters.as_bytes()[0]));
        assert_eq!(role.material_value(), value, "{letters}");
    }
    assert_eq!((0..=u8::MAX).filter_map(Role::from_letter).count(), 12);
}

#[test]
fn no_pawn_comes_of_a_promotion_and_no_king_into_a_reserve() {
    assert_eq!(Role::from_promotion_letter(b'P'), None);
    assert_eq!(Role::from_promotion_letter(b'K'), Some(Role::King));
    assert_eq!(Role::from_reserve_letter(b'k'), None);
    assert_eq!(Role::from_reserve_letter(b'p'), Some(Role::Pawn));
}
