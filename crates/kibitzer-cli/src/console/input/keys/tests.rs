use super::*;

#[test]
fn letters_are_letters_while_typing_and_commands_in_the_list() {
    let press = |focus, code, modifiers| action_for_key(focus, KeyEvent::new(code, modifiers));
    let (plain, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
    let cases = [
        (Focus::List, KeyCode::Char('q'), plain, Some(Action::Quit)),
        (Focus::Input, KeyCode::Char('q'), plain, Some(Action::Insert('q'))),
        (Focus::Input, KeyCode::Char('Q'), KeyModifiers::SHIFT, Some(Action::Insert('Q'))),
        (Focus::List, KeyCode::Char('i'), plain, None),
        (Focus::List, KeyCode::Char('/'), plain, Some(Action::StartTyping(Some('/')))),
        (Focus::Input, KeyCode::Char('w'), control, Some(Action::Cut(Motion::WordLeft))),
        (Focus::Input, KeyCode::Char('x'), control, None),
        (Focus::Input, KeyCode::Char('f'), alt, Some(Action::MoveCursor(Motion::WordRight))),
        (Focus::Input, KeyCode::Char('x'), alt, None),
        (Focus::Input, KeyCode::Left, control, Some(Action::MoveCursor(Motion::WordLeft))),
        (Focus::Input, KeyCode::PageUp, plain, Some(Action::MovePages(-1))),
        (Focus::List, KeyCode::Char('c'), control, Some(Action::Cancel)),
        (Focus::List, KeyCode::Char('x'), plain, None),
        (Focus::Input, KeyCode::F(3), plain, Some(Action::ToggleBoard)),
    ];
    for (focus, code, modifiers, want) in cases {
        assert_eq!(press(focus, code, modifiers), want, "{focus:?} {code:?}");
    }
}

#[test]
fn a_released_key_does_nothing_and_a_line_feed_is_enter() {
    let key = KeyEvent::new_with_kind(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(normalized_press(key), None);
    let line_feed = normalized_press(KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL)).unwrap();
    assert_eq!(action_for_key(Focus::Input, line_feed), Some(Action::SubmitLine));
}

#[test]
fn a_page_takes_no_letter_from_a_typed_line() {
    let press = |focus, is_typing, code| page_action(focus, is_typing, KeyEvent::from(code));
    for code in ['t', 'q', '?', '/', 'j'].map(KeyCode::Char) {
        assert_eq!(press(Focus::Input, false, code), None, "{code}");
    }
    assert_eq!(press(Focus::Input, true, KeyCode::Char(' ')), None);
    assert_eq!(press(Focus::Input, true, KeyCode::Enter), None);
    assert_eq!(press(Focus::Input, false, KeyCode::Enter), Some(Action::ClosePage));
    assert_eq!(press(Focus::List, false, KeyCode::Char('/')), None);
    assert_eq!(press(Focus::List, false, KeyCode::Char('q')), Some(Action::ClosePage));
}
