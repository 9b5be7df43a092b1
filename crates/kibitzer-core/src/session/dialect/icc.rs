//! Levels, variables and login refusals of ICC.

use super::CodedLoginRefusal;
use crate::event::LoginError;
use crate::message::{Datagram, DatagramKind, Ivar};
use crate::session::options::{Credentials, SessionOptions};
use crate::text::ServerText;

/// Value of `level1` to request: units around the output of each command (1), which contain the tag of the command (4). An odd
/// value turns prompts off.
///
/// Source: ICC's description of level 1.
const LEVEL_1: u8 = 1 | 4;

/// Number of the datagram that reports a failed login. Source: rule icc §2.
const LOGIN_FAILED: u32 = 69;

/// Datagrams to request: those that replace a line, and those that contain information that no line has.
///
/// A datagram that comes in addition to a line is left off: a bot would answer a challenge twice that is reported twice. Boards
/// are style 12 lines, as on FICS, unless the options ask for moves instead.
///
/// Each row contains the ivar that has the same effect on FICS, `None` for datagrams that are always requested, and their names.
///
/// Source: ICC's description of level 2.
const WANTED: &[(Option<Ivar>, &str)] = &[
    (None, "who_am_i login_failed kibitz channel_tell personal_tell shout bughouse_holdings circle arrow"),
    (None, "uncircle unarrow knows_fischer_random"),
    (Some(Ivar::GameInfo), "my_game_started started_observing isolated_board my_relation_to_game my_game_change"),
    (Some(Ivar::SeekInfo), "seek seek_removed"),
    (Some(Ivar::Ms), "msec"),
    (
        Some(Ivar::CompressMove),
        "takeback backward send_moves move_algebraic move_smith move_time move_clock set_clock set_board",
    ),
    (Some(Ivar::CompressMove), "position_begin2 past_move is_variation"),
];

/// Returns the lines that request levels before the name: `level1=5`, and `level2settings=` with a digit for each datagram.
pub(super) fn level_request_lines(options: &SessionOptions) -> [String; 2] {
    let wanted: Vec<_> = wanted_datagrams(options).collect();
    let last = wanted.iter().copied().max().unwrap_or_default();
    let bits = (0..=last).map(|number| if wanted.contains(&number) { '1' } else { '0' });
    [format!("level1={LEVEL_1}"), format!("level2settings={}", bits.collect::<String>())]
}

/// Returns the numbers of the datagrams to request: those always needed, and those that provide the requested ivars.
pub(super) fn wanted_datagrams(options: &SessionOptions) -> impl Iterator<Item = u16> {
    let is_on = |ivar: &Option<Ivar>| ivar.is_none_or(|ivar| options.ivars.contains(&ivar));
    let names = WANTED.iter().filter(move |(ivar, _)| is_on(ivar)).flat_map(|(_, names)| names.split(' '));
    names.filter_map(|name| DatagramKind::ALL.iter().find(|kind| kind.name == name).map(|kind| kind.number))
}

/// Returns the requested ivars whose effect ICC's datagrams provide.
pub(super) fn ivars_granted_by_datagrams(options: &SessionOptions) -> Vec<Ivar> {
    options.ivars.iter().copied().filter(|ivar| WANTED.iter().any(|(wanted, _)| *wanted == Some(*ivar))).collect()
}

/// Returns the variables to set, each with its value. In style 13 the server sends moves instead of boards. `wrap 0` is untested:
/// its name suggests that it stops line breaks.
pub(super) fn variables_to_set(options: &SessionOptions) -> Vec<&'static str> {
    let sends_moves = options.ivars.contains(&Ivar::CompressMove);
    vec![if sends_moves { "style 13" } else { "style 12" }, "prompt 0", "bell 0", "wrap 0", "height 0"]
}

/// Parses a datagram that refuses the login, or reports its place in the queue; `None` for any other line, or without a numeric
/// code.
///
/// A login with another name may succeed (2, 3, 4, 9, 14); the password is wrong or missing (5, 6, 11); guests are not admitted
/// (7, 8); 20 reports a place in the queue. If an account is refused as guests are, it does not exist.
///
/// Source: rule icc §2.
pub(crate) fn parse_login_refusal(raw: &[u8], credentials: &Credentials) -> Option<CodedLoginRefusal> {
    let datagram = Datagram::parse(raw).filter(|datagram| datagram.number == LOGIN_FAILED)?;
    let code: u8 = datagram.argument("code")?.as_str().parse().ok()?;
    // The text may repeat the password.
    let text = datagram.argument("text").map_or(&b""[..], |text| text.as_str().as_bytes());
    let text = || ServerText::from_wire(if credentials.password_appears_in(text) { b"" } else { text });
    let is_guest = credentials.is_guest();
    let error = match code {
        20 => return Some(CodedLoginRefusal::Queued),
        2..=4 => LoginError::BadName,
        5 | 9 if is_guest => LoginError::PasswordRequired,
        5 | 9 | 11 => LoginError::InvalidPassword,
        6..=8 if !is_guest => LoginError::UnknownAccount,
        6..=8 | 17 => LoginError::GuestsRefused,
        12 => LoginError::Banned,
        14 => LoginError::NameInUse,
        18 | 19 => LoginError::ServerFull,
        1 | 15 | 16 | 21 | 22 => LoginError::AccountRefused(text()),
        _ => LoginError::Other(text()),
    };
    Some(CodedLoginRefusal::Failed(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_requested_datagram_has_a_number() {
        let all = WANTED
            .iter()
            .filter_map(|(ivar, _)| *ivar)
            .fold(SessionOptions::new(Credentials::Guest), SessionOptions::with_ivar);
        let n_names: usize = WANTED.iter().map(|(_, names)| names.split(' ').count()).sum();
        assert_eq!(wanted_datagrams(&all).count(), n_names);
    }

    // Rules: icc DG7
    #[test]
    fn the_level_2_line_has_a_digit_for_each_datagram() {
        let options = SessionOptions::new(Credentials::Guest);
        let [level_1, level_2] = level_request_lines(&options);
        assert_eq!(level_1, "level1=5");
        let digits = level_2.strip_prefix("level2settings=").unwrap();
        let on: Vec<_> = digits.match_indices('1').map(|(at, _)| at).collect();
        assert_eq!(on, [0, 15, 18, 26, 28, 31, 32, 37, 40, 43, 56, 59, 60, 69, 89, 90, 100, 132]);

        let [_, moves] =
            level_request_lines(&options.clone().with_ivar(Ivar::CompressMove).without_ivar(Ivar::GameInfo));
        let digits = moves.strip_prefix("level2settings=").unwrap().as_bytes();
        assert!([24, 33, 34, 35, 36, 110, 111, 113].iter().all(|&at: &usize| digits[at] == b'1'), "{moves}");
        assert_eq!((digits[15], digits[50]), (b'0', b'0'));
        assert!(ivars_granted_by_datagrams(&options) == [Ivar::GameInfo, Ivar::Ms]);
    }
}
