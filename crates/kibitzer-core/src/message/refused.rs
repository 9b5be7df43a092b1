//! Refusals of commands.

use strum::AsRefStr;

use super::template::{TemplateTable, match_table};
use super::{CommandCode, GameId, Handle};
use crate::scan::Cursor;

/// Why the server did not execute a command: `Illegal move (Qd2).`, `foo: Command not found.`
///
/// A sentence has to fill its line, and a name at its start has to be exactly one word, so that chat is never parsed as a
/// refusal. In block mode, the code of a reply may be that of an error: its first line is then a refusal in any words, and without a
/// line there is a refusal with an empty text. After a refused move, some servers send the board again.
///
/// Source: `text §9` in `docs/protocol.md`; transcripts of two servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, AsRefStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
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
    /// The value is invalid for the variable, the clock or the command.
    BadValue,
    /// The parameters are not those of the command; only the code of a reply in block mode reports this.
    BadParameters,
    /// The old password is wrong.
    BadPassword,
    /// The game's kind or its state does not allow the command.
    NotInThisGame,
    /// Nothing matches what the command asks for, such as a help file, a message, an alias or a stored game.
    NothingFound,
    /// A list or a number is at its limit: observed games, pending offers, aliases.
    LimitReached,
    /// This login may not do this at all, or may not do it any more.
    NotAllowed,
    /// No channel has this number.
    NoSuchChannel,
    /// No seek has this number, or it is gone.
    NoSuchSeek,
    /// No start position has this name.
    NoSuchBoard,
    /// The player's history has no game of this number.
    NoSuchHistoryGame,
    /// This login is on the player's censor list.
    Censored,
    /// The player is on this login's own censor or noplay list.
    Censoring,
    /// An administrator has silenced this login.
    Muzzled,
    /// The player's mailbox is full.
    MailboxFull,
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
    /// The player does not observe the game, which the command requires.
    PlayerNotObserving,
    /// The match request does not satisfy the player's formula.
    Formula,
    /// A stored game with this player has to be finished first.
    AdjournedGame,
    /// The text cannot be the name of an account.
    BadHandle,
    /// The name of a player, a variable or a list is cut so short that several fit.
    AmbiguousName,
    /// No account has this name.
    NoSuchPlayer,
    /// The player exists but is not online.
    NotLoggedIn,
    /// Guests may not do this, or take part in it.
    NotRegistered,
    /// This login has not joined the channel, or does not listen to the shouts, that it sent the text to.
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
    /// The game or the journal is private.
    Private,
    /// This login does not observe the game, so it cannot stop observing it.
    NotObserving(GameId),
    /// This login observes no game.
    NoneObserved,
    /// The code of a reply in block mode is the only reason, and has no variant of its own. `other` in JSON.
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

    /// Returns the refusal for the code of a reply in block mode with a line in other words than the known ones, or without a line.
    ///
    /// Source: FICS help file `block_codes`.
    pub(crate) fn from_error_code(code: CommandCode, line: &[u8]) -> Self {
        match code {
            // FatICS gives missing parameters the code of an unknown command.
            CommandCode::UNKNOWN_COMMAND if line.starts_with(b"Usage") => Self::BadParameters,
            CommandCode::UNKNOWN_COMMAND | CommandCode::OBSOLETE_COMMAND | CommandCode::REMOVED_COMMAND => {
                Self::UnknownCommand
            }
            CommandCode::BAD_PARAMETERS => Self::BadParameters,
            CommandCode::AMBIGUOUS_COMMAND => Self::AmbiguousCommand,
            CommandCode::INSUFFICIENT_RIGHTS => Self::NotAllowed,
            CommandCode::NOT_PLAYING => Self::NotPlaying,
            CommandCode::LINE_TOO_LONG => Self::CommandTooLong,
            code => Self::Code(code),
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
        let table = match subject.strip_suffix(b":") {
            // A word with a bracket, `>` or another colon is part of chat: `Foo(50):`, `:foo:`.
            Some(command) => (!command.iter().any(|b| b"():>".contains(b))).then_some(OF_COMMAND)?,
            None => Handle::is_name(subject).then_some(OF_PLAYER)?,
        };
        match_table(at.rest(), table).map(|(refusal, _)| refusal)
    }
}

