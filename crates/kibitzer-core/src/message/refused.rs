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
mod tests;
