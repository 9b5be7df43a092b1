//! Commands that the server did not carry out.

use crate::scan::Cursor;
use crate::text::ServerText;

use super::player::Handle;

use self::Middle::{Anything, Name, Nothing};
use self::RefusalReason as Why;

/// The answer to a command that the server did not carry out: `Illegal move (Qd2).`, `foo: Command not found.`
///
/// A line counts only as a whole. Where a name stands in front it is exactly one, so no talk is taken for a refusal. After
/// a refused move some servers send the board again.
///
/// Source: text-messages §9; transcripts of two servers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// Why.
    pub reason: RefusalReason,
    /// The line as it came.
    pub text: ServerText,
}

/// Why a command was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalReason {
    /// The rules of chess forbid the move.
    IllegalMove,
    /// More than one piece can move so.
    AmbiguousMove,
    /// The opponent is to move.
    NotYourMove,
    /// We play no game, and where that would do examine none.
    NotPlaying,
    /// We examine no game.
    NotExamining,
    /// We play a game, which the command does not allow.
    Playing,
    /// We examine a game, which the command does not allow.
    Examining,
    /// No command has this name. Some servers say so of a move they cannot read.
    UnknownCommand,
    /// The command's name is cut so short that several fit.
    AmbiguousCommand,
    /// The clock is paused.
    ClockPaused,
    /// The opponent's time is not up.
    NotOutOfTime,
    /// The clock does not run yet.
    ClockNotTicking,
    /// Nothing was offered that could be accepted or declined.
    NoSuchOffer,
    /// The game has fewer half moves than we want back.
    TakebackTooFar,
    /// We made this offer already.
    AlreadyOffered,
    /// Several offers are pending and none was named.
    AmbiguousOffer,
    /// We named ourselves.
    OwnName,
    /// There is no bughouse partner, ours or the opponent's.
    NoPartner,
    /// No variable has this name.
    NoSuchVariable,
    /// The player has us on the censor list.
    Censored,
    /// The player does not hear tells of guests.
    NotListening,
    /// The player has us on the noplay list.
    Noplay,
    /// The player takes no match requests.
    NotOpen,
    /// The player's formula rules our request out.
    Formula,
    /// A stored game with this player has to be finished first.
    AdjournedGame,
    /// Nobody has this name.
    NoSuchPlayer,
    /// The player exists but is not online.
    NotLoggedIn,
    /// Guests may not do this.
    NotRegistered,
    /// We did not join the channel we talk to.
    NotInChannel,
    /// We shout too often.
    ShoutQuota,
    /// The command has too many bytes.
    CommandTooLong,
    /// The command has bytes that the server does not take.
    InvalidCharacters,
}

impl RefusalReason {
    /// The reason in `snake_case`, as `kibitzer decode` prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal_move",
            Self::AmbiguousMove => "ambiguous_move",
            Self::NotYourMove => "not_your_move",
            Self::NotPlaying => "not_playing",
            Self::NotExamining => "not_examining",
            Self::Playing => "playing",
            Self::Examining => "examining",
            Self::UnknownCommand => "unknown_command",
            Self::AmbiguousCommand => "ambiguous_command",
            Self::ClockPaused => "clock_paused",
            Self::NotOutOfTime => "not_out_of_time",
            Self::ClockNotTicking => "clock_not_ticking",
            Self::NoSuchOffer => "no_such_offer",
            Self::TakebackTooFar => "takeback_too_far",
            Self::AlreadyOffered => "already_offered",
            Self::AmbiguousOffer => "ambiguous_offer",
            Self::OwnName => "own_name",
            Self::NoPartner => "no_partner",
            Self::NoSuchVariable => "no_such_variable",
            Self::Censored => "censored",
            Self::NotListening => "not_listening",
            Self::Noplay => "noplay",
            Self::NotOpen => "not_open",
            Self::Formula => "formula",
            Self::AdjournedGame => "adjourned_game",
            Self::NoSuchPlayer => "no_such_player",
            Self::NotLoggedIn => "not_logged_in",
            Self::NotRegistered => "not_registered",
            Self::NotInChannel => "not_in_channel",
            Self::ShoutQuota => "shout_quota",
            Self::CommandTooLong => "command_too_long",
            Self::InvalidCharacters => "invalid_characters",
        }
    }
}

impl Refused {
    /// Reads the whole line.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let words = line.trim_ascii_end();
        let reason = RefusalReason::of_subject(words).or_else(|| RefusalReason::of_wording(words))?;
        Some(Self { reason, text: ServerText::from_wire(line) })
    }
}

