//! Refusals of commands.

use strum::AsRefStr;

use super::template::{TemplateTable, templates};
use super::{CommandCode, GameId};

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
    /// The clock is not paused.
    ClockNotPaused,
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
    pub(crate) const fn from_icc_move_code(code: u32) -> Self {
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
}

/// Sentences without the number of a game. A player's name at the start is without titles. No line of chat starts like one of them.
pub(super) const SENTENCES: TemplateTable<Refusal> = templates! {
    Refusal::IllegalMove => "Illegal move." "Illegal move (*)." "Don't understand that move.";
    Refusal::AmbiguousMove => "Ambiguous move." "Ambiguous move (*).";
    Refusal::NotYourMove => "It is not your move." "It isn't your turn: wait until the simul giver is at your board.";
    Refusal::NotPlaying => "You are not playing{| or examining| or observing|, examining, or observing} a game."
        "You are neither playing, observing nor examining a game." "You are not {giving|participating in} a simul.";
    Refusal::NotExamining => "You are not examining {a game|any games}.";
    Refusal::NoneObserved => "You are not observing any games.";
    Refusal::Examining => "You are {|already |still }examining a game." "You can* while you are examining a game.";
    Refusal::Playing => "You are {|already }playing a game." "You can* while you are playing a game."
        "You cannot observe a game that you are playing."
        "You cannot be the simul giver and request to join another simul.";
    Refusal::UnknownCommand => "@: Command {not found|has failed}." "No such command (*)." "Obsolete command*"
        "Command is obsolete; *" "Courtesyabort is obsolete; *" "Use \"adjourn\" to courtesyadjourn a game."
        "inchannel [no params] has been removed" "Due to a bug - this command has been temporarily removed."
        "Sorry -- not available because of a bug" "Command failed: There was an error expanding aliases.";
    Refusal::AmbiguousCommand => "Ambiguous command \"*" "Ambiguous command. Matches:*";
    Refusal::AmbiguousName => "Ambiguous {name|variable|ivariable|list} *"
        "You need to specify at least * of the name.";
    Refusal::CommandTooLong => "Command ignored: line too long.";
    Refusal::InvalidCharacters => "Command ignored: invalid characters."
        "Your message contains some unprintable character(s)." "Illegal character in *.";
    Refusal::NoSuchVariable => "No such {variable|ivariable} *.";
    Refusal::BadValue => "@: bad parameters" "@: val not printable" "Bad value given for {variable|ivariable} *."
        "You can't specify {negative time controls|time controls}." "You can't specify time or inc above *."
        "You must specify a board and a category." "You can't assess the same players."
        "You do not have that many lines set." "You haven't specified a valid * code."
        "You may only specify an idn for unrated chess960 games." "Can't interpret @ in match command."
        "An idn must be between 0 and 959." "Games using a*." "Invalid number of *." "Invalid message range."
        "This clock type cannot be used in rated games." "The \"formula\" and \"manual\" keywords *."
        "That string is too long." "Moretime has a maximum limit of 600 seconds."
        "Moretime requires an integer value greater than zero." "Journal entries are referenced by single letters."
        "Source and destination entries are the same." "Alias names may not be *." "No message sent.";
    Refusal::BadPassword => "Incorrect password{,|;} password not changed!";
    Refusal::ClockPaused => "The clock is paused, use \"unpause\" to resume."
        "Game {clock is|is already} paused, use \"unpause\" to resume.";
    Refusal::ClockNotPaused => "Game is not paused.";
    Refusal::ClockNotTicking => "The clock is not ticking." "You cannot flag before both players have moved.";
    Refusal::NotOutOfTime => "Opponent is not out of time*" "Your opponent is not out of time*";
    Refusal::TakebackTooFar => "There are no moves in your game." "There are only # half{-| }moves in your game."
        "There is only # half-move in your game." "Can only backup # moves" "You can't takeback less than *.";
    Refusal::NotInThisGame => "You can't flag an untimed game." "You can't pause untimed games."
        "You cannot switch sides once a rated game is underway." "You cannot use moretime in an examined game."
        "You are only playing one board!" "You cannot pass until the simul holder arrives!"
        "You are the simul holder and cannot pass!" "You can only make requests when the simul player is at your board."
        "Bughouse games cannot be adjourned." "Switch not implemented for bughouse games."
        "Takeback not implemented for bughouse games yet." "Takeback is not allowed in bughouse."
        "Please use \"simabort\" for simuls." "This is the only game, so passing is futile." "That game is a wild game."
        "Your opponent has requested no takebacks.";
    Refusal::AlreadyOffered => "You are already offering *."
        "You already have an active seek with the same parameters.";
    Refusal::OfferStands => "You cannot withdraw a * offer.";
    Refusal::NoSuchOffer => "There are no * to accept." "There are no * to decline." "There are no * to withdraw."
        "There are no pending *." "There is no offer *." "You have no offers to *."
        "You have no pending offers * other players." "Accept number out-of-bounds!"
        "Out of range. Use \"pending\" to see the list of offers." "Invalid offer number. *";
    Refusal::AmbiguousOffer => "% is seeking several games." "You have more than one pending offer*"
        "You have more than one offer to accept.";
    Refusal::NoSuchSeek => "% isn't seeking any games." "You have no active seeks." "You have no seek #."
        "That seek is not available.";
    Refusal::NoSuchGame => "There is no such game." "No such game." "# is not a valid game number."
        "No suitable star games are in progress." "The current range of game numbers is 1 to #.";
    Refusal::NoSuchHistoryGame => "There is no history game # for %." "History game # not available for %."
        "No games in history for %." "There is no old game for %." "There are 10 entries maximum in history.";
    Refusal::NoSuchBoard => "No such {board|category/board}: *" "No such category *.";
    Refusal::NoSuchChannel => "Invalid channel number." "The maximum channel number is #."
        "The lowest channel number is 0." "The channel must be a number."
        "Your channel to add must be a number between *.";
    Refusal::NotInChannel => "You are not in channel #." "You are not listening to channels."
        "(Not sent because you are not in channel *.)" "(Did not @ because you are not listening to *)";
    Refusal::NothingFound => "You do not have a message #." "You have no alias *." "You have no stored game with %"
        "No {help|information} available on *." "No index entry for *." "Found no @ file matching *."
        "There is no help available for *." "There is no such message." "News item # not found*"
        "No stored game between *." "There is no stored game % vs. %" "Journal entry @ {is |}not available for *."
        "Ping time not available; *" "\"*\" does not match any list name." "Target * not found." "No ratings to show.";
    Refusal::BadHandle => "'@ is not a valid handle*" "\"@ is not a valid handle*";
    Refusal::NoSuchPlayer => "There is no player matching the name *." "There is no player matching that name."
        "No user named \"*\" was found.";
    Refusal::NotLoggedIn => "% is{ not|n't} logged in." "% is no longer online." "% doesn't appear to be logged in."
        "No player {named|matching the name} \"*\" is online." "No player named % is logged in."
        "No user named \"*\" is logged in." "Your partner is not logged in." "Your last opponent, %, is not logged in.";
    Refusal::NotRegistered => "You must be registered to *." "You are not registered and cannot send messages."
        "You cannot add an unregistered user to *." "Only registered {players|people|users} *."
        "Setting * is only for registered players." "Unregistered players {may not|cannot} *."
        "Player \"%\" is unregistered and cannot *." "Both players must be registered to *."
        "All players must be registered to *.";
    Refusal::Censored => "% is censoring you." "Player \"%\" is censoring you.";
    Refusal::Censoring => "You are censoring *." "You have % on your noplay list.";
    Refusal::Noplay => "You are on %'s noplay list.";
    Refusal::Muzzled => "You are {muted|muzzled|c-muzzled|muzzled in all channels}.";
    Refusal::NotListening => "Player \"%\" isn't listening to unregistered {tells|users' tells}.";
    Refusal::MailboxFull => "%'s message box is full." "Couldn't send message to %. Message buffer full.";
    Refusal::NotOpen => "% is not open {to match requests|for bughouse|to receiving simul requests}."
        "% already has a partner." "Player \"%\" is not open to match requests."
        "Your partner {isn't open|is not available} to play right now."
        "Your opponent's partner {isn't open|is not available} to play right now.";
    Refusal::Formula => "% only wants to play * games." "Match request does not {fit|meet} formula for %:";
    Refusal::PlayerBusy => "% is {playing|examining} a game." "% is playing in *'s simul, and can't accept."
        "% can't begin a simul while playing a non-simul game." "% is already playing the maximum of # boards."
        "Player \"%\" is involved in another game.";
    Refusal::PlayerNotPlaying => "% is not playing{| or examining} a game."
        "% is not playing, examining or setting up a game*" "% doesn't appear to be playing a game.";
    Refusal::PlayerNotObserving => "% is not observing the game you are examining."
        "% must observe the game you are analysing.";
    Refusal::AdjournedGame => "You have an adjourned game with * until you finish it.";
    Refusal::OwnName => "You cannot {observe|gnotify|idlenotify|notify} yourself." "You can't {match|summon} yourself."
        "You can't {goboard|simmatch} yourself!" "You can't be your own bughouse partner."
        "You can't follow your own games." "You cannot accept your own seeks."
        "You cannot challenge your partner to bughouse." "A player cannot match himself or herself.";
    Refusal::NoPartner => "You do not have a {bughouse partner|partner at present|partner}."
        "You have no partner for bughouse." "You and your opponent both chose the same partner!"
        "You and your opponent can't choose each other as partners!" "Your opponent has no partner for bughouse."
        "Your partner hasn't chosen you as his partner!"
        "Your opponent's partner hasn't chosen your opponent as his partner!";
    Refusal::NobodyToTell => "You have no previous opponent." "I don't know whom to say that to."
        "No one to say anything to, try tell." "No one to tell anything to." "No previous {channel|tell}."
        "Channel is empty.";
    Refusal::ShoutQuota => "Shout not sent. Next shout in * seconds.";
    Refusal::LimitReached => "You are already observing the maximum number of games."
        "You are already playing the maximum of # boards." "You have your maximum of # aliases."
        "You have reached your maximum of # pass(es)." "You may not have more than # aliases."
        "You cannot own more than # channels." "Maximum number of pending actions reached. Your request was not sent."
        "Sorry, * list is full." "Sorry % can't have any more pending matches." "Your maximum journal entry is @";
    Refusal::Private => "Sorry - that game is private." "Sorry, that is a private game."
        "Sorry, this journal is private." "Sorry, the journal from which you are trying to fetch is private.";
    Refusal::NotAllowed => "@: Insufficient rights." "% may not play {games|rated games}."
        "You may not play {games|rated games}." "You need a higher adminlevel *" "You can't alias this command."
        "You cannot change your rated status." "You do{ not|n't} have permission *." "You cannot kick out *."
        "You cannot use * alias." "You cannot use * after a bughouse game." "You can only * below your adminlevel."
        "You can't * adminlevel." "You can't * higher than or equal to yourself." "You cannot summon a player who *."
        "Only TD programs are allowed to use this command*" "Only admins *" "Computers cannot accept seeks."
        "Admins cannot be *." "\"*\" is not an appropriate list name or you have insufficient rights."
        "Your partner may not play *games." "Your opponent's partner may not play *games.";
};

#[cfg(test)]
mod tests;