/// Declares a table of sentences, grouped by the reason that they give.
macro_rules! sentences {
    ($($reason:ident: $($sentence:literal)+;)+) => { &[$($(($sentence, Refusal::$reason),)+)+] };
}

/// Sentences after a command with a colon.
const OF_COMMAND: TemplateTable<Refusal> = sentences! {
    UnknownCommand: "Command not found." "Command has failed.";
    NotAllowed: "Insufficient rights.";
    BadValue: "bad parameters" "val not printable";
};

/// Sentences after a player's name.
const OF_PLAYER: TemplateTable<Refusal> = sentences! {
    NotAllowed: "may not play games." "may not play rated games.";
    Censored: "is censoring you.";
    NotOpen: "is not open to match requests." "is not open for bughouse." "is not open to receiving simul requests."
        "already has a partner.";
    Formula: "only wants to play * games.";
    PlayerBusy: "is playing a game." "is examining a game." "is playing in *'s simul, and can't accept."
        "can't begin a simul while playing a non-simul game." "is already playing the maximum of # boards.";
    PlayerNotPlaying: "is not playing a game." "is not playing or examining a game."
        "is not playing, examining or setting up a game*" "doesn't appear to be playing a game.";
    PlayerNotObserving: "is not observing the game you are examining." "must observe the game you are analysing.";
    NotLoggedIn: "is not logged in." "isn't logged in." "is no longer online." "doesn't appear to be logged in.";
    NoSuchSeek: "isn't seeking any games.";
    AmbiguousOffer: "is seeking several games.";
};

/// Sentences after `You `, in a table of their own so that other lines are not compared with them.
const OF_ME: TemplateTable<Refusal> = sentences! {
    NotPlaying: "are not playing a game." "are not playing or examining a game."
        "are not playing or observing a game." "are not playing, examining, or observing a game."
        "are neither playing, observing nor examining a game." "are not giving a simul."
        "are not participating in a simul.";
    NotExamining: "are not examining a game." "are not examining any games.";
    NoneObserved: "are not observing any games.";
    Examining: "are already examining a game." "are examining a game." "are still examining a game."
        "can* while you are examining a game.";
    Playing: "are playing a game." "are already playing a game." "cannot observe a game that you are playing."
        "can* while you are playing a game." "cannot be the simul giver and request to join another simul.";
    AlreadyOffered: "are already offering *." "already have an active seek with the same parameters.";
    OfferStands: "cannot withdraw a * offer.";
    OwnName: "cannot observe yourself." "can't match yourself." "can't be your own bughouse partner."
        "can't goboard yourself!" "can't simmatch yourself!" "can't summon yourself." "can't follow your own games."
        "cannot accept your own seeks." "cannot gnotify yourself." "cannot idlenotify yourself."
        "cannot notify yourself." "cannot challenge your partner to bughouse.";
    ClockNotTicking: "cannot flag before both players have moved.";
    TakebackTooFar: "can't takeback less than *.";
    NotInThisGame: "can't flag an untimed game." "can't pause untimed games."
        "cannot switch sides once a rated game is underway." "cannot use moretime in an examined game."
        "are only playing one board!"
        "cannot pass until the simul holder arrives!" "are the simul holder and cannot pass!"
        "can only make requests when the simul player is at your board.";
    BadValue: "can't specify time or inc above *." "can't specify negative time controls."
        "can't specify time controls." "must specify a board and a category." "can't assess the same players."
        "do not have that many lines set." "haven't specified a valid * code."
        "may only specify an idn for unrated chess960 games.";
    Noplay: "are on %'s noplay list.";
    Censoring: "are censoring *." "have % on your noplay list.";
    AdjournedGame: "have an adjourned game with * until you finish it.";
    NotRegistered: "must be registered to *." "are not registered and cannot send messages."
        "cannot add an unregistered user to *.";
    Muzzled: "are muted." "are muzzled." "are c-muzzled." "are muzzled in all channels.";
    NotAllowed: "may not play games." "may not play rated games." "need a higher adminlevel *"
        "can't alias this command." "cannot change your rated status." "do not have permission *."
        "don't have permission *." "cannot kick out *." "cannot use * alias." "cannot use * after a bughouse game."
        "can only * below your adminlevel." "can't * adminlevel." "can't * higher than or equal to yourself."
        "cannot summon a player who *.";
    NotInChannel: "are not in channel #." "are not listening to channels.";
    NoSuchOffer: "have no offers to *." "have no pending offers * other players.";
    NoSuchSeek: "have no active seeks." "have no seek #.";
    AmbiguousOffer: "have more than one pending offer*" "have more than one offer to accept.";
    AmbiguousName: "need to specify at least * of the name.";
    NoPartner: "do not have a bughouse partner." "do not have a partner at present." "do not have a partner."
        "have no partner for bughouse." "and your opponent both chose the same partner!"
        "and your opponent can't choose each other as partners!";
    NobodyToTell: "have no previous opponent.";
    LimitReached: "are already observing the maximum number of games." "are already playing the maximum of # boards."
        "have your maximum of # aliases." "have reached your maximum of # pass(es)."
        "may not have more than # aliases." "cannot own more than # channels.";
    NothingFound: "do not have a message #." "have no alias *." "have no stored game with %";
};