impl RefusalReason {
    /// Judges a line by what follows its first word: a player's name, or a command with a colon.
    fn of_subject(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let subject = at.word()?;
        let (fits, reason): (fn(&[u8]) -> bool, Self) = match at.rest() {
            b" Command not found." | b" Command has failed." => (is_command, Self::UnknownCommand),
            b" is censoring you." => (Handle::is_name, Self::Censored),
            b" is not open to match requests." => (Handle::is_name, Self::NotOpen),
            b" is not logged in." => (Handle::is_name, Self::NotLoggedIn),
            _ => return None,
        };
        fits(subject).then_some(reason)
    }

    /// Judges a line by [`WORDINGS`]; no talk starts like one of them.
    fn of_wording(line: &[u8]) -> Option<Self> {
        let first = line.first()?;
        let from = WORDINGS.partition_point(|wording| wording.start.first() < Some(first));
        let mut same_letter = WORDINGS.iter().skip(from).take_while(|wording| wording.start.first() == Some(first));
        same_letter.find(|wording| wording.fits(line)).map(|wording| wording.reason)
    }
}

/// `foo:`, or `:` alone. Brackets, another colon, and `>` are marks of talk: `Foo(50):`, `:foo:`.
fn is_command(word: &[u8]) -> bool {
    word.strip_suffix(b":").is_some_and(|command| !command.iter().any(|b| b"():>".contains(b)))
}

/// A fixed start, something in between, a fixed end.
struct Wording {
    start: &'static [u8],
    middle: Middle,
    end: &'static [u8],
    reason: RefusalReason,
}

/// What stands between start and end of a wording.
#[derive(Clone, Copy)]
enum Middle {
    Nothing,
    Name,
    Anything,
}

impl Wording {
    fn fits(&self, line: &[u8]) -> bool {
        let between = line.strip_prefix(self.start).and_then(|rest| rest.strip_suffix(self.end));
        between.is_some_and(|between| match self.middle {
            Nothing => between.is_empty(),
            Name => Handle::is_name(between),
            Anything => true,
        })
    }
}

const fn exactly(start: &'static str, reason: RefusalReason) -> Wording {
    rule(start, Nothing, "", reason)
}

const fn rule(start: &'static str, middle: Middle, end: &'static str, reason: RefusalReason) -> Wording {
    Wording { start: start.as_bytes(), middle, end: end.as_bytes(), reason }
}

