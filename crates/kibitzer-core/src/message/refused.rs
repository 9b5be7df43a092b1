//! Refusals of commands.

use strum::AsRefStr;

use super::template::{TemplateTable, match_table};
use super::{CommandCode, GameId, Handle};
use crate::scan::Cursor;

/// Why the server did not execute a command: `Illegal move (Qd2).`, `foo: Command not found.`
///
/// A sentence has to fill its line, and a name at its start has to be exactly one word, so that chat is never parsed as a
/// refusal. After a refused move, some servers send the board again.
///
/// Source: `text §9` in `docs/protocol.md`; transcripts of two servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AsRefStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Refusal {
    /// The rules of chess forbid the move.
    IllegalMove,
    /// More than one piece can make the move.
    AmbiguousMove,
    /// The opponent is to move.
    NotYourMove,
    /// This login plays no game. For commands that would also work on an examined or observed game, it has none of those
    /// either.
    NotPlaying,
    /// This login examines no game.
    NotExamining,
    /// This login plays a game, which the command does not allow.
    Playing,
    /// This login examines a game, which the command does not allow.
    Examining,
    /// No command has this name. Some servers send this for a move that they cannot parse.
    UnknownCommand,
    /// The command's name is cut so short that several fit.
    AmbiguousCommand,
    /// The clock is paused.
    ClockPaused,
    /// The opponent still has time, so that the game cannot be claimed on time.
    NotOutOfTime,
    /// The clocks are not running, for example because not both players have moved yet.
    ClockNotTicking,
    /// No pending offer matches the command to accept, decline or withdraw one.
    NoSuchOffer,
    /// The game has fewer plies than the requested takeback.
    TakebackTooFar,
    /// This login has made this offer already.
    AlreadyOffered,
    /// Offers of this kind cannot be withdrawn.
    OfferStands,
    /// Several offers are pending and none was named.
    AmbiguousOffer,
    /// The command names this login itself.
    OwnName,
    /// This login, or the opponent, has no bughouse partner.
    NoPartner,
    /// No variable has this name.
    NoSuchVariable,
    /// The value is invalid for the variable or the clock.
    BadValue,
    /// No channel has this number.
    NoSuchChannel,
    /// No seek has this number, or it is gone.
    NoSuchSeek,
    /// The player's history has no game of this number.
    NoSuchHistoryGame,
    /// This login is on the player's censor list.
    Censored,
    /// The player does not accept tells from guests.
    NotListening,
    /// This login is on the player's noplay list.
    Noplay,
    /// The player accepts no match requests, or no partners.
    NotOpen,
    /// The player plays or examines a game.
    PlayerBusy,
    /// The player plays no game; where an examined game would do, the player examines none either.
    PlayerNotPlaying,
    /// The match request does not satisfy the player's formula.
    Formula,
    /// A stored game with this player has to be finished first.
    AdjournedGame,
    /// No account has this name.
    NoSuchPlayer,
    /// The player exists but is not online.
    NotLoggedIn,
    /// Guests may not do this.
    NotRegistered,
    /// This login has not joined the channel that it sent the tell to.
    NotInChannel,
    /// There is no current or last opponent who could receive the `say`.
    NobodyToTell,
    /// Shouts are limited, and the next one is allowed only later.
    ShoutQuota,
    /// The command has too many bytes.
    CommandTooLong,
    /// The command has bytes that the server does not accept.
    InvalidCharacters,
    /// This login observes the game already.
    AlreadyObserving(GameId),
    /// No game has this number.
    NoSuchGame,
    /// The game is private, so it cannot be observed.
    PrivateGame(GameId),
    /// This login does not observe the game, so it cannot stop observing it.
    NotObserving(GameId),
    /// This login observes no game.
    NoneObserved,
    /// The code of a reply in block mode is the only reason; no line is parsed to it. `other` in JSON.
    #[strum(serialize = "other")]
    Code(CommandCode),
}

impl Refusal {
    /// Returns the refusal for the code of ICC's datagram 42; [`IllegalMove`](Self::IllegalMove) for every code but 1 and 4.
    ///
    /// Source: ICC's list of codes. All other codes are rules of variants.
    pub const fn from_icc_move_code(code: u32) -> Self {
        match code {
            1 => Self::AmbiguousMove,
            4 => Self::NotYourMove,
            _ => Self::IllegalMove,
        }
    }