/// All other sentences. No line of chat starts like one of them.
const OTHERS: TemplateTable<Refusal> = sentences! {
    IllegalMove: "Illegal move." "Illegal move (*)." "Don't understand that move.";
    AmbiguousMove: "Ambiguous move." "Ambiguous move (*).";
    NotYourMove: "It is not your move." "It isn't your turn: wait until the simul giver is at your board.";
    UnknownCommand: "No such command (*)." "Obsolete command*" "Command is obsolete; *" "Courtesyabort is obsolete; *"
        "Use \"adjourn\" to courtesyadjourn a game." "inchannel [no params] has been removed"
        "Due to a bug - this command has been temporarily removed." "Sorry -- not available because of a bug"
        "Command failed: There was an error expanding aliases.";
    AmbiguousCommand: "Ambiguous command \"*" "Ambiguous command. Matches:*";
    AmbiguousName: "Ambiguous name *" "Ambiguous variable *" "Ambiguous ivariable *" "Ambiguous list *";
    CommandTooLong: "Command ignored: line too long.";
    InvalidCharacters: "Command ignored: invalid characters." "Your message contains some unprintable character(s)."
        "Illegal character in *.";
    NoSuchVariable: "No such variable *." "No such ivariable *.";
    BadValue: "Bad value given for variable *." "Bad value given for ivariable *."
        "Can't interpret @ in match command." "An idn must be between 0 and 959." "Games using a*."
        "Invalid number of *." "Invalid message range." "This clock type cannot be used in rated games."
        "The \"formula\" and \"manual\" keywords *." "That string is too long."
        "Moretime has a maximum limit of 600 seconds." "Moretime requires an integer value greater than zero."
        "Journal entries are referenced by single letters." "Source and destination entries are the same."
        "Alias names may not be *." "No message sent.";
    BadPassword: "Incorrect password, password not changed!" "Incorrect password; password not changed!";
    ClockPaused: "The clock is paused, use \"unpause\" to resume." "Game clock is paused, use \"unpause\" to resume.";
    ClockNotTicking: "The clock is not ticking.";
    NotOutOfTime: "Opponent is not out of time*" "Your opponent is not out of time*";
    TakebackTooFar: "There are no moves in your game." "There are only * half moves in your game."
        "Can only backup # moves" "There are only * half-moves in your game."
        "There is only # half-move in your game.";
    NotInThisGame: "Bughouse games cannot be adjourned." "Switch not implemented for bughouse games."
        "Takeback not implemented for bughouse games yet." "Takeback is not allowed in bughouse."
        "Please use \"simabort\" for simuls." "This is the only game, so passing is futile."
        "That game is a wild game." "Your opponent has requested no takebacks.";
    NoSuchOffer: "There are no * to accept." "There are no * to decline." "There are no * to withdraw."
        "There is no offer *." "There are no pending *." "Accept number out-of-bounds!"
        "Out of range. Use \"pending\" to see the list of offers." "Invalid offer number. *";
    NoSuchSeek: "That seek is not available.";
    NoSuchGame: "There is no such game." "No such game." "# is not a valid game number."
        "No suitable star games are in progress." "The current range of game numbers is 1 to #.";
    NoSuchHistoryGame: "There is no history game # for %." "History game # not available for %."
        "No games in history for %." "There is no old game for %." "There are 10 entries maximum in history.";
    NoSuchBoard: "No such board: *" "No such category/board: *" "No such category *.";
    NoSuchChannel: "Invalid channel number." "The maximum channel number is #." "The lowest channel number is 0."
        "The channel must be a number." "Your channel to add must be a number between *.";
    NotInChannel: "(Not sent because you are not in channel *.)" "(Did not @ because you are not listening to *)";
    NothingFound: "No help available on *." "No information available on *." "No index entry for *."
        "Found no @ file matching *." "There is no help available for *." "There is no such message."
        "News item # not found*" "No stored game between *." "Journal entry @ is not available for *."
        "Journal entry @ not available for *." "There is no stored game % vs. %" "Ping time not available; *"
        "\"*\" does not match any list name." "Target * not found."
        "No ratings to show.";
    BadHandle: "'@ is not a valid handle*" "\"@ is not a valid handle*";
    NoSuchPlayer: "There is no player matching the name *." "There is no player matching that name."
        "No user named \"*\" was found.";
    NotLoggedIn: "No player named \"*\" is online." "No player matching the name \"*\" is online."
        "No player named % is logged in." "No user named \"*\" is logged in." "Your partner is not logged in."
        "Your last opponent, %, is not logged in.";
    NobodyToTell: "I don't know whom to say that to." "No one to say anything to, try tell."
        "No one to tell anything to." "No previous channel." "No previous tell." "Channel is empty.";
    Censored: "Player \"%\" is censoring you.";
    NotListening: "Player \"%\" isn't listening to unregistered tells."
        "Player \"%\" isn't listening to unregistered users' tells.";
    MailboxFull: "%'s message box is full." "Couldn't send message to %. Message buffer full.";
    NotOpen: "Player \"%\" is not open to match requests." "Your partner isn't open to play right now."
        "Your partner is not available to play right now." "Your opponent's partner isn't open to play right now."
        "Your opponent's partner is not available to play right now.";
    PlayerBusy: "Player \"%\" is involved in another game.";
    Formula: "Match request does not fit formula for %:" "Match request does not meet formula for %:";
    NoPartner: "Your opponent has no partner for bughouse." "Your partner hasn't chosen you as his partner!"
        "Your opponent's partner hasn't chosen your opponent as his partner!";
    OwnName: "A player cannot match himself or herself.";
    ShoutQuota: "Shout not sent. Next shout in * seconds.";
    LimitReached: "Maximum number of pending actions reached. Your request was not sent." "Sorry, * list is full."
        "Sorry % can't have any more pending matches." "Sorry you can't have any more pending matches."
        "Your maximum journal entry is @";
    Private: "Sorry - that game is private." "Sorry, that is a private game." "Sorry, this journal is private."
        "Sorry, the journal from which you are trying to fetch is private.";
    NotRegistered: "Only registered players *." "Only registered people *." "Only registered users *."
        "Setting * is only for registered players." "Unregistered players may not *." "Unregistered players cannot *."
        "Player \"%\" is unregistered and cannot *." "Both players must be registered to *."
        "All players must be registered to *.";
    NotAllowed: "Only TD programs are allowed to use this command*" "Only admins *" "Computers cannot accept seeks."
        "Admins cannot be *." "\"*\" is not an appropriate list name or you have insufficient rights."
        "Your partner may not play *games." "Your opponent's partner may not play *games.";
};

