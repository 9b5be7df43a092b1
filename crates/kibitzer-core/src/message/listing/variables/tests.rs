use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
use super::*;

const USER: &str = "\
Variable settings of Bogoljubov:

time=2       private=?     shout=1         pin=0           style=12 
rated=?                    kibitz=1        availinfo=?     highlight=?
tourney=?    messreply=?   chanoff=0       showownseek=0   tzone=???
                           silence=        Lang=English

Prompt: fics% 
Interface: \"a b=c\"
 f1: blitz & !computer
";

#[test]
fn settings_of_a_player() {
    let variables = parse::<Variables>(USER).unwrap();
    assert_eq!((variables.owner.as_str(), variables.is_interface), ("Bogoljubov", false));
    assert_eq!(variables.values.len(), 16);
    let expected =
        [("time", "2"), ("STYLE", "12"), ("private", "?"), ("tzone", "???"), ("silence", ""), ("lang", "English")];
    for (name, value) in expected {
        assert_eq!(variables.value(name), Some(value), "{name}");
    }
    assert_eq!(variables.value("nosuch"), None);
    let texts: Vec<_> = variables.texts.iter().map(|text| (text.name.as_str(), text.value.as_str())).collect();
    assert_eq!(texts, [("Prompt", "fics% "), ("Interface", "\"a b=c\""), ("f1", "blitz & !computer")]);
    assert!(variables.unread.is_empty());
    assert_eq!(parse_with_async_lines_inserted::<Variables>(USER.trim_end()), Ok(variables));
}

#[test]
fn settings_of_the_interface() {
    let reply = "Interface variable settings of Bogoljubov:\n\n\
                     compressmove=0     defprompt=0        lock=0             ms=0\n\
                     movecase=0         nowrap=0           allresults=0\nsingleboard=0\nxml=?\n";
    let variables = parse::<Variables>(reply).unwrap();
    assert_eq!((variables.is_interface, variables.values.len()), (true, 9));
    assert_eq!((variables.value("ms"), variables.value("xml")), (Some("0"), Some("?")));
}

#[test]
fn settings_of_uhlin_fics() {
    let reply = "Variable settings of Alice:\n   time=2      inc=12     private=0  jprivate=0  Lang=English\n   \
                     width=80    height=240\n   Prompt: $ %d %s fics% \n f1:";
    let variables = parse::<Variables>(reply).unwrap();
    assert_eq!((variables.values.len(), variables.value("height")), (7, Some("240")));
    assert_eq!((variables.texts[0].value.as_str(), variables.texts.len()), ("$ %d %s fics% ", 2));
}

#[test]
fn other_lines_are_stored_as_unread() {
    let variables = parse::<Variables>("Variable settings of Alice:\na=1 b\n=3\nFoo says: a=1").unwrap();
    assert_eq!((variables.values.len(), variables.texts.len(), variables.unread.len()), (0, 0, 3));
}
