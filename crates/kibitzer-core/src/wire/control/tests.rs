use super::*;

fn run(bytes: &[u8]) -> Vec<TelnetStep> {
    let mut telnet = TelnetState::default();
    bytes.iter().map(|&b| telnet.process(b)).filter(|m| *m != TelnetStep::Pending).collect()
}

#[test]
fn commands_are_separated_from_text() {
    use TelnetStep::{Done, Escaped, NotACommand, Text};
    let cases: &[(&[u8], &[TelnetStep])] = &[
        (b"a\xff\xfb\x01b", &[Text(b'a'), Done { command: 251, option: Some(1) }, Text(b'b')]),
        (b"\xff\xf9", &[Done { command: 249, option: None }]),
        (b"\xff\xfa\x18\x01\xff\xf0x", &[Done { command: 250, option: Some(24) }, Text(b'x')]),
        (b"\xff\xfa\x18\xff\xff\xf0\xff\xf0", &[Done { command: 250, option: Some(24) }]),
        (b"\xff\xff", &[Escaped]),
        (b"\xffA", &[NotACommand]),
        (b"\xfb\xfc\xfd", &[Text(0xfb), Text(0xfc), Text(0xfd)]),
    ];
    for (sent, want) in cases {
        assert_eq!(run(sent), *want, "{sent:?}");
    }
}

#[test]
fn a_subnegotiation_without_end_is_given_up() {
    let mut sent = b"\xff\xfa".to_vec();
    sent.extend([b'x'; 1100]);
    let meanings = run(&sent);
    assert_eq!(meanings.first(), Some(&TelnetStep::Done { command: SUBNEGOTIATION, option: Some(b'x') }));
    assert_eq!(meanings.len(), 1 + 1100 - 1025);
}

#[test]
fn commands_have_names() {
    assert_eq!(telnet_command_name(251), Some("will"));
    assert_eq!(telnet_command_name(254), Some("dont"));
    assert_eq!(telnet_command_name(249), Some("ga"));
    assert_eq!(telnet_command_name(255), None);
    assert_eq!(telnet_command_name(12), None);
}