/// Sorted by the first letter.
const WORDINGS: &[Wording] = &[
    rule("(Not sent because you are not in channel ", Anything, ".)", Why::NotInChannel),
    exactly("Ambiguous move.", Why::AmbiguousMove),
    rule("Ambiguous move (", Anything, ").", Why::AmbiguousMove),
    rule("Ambiguous command \"", Anything, "", Why::AmbiguousCommand),
    rule("Ambiguous command. Matches:", Anything, "", Why::AmbiguousCommand),
    exactly("Command ignored: line too long.", Why::CommandTooLong),
    exactly("Command ignored: invalid characters.", Why::InvalidCharacters),
    exactly("Illegal move.", Why::IllegalMove),
    rule("Illegal move (", Anything, ").", Why::IllegalMove),
    exactly("It is not your move.", Why::NotYourMove),
    rule("Match request does not fit formula for ", Name, ":", Why::Formula),
    rule("No such command (", Anything, ").", Why::UnknownCommand),
    rule("No player named \"", Anything, "\" is online.", Why::NotLoggedIn),
    rule("No user named \"", Anything, "\" is logged in.", Why::NotLoggedIn),
    rule("No such variable ", Anything, ".", Why::NoSuchVariable),
    rule("No such ivariable ", Anything, ".", Why::NoSuchVariable),
    rule("Opponent is not out of time", Anything, "", Why::NotOutOfTime),
    rule("Only registered players ", Anything, ".", Why::NotRegistered),
    rule("Only registered people ", Anything, ".", Why::NotRegistered),
    rule("Player \"", Name, "\" is censoring you.", Why::Censored),
    rule("Player \"", Name, "\" isn't listening to unregistered tells.", Why::NotListening),
    rule("Player \"", Name, "\" isn't listening to unregistered users' tells.", Why::NotListening),
    rule("Setting ", Anything, " is only for registered players.", Why::NotRegistered),
    rule("Shout not sent. Next shout in ", Anything, " seconds.", Why::ShoutQuota),
    exactly("The clock is paused, use \"unpause\" to resume.", Why::ClockPaused),
    exactly("The clock is not ticking.", Why::ClockNotTicking),
    rule("There are no ", Anything, " to accept.", Why::NoSuchOffer),
    rule("There are no ", Anything, " to decline.", Why::NoSuchOffer),
    rule("There is no offer ", Anything, ".", Why::NoSuchOffer),
    rule("There are only ", Anything, " half moves in your game.", Why::TakebackTooFar),
    rule("There are only ", Anything, " half-moves in your game.", Why::TakebackTooFar),
    rule("There is no player matching the name ", Anything, ".", Why::NoSuchPlayer),
    exactly("There is no player matching that name.", Why::NoSuchPlayer),
    rule("Unregistered players may not ", Anything, ".", Why::NotRegistered),
    exactly("You are not playing a game.", Why::NotPlaying),
    exactly("You are not playing or examining a game.", Why::NotPlaying),
    exactly("You are not playing, examining, or observing a game.", Why::NotPlaying),
    exactly("You are neither playing, observing nor examining a game.", Why::NotPlaying),
    exactly("You are not examining a game.", Why::NotExamining),
    exactly("You are not examining any games.", Why::NotExamining),
    rule("You are already offering ", Anything, ".", Why::AlreadyOffered),
    exactly("You can't match yourself.", Why::OwnName),
    rule("You can't takeback less than ", Anything, ".", Why::TakebackTooFar),
    rule("You can", Anything, " while you are playing a game.", Why::Playing),
    rule("You can", Anything, " while you are examining a game.", Why::Examining),
    rule("Your opponent is not out of time", Anything, "", Why::NotOutOfTime),
    rule("You are on ", Name, "'s noplay list.", Why::Noplay),
    rule("You have an adjourned game with ", Anything, " until you finish it.", Why::AdjournedGame),
    rule("You must be registered to ", Anything, ".", Why::NotRegistered),
    rule("You have no offers to ", Anything, ".", Why::NoSuchOffer),
    rule("You have more than one pending offer", Anything, "", Why::AmbiguousOffer),
    exactly("You do not have a bughouse partner.", Why::NoPartner),
    exactly("You have no partner for bughouse.", Why::NoPartner),
    exactly("Your opponent has no partner for bughouse.", Why::NoPartner),
    exactly("Your message contains some unprintable character(s).", Why::InvalidCharacters),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REFUSALS: &[(&str, Why)] = &[
        ("Illegal move (Qd2).", Why::IllegalMove),
        ("Illegal move (e2e5).", Why::IllegalMove),
        ("Illegal move.", Why::IllegalMove),
        ("Ambiguous move (Rd1).", Why::AmbiguousMove),
        ("Ambiguous move.", Why::AmbiguousMove),
        ("It is not your move.", Why::NotYourMove),
        ("You are not playing or examining a game.", Why::NotPlaying),
        ("You are not playing a game.", Why::NotPlaying),
        ("You are not playing, examining, or observing a game.", Why::NotPlaying),
        ("You are neither playing, observing nor examining a game.", Why::NotPlaying),
        ("You are not examining a game.", Why::NotExamining),
        ("You are not examining any games.", Why::NotExamining),
        ("You cannot challenge while you are examining a game.", Why::Examining),
        ("You can't challenge while you are examining a game.", Why::Examining),
        ("You can't challenge while you are playing a game.", Why::Playing),
        ("You can't quit while you are playing a game.", Why::Playing),
        ("foo: Command not found.", Why::UnknownCommand),
        ("q@a9: Command not found.", Why::UnknownCommand),
        (": Command not found.", Why::UnknownCommand),
        ("seek: Command has failed.", Why::UnknownCommand),
        ("date;: Command has failed.", Why::UnknownCommand),
        ("kd9: Command has failed.", Why::UnknownCommand),
        ("No such command (foo).", Why::UnknownCommand),
        ("Ambiguous command \"s\". Matches: say seek set shout showadmins showsrs showlist ", Why::AmbiguousCommand),
        ("Ambiguous command. Matches: shout showlist", Why::AmbiguousCommand),
        ("The clock is paused, use \"unpause\" to resume.", Why::ClockPaused),
        ("Opponent is not out of time.", Why::NotOutOfTime),
        ("Opponent is not out of time, wait for server autoflag.", Why::NotOutOfTime),
        ("Your opponent is not out of time.", Why::NotOutOfTime),
        ("Your opponent is not out of time!", Why::NotOutOfTime),
        ("The clock is not ticking.", Why::ClockNotTicking),
        ("There are no draw offers to accept.", Why::NoSuchOffer),
        ("There are no offers to accept.", Why::NoSuchOffer),
        ("You have no offers to accept.", Why::NoSuchOffer),
        ("You have more than one pending offer from other players.", Why::AmbiguousOffer),
        ("You are already offering an identical match to Bogoljubov.", Why::AlreadyOffered),
        ("You can't match yourself.", Why::OwnName),
        ("You can't takeback less than 1 move.", Why::TakebackTooFar),
        ("No player named \"Zzz\" is online.", Why::NotLoggedIn),
        ("No user named \"zzz\" is logged in.", Why::NotLoggedIn),
        ("No such variable \"nosuch\".", Why::NoSuchVariable),
        ("No such ivariable \"nosuch\".", Why::NoSuchVariable),
        ("You do not have a bughouse partner.", Why::NoPartner),
        ("You have no partner for bughouse.", Why::NoPartner),
        ("Your opponent has no partner for bughouse.", Why::NoPartner),
        ("There are no offers to decline.", Why::NoSuchOffer),
        ("There is no offer 77 to decline.", Why::NoSuchOffer),
        ("There are only 1 half moves in your game.", Why::TakebackTooFar),
        ("There are only 8 half-moves in your game.", Why::TakebackTooFar),
        ("Bogoljubov is censoring you.", Why::Censored),
        ("Player \"Carla\" is censoring you.", Why::Censored),
        ("Player \"Carla\" isn't listening to unregistered tells.", Why::NotListening),
        ("Player \"Bogoljubov\" isn't listening to unregistered users' tells.", Why::NotListening),
        ("You are on Euwe's noplay list.", Why::Noplay),
        ("Euwe is not open to match requests.", Why::NotOpen),
        ("Match request does not fit formula for Euwe:", Why::Formula),
        ("You have an adjourned game with X.  You cannot start a new game until you finish it.", Why::AdjournedGame),
        ("There is no player matching the name \"nobody\".", Why::NoSuchPlayer),
        ("There is no player matching the name X.", Why::NoSuchPlayer),
        ("There is no player matching that name.", Why::NoSuchPlayer),
        ("Foo is not logged in.", Why::NotLoggedIn),
        ("Only registered players can use the shout command.", Why::NotRegistered),
        ("Only registered players may whisper to others' games.", Why::NotRegistered),
        ("Only registered people can use the mailhelp command.", Why::NotRegistered),
        ("You must be registered to whisper other people's games.", Why::NotRegistered),
        ("Unregistered players may not send or receive messages.", Why::NotRegistered),
        ("Setting a password is only for registered players.", Why::NotRegistered),
        ("(Not sent because you are not in channel 2.)", Why::NotInChannel),
        ("Shout not sent. Next shout in 57 seconds.", Why::ShoutQuota),
        ("Command ignored: line too long.", Why::CommandTooLong),
        ("Command ignored: invalid characters.", Why::InvalidCharacters),
        ("Your message contains some unprintable character(s).", Why::InvalidCharacters),
    ];

    #[test]
    fn every_wording_has_its_reason() {
        for &(line, reason) in REFUSALS {
            let read = Refused::parse(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
            assert_eq!((read.reason, read.text.as_str()), (reason, line), "{line}");
        }
        assert!(WORDINGS.is_sorted_by_key(|wording| wording.start.first()));
        for wording in WORDINGS {
            let is_tested = |(line, _): &(&str, Why)| wording.fits(line.trim_end().as_bytes());
            assert!(REFUSALS.iter().any(is_tested), "{}", wording.start.escape_ascii());
        }
    }

    #[test]
    fn reasons_are_named_in_snake_case() {
        for (_, reason) in REFUSALS {
            let name: String = format!("{reason:?}")
                .chars()
                .flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain(c.to_lowercase()))
                .collect();
            assert_eq!(reason.as_str(), name.trim_start_matches('_'));
        }
    }

    // Rules: text X0, ten 8
    #[test]
    fn talk_is_never_a_refusal() {
        for (line, _) in REFUSALS {
            let quotes = [
                format!("Foo tells you: {line}"),
                format!("Foo says: {line}"),
                format!("Foo[12] says: {line}"),
                format!("Foo(50): {line}"),
                format!("Foo(TD)(1500)[5] kibitzes: {line}"),
                format!("--> Foo {line}"),
                format!(":{line}"),
                format!(">{line}"),
                format!(" 1: {line}"),
                format!("(told Foo) {line}"),
            ];
            for quote in quotes {
                assert_eq!(Refused::parse(quote.as_bytes()), None, "{quote}");
            }
        }
        let others = [
            "Foo(50): Command not found.",
            "Foo Bar is censoring you.",
            "Foo(C) is censoring you.",
            "--> Foo is censoring you.",
            ":Foo is censoring you.",
            "You are on Foo Bar's noplay list.",
            "Illegal move (Qd2). Really.",
            "There is no such game.",
            "You are not observing any games.",
            "",
        ];
        for line in others {
            assert_eq!(Refused::parse(line.as_bytes()), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(tail in proptest::collection::vec(any::<u8>(), 0..40), cut in 0_usize..40, row in 0..REFUSALS.len()) {
            let (refusal, _) = REFUSALS[row];
            let mut line = refusal.as_bytes()[..cut.min(refusal.len())].to_vec();
            line.extend(tail);
            let _ = Refused::parse(&line);
        }
    }
}