    /// Parses a line; `None` if it is not a known refusal.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let refusal = match line.strip_prefix(b"You ") {
            Some(rest) => match_table(rest, OF_ME).map(|(refusal, _)| refusal),
            None => Self::parse_after_subject(line).or_else(|| match_table(line, OTHERS).map(|(refusal, _)| refusal)),
        };
        refusal.or_else(|| {
            let (refusal, captures) = match_table(line, OF_GAME)?;
            captures.number_as_game().map(refusal)
        })
    }

    /// Parses a line whose first word is a player's name without titles, or a command with a colon; `None` if the text after that
    /// word is not a known sentence.
    fn parse_after_subject(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let subject = at.word_here()?;
        at.expect(b" ")?;
        let (refusal, _) = match_table(at.rest(), OF_SUBJECT)?;
        let is_subject = if refusal == Self::UnknownCommand {
            // A word with a bracket, `>` or another colon is part of chat: `Foo(50):`, `:foo:`.
            subject.strip_suffix(b":").is_some_and(|command| !command.iter().any(|b| b"():>".contains(b)))
        } else {
            Handle::is_name(subject)
        };
        is_subject.then_some(refusal)
    }
}

/// Sentences after a command or a player's name.
const OF_SUBJECT: &[(&str, Refusal)] = &[
    ("Command not found.", Refusal::UnknownCommand),
    ("Command has failed.", Refusal::UnknownCommand),
    ("is censoring you.", Refusal::Censored),
    ("is not open to match requests.", Refusal::NotOpen),
    ("is not open for bughouse.", Refusal::NotOpen),
    ("is playing a game.", Refusal::PlayerBusy),
    ("is examining a game.", Refusal::PlayerBusy),
    ("is not playing a game.", Refusal::PlayerNotPlaying),
    ("is not playing or examining a game.", Refusal::PlayerNotPlaying),
    ("is not logged in.", Refusal::NotLoggedIn),
];

/// Sentences after `You `, in a table of their own so that other lines are not compared with them.
const OF_ME: &[(&str, Refusal)] = &[
    ("are not playing a game.", Refusal::NotPlaying),
    ("are not playing or examining a game.", Refusal::NotPlaying),
    ("are not playing or observing a game.", Refusal::NotPlaying),
    ("are not playing, examining, or observing a game.", Refusal::NotPlaying),
    ("are neither playing, observing nor examining a game.", Refusal::NotPlaying),
    ("are not examining a game.", Refusal::NotExamining),
    ("are not examining any games.", Refusal::NotExamining),
    ("are not observing any games.", Refusal::NoneObserved),
    ("are already examining a game.", Refusal::Examining),
    ("are playing a game.", Refusal::Playing),
    ("are already offering *.", Refusal::AlreadyOffered),
    ("cannot withdraw a * offer.", Refusal::OfferStands),
    ("cannot observe yourself.", Refusal::OwnName),
    ("cannot observe a game that you are playing.", Refusal::Playing),
    ("cannot flag before both players have moved.", Refusal::ClockNotTicking),
    ("can't specify time or inc above *.", Refusal::BadValue),
    ("can't match yourself.", Refusal::OwnName),
    ("can't takeback less than *.", Refusal::TakebackTooFar),
    ("can* while you are playing a game.", Refusal::Playing),
    ("can* while you are examining a game.", Refusal::Examining),
    ("are on %'s noplay list.", Refusal::Noplay),
    ("have an adjourned game with * until you finish it.", Refusal::AdjournedGame),
    ("must be registered to *.", Refusal::NotRegistered),
    ("have no offers to *.", Refusal::NoSuchOffer),
    ("have no pending offers * other players.", Refusal::NoSuchOffer),
    ("have no active seeks.", Refusal::NoSuchSeek),
    ("have no seek #.", Refusal::NoSuchSeek),
    ("have more than one pending offer*", Refusal::AmbiguousOffer),
    ("do not have a bughouse partner.", Refusal::NoPartner),
    ("do not have a partner at present.", Refusal::NoPartner),
    ("have no partner for bughouse.", Refusal::NoPartner),
];

