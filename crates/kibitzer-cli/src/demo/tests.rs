use super::*;
use kibitzer_core::message::listing::{GameList, Listing as _};

const LISTING: &str = "  1 1496 Indigowood  1364 Fallowpike [ bu 10   0]   9:59 - 10:00 (33-32) W: 12
  2 1230 Hazelridge  2105 Yarrowmoor [ zr  5   0]   5:00 -  4:59 (43-35) B: 11
  3 1733 Nettlegate  2163 Brindledal [psu 15   5]  15:19 - 15:20 (38-38) W:  6
  4 1957 Willowbrook 1313 Ploverholt [ Br  3   0]   3:00 -  2:59 (48-43) B: 13
  5 2067 Fennelbeck  1561 Copperheat [ Br  3   0]   3:00 -  2:59 (30-35) B: 17
  6 1637 Ploverley   1267 Birchwood  [ br  3   0]   3:00 -  2:59 (38-36) B:  7

  6 games displayed.
";

#[test]
fn kinds_take_turns_and_one_board_of_bughouse_is_enough() {
    let games = GameList::parse(LISTING.lines().map(str::as_bytes)).unwrap().games;
    let mut observed = BTreeSet::new();
    let mut chosen = Vec::new();
    while let Some(game) = choose_next_game(&games, &observed) {
        observed.insert(game);
        chosen.push(game.0);
    }
    // Neither the private game nor the other board.
    assert_eq!(chosen, [1, 4, 2, 6]);
}
