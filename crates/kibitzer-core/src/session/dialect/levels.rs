//! The lines in front of the name that tell ICC what to send.

use crate::message::{DatagramKind, Ivar};
use crate::session::options::SessionOptions;

/// Level 1: units around what each command gives (1), with the tag it was sent with (4). An odd value ends prompts.
///
/// Source: ICC's description of level 1.
const LEVEL_1: u8 = 1 | 4;

/// When a datagram is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// When the session wants what this ivar stands for on FICS.
    With(Ivar),
}

/// The datagrams that are switched on: those that stand in place of a line, and those that tell what no line tells.
///
/// One that comes beside a line is left off: a challenge that is told twice is a challenge that a bot answers twice. Boards come as
/// style 12 lines, as on FICS, unless they are to come as moves.
///
/// Source: ICC's description of level 2.
const WANTED: &[(&str, When)] = &[
    ("who_am_i", When::Always),
    ("login_failed", When::Always),
    ("kibitz", When::Always),
    ("channel_tell", When::Always),
    ("personal_tell", When::Always),
    ("shout", When::Always),
    ("bughouse_holdings", When::Always),
    ("circle", When::Always),
    ("arrow", When::Always),
    ("uncircle", When::Always),
    ("unarrow", When::Always),
    ("knows_fischer_random", When::Always),
    ("my_game_started", When::With(Ivar::GameInfo)),
    ("started_observing", When::With(Ivar::GameInfo)),
    ("isolated_board", When::With(Ivar::GameInfo)),
    ("my_relation_to_game", When::With(Ivar::GameInfo)),
    ("my_game_change", When::With(Ivar::GameInfo)),
    ("seek", When::With(Ivar::SeekInfo)),
    ("seek_removed", When::With(Ivar::SeekInfo)),
    ("msec", When::With(Ivar::Ms)),
    ("takeback", When::With(Ivar::CompressMove)),
    ("backward", When::With(Ivar::CompressMove)),
    ("send_moves", When::With(Ivar::CompressMove)),
    ("move_algebraic", When::With(Ivar::CompressMove)),
    ("move_smith", When::With(Ivar::CompressMove)),
    ("move_time", When::With(Ivar::CompressMove)),
    ("move_clock", When::With(Ivar::CompressMove)),
    ("set_clock", When::With(Ivar::CompressMove)),
    ("set_board", When::With(Ivar::CompressMove)),
    ("position_begin2", When::With(Ivar::CompressMove)),
    ("past_move", When::With(Ivar::CompressMove)),
    ("is_variation", When::With(Ivar::CompressMove)),
];

/// How many lines [`level_lines`] gives, each of which the server answers with another `login: `.
pub(crate) const LEVEL_LINES: u8 = 2;

/// What ICC is told in front of the name: `level1=5` and `level2settings=` with a digit for each datagram.
pub(crate) fn level_lines(options: &SessionOptions) -> [String; LEVEL_LINES as usize] {
    let wanted: Vec<_> = wanted_datagrams(options).collect();
    let last = wanted.iter().copied().max().unwrap_or_default();
    let bits = (0..=last).map(|number| if wanted.contains(&number) { '1' } else { '0' });
    [format!("level1={LEVEL_1}"), format!("level2settings={}", bits.collect::<String>())]
}

/// The numbers of the datagrams that this session wants.
pub(crate) fn wanted_datagrams(options: &SessionOptions) -> impl Iterator<Item = u16> {
    let is_on = |when: When| match when {
        When::Always => true,
        When::With(ivar) => options.ivars.contains(&ivar),
    };
    let names = WANTED.iter().filter(move |(_, when)| is_on(*when)).map(|(name, _)| *name);
    names.filter_map(|name| DatagramKind::ALL.iter().find(|kind| kind.name == name).map(|kind| kind.number))
}

/// The wishes that datagrams fulfil.
pub(crate) fn fulfilled(options: &SessionOptions) -> impl Iterator<Item = Ivar> {
    options.ivars.iter().copied().filter(|&ivar| WANTED.iter().any(|(_, when)| *when == When::With(ivar)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Credentials;

    #[test]
    fn every_wanted_datagram_is_in_the_table() {
        let all = WANTED.iter().fold(SessionOptions::new(Credentials::Guest), |options, (_, when)| match *when {
            When::Always => options,
            When::With(ivar) => options.want(ivar),
        });
        assert_eq!(wanted_datagrams(&all).count(), WANTED.len());
    }

    // Rules: icc DG7
    #[test]
    fn the_string_has_a_digit_for_each_number() {
        let options = SessionOptions::new(Credentials::Guest);
        let [level_1, level_2] = level_lines(&options);
        assert_eq!(level_1, "level1=5");
        let digits = level_2.strip_prefix("level2settings=").unwrap();
        let on: Vec<_> = digits.match_indices('1').map(|(at, _)| at).collect();
        assert_eq!(on, [0, 15, 18, 26, 28, 31, 32, 37, 40, 43, 56, 59, 60, 69, 89, 90, 100, 132]);

        let [_, moves] = level_lines(&options.clone().want(Ivar::CompressMove).without(Ivar::GameInfo));
        let digits = moves.strip_prefix("level2settings=").unwrap().as_bytes();
        assert!([24, 33, 34, 35, 36, 110, 111, 113].iter().all(|&at: &usize| digits[at] == b'1'), "{moves}");
        assert_eq!((digits[15], digits[50]), (b'0', b'0'));
        assert!(fulfilled(&options).eq([Ivar::GameInfo, Ivar::Ms]));
    }
}