/// All other sentences. No line of chat starts like one of them.
const OTHERS: &[(&str, Refusal)] = &[
    ("(Not sent because you are not in channel *.)", Refusal::NotInChannel),
    ("Ambiguous move.", Refusal::AmbiguousMove),
    ("Ambiguous move (*).", Refusal::AmbiguousMove),
    ("Ambiguous command \"*", Refusal::AmbiguousCommand),
    ("Ambiguous command. Matches:*", Refusal::AmbiguousCommand),
    ("Bad value given for variable *.", Refusal::BadValue),
    ("Command ignored: line too long.", Refusal::CommandTooLong),
    ("Command ignored: invalid characters.", Refusal::InvalidCharacters),
    ("I don't know whom to say that to.", Refusal::NobodyToTell),
    ("Illegal move.", Refusal::IllegalMove),
    ("Illegal move (*).", Refusal::IllegalMove),
    ("Invalid channel number.", Refusal::NoSuchChannel),
    ("It is not your move.", Refusal::NotYourMove),
    ("Match request does not fit formula for %:", Refusal::Formula),
    ("No such command (*).", Refusal::UnknownCommand),
    ("No one to say anything to, try tell.", Refusal::NobodyToTell),
    ("No player named \"*\" is online.", Refusal::NotLoggedIn),
    ("No user named \"*\" is logged in.", Refusal::NotLoggedIn),
    ("No such variable *.", Refusal::NoSuchVariable),
    ("No such ivariable *.", Refusal::NoSuchVariable),
    ("Opponent is not out of time*", Refusal::NotOutOfTime),
    ("Only registered players *.", Refusal::NotRegistered),
    ("Only registered people *.", Refusal::NotRegistered),
    ("Player \"%\" is censoring you.", Refusal::Censored),
    ("Player \"%\" isn't listening to unregistered tells.", Refusal::NotListening),
    ("Player \"%\" isn't listening to unregistered users' tells.", Refusal::NotListening),
    ("Setting * is only for registered players.", Refusal::NotRegistered),
    ("Shout not sent. Next shout in * seconds.", Refusal::ShoutQuota),
    ("That seek is not available.", Refusal::NoSuchSeek),
    ("The clock is paused, use \"unpause\" to resume.", Refusal::ClockPaused),
    ("The clock is not ticking.", Refusal::ClockNotTicking),
    ("The maximum channel number is #.", Refusal::NoSuchChannel),
    ("There are no * to accept.", Refusal::NoSuchOffer),
    ("There are no * to decline.", Refusal::NoSuchOffer),
    ("There are no * to withdraw.", Refusal::NoSuchOffer),
    ("There are no moves in your game.", Refusal::TakebackTooFar),
    ("There is no offer *.", Refusal::NoSuchOffer),
    ("There is no such game.", Refusal::NoSuchGame),
    ("There is no history game # for %.", Refusal::NoSuchHistoryGame),
    ("There are only * half moves in your game.", Refusal::TakebackTooFar),
    ("There are only * half-moves in your game.", Refusal::TakebackTooFar),
    ("There is no player matching the name *.", Refusal::NoSuchPlayer),
    ("There is no player matching that name.", Refusal::NoSuchPlayer),
    ("Unregistered players may not *.", Refusal::NotRegistered),
    ("Your opponent is not out of time*", Refusal::NotOutOfTime),
    ("Your opponent has no partner for bughouse.", Refusal::NoPartner),
    ("Your message contains some unprintable character(s).", Refusal::InvalidCharacters),
];

