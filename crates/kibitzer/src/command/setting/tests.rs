use kibitzer_core::message::{Ivar, Refusal};

use crate::command;
use crate::command::testing::{answer, assert_line};

#[test]
fn commands_write_their_lines() {
    assert_line(&command::set("gin", "1"), "set gin 1");
    assert_line(&command::unset("formula"), "set formula");
    assert_line(&command::style(12), "set style 12");
    assert_line(&command::enable_ivar(Ivar::Ms), "iset ms 1");
    assert_line(&command::disable_ivar(Ivar::Block), "iset block 0");
}

#[test]
fn set_returns_the_confirmation() {
    for reply in [
        "You will now hear game results.",
        "height set to 240.",
        "Plan variable 1 changed to 'a note'.",
        "Formula unset.",
        "interface set to \"test\".",
        "",
    ] {
        let set = answer(&command::set("x", "y"), &format!("{reply}\nFoo tells you: hi")).unwrap();
        assert_eq!(set.as_str(), reply);
    }
}

#[test]
fn refused_variables_are_errors() {
    for text in ["No such variable \"nosuch\".", "No such variable name provshow."] {
        let error = answer(&command::set("nosuch", "1"), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::NoSuchVariable));
    }
    for text in ["Bad value given for variable \"formula\".", "Bad value given for variable style."] {
        let error = answer(&command::set("x", "y"), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::BadValue), "{text}");
    }
    for text in ["You cannot change your rated status.", "Usage: TODO for set"] {
        assert_eq!(answer(&command::set("x", "y"), text).unwrap_err().text(), Some(text));
    }
}

#[test]
fn styles_and_ivars_are_confirmed() {
    assert_eq!(answer(&command::style(12), "Style 12 set."), Ok(()));
    assert!(answer(&command::style(12), "Style 1 set.").is_err());
    assert!(answer(&command::style(14), "Bad value given for variable style.").is_err());
    assert_eq!(answer(&command::enable_ivar(Ivar::Ms), "ms set."), Ok(()));
    assert_eq!(answer(&command::disable_ivar(Ivar::Ms), "ms unset."), Ok(()));
    assert!(answer(&command::disable_ivar(Ivar::Ms), "ms set.").is_err());
    assert!(answer(&command::enable_ivar(Ivar::Ms), "Foo tells you: ms set.").is_err());
    for text in ["com_iset: block 1", ""] {
        assert_eq!(
            answer(&command::enable_ivar(Ivar::Block), text).unwrap_err().text(),
            Some(text).filter(|text| !text.is_empty())
        );
    }
    let unknown = answer(&command::enable_ivar(Ivar::Ms), "No such ivariable \"nosuch\".").unwrap_err();
    assert_eq!(unknown.refusal_reason(), Some(Refusal::NoSuchVariable));
}
