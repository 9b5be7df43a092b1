//! The servers' sentences: templates, each with the message that it stands for, to parse and to write them.

use super::template::{Captures, SentenceParts, match_template, templates, write_template};
use super::{
    Challenge, ChallengeChange, ChallengeUpdate, ClockAction, Delivered, ExamineAction, ExamineNotice, Farewell,
    FollowChange, GameId, GameInfo, GameNotification, Handle, KickedBy, ListChangeKind, LoggedIn, MeOrOther, Message,
    NameKind, NameStatus, ObservingUpdate, OfferAnswer, OfferKind, OfferNotice, OwnGameStarting, PartnershipUpdate,
    PresenceChange, PresenceChangeKind, PresenceReportReason, PrimaryGameChange, RatingChange, RatingForecast, Refusal,
    SeekNotice, SeeksRemoved, fields,
};
use crate::scan::Cursor;
use crate::text::{PlayerText, ServerText, Titles};

/// A sentence of the servers: its [template](super::template) and its meaning.
///
/// | the template starts with | place of the rest in the line |
/// |---|---|
/// | `%` | after a player's name; ICC writes `Your opponent` for the name of one who makes or answers an offer |
/// | `[Game $: ]%` | the same, and observers receive the number of the game before it |
/// | `@: ` | after a command with a colon |
/// | other text | the whole line |
pub(super) type Sentence = (&'static str, Meaning);

/// The message that a sentence stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Offer(MeOrOther, OfferKind, Option<OfferAnswer>),
    /// An answer to an offer that the sentence names.
    Answer(MeOrOther, OfferAnswer),
    Challenge(MeOrOther, ChallengeChange),
    Partner(fn(Captures<'_>) -> Option<PartnershipUpdate>),
    Observing {
        is_observed: bool,
    },
    PrimaryGame,
    Examine(fn(&Captures<'_>) -> Option<ExamineAction>),
    Presence(PresenceChangeKind, PresenceReportReason),
    LoggedIn,
    Name(NameKind),
    Kicked(fn(Handle) -> KickedBy),
    Farewell(Farewell),
    Seek(fn(u32) -> SeekNotice),
    Refused(Refusal),
    RefusedGame(fn(GameId) -> Refusal),
    Clock(ClockAction),
    List(ListChangeKind),
    /// A message that is made of the parts, or parsed from the text that the template does not fix.
    Parts(fn(Captures<'_>) -> Option<Message>),
}

impl Meaning {
    /// Creates the message from the parts of a sentence; `None` if one is missing or invalid.
    pub(super) fn to_message(self, found: Captures<'_>) -> Option<Message> {
        Some(match self {
            Self::Offer(actor, kind, answer) => OfferNotice::from_sentence(actor, kind, answer, found).into(),
            Self::Answer(actor, answer) => {
                let kind = str::from_utf8(found.word).ok()?.parse().ok()?;
                OfferNotice::from_sentence(actor, kind, Some(answer), found).into()
            }
            Self::Challenge(actor, change) => ChallengeUpdate { name: found.name, actor, change }.into(),
            Self::Partner(update) => update(found)?.into(),
            Self::Observing { is_observed } => ObservingUpdate { game: found.game?, is_observed }.into(),
            Self::PrimaryGame => PrimaryGameChange { game: found.game?, opponent: found.name }.into(),
            Self::Examine(action) => ExamineNotice { game: found.game, action: action(&found)?, by: found.name }.into(),
            Self::Presence(kind, reason) => {
                let titles = Titles::from_bracketed(found.titles);
                PresenceChange { name: found.name?, titles, kind, reason }.into()
            }
            Self::LoggedIn => {
                let titles = Titles::from_bracketed(found.titles);
                LoggedIn { name: found.name?, titles, server: ServerText::from_wire(found.word) }.into()
            }
            Self::Name(kind) => NameStatus { name: found.name?, kind }.into(),
            Self::Kicked(by) => by(found.name?).into(),
            Self::Farewell(farewell) => farewell.into(),
            Self::Seek(notice) => notice(found.number.unwrap_or_default()).into(),
            Self::Refused(refusal) => refusal.into(),
            Self::RefusedGame(refusal) => refusal(found.game?).into(),
            Self::Clock(action) => action.to_message(found),
            Self::List(change) => change.to_message(found)?,
            Self::Parts(parse) => parse(found)?,
        })
    }
}

/// The success of a login, and the status of its name. The text after that differs between servers. A refusal of the login is in any
/// case and form: see [`LoginRefusal`](super::LoginRefusal).
pub(super) const BEFORE_LOGIN: &[Sentence] = templates! {
    Meaning::LoggedIn => "{**** }Starting @ session as %{ ****}";
    Meaning::Name(NameKind::Registered) => "\"%\" is a registered name.*";
    Meaning::Name(NameKind::Unregistered) => "\"%\" is not a registered name.*"
        "Logging you in as \"%\"; you may use this name*";
};

/// Sentences about logouts of this login, and about logins and logouts of other players. Administrators receive lines of `pin` with
/// the player's address, registered or unregistered.
pub(super) const LOGINS: &[Sentence] = {
    use Meaning::{Farewell as Leave, Presence};
    use PresenceChangeKind::{Arrived, Departed};
    use PresenceReportReason::{Adjourned, NotifiedBy, Notify, Pin};
    templates! {
        Presence(Arrived, Notify) => "Notification: % has arrived.";
        Presence(Departed, Notify) => "Notification: % has departed.";
        Presence(Arrived, NotifiedBy) => "Notification: % has arrived and isn't on your notify list.";
        Presence(Departed, NotifiedBy) => "Notification: % has departed and isn't on your notify list.";
        Presence(Arrived, Adjourned) =>
            "Notification: %, who has an adjourned game with you, has arrived{| and isn't on your notify list}.";
        Presence(Departed, Adjourned) =>
            "Notification: %, who has an adjourned game with you, has departed{| and isn't on your notify list}.";
        Presence(Arrived, Pin) => "[% has connected.]" "[% ({R|U}: @ has connected.]";
        Presence(Departed, Pin) => "[% has disconnected.]" "[% ({R|U}: @ has disconnected.]";
        Leave(Farewell::LoggingOut) => "Logging you out.";
    }
};

/// Lines with the terms of a game, and effects of a rated one on the ratings. In `Game 5: `, they are those of an observed game, or
/// the result of an examined one.
pub(super) const TERMS: &[Sentence] = {
    use Meaning::Parts;
    templates! {
        Parts(|found| Challenge::parse_terms(found.rest, MeOrOther::Other).map(Message::from)) => "Challenge: *.";
        Parts(|found| Challenge::parse_terms(found.rest, MeOrOther::Me).map(Message::from)) =>
            "Issuing: *." "Updating match request to: *.";
        Parts(|found| OwnGameStarting::parse_terms(found.rest).map(Message::from)) => "Creating: *";
        Parts(|found| {
            let terms = GameInfo::from_terms(found.game?, found.rest).map(Message::from);
            terms.or_else(|| ExamineNotice::from_result(found.game?, found.rest).map(Message::from))
        }) => "Game $: *";
        Parts(|found| GameNotification::parse_terms(found.rest).map(Message::from)) => "Game notification: *";
        Parts(|found| RatingChange::from_sentence(&found)) => "% rating adjustment: *";
        Parts(|_| Some(RatingChange::NONE.into())) => "No ratings adjustment done.";
        Parts(|found| RatingForecast::from_changes(&found)) => "Your @ rating will change: Win: *";
        Parts(|found| RatingForecast::from_deviation(&found)) => "Your new RD will be *";
    }
};

/// Clocks that stop or change without a move, and players who lag.
pub(super) const CLOCKS: &[Sentence] = {
    use ClockAction::{Lagged, MayAbort, MayAdjourn, Paused, Resumed, TimeAdded, TimeGiven, TimeReceived};
    use Meaning::Clock;
    templates! {
        Clock(Paused) => "Game clock paused." "Game $: Game clock paused.";
        Clock(Resumed) => "Game clock resumed." "Game $: Game clock resumed.";
        Clock(TimeReceived) => "[Game $: ]% has added # seconds to your clock." "Your opponent has added # seconds to your clock.";
        Clock(TimeGiven) => "You have added # seconds to %'s clock." "# seconds were added to your {opponents|opponent's} clock{.|}";
        Clock(TimeAdded) => "[Game $: ]% has added # seconds to %'s clock.";
        Clock(Lagged) => "[Game $: ]% has lagged for # seconds.";
        Clock(MayAbort) => "You may {courtesyabort|courtesy abort} the game.";
        Clock(MayAdjourn) => "You may {courtesyadjourn|courtesy adjourn} the game.";
    }
};

/// Confirmations of talk, and changes of lists and of the player whose games are followed.
pub(super) const CONFIRMATIONS: &[Sentence] = {
    use ListChangeKind::{Added, AlreadyListed, NotListed, Removed};
    use Meaning::{List, Parts};
    templates! {
        Parts(|found| Delivered::to_player(found.name, found.rest)) => "(told %)" "(told %, who *)";
        Parts(|found| Delivered::to_players(found.first_number, found.number)) => "(told # player{s|} in channel #*)";
        Parts(|found| Delivered::to_players(found.number, found.first_number)) => "(#->(#))";
        Parts(|found| Delivered::to_players(found.first_number, None)) => "kibitzed to #." "whispered to #."
            "({kibitzed|whispered|shouted|c-shouted|s-shouted|it-shouted} to # player{s|})"
            "(#) % {shouts|c-shouts}: *" "(#) --> *" "(#) **{|UNREG }ANNOUNCEMENT** from %: *";
        List(Added) => "[%] added to {your|the} @ list." "[#] added to {your|the} @ list."
            "% added to {your|the} @ list.";
        List(Removed) => "[%] removed from {your|the} @ list." "[#] removed from {your|the} @ list."
            "% removed from {your|the} @ list.";
        List(AlreadyListed) => "[%] is already on {your|the} @ list." "[#] is already on {your|the} @ list."
            "% is already on {your|the} @ list.";
        List(NotListed) => "[%] is not {in|on} {your|the} @ list." "[#] is not {in|on} {your|the} @ list."
            "% is not {in|on} {your|the} @ list.";
        Parts(|found| Some(FollowChange { player: Some(found.name?), is_partner: false }.into())) =>
            "You will now be following %'s games.";
        Parts(|found| Some(FollowChange { player: Some(found.name?), is_partner: true }.into())) =>
            "You will now be following %'s partner's games.";
        Parts(|_| Some(FollowChange { player: None, is_partner: false }.into())) =>
            "You will not follow any player's {|partner's }games."
            "You will no longer be following %'s {|partner's }games.";
    }
};

/// Notices about the seek ads of this login, and the removal of ads in the form for people.
pub(super) const SEEKS: &[Sentence] = {
    use SeekNotice::{Posted, Removed, RemovedOne, Seen, TooMany, Updated};
    templates! {
        Meaning::Seek(|index| Posted { index }) => "Your seek has been posted with index #.";
        Meaning::Seek(|players| Seen { players }) => "(# player{(s)|s|} saw the seek.)"
            " (# player{(s)|s|} saw the seek.)";
        Meaning::Seek(|index| Updated { index }) => "Updating seek ad #{;| }*.";
        Meaning::Seek(|index| RemovedOne { index }) => "Your seek # has been removed.";
        Meaning::Seek(|_| Removed) => "Your seeks have been removed.";
        Meaning::Seek(|limit| TooMany { limit }) => "You can only have # active seeks.";
        Meaning::Parts(|found| {
            let indexes = fields::parse_number_list(Cursor::new(found.rest))?;
            Some(SeeksRemoved { indexes }.into())
        }) => "Ads removed: *";
    }
};

/// Sentences about observed and examined games; for those with a name, that of the examiner.
pub(super) const WATCHED_GAMES: &[Sentence] = {
    use ExamineAction::{
        AtBeginning, AtEnd, Backward, Commit, Forward, IsExaminer, MadeMeExaminer, Move, Revert, Set, SetupEntered,
        SetupLeft, Start, Stop, Truncate,
    };
    use Meaning::{Examine, Observing, PrimaryGame};
    templates! {
        Observing { is_observed: true } => "You are now observing game $.";
        Observing { is_observed: false } => "You are no longer observing game $."
            "Removing game $ from observation list."
            "Game $ (which you were observing) has no examiners.";
        PrimaryGame => "Your primary game is now game $." "You are now at %'s board (game $).";
        Examine(|_| Some(Start { scratch: true })) => "Starting a game in examine (scratch) mode.";
        Examine(|_| Some(Start { scratch: false })) => "Starting a game in examine mode.";
        Examine(|_| Some(AtBeginning)) => "You're at the beginning of the game." "Beginning of game.";
        Examine(|_| Some(AtEnd)) => "You're at the end of the game." "End of game.";
        Examine(|_| Some(SetupEntered)) => "Entering setup mode." "[Game $: ]% enters setup mode.";
        Examine(|_| Some(SetupLeft)) => "Game is validated - entering examine mode."
            "[Game $: ]% has validated the position. Entering examine mode.";
        Examine(|found| found.number.map(Truncate)) => "[Game $: ]% truncates the game at {halfmove|half-move} #.";
        Examine(|_| Some(IsExaminer)) => "You are now {an |}examiner of game $." "% is now {an |}examiner of game $.";
        Examine(|_| Some(MadeMeExaminer)) => "% has made you an examiner of game $.";
        Examine(|_| Some(Stop)) => "You are no longer examining game $." "% has stopped examining game $."
            "% stopped examining game $.";
        Examine(|found| Some(Move(ServerText::from_wire(found.rest)))) => "[Game $: ]% moves: *";
        Examine(|found| found.number.map(Forward)) => "[Game $: ]% goes forward # move{s|}.";
        Examine(|found| found.number.map(Backward)) => "[Game $: ]% backs up # move{s|}.";
        Examine(|found| Some(Revert(found.number))) => "[Game $: ]% reverts to main line move #.";
        Examine(|_| Some(Revert(None))) => "[Game $: ]% reverts to {the main line|main line|mainline}{.|}";
        Examine(|_| Some(Commit)) => "[Game $: ]% commits the subvariation.";
        Examine(|found| Some(Set(parse_setting(found)?))) => "[Game $: ]% sets *";
        Examine(|found| Some(Set(PlayerText::from_wire(found.rest)))) => "Castling rights for *."
            "It is now *'s turn to move." "The game type is now *.";
    }
};

/// Offers in a game and their answers.
pub(super) const GAME_OFFERS: &[Sentence] = {
    use MeOrOther::{Me, Other};
    use Meaning::{Answer, Offer};
    use OfferAnswer::{Accepted, Declined, Withdrawn};
    use OfferKind::{Abort, Adjourn, Draw, Pause, Switch, Takeback, Unpause};
    templates! {
        Offer(Other, Draw, None) => "% offers you a draw." "[Game $: ]% offers a draw.";
        Offer(Other, Abort, None) => "[Game $: ]% requests to abort game #." "[Game $: ]% requests to abort the game."
            "[Game $: ]% would like to abort the game; type \"abort\" to accept.";
        Offer(Other, Adjourn, None) => "[Game $: ]% requests to adjourn game #."
            "[Game $: ]% requests to adjourn the game."
            "[Game $: ]% would like to adjourn the game; type \"adjourn\" to accept.";
        Offer(Other, Takeback, None) => "% would like to take back # half{-| }move(s)."
            "[Game $: ]% requests to take back # half{-| }move(s)."
            "% proposes a different number (#) of half-move(s)."
            "[Game $: ]% proposes a different number (#) of half-move(s) to take back."
            "Updated takeback request received.";
        Offer(Other, Switch, None) => "[Game $: ]% would like to switch sides{|; type \"switch\" to accept}."
            "[Game $: ]% requests to switch sides.";
        Offer(Other, Pause, None) => "[Game $: ]% requests to pause the game.";
        Offer(Other, Unpause, None) => "[Game $: ]% requests to unpause the game.";
        Offer(Me, Draw, None) => "Offering a draw to %." "Draw request sent.";
        Offer(Me, Abort, None) => "Requesting to abort game #." "Abort request sent.";
        Offer(Me, Adjourn, None) => "Requesting to adjourn game #." "Adjourn request sent.";
        Offer(Me, Takeback, None) => "Takeback request sent." "Alternate takeback request sent."
            "Updated takeback request sent.";
        Offer(Me, Switch, None) => "Switch request sent.";
        Offer(Me, Pause, None) => "Pause request sent.";
        Offer(Me, Unpause, None) => "Unpause request sent.";
        Offer(Other, Pause, Some(Accepted)) => "[Game $: ]% accepted pause. Game clock paused.";
        Offer(Other, Unpause, Some(Accepted)) => "[Game $: ]% accepted unpause. Game clock resumed.";
        Answer(Other, Accepted) => "% accepts your &." "[Game $: ]% accepts {the |}&.";
        Answer(Other, Declined) => "% declines your &." "[Game $: ]% declines {the |}&.";
        Answer(Other, Withdrawn) => "[Game $: ]% withdraws {the |your |}&.";
        Answer(Me, Accepted) => "Accepting {the |your |}& {from|to} %." "You accept {the |your |}& {from|to} %.";
        Answer(Me, Declined) => "Declining {the |your |}& {from|to} %." "You decline {the |your |}& {from|to} %.";
        Answer(Me, Withdrawn) => "Withdrawing {your |the |}& {to|from} %." "You withdraw {your |the |}& {to|from} %.";
    }
};

/// Changes of challenges. The first name is that of the other party.
pub(super) const CHALLENGES: &[Sentence] = {
    use ChallengeChange::{
        Accepted, Countered, Declined, Departed, GetgameMatched, Intercepted, Joined, Removed, SeekIsManual,
        SeekMatched, Updated, Withdrawn,
    };
    use MeOrOther::{Me, Other};
    use Meaning::Challenge;
    templates! {
        Challenge(Other, Updated) => "% updates the {offer|match request}.";
        Challenge(Other, Accepted) => "% accepts {your|the} match offer." "% accepts the match request."
            "% accepts your {challenge|seek}.";
        Challenge(Other, Declined) => "% declines {your|the} match offer." "% declines {the |}match request.";
        Challenge(Other, Countered) => "% declines your offer and proposes a counteroffer."
            "% declines your match offer a match with these parameters:";
        Challenge(Other, Withdrawn) => "% withdraws the match {offer|request}." "Challenge from % withdrawn.";
        Challenge(Other, Removed) => "Challenge from % removed.";
        Challenge(Other, Departed) => "%, who was challenging you, has departed.";
        Challenge(Other, Joined) => "%, who was challenging you, has joined a {game|match} with %.";
        Challenge(Other, Intercepted) => "%'s challenge intercepts your challenge.";
        Challenge(Me, Updated) => "Updating the offer already made to %." "Updating offer already made to \"%\".";
        Challenge(Me, Accepted) => "Accepting the match offer from %." "You accept the match offer from %."
            "You accept the challenge of %.";
        Challenge(Me, Declined) => "Declining the match offer from %." "You decline the match offer from %.";
        Challenge(Me, Countered) => "Declining the offer from % and proposing a counteroffer."
            "Declining offer from % and offering new match parameters.";
        Challenge(Me, Withdrawn) => "Withdrawing your match offer to %." "You withdraw the match offer to %."
            "Challenge to % withdrawn.";
        Challenge(Me, Departed) => "%, whom you were challenging, has departed.";
        Challenge(Me, Joined) => "%, whom you were challenging, has joined a {game|match} with %.";
        Challenge(Me, Intercepted) => "Your challenge intercepts %'s challenge.";
        Challenge(Me, SeekMatched) => "Your seek matches one {|already }posted by %.";
        Challenge(Me, GetgameMatched) => "Your seek qualifies for %'s getgame.";
        Challenge(Me, SeekIsManual) => "Issuing match request since the seek was set to manual.";
    }
};

/// Refusals with the number of a game; the [others](super::refused::SENTENCES) have no more than their reason.
pub(super) const REFUSALS_OF_GAME: &[Sentence] = templates! {
    Meaning::RefusedGame(Refusal::AlreadyObserving) => "You are already observing game $.";
    Meaning::RefusedGame(Refusal::NotObserving) => "You are not observing game $.";
    Meaning::RefusedGame(Refusal::PrivateGame) => "Sorry, game $ is a private game*";
};

/// Changes of partnerships. The last sentence is any other one about a partner.
pub(super) const PARTNERS: &[Sentence] = {
    use MeOrOther::{Me, Other};
    use Meaning::Partner;
    use PartnershipUpdate::{
        Agreed, Declined, Disconnected, Ended, EndedByPartner, OfferSent, Offered, Playing, Team, Withdrawn,
    };
    templates! {
        Partner(|found| found.name.map(Offered)) =>
            "% offers to be your bughouse partner; type \"partner %\" to accept.";
        Partner(|found| found.name.map(OfferSent)) => "Making a partnership offer to %.";
        Partner(|found| Some(Agreed { actor: Other, name: found.name? })) =>
            "% agrees to be your partner." "% accepts your partnership request.";
        Partner(|found| Some(Agreed { actor: Me, name: found.name? })) =>
            "Accepting the partnership request from %." "You agree to be %'s partner.";
        Partner(|found| found.name.map(Declined)) => "% declines {the|your} partnership request.";
        Partner(|found| Some(Withdrawn { actor: Other, name: found.name? })) => "% withdraws partnership request.";
        Partner(|found| Some(Withdrawn { actor: Me, name: found.name? })) =>
            "You withdraw the partnership request to %.";
        Partner(|_| Some(Ended)) => "You no longer have a bughouse partner." "You are no longer %'s partner.";
        Partner(|_| Some(EndedByPartner)) => "Your partner has {ended partnership|just chosen a new partner}."
            "Your partner has {just unset his/her partner|unset his/her partner variable}."
            "Your partner has accepted a partnership with %.";
        Partner(|_| Some(Disconnected)) => "Your partner has disconnected." "Your partner, %, has departed.";
        Partner(|found| Some(Playing { game: found.game?, white: found.name?, black: found.second_name? })) =>
            "Your partner is playing game $ (% vs. %).";
        Partner(|found| Some(Team(PlayerText::from_wire(found.rest)))) =>
            "Your {bughouse partner|opponent's partner|partner} *";
    }
};

/// Sentences between stars, without final punctuation.
pub(super) const ANNOUNCEMENTS: &[Sentence] = {
    use Meaning::{Farewell as Leave, Kicked};
    templates! {
        Kicked(KickedBy::Admin) => "You have been kicked out by %";
        Kicked(|_| KickedBy::SecondLogin) => "% has arrived{ -|;} you can't both be logged in";
        Leave(Farewell::Idle) => "Auto-logout because you were idle *";
        Leave(Farewell::Shutdown) => "Server going down *" "Server shutting down *" "Server shutdown ordered by *"
            "The server is shutting down *";
        Leave(Farewell::ShutdownCanceled) => "Server shutdown canceled*";
    }
};

impl OfferKind {
    /// Returns the words of FICS for an offer of this kind, made by this login or by another player. With the number of a game, they
    /// are those for its observers; the other number is that of plies to take back, or of the game to end. Empty if no sentence can
    /// be written with these parts.
    #[doc(hidden)]
    pub fn to_sentence(self, actor: MeOrOther, parts: &SentenceParts<'_>) -> String {
        let is_meant = |meaning| matches!(meaning, Meaning::Offer(by, kind, None) if (by, kind) == (actor, self));
        write_first(GAME_OFFERS, is_meant, parts)
    }
}

impl ClockAction {
    /// Returns the words of FICS for this notice. Empty if no sentence can be written with these parts.
    #[doc(hidden)]
    pub fn to_sentence(self, parts: &SentenceParts<'_>) -> String {
        write_first(CLOCKS, |meaning| matches!(meaning, Meaning::Clock(action) if action == self), parts)
    }
}

impl ChallengeChange {
    /// Returns the words of FICS for this change by this login or by another player. The first name is that of the other party, the
    /// second one that of the opponent in [`Joined`](Self::Joined). Empty if no sentence can be written with these parts.
    #[doc(hidden)]
    pub fn to_sentence(self, actor: MeOrOther, parts: &SentenceParts<'_>) -> String {
        let is_meant = |meaning| matches!(meaning, Meaning::Challenge(by, change) if (by, change) == (actor, self));
        write_first(CHALLENGES, is_meant, parts)
    }
}

/// Writes the first sentence with a meaning that the parts suffice for; empty if there is none.
fn write_first(sentences: &[Sentence], is_meant: impl Fn(Meaning) -> bool, parts: &SentenceParts<'_>) -> String {
    let mut meant = sentences.iter().filter(|(_, meaning)| is_meant(*meaning));
    meant.find_map(|(sentence, _)| write_template(sentence, parts)).unwrap_or_default()
}

/// Parses the text after `sets `, such as `White's clock to 5:00.` In a line without the number of the game, it has to start like a
/// known setting, because a player may have written it; `None` otherwise.
fn parse_setting(found: &Captures<'_>) -> Option<PlayerText> {
    const KNOWN: [&[u8]; 3] = [b"White's ", b"Black's ", b"the "];
    let is_certain = found.game.is_some() || KNOWN.iter().any(|start| found.rest.starts_with(start));
    is_certain.then(|| PlayerText::from_wire(found.rest))
}

/// Returns the message of the first sentence of a table that the whole text fits.
pub(super) fn find_in(table: &[Sentence], text: &[u8]) -> Option<Message> {
    table.iter().find_map(|(template, meaning)| meaning.to_message(match_template(text, template)?))
}