/// Sentences with the number of a game.
const OF_GAME: TemplateTable<fn(GameId) -> Refusal> = &[
    ("You are already observing game #.", Refusal::AlreadyObserving),
    ("You are not observing game #.", Refusal::NotObserving),
    ("Sorry, game # is a private game*", Refusal::PrivateGame),
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
        ("Sorry, game 125 is a private game", Why::PrivateGame(GameId(125))),
        ("(Did not it-shout because you are not listening to shouts)", Why::NotInChannel),
        ("Sorry -- not available because of a bug", Why::UnknownCommand),
        ("You are not observing game 5.", Why::NotObserving(GameId(5))),
        ("You are not observing any games.", Why::NoneObserved),
        ("aset: Insufficient rights.", Why::NotAllowed),
        ("Foo may not play games.", Why::NotAllowed),
        ("Foo may not play rated games.", Why::NotAllowed),
        ("iset: bad parameters", Why::BadValue),
        ("set: val not printable", Why::BadValue),
        ("Foo is not open to receiving simul requests.", Why::NotOpen),
        ("Foo already has a partner.", Why::NotOpen),
        ("Foo only wants to play rated games.", Why::Formula),
        ("Foo is playing in Bar's simul, and can't accept.", Why::PlayerBusy),
        ("Foo can't begin a simul while playing a non-simul game.", Why::PlayerBusy),
        ("Foo is already playing the maximum of 100 boards.", Why::PlayerBusy),
        ("Foo is not playing, examining or setting up a game", Why::PlayerNotPlaying),
        ("Foo is not playing, examining or setting up a game.", Why::PlayerNotPlaying),
        ("Foo doesn't appear to be playing a game.", Why::PlayerNotPlaying),
        ("Foo is not observing the game you are examining.", Why::PlayerNotObserving),
        ("Foo must observe the game you are analysing.", Why::PlayerNotObserving),
        ("Foo isn't logged in.", Why::NotLoggedIn),
        ("Foo is no longer online.", Why::NotLoggedIn),
        ("Foo doesn't appear to be logged in.", Why::NotLoggedIn),
        ("Foo isn't seeking any games.", Why::NoSuchSeek),
        ("Foo is seeking several games.", Why::AmbiguousOffer),
        ("You are not giving a simul.", Why::NotPlaying),
        ("You are not participating in a simul.", Why::NotPlaying),
        ("You are examining a game.", Why::Examining),
        ("You are still examining a game.", Why::Examining),
        ("You are already playing a game.", Why::Playing),
        ("You cannot be the simul giver and request to join another simul.", Why::Playing),
        ("You already have an active seek with the same parameters.", Why::AlreadyOffered),
        ("You can't be your own bughouse partner.", Why::OwnName),
        ("You can't goboard yourself!", Why::OwnName),
        ("You can't simmatch yourself!", Why::OwnName),
        ("You can't summon yourself.", Why::OwnName),
        ("You can't follow your own games.", Why::OwnName),
        ("You cannot accept your own seeks.", Why::OwnName),
        ("You cannot gnotify yourself.", Why::OwnName),
        ("You cannot idlenotify yourself.", Why::OwnName),
        ("You cannot notify yourself.", Why::OwnName),
        ("You cannot challenge your partner to bughouse.", Why::OwnName),
        ("You can't flag an untimed game.", Why::NotInThisGame),
        ("You can't pause untimed games.", Why::NotInThisGame),
        ("You cannot switch sides once a rated game is underway.", Why::NotInThisGame),
        ("You cannot use moretime in an examined game.", Why::NotInThisGame),
        ("You are only playing one board!", Why::NotInThisGame),
        ("You cannot pass until the simul holder arrives!", Why::NotInThisGame),
        ("You are the simul holder and cannot pass!", Why::NotInThisGame),
        ("You can only make requests when the simul player is at your board.", Why::NotInThisGame),
        ("You can't specify negative time controls.", Why::BadValue),
        ("You can't specify time controls.", Why::BadValue),
        ("You must specify a board and a category.", Why::BadValue),
        ("You can't assess the same players.", Why::BadValue),
        ("You do not have that many lines set.", Why::BadValue),
        ("You haven't specified a valid ECO code.", Why::BadValue),
        ("You haven't specified a valid NIC code.", Why::BadValue),
        ("You may only specify an idn for unrated chess960 games.", Why::BadValue),
        ("You are censoring \"Foo\".", Why::Censoring),
        ("You are censoring Foo.", Why::Censoring),
        ("You have Foo on your noplay list.", Why::Censoring),
        ("You are not registered and cannot send messages.", Why::NotRegistered),
        ("You cannot add an unregistered user to your notify list.", Why::NotRegistered),
        ("You must be registered to kibitz other people's games.", Why::NotRegistered),
        ("You are muted.", Why::Muzzled),
        ("You are muzzled.", Why::Muzzled),
        ("You are c-muzzled.", Why::Muzzled),
        ("You are muzzled in all channels.", Why::Muzzled),
        ("You may not play games.", Why::NotAllowed),
        ("You may not play rated games.", Why::NotAllowed),
        ("You need a higher adminlevel to do that.", Why::NotAllowed),
        ("You need a higher adminlevel to nuke Foo!", Why::NotAllowed),
        ("You can't alias this command.", Why::NotAllowed),
        ("You cannot change your rated status.", Why::NotAllowed),
        ("You do not have permission to access that command.", Why::NotAllowed),
        ("You don't have permission to do that.", Why::NotAllowed),
        ("You cannot kick out a channel owner.", Why::NotAllowed),
        ("You cannot kick out an admin.", Why::NotAllowed),
        ("You cannot use \"quit\" as an alias.", Why::NotAllowed),
        ("You cannot use $o in an alias after a bughouse game.", Why::NotAllowed),
        ("You can only aset players below your adminlevel.", Why::NotAllowed),
        ("You can only pose as players below your adminlevel.", Why::NotAllowed),
        ("You can't change your own adminlevel.", Why::NotAllowed),
        ("You can't promote someone to or above your adminlevel.", Why::NotAllowed),
        ("You can't remove an admin with a level higher than or equal to yourself.", Why::NotAllowed),
        ("You can't set handles for an admin with a level higher than or equal to yourself.", Why::NotAllowed),
        ("You cannot summon a player who doesn't have you on his or her notify list.", Why::NotAllowed),
        ("You are not in channel 3.", Why::NotInChannel),
        ("You are not listening to channels.", Why::NotInChannel),
        ("You have more than one offer to accept.", Why::AmbiguousOffer),
        ("You need to specify at least two characters of the name.", Why::AmbiguousName),
        ("You need to specify at least 2 characters of the name.", Why::AmbiguousName),
        ("You do not have a partner.", Why::NoPartner),
        ("You and your opponent both chose the same partner!", Why::NoPartner),
        ("You and your opponent can't choose each other as partners!", Why::NoPartner),
        ("You have no previous opponent.", Why::NobodyToTell),
        ("You are already observing the maximum number of games.", Why::LimitReached),
        ("You are already playing the maximum of 100 boards.", Why::LimitReached),
        ("You have your maximum of 30 aliases.", Why::LimitReached),
        ("You have reached your maximum of 3 pass(es).", Why::LimitReached),
        ("You may not have more than 30 aliases.", Why::LimitReached),
        ("You cannot own more than 8 channels.", Why::LimitReached),
        ("You do not have a message 3.", Why::NothingFound),
        ("You have no alias named \"x\".", Why::NothingFound),
        ("You have no alias \"x\".", Why::NothingFound),
        ("You have no stored game with Foo", Why::NothingFound),
        ("Don't understand that move.", Why::IllegalMove),
        ("It isn't your turn: wait until the simul giver is at your board.", Why::NotYourMove),
        ("Obsolete command. Please do set highlight <0-15>.", Why::UnknownCommand),
        ("Obsolete command: Please use +muzzle and -muzzle.", Why::UnknownCommand),
        ("Command is obsolete; type \"partner\" to clear your partner", Why::UnknownCommand),
        ("Command is obsolete; type \"partner Foo\" to change your partner", Why::UnknownCommand),
        ("Courtesyabort is obsolete; use \"abort\" instead.", Why::UnknownCommand),
        ("Use \"adjourn\" to courtesyadjourn a game.", Why::UnknownCommand),
        ("inchannel [no params] has been removed", Why::UnknownCommand),
        ("Due to a bug - this command has been temporarily removed.", Why::UnknownCommand),
        ("Command failed: There was an error expanding aliases.", Why::UnknownCommand),
        ("Ambiguous name foo:", Why::AmbiguousName),
        ("Ambiguous name 'foo'; matches more than one player.", Why::AmbiguousName),
        ("Ambiguous name \"foo\". Matches: Foobar Foobaz", Why::AmbiguousName),
        ("Ambiguous variable name s.", Why::AmbiguousName),
        ("Ambiguous variable \"s\". Matches: seek shout", Why::AmbiguousName),
        ("Ambiguous ivariable \"s\". Matches: seekinfo seekremove", Why::AmbiguousName),
        ("Ambiguous list \"n\". Matches: notify noplay", Why::AmbiguousName),
        ("Illegal character in category x/.", Why::InvalidCharacters),
        ("Illegal character in command x/.", Why::InvalidCharacters),
        ("Illegal character in filename x/.", Why::InvalidCharacters),
        ("No such variable name foo.", Why::NoSuchVariable),
        ("Bad value given for ivariable \"ms\".", Why::BadValue),
        ("Can't interpret 5 in match command.", Why::BadValue),
        ("An idn must be between 0 and 959.", Why::BadValue),
        ("Games using a Bronstein clock must have an increment.", Why::BadValue),
        ("Games using an hourglass clock may not have an increment.", Why::BadValue),
        ("Games using an overtime clock must have a positive initial time.", Why::BadValue),
        ("Games using an overtime clock must have a positive overtime bonus.", Why::BadValue),
        ("Invalid number of moves before overtime bonus.", Why::BadValue),
        ("Invalid number of seconds.", Why::BadValue),
        ("Invalid message range.", Why::BadValue),
        ("This clock type cannot be used in rated games.", Why::BadValue),
        ("The \"formula\" and \"manual\" keywords may not be used with match requests.", Why::BadValue),
        ("That string is too long.", Why::BadValue),
        ("Moretime has a maximum limit of 600 seconds.", Why::BadValue),
        ("Moretime requires an integer value greater than zero.", Why::BadValue),
        ("Journal entries are referenced by single letters.", Why::BadValue),
        ("Source and destination entries are the same.", Why::BadValue),
        ("Alias names may not be more than 15 characters long.", Why::BadValue),
        ("No message sent.", Why::BadValue),
        ("Incorrect password, password not changed!", Why::BadPassword),
        ("Incorrect password; password not changed!", Why::BadPassword),
        ("Game clock is paused, use \"unpause\" to resume.", Why::ClockPaused),
        ("Can only backup 3 moves", Why::TakebackTooFar),
        ("There is only 1 half-move in your game.", Why::TakebackTooFar),
        ("Bughouse games cannot be adjourned.", Why::NotInThisGame),
        ("Switch not implemented for bughouse games.", Why::NotInThisGame),
        ("Takeback not implemented for bughouse games yet.", Why::NotInThisGame),
        ("Takeback is not allowed in bughouse.", Why::NotInThisGame),
        ("Please use \"simabort\" for simuls.", Why::NotInThisGame),
        ("This is the only game, so passing is futile.", Why::NotInThisGame),
        ("That game is a wild game.", Why::NotInThisGame),
        ("Your opponent has requested no takebacks.", Why::NotInThisGame),
        ("There are no pending draw offers.", Why::NoSuchOffer),
        ("There are no pending offers from Foo.", Why::NoSuchOffer),
        ("Accept number out-of-bounds!", Why::NoSuchOffer),
        ("Out of range. Use \"pending\" to see the list of offers.", Why::NoSuchOffer),
        ("Invalid offer number. Must be between 1 and 3.", Why::NoSuchOffer),
        ("No such game.", Why::NoSuchGame),
        ("781 is not a valid game number.", Why::NoSuchGame),
        ("No suitable star games are in progress.", Why::NoSuchGame),
        ("The current range of game numbers is 1 to 780.", Why::NoSuchGame),
        ("History game 7 not available for Foo.", Why::NoSuchHistoryGame),
        ("No games in history for Foo.", Why::NoSuchHistoryGame),
        ("There is no old game for Foo.", Why::NoSuchHistoryGame),
        ("There are 10 entries maximum in history.", Why::NoSuchHistoryGame),
        ("No such board: krowa", Why::NoSuchBoard),
        ("No such category/board: wild/9", Why::NoSuchBoard),
        ("No such category x, try \"boards\".", Why::NoSuchBoard),
        ("The lowest channel number is 0.", Why::NoSuchChannel),
        ("The channel must be a number.", Why::NoSuchChannel),
        ("Your channel to add must be a number between 0 and 255.", Why::NoSuchChannel),
        ("No help available on \"x\".", Why::NothingFound),
        ("No information available on \"x\".", Why::NothingFound),
        ("No index entry for \"x\".", Why::NothingFound),
        ("Found no help file matching \"x\".", Why::NothingFound),
        ("Found no source file matching \"x\".", Why::NothingFound),
        ("There is no help available for \"x\".", Why::NothingFound),
        ("There is no such message.", Why::NothingFound),
        ("News item 3 not found.", Why::NothingFound),
        ("News item 3 not found or not changed.", Why::NothingFound),
        ("No stored game between \"Foo\" and \"Bar\".", Why::NothingFound),
        ("Journal entry A is not available for Foo.", Why::NothingFound),
        ("Journal entry A not available for Foo.", Why::NothingFound),
        ("There is no stored game Foo vs. Bar", Why::NothingFound),
        ("Ping time not available; please wait.", Why::NothingFound),
        ("Ping time not available; Foo is not using zipseal.", Why::NothingFound),
        ("\"x\" does not match any list name.", Why::NothingFound),
        ("Target Foo not found.", Why::NothingFound),
        ("No ratings to show.", Why::NothingFound),
        ("'foo' is not a valid handle.", Why::BadHandle),
        ("\"x1\" is not a valid handle: Names should only consist of lower and upper case letters.", Why::BadHandle),
        ("No user named \"foo\" was found.", Why::NoSuchPlayer),
        ("No player matching the name \"foo\" is online.", Why::NotLoggedIn),
        ("No player named Foo is logged in.", Why::NotLoggedIn),
        ("Your partner is not logged in.", Why::NotLoggedIn),
        ("Your last opponent, Foo, is not logged in.", Why::NotLoggedIn),
        ("No one to tell anything to.", Why::NobodyToTell),
        ("No previous channel.", Why::NobodyToTell),
        ("No previous tell.", Why::NobodyToTell),
        ("Channel is empty.", Why::NobodyToTell),
        ("Foo's message box is full.", Why::MailboxFull),
        ("Couldn't send message to Foo. Message buffer full.", Why::MailboxFull),
        ("Player \"Foo\" is not open to match requests.", Why::NotOpen),
        ("Your partner isn't open to play right now.", Why::NotOpen),
        ("Your partner is not available to play right now.", Why::NotOpen),
        ("Your opponent's partner isn't open to play right now.", Why::NotOpen),
        ("Your opponent's partner is not available to play right now.", Why::NotOpen),
        ("Player \"Foo\" is involved in another game.", Why::PlayerBusy),
        ("Match request does not meet formula for Foo:", Why::Formula),
        ("Your partner hasn't chosen you as his partner!", Why::NoPartner),
        ("Your opponent's partner hasn't chosen your opponent as his partner!", Why::NoPartner),
        ("A player cannot match himself or herself.", Why::OwnName),
        ("Maximum number of pending actions reached. Your request was not sent.", Why::LimitReached),
        ("Sorry, your notify list is full.", Why::LimitReached),
        ("Sorry Foo can't have any more pending matches.", Why::LimitReached),
        ("Sorry you can't have any more pending matches.", Why::LimitReached),
        ("Your maximum journal entry is F", Why::LimitReached),
        ("Sorry - that game is private.", Why::Private),
        ("Sorry, that is a private game.", Why::Private),
        ("Sorry, this journal is private.", Why::Private),
        ("Sorry, the journal from which you are trying to fetch is private.", Why::Private),
        ("Only registered users may send tells to channels other than 4, 7 and 53.", Why::NotRegistered),
        ("Unregistered players cannot use mailmoves.", Why::NotRegistered),
        ("Player \"Foo\" is unregistered and cannot receive messages.", Why::NotRegistered),
        ("Player \"Foo\" is unregistered and cannot send or receive messages.", Why::NotRegistered),
        ("Both players must be registered to adjorn a game. Use \"abort\".", Why::NotRegistered),
        ("All players must be registered to adjourn a game.  Use \"abort\".", Why::NotRegistered),
        ("Only TD programs are allowed to use this command.", Why::NotAllowed),
        ("Only TD programs are allowed to use this command", Why::NotAllowed),
        ("Only admins may join channel 0.", Why::NotAllowed),
        ("Only admins can join channel 0.", Why::NotAllowed),
        ("Only admins may send tells to channel 0.", Why::NotAllowed),
        ("Computers cannot accept seeks.", Why::NotAllowed),
        ("Admins cannot be muzzled.", Why::NotAllowed),
        ("\"x\" is not an appropriate list name or you have insufficient rights.", Why::NotAllowed),
        ("Your partner may not play games.", Why::NotAllowed),
        ("Your partner may not play rated games.", Why::NotAllowed),
        ("Your opponent's partner may not play games.", Why::NotAllowed),
    ];

    #[test]
    fn every_wording_has_its_reason() {
        for &(line, reason) in REFUSALS {
            assert_eq!(Refusal::parse(line.as_bytes()), Some(reason), "{line}");
        }
        let of_me = OF_ME.iter().map(|(template, _)| format!("You {template}"));
        let others = OTHERS.iter().map(|(template, _)| *template).chain(OF_GAME.iter().map(|(template, _)| *template));
        let of_subject = OF_COMMAND.iter().chain(OF_PLAYER).map(|(template, _)| format!("@ {template}"));
        for template in of_subject.chain(of_me).chain(others.map(str::to_owned)) {
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