/// Sentences with the number of a game.
const OF_GAME: TemplateTable<fn(GameId) -> Refusal> = &[
    ("You are already observing game #.", Refusal::AlreadyObserving),
    ("You are not observing game #.", Refusal::NotObserving),
    ("Sorry, game # is a private game.", Refusal::PrivateGame),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Refusal as Why;
    use super::*;
    use crate::message::template::match_template;

    const REFUSALS: &[(&str, Why)] = &[
        ("Illegal move (Qd2).", Why::IllegalMove),
        ("Illegal move (e2e5).", Why::IllegalMove),
        ("Illegal move.", Why::IllegalMove),
        ("Ambiguous move (Rd1).", Why::AmbiguousMove),
        ("Ambiguous move.", Why::AmbiguousMove),
        ("It is not your move.", Why::NotYourMove),
        ("You are not playing or examining a game.", Why::NotPlaying),
        ("You are not playing a game.", Why::NotPlaying),
        ("You are not playing or observing a game.", Why::NotPlaying),
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
        ("Boris is not open for bughouse.", Why::NotOpen),
        ("Euwe is playing a game.", Why::PlayerBusy),
        ("Euwe is examining a game.", Why::PlayerBusy),
        ("Bela is not playing a game.", Why::PlayerNotPlaying),
        ("Boris is not playing or examining a game.", Why::PlayerNotPlaying),
        ("You are already examining a game.", Why::Examining),
        ("You are playing a game.", Why::Playing),
        ("You cannot withdraw a draw offer.", Why::OfferStands),
        ("You cannot observe yourself.", Why::OwnName),
        ("You cannot observe a game that you are playing.", Why::Playing),
        ("You cannot flag before both players have moved.", Why::ClockNotTicking),
        ("You can't specify time or inc above 1000.", Why::BadValue),
        ("You have no pending offers from other players.", Why::NoSuchOffer),
        ("You have no pending offers to other players.", Why::NoSuchOffer),
        ("You have no active seeks.", Why::NoSuchSeek),
        ("You have no seek 77.", Why::NoSuchSeek),
        ("You do not have a partner at present.", Why::NoPartner),
        ("Bad value given for variable \"tell\".", Why::BadValue),
        ("Bad value given for variable tell.", Why::BadValue),
        ("I don't know whom to say that to.", Why::NobodyToTell),
        ("No one to say anything to, try tell.", Why::NobodyToTell),
        ("Invalid channel number.", Why::NoSuchChannel),
        ("The maximum channel number is 255.", Why::NoSuchChannel),
        ("That seek is not available.", Why::NoSuchSeek),
        ("There are no offers to withdraw.", Why::NoSuchOffer),
        ("There are no moves in your game.", Why::TakebackTooFar),
        ("There is no history game 99 for Boris.", Why::NoSuchHistoryGame),
        ("Command ignored: line too long.", Why::CommandTooLong),
        ("Command ignored: invalid characters.", Why::InvalidCharacters),
        ("Your message contains some unprintable character(s).", Why::InvalidCharacters),
        ("You are already observing game 463.", Why::AlreadyObserving(GameId(463))),
        ("There is no such game.", Why::NoSuchGame),
        ("Sorry, game 5 is a private game.", Why::PrivateGame(GameId(5))),
        ("You are not observing game 5.", Why::NotObserving(GameId(5))),
        ("You are not observing any games.", Why::NoneObserved),
    ];

    #[test]
    fn every_wording_has_its_reason() {
        for &(line, reason) in REFUSALS {
            assert_eq!(Refusal::parse(line.as_bytes()), Some(reason), "{line}");
        }
        let of_me = OF_ME.iter().map(|(template, _)| format!("You {template}"));
        let others = OTHERS.iter().map(|(template, _)| *template).chain(OF_GAME.iter().map(|(template, _)| *template));
        for template in of_me.chain(others.map(str::to_owned)) {
            let is_tested = |(line, _): &(&str, Why)| match_template(line.as_bytes(), &template).is_some();
            assert!(REFUSALS.iter().any(is_tested), "{template}");
        }
    }

    #[test]
    fn reasons_are_named_in_snake_case() {
        for (_, reason) in REFUSALS {
            let name: String = format!("{reason:?}")
                .chars()
                .take_while(|&c| c != '(')
                .flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain(c.to_lowercase()))
                .collect();
            assert_eq!(reason.as_ref(), name.trim_start_matches('_'));
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
                assert_eq!(Refusal::parse(quote.as_bytes()), None, "{quote}");
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
            "",
        ];
        for line in others {
            assert_eq!(Refusal::parse(line.as_bytes()), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_accepted_or_refused_without_panic(tail in proptest::collection::vec(any::<u8>(), 0..40), cut in 0_usize..40, row in 0..REFUSALS.len()) {
            let (refusal, _) = REFUSALS[row];
            let mut line = refusal.as_bytes()[..cut.min(refusal.len())].to_vec();
            line.extend(tail);
            let _ = Refusal::parse(&line);
        }
    }
}
