use std::time::Duration;

use kibitzer_core::event::Attribution;

use super::*;
use crate::console::model::{RowContent, SentLine};
use crate::console::tests::rows;

fn list(n: usize) -> (RowList, Vec<ConsoleRow>) {
    let (mut list, rows) = (RowList::default(), rows("Foo shouts: x\n\rfics% ".repeat(n).as_bytes()));
    for row in &rows {
        list.add_if_included(row, 1);
    }
    (list, rows)
}

#[test]
fn prompts_are_listed_if_asked_for() {
    let (mut shown, all) = list(3);
    assert_eq!((shown.n_listed(), all.len(), shown.selected_number()), (3, 6, Some(5)));
    let mut kept = RowBuffer::default();
    for row in all {
        kept.push(row);
    }
    shown.toggle_protocol_details(&kept);
    assert_eq!((shown.n_listed(), shown.selected_number()), (6, Some(6)));
    shown.set_filter(Some(Expression::parse("kind:prompt").unwrap()), &kept);
    assert_eq!((shown.n_listed(), shown.selected_number()), (3, Some(6)));
    shown.select_and_stop_following(4);
    shown.set_filter(Some(Expression::parse("kind:shout").unwrap()), &kept);
    assert_eq!(shown.selected_number(), Some(3), "the one before, as this one is not listed");
}

#[test]
fn the_selection_follows_the_newest_row_until_moved() {
    let (mut shown, rows) = list(4);
    assert!(!shown.is_paused);
    shown.move_selection_by(-1);
    assert_eq!((shown.selected_number(), shown.is_paused, shown.n_after_selected()), (Some(5), true, 1));
    shown.add_if_included(&ConsoleRow { number: 9, ..rows[0].clone() }, 1);
    assert_eq!((shown.selected_number(), shown.n_after_selected()), (Some(5), 2));
    shown.move_selection_by(-100);
    assert_eq!(shown.selected_number(), Some(1));
    shown.move_selection_by(100);
    assert_eq!((shown.selected_number(), shown.is_paused), (Some(9), false));
    shown.move_selection_by(isize::MIN);
    assert_eq!((shown.selected_number(), shown.n_after_selected()), (Some(1), 4));
}

#[test]
fn the_list_scrolls_no_more_than_necessary() {
    let (mut shown, _) = list(10);
    assert_eq!(shown.scroll_to_visible_rows(4), [13, 15, 17, 19]);
    shown.move_selection_by(-2);
    assert_eq!(shown.scroll_to_visible_rows(4), [13, 15, 17, 19]);
    shown.move_selection_by(-3);
    assert_eq!(shown.scroll_to_visible_rows(4), [9, 11, 13, 15]);
    shown.move_selection_by(3);
    assert_eq!(shown.scroll_to_visible_rows(4), [9, 11, 13, 15]);
    assert_eq!(shown.scroll_to_visible_rows(2), [13, 15], "smaller now");
    assert_eq!(shown.scroll_to_visible_rows(100).len(), 10);
    assert!(shown.scroll_to_visible_rows(0).is_empty());
    assert!(RowList::default().scroll_to_visible_rows(4).is_empty());
}

#[test]
fn rows_that_are_gone_are_not_listed() {
    let (mut shown, rows) = list(3);
    shown.add_if_included(&ConsoleRow { number: 7, ..rows[0].clone() }, 5);
    assert_eq!(shown.scroll_to_visible_rows(9), [5, 7]);
}

#[test]
fn an_answered_line_leaves_the_list_of_unanswered_ones() {
    let mut list = RowList { filter: Some(Expression::parse("unanswered").unwrap()), ..RowList::default() };
    let sent = |number, awaits_reply| {
        let content = RowContent::Sent(SentLine {
            bytes: Vec::new(),
            text: b"date".to_vec(),
            secret: false,
            attribution: Attribution::default(),
            awaits_reply,
            reply: None,
        });
        ConsoleRow { number, at: Duration::ZERO, base: 0, reply_after: None, content }
    };
    assert!(!list.add_if_included(&sent(1, false), 1));
    assert!(list.add_if_included(&sent(2, true), 1) && list.add_if_included(&sent(3, true), 1));
    list.remove_unless_included(&sent(2, true));
    assert_eq!((list.n_listed(), list.selected_number()), (2, Some(3)));
    list.remove_unless_included(&sent(3, false));
    assert_eq!((list.n_listed(), list.selected_number()), (1, Some(2)));
}
