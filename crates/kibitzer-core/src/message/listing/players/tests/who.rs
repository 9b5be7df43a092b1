use super::WhoStatus::{Examining, Free, Idle, NotOpen, Playing, Simul, Tournament};
use super::*;
use crate::message::listing::collect::testing::{parse, parse_with_async_lines_inserted};

fn entries(list: &WhoList) -> Vec<(&str, WhoStatus, Option<u16>)> {
    list.players.iter().map(|row| (row.player.name.as_str(), row.status, row.player.rating.unwrap().value())).collect()
}

#[test]
fn columns_of_uhlin_fics() {
    let reply =
        "1995^Alice   1445^Boris   ++++ Reader  \n\n 3 players displayed (of 3). (*) indicates system administrator.";
    let list = parse::<WhoList>(reply).unwrap();
    let want = [("Alice", Playing, Some(1995)), ("Boris", Playing, Some(1445)), ("Reader", Free, None)];
    assert_eq!(entries(&list), want);
    assert_eq!((list.shown, list.total), (Some(3), Some(3)));
    assert_eq!(parse_with_async_lines_inserted::<WhoList>(reply), Ok(list));
}

#[test]
fn columns_of_fatics() {
    let reply = "   0  ^Euwe                  0   GuestKFWP(U)       1787  ^Capablanca\n   \
                        0  ^Flohr              1500  ^Bogoljubov         2100  ^Alekhine\n\n9 players displayed.\n";
    let list = parse::<WhoList>(reply).unwrap();
    let want = [
        ("Euwe", Playing, Some(0)),
        ("GuestKFWP", Free, Some(0)),
        ("Capablanca", Playing, Some(1787)),
        ("Flohr", Playing, Some(0)),
        ("Bogoljubov", Playing, Some(1500)),
        ("Alekhine", Playing, Some(2100)),
    ];
    assert_eq!(entries(&list), want);
    assert_eq!(list.players[1].player.titles.iter().collect::<Vec<_>>(), ["U"]);
    assert!(list.unread.is_empty());
}

#[test]
fn every_state_and_titles() {
    let reply =
        "1530 Foo(TM)(*)  ----:Bar  ++++.guest 1710~Simi(GM) 958#Exa(C) 1500E&Tou\n 1 Players Displayed (of 6).";
    let list = parse::<WhoList>(reply).unwrap();
    let states: Vec<_> = list.players.iter().map(|row| row.status).collect();
    assert_eq!(states, [Free, NotOpen, Idle, Simul, Examining, Tournament]);
    assert_eq!(list.players[0].player.titles.iter().collect::<Vec<_>>(), ["TM", "*"]);
    assert_eq!(list.players[5].player.rating, Some(Rating::Estimated(1500)));
}

#[test]
fn other_tables_are_stored_as_lines() {
    let none = parse::<WhoList>("No logged in players match the flags in your who request.").unwrap();
    assert!(none.players.is_empty() && none.unread.is_empty());
    let names =
        "     Alice        Boris        Reader  \n\n 3 players displayed (of 3). (*) indicates system administrator.";
    let list = parse::<WhoList>(names).unwrap();
    assert_eq!((list.players.len(), list.unread.len()), (0, 1));
    for line in ["1530Foo", "1530 Foo x", "1530 ?Foo", "1530 Foo[1]", "1530", "hello there"] {
        assert_eq!(WhoList::default().add_line(line.as_bytes()), None, "{line}");
    }
}

// The form of `<wa>` lines; `who IbslwBzSLx` of a client of freechess.org.
#[test]
fn a_row_of_who_i_has_all_ratings() {
    let reply = "Alice^001411E1663P1483P0000 0000 0000 0000 0000 0000 \nGuestXY 010000 \n 2 players displayed (of 2).";
    let list = parse::<WhoList>(reply).unwrap();
    let [alice, guest] = &list.players[..] else { panic!("{list:?}") };
    assert_eq!((alice.player.name.as_str(), alice.status), ("Alice", Playing));
    assert_eq!(alice.ratings[..2], [Some(Rating::Estimated(1411)), Some(Rating::Provisional(1663))]);
    assert_eq!((guest.player.titles.iter().collect::<Vec<_>>(), guest.ratings[1]), (vec!["U"], None));
    assert_eq!(list.unread, []);
}
