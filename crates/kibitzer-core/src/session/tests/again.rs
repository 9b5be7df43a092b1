//! A session that is run again.

use super::login::{on_fics, on_uhlin};
use super::*;

#[test]
fn a_word_is_the_one_that_was_foretold() {
    let (mut driver, _) = on_uhlin(guest());
    for word in ["zqaaaaaaaa", "zqbbbbbbbb"] {
        assert!(driver.session.foretell_word(word.as_bytes()));
    }
    assert!(!driver.session.foretell_word(b"date"));
    assert!(driver.session.take_back_word(b"zqaaaaaaaa") && !driver.session.take_back_word(b"date"));
    driver.request("date").unwrap();
    assert_eq!(driver.take_sent(), ["date\n"]);
    assert_eq!(driver.prompted(), "zqbbbbbbbb\n");
}

#[test]
fn numbers_go_on_from_where_they_are_told_to() {
    let (mut driver, _) = on_fics(guest());
    let number = |driver: &mut Driver| {
        driver.request("date").unwrap();
        driver.take_sent().concat()
    };
    driver.session.count_from(42);
    assert_eq!(number(&mut driver), "42 date\n");
    driver.session.skip_number();
    assert_eq!(number(&mut driver), "44 date\n");
    for none in [0, 100, u64::MAX] {
        driver.session.count_from(none);
    }
    driver.session.count_from(42);
    assert_eq!(number(&mut driver), "43 date\n", "the first one waits for its reply");
}

#[test]
fn a_session_that_waits_can_be_told_to_go_on() {
    let (mut driver, _) = on_fics(guest());
    driver.session.reconnect();
    assert_eq!(driver.session.link(), Link::Keep, "there is no need to");
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.link(), Link::Wait);
    driver.session.reconnect();
    assert_eq!(driver.session.link(), Link::Dial { attempt: 1 });
}
