use super::*;

#[test]
fn every_square_is_read_as_it_prints() {
    let names: Vec<String> = Square::all().map(|square| square.to_string()).collect();
    assert_eq!(names.len(), 64);
    assert_eq!([&names[0], &names[7], &names[8], &names[63]], ["a1", "h1", "a2", "h8"]);
    for (index, name) in names.iter().enumerate() {
        let square: Square = name.parse().unwrap();
        assert_eq!(square.index(), index);
        assert_eq!(Square::new(square.file(), square.rank()), Some(square));
    }
}

// Rules: bugs 32
#[test]
fn names_off_the_board_are_refused() {
    for name in ["", "e", "e0", "e9", "i1", "`1", "E4", "@@", "e44", "é"] {
        assert!(name.parse::<Square>().is_err(), "{name}");
    }
    assert_eq!(Square::new(8, 0), None);
    assert_eq!(Square::new(0, 8), None);
}
