//! State of every game that this session plays, observes or examines, derived from messages.
//!
//! The server's boards are authoritative. Moves and boards that are derived here are checked against them; a difference is
//! reported as a [`Desync`], and the server's board replaces the derived one.

mod announced;
mod change;
mod continuation;
mod icc;
mod moves;
mod pending_offers;
mod play;
mod state;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::chess::{Color, Hands, Role};
use crate::message::{
    Challenge, ChallengeChange, ChallengeUpdate, ClockAction, ClockNotice, ClockReading, Control, DeltaBoard,
    ExamineAction, GameCreated, GameEnded, GameId, GameInfo, GameMap, GameMapIter, Handle, Holding, MeOrOther, Message,
    OfferAnswer, OfferKind, PartnershipUpdate, Relation, Style12,
};
use crate::options::numeric_options;
use crate::text::{PlayerText, ServerText};

use announced::AnnouncedGames;
pub use change::{Change, ChangeKind, Desync, DesyncReason};
pub(crate) use change::{ChangeFlags, PrecedingReport};
pub use continuation::Continuation;
pub use moves::PlayedMove;
pub use pending_offers::{OpenOffer, PendingOffers};
use state::GameStep;
pub use state::{Game, GameIdentity};

numeric_options! {
    /// Limits on tracked games.
    pub struct GameLimits {
        /// Sets the maximum number of games, including those that have ended.
        ///
        /// 0 counts as 1. A new game replaces one that is over or left, the lowest number first; without any, one in progress, if
        /// possible one that this login does not play.
        games: usize = 1_024, "kept_games";
        /// Sets the maximum number of moves kept of one game. When it is reached, all are dropped, and the list restarts from the
        /// current board.
        ///
        /// 0 counts as 1.
        moves: usize = 2_048, "kept_moves";
    }
}

/// The state of every game this session plays, observes or examines.
///
/// An [`EventReader`](crate::EventReader) keeps this state up to date:
///
/// ```
/// use kibitzer_core::EventReader;
/// use kibitzer_core::message::GameId;
///
/// let mut events = EventReader::default();
/// let mut read = &b"<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 \
///     Newton Einstein -1 2 12 39 39 119 122 1 P/e2-e4 (0:06) e4 0\n\r<b1> game 7 white [N] black []\n\r"[..];
/// while events.next(&mut read).is_some() {}
///
/// let game = events.games().get(GameId(7)).unwrap();
/// assert_eq!(game.fen().to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR[N] b KQkq e3 0 1");
/// assert_eq!(game.position().last_move().unwrap().text(), "e4");
/// assert_eq!(events.games().mine().map(|mine| mine.id()), Some(game.id()));
/// ```
///
/// A game appears with its first board. It stays, with its result, after it has ended, until its number is used again or
/// room is needed. Boards printed on request or inside a move list change nothing.
#[derive(Clone, Debug, Default)]
pub struct Games {
    /// Limits, which are applied when a game is added.
    pub(crate) limits: GameLimits,
    by_id: GameMap<Game>,
    /// Games that ended or were left, perhaps resumed since. Lets [`evict_game_if_full`](Self::evict_game_if_full) avoid a search
    /// of all games.
    stopped: BTreeSet<GameId>,
    /// Announcements, terms and reserves that arrived before the first board.
    announced: AnnouncedGames,
    /// Whether the server has reported pieces in reserve.
    has_reserves: bool,
    /// A piece that the server has passed to a game, until the next board: the number of the game, the receiver and the piece.
    passed: Option<(GameId, Color, Role)>,
    /// The players of the last challenge and the stored position that it names; `None` if it names none.
    pub(crate) loaded: Option<Box<([Handle; 2], ServerText)>>,
    /// Number of the bughouse game of this login's partner.
    partner_game: Option<GameId>,
    /// Name of this login, once the server has reported it.
    pub(crate) me: Option<Handle>,
    /// Number of an isolated board, which is not a game.
    isolated: Option<GameId>,
    /// Player whose command caused the open ICC unit; `None` outside of units.
    actor: Option<PlayerText>,
}

/// Iterator over the games of a session, in the order of their numbers: [`Games::iter`].
#[derive(Clone, Debug)]
pub struct GamesIter<'a>(GameMapIter<'a, Game>);

impl<'a> Iterator for GamesIter<'a> {
    type Item = &'a Game;

    fn next(&mut self) -> Option<&'a Game> {
        self.0.next().map(|(_, game)| game)
    }
}

impl<'a> IntoIterator for &'a Games {
    type Item = &'a Game;
    type IntoIter = GamesIter<'a>;

    fn into_iter(self) -> GamesIter<'a> {
        self.iter()
    }
}

/// Effect of a message on the state of a game; all fields are `None` if it had none.
#[derive(Debug, Default)]
pub(crate) struct MessageEffect {
    pub(crate) change: Option<Change>,
    /// Report about a game, to be emitted before the event of the message.
    pub(crate) notice: Option<(GameId, PrecedingReport)>,
    /// The position that a received board has replaced; may be `None` where no report needs it.
    pub(crate) replaced: Option<Arc<Style12>>,
}

impl Games {
    /// Returns the game of this number, even after its end; `None` if it is unknown or was dropped to make room.
    pub fn get(&self, game: GameId) -> Option<&Game> {
        self.by_id.get(game)
    }

    /// Returns all games, including those that have ended, in the order of their numbers.
    pub fn iter(&self) -> GamesIter<'_> {
        GamesIter(self.by_id.iter())
    }

    /// Returns the game in progress that this login plays; the one with the lowest number if it plays several. `None` if it plays
    /// none.
    pub fn mine(&self) -> Option<&Game> {
        self.iter().find(|game| game.is_followed_and_ongoing() && game.position().relation().is_mine())
    }

    /// Returns the identity of the game in progress that has this number; `None` if there is none, or if an announcement leaves
    /// open which game has the number.
    pub(crate) fn identity_in_progress(&self, game: GameId) -> Option<GameIdentity> {
        self.get(game).filter(|game| game.owns_number()).map(Game::identity)
    }

    /// Returns whether a message that changed no game is about one that this login plays or has played, the creation of its game,
    /// or an offer to it.
    pub(crate) fn concerns_own_game(&self, message: &Message) -> bool {
        match message {
            Message::Control(_) | Message::Text(_) => false,
            Message::Creating(_) | Message::RatingChange(_) => true,
            Message::Clock(notice) if notice.game.is_none() && notice.action != ClockAction::TimeAdded => true,
            // Servers name no game in offers to a player.
            Message::Offer(offer) if offer.game.is_none() => true,
            Message::GameEnded(ended) if self.is_me(&ended.white) || self.is_me(&ended.black) => true,
            _ => message.game().is_some_and(|game| self.is_own(game)),
        }
    }

    /// Returns whether this login plays the game that was announced with this number, otherwise the last game with a board, which
    /// may have ended.
    pub(crate) fn is_own(&self, id: GameId) -> bool {
        match self.announced.get(id).and_then(|reports| reports.created.as_ref()) {
            Some(created) => self.is_me(&created.white) || self.is_me(&created.black),
            None => self.get(id).is_some_and(|game| game.position().relation().is_mine()),
        }
    }

    fn is_me(&self, name: &Handle) -> bool {
        self.me.as_ref() == Some(name)
    }

    /// Gives the game of this number, if any, the identity of `known`, a game of an earlier connection.
    pub(crate) fn adopt_identity(&mut self, id: Option<GameId>, known: &Game) {
        if let Some(game) = id.and_then(|id| self.by_id.get_mut(id)) {
            game.marker = Arc::clone(&known.marker);
        }
    }

    /// Applies a message to the state, and returns the change that it made; `None` if it made none.
    ///
    /// Use it to keep a copy of the state: start with an empty one for each connection, and apply all its messages.
    /// Contradictions and missed plies are not reported; see [`Event::Desync`](crate::Event::Desync).
    #[doc(hidden)]
    pub fn apply_message(&mut self, message: &Message) -> Option<Change> {
        self.apply(message).change
    }

    /// Adds to a message what earlier ones show: to a board the reserves of its game after the last move, and to the announcement
    /// of a game the position that it starts from.
    #[inline]
    pub(crate) fn add_earlier_facts(&self, message: &mut Message) {
        if let (Message::GameCreated(created), Some((players, position))) = (&mut *message, self.loaded.as_deref())
            && !created.resumed
            && created.kind.as_str() == "wild"
            && [&created.white, &created.black].iter().all(|player| players.contains(player))
            && let Some(created) = created.value_mut()
        {
            created.loaded_from = Some(position.clone());
        } else if self.has_reserves
            && let Message::Style12(board) = message
            && !board.relation().is_isolated()
        {
            let game = self.by_id.get(board.game()).filter(|game| game.continues_with(board));
            let reserves = match game {
                Some(game) => game.reserves_on(board),
                None => self.announced.get(board.game()).and_then(|reports| reports.hands),
            };
            Arc::make_mut(board).set_reserves(reserves);
        }
    }

    /// Applies a message to the state. The effect is empty if the message neither changes nor contradicts a game.
    #[inline]
    pub(crate) fn apply(&mut self, message: &Message) -> MessageEffect {
        match message {
            Message::Style12(board) => self.apply_board(board),
            Message::Control(Control::Prompt) => MessageEffect::default(),
            other => self.apply_non_board(other).unwrap_or_default(),
        }
    }

    /// Applies a message that is not a board; `None` if it affects no game. It is a separate function, so that boards, the
    /// most frequent messages, take a short path.
    #[inline(never)]
    fn apply_non_board(&mut self, message: &Message) -> Option<MessageEffect> {
        match message {
            Message::Delta(delta) => return Some(self.apply_delta(delta)),
            Message::Holding(holding) => return self.apply_holding(holding),
            Message::GameUpdate(update) => return self.apply_update(update),
            Message::GameInfo(info) => return self.apply_info(info),
            Message::Clock(notice) => return self.apply_clock(notice),
            Message::GameCreated(created) => self.keep_announcement(created),
            Message::Challenge(challenge) => self.keep_loaded_position(challenge),
            Message::ChallengeUpdate(update) => self.forget_loaded_position_if_refused(update),
            // The partner's challenge, as this login's game in it.
            Message::Text(line) => {
                let terms =
                    line.as_bytes().strip_prefix(b"Your game would be ")?.trim_ascii_end().strip_suffix(b".")?;
                self.keep_loaded_position(&Challenge::parse_terms(terms, MeOrOther::Other)?);
            }
            Message::GameEnded(ended) => return self.apply_ended(ended),
            Message::Observing(observing) => {
                let kind = if observing.is_observed { ChangeKind::Followed } else { ChangeKind::Left };
                return self.set_followed_or_left(observing.game, kind);
            }
            Message::Examine(examine) if examine.by.is_none() && matches!(examine.action, ExamineAction::Stop) => {
                return self.set_followed_or_left(examine.game?, ChangeKind::Left);
            }
            Message::Partner(partner) => return self.apply_partner(partner),
            // uhlin-fics does not report to the offerer that the clocks stopped.
            Message::Offer(offer) if offer.answer == Some(OfferAnswer::Accepted) && offer.kind == OfferKind::Pause => {
                let game = offer.game.or_else(|| self.mine().map(Game::id))?;
                return self.set_clock_paused(game, true);
            }
            // Some servers report the login only by this. Source: uhlin-fics, tried.
            Message::NameStatus(status) => self.me = Some(status.name.clone()),
            Message::LoggedIn(login) => self.me = Some(login.name.clone()),
            Message::Control(Control::UnitStart(header)) => self.actor = Some(header.player.clone()),
            Message::Control(Control::UnitEnd) => self.actor = None,
            _ => {}
        }
        None
    }

    /// Applies a board: to the game that it continues, otherwise to a new game, which replaces one with the same number. Boards
    /// of games that are not followed change nothing.
    #[inline]
    fn apply_board(&mut self, board: &Arc<Style12>) -> MessageEffect {
        if board.relation().is_isolated() || matches!(board.relation(), Relation::Other(_)) {
            return MessageEffect::default();
        }
        let id = board.game();
        let kind = match self.by_id.get_mut(id) {
            Some(game) if game.continues_with(board) => {
                let was_current = game.owns_number();
                let (step, replaced) = game.apply_board_and_take_replaced(board);
                let passed = self.passed.take().filter(|(other, ..)| *other != id && step.kind == ChangeKind::Moved);
                let capture = passed.and_then(|_| game.last_capture());
                // A piece that was captured here appears on the other board of a bughouse match.
                if let Some((other, to, role)) = passed
                    && capture.is_some_and(|(taker, taken)| taker != to && (role == taken || role == Role::Pawn))
                {
                    self.link_partner_games(id, other);
                }
                if !was_current {
                    self.take_and_apply_announced(id);
                }
                return MessageEffect { replaced: Some(replaced), ..step.into_effect(board, None) };
            }
            Some(_) => ChangeKind::Replaced,
            None => ChangeKind::Opened,
        };
        self.open_game(board, kind).into_effect(board, None)
    }

    /// Adds the game of a board and applies the reports that arrived before it. A new number may evict another game at the limit.
    fn open_game(&mut self, board: &Arc<Style12>, kind: ChangeKind) -> GameStep {
        if kind == ChangeKind::Opened {
            self.evict_game_if_full();
        }
        let mut game = Game::new(Arc::clone(board), self.limits.moves);
        if let Some(partner_game) = self.partner_game.filter(|_| board.relation().is_mine()) {
            game.partner_game = Some(partner_game);
        }
        self.by_id.insert(board.game(), game);
        self.take_and_apply_announced(board.game());
        GameStep::new(kind, board.played())
    }

    /// Applies the reports that arrived before the board of a game, and removes them.
    fn take_and_apply_announced(&mut self, id: GameId) {
        let (Some(reports), Some(game)) = (self.announced.take(id), self.by_id.get_mut(id)) else {
            return;
        };
        let partner_game = reports.info.as_ref().and_then(|info| info.partner_game);
        game.apply_announced(reports);
        if let Some(partner_game) = partner_game {
            self.link_partner_games(id, partner_game);
        }
    }

    /// Removes one game if the limit is reached: preferably one that is over or left, else one that this login does not play.
    fn evict_game_if_full(&mut self) {
        if self.by_id.len() < self.limits.games {
            return;
        }
        let (games, stopped) = (&self.by_id, &mut self.stopped);
        let is_over = |id: &GameId| games.get(*id).is_some_and(|game| !game.is_followed_and_ongoing());
        let over = std::iter::from_fn(|| stopped.pop_first()).find(is_over);
        let others = || games.iter().find(|(_, game)| !game.position().relation().is_mine());
        let unneeded = || others().or_else(|| games.iter().next()).map(|(id, _)| id);
        if let Some(id) = over.or_else(unneeded) {
            self.by_id.remove(id);
        }
    }

    /// Plays the move of a delta board; reports [`DesyncReason::NoBoard`] without a current game of this number.
    fn apply_delta(&mut self, delta: &DeltaBoard) -> MessageEffect {
        let Some(game) = self.game_owning_number(delta.game) else {
            return MessageEffect::desync(delta.game, DesyncReason::NoBoard);
        };
        match game.apply_delta(delta) {
            Ok(step) => step.into_effect(game.position(), Some(Arc::clone(&game.position))),
            Err(reason) => MessageEffect::desync(delta.game, reason),
        }
    }

    /// Stores the reserves of the current game of this number; without one, keeps them for the next board with the number.
    fn apply_holding(&mut self, holding: &Holding) -> Option<MessageEffect> {
        let hands = Hands { white: holding.white, black: holding.black };
        self.has_reserves = true;
        self.passed = holding.passed.map(|(to, role)| (holding.game, to, role));
        let Some(game) = self.game_owning_number(holding.game) else {
            self.announced.move_to_latest_or_insert(holding.game).hands = Some(hands);
            return None;
        };
        game.set_hands_and_reset_evidence(hands);
        let is_of_last_move = game.note_passed_piece(holding.passed);
        let effect = MessageEffect::change(game, ChangeKind::Holding);
        self.passed.take_if(|_| is_of_last_move);
        Some(effect)
    }

    /// Stores the terms of the current game of this number; without one, keeps them for the next board with the number.
    fn apply_info(&mut self, info: &GameInfo) -> Option<MessageEffect> {
        if !self.apply_start_list_unless_isolated(info) {
            return None;
        }
        let Some(game) = self.game_owning_number(info.game) else {
            self.announced.move_to_latest_or_insert(info.game).set_terms_keeping_relation(info);
            return None;
        };
        game.set_terms_keeping_kind(info.clone());
        let applied = MessageEffect::change(game, ChangeKind::Info);
        if let Some(partner_game) = info.partner_game {
            self.link_partner_games(info.game, partner_game);
        }
        Some(applied)
    }

    /// Stops the clocks of a game or lets them run, or adds time to one. A board that follows replaces the result.
    fn apply_clock(&mut self, notice: &ClockNotice) -> Option<MessageEffect> {
        let has_both = |game: &&Game| {
            let [by, to] = [&notice.by, &notice.to].map(|name| name.as_ref().and_then(|name| game.color_of(name)));
            game.is_followed_and_ongoing() && by.is_some() && to.is_some()
        };
        let named = if notice.action == ClockAction::TimeAdded { self.iter().find(has_both) } else { self.mine() };
        let id = notice.game.or(named.map(Game::id))?;
        let mine = self.get(id)?.position().my_color();
        let receiver = match notice.action {
            ClockAction::Paused => return self.set_clock_paused(id, true),
            ClockAction::Resumed => return self.set_clock_paused(id, false),
            ClockAction::TimeReceived => mine?,
            ClockAction::TimeGiven => !mine?,
            ClockAction::TimeAdded => self.get(id)?.color_of(notice.to.as_ref()?)?,
            ClockAction::Lagged | ClockAction::MayAbort | ClockAction::MayAdjourn => return None,
        };
        let game = self.game_owning_number(id)?;
        let clock = game.numbers_mut().clock_mut(receiver);
        *clock = ClockReading::from_ms(clock.as_ms().saturating_add(i64::from(notice.seconds?) * 1000));
        Some(MessageEffect::change(game, ChangeKind::Clock))
    }

    fn set_clock_paused(&mut self, id: GameId, is_paused: bool) -> Option<MessageEffect> {
        let game = self.game_owning_number(id)?;
        // Boards of some servers do not say whether clocks run, so that a board on request during a pause does not end it.
        game.paused_at = is_paused.then_some(game.position.ply());
        game.numbers_mut().clock_running = is_paused.then_some(false);
        Some(MessageEffect::change(game, ChangeKind::Clock))
    }

    /// Returns the game of this number; `None` if there is none, or if it has ended, is no longer followed, or an announcement
    /// leaves open whether the number still means this game.
    fn game_owning_number(&mut self, id: GameId) -> Option<&mut Game> {
        self.by_id.get_mut(id).filter(|game| game.owns_number())
    }

    /// Keeps the players of a challenge and the position that it names, for the announcement of the game.
    fn keep_loaded_position(&mut self, challenge: &Challenge) {
        let players = [challenge.from.clone(), challenge.to.clone()];
        self.loaded = challenge.loaded_from.clone().map(|position| Box::new((players, position)));
    }

    /// Forgets the position that a challenge names if the challenge of these players comes to nothing.
    fn forget_loaded_position_if_refused(&mut self, update: &ChallengeUpdate) {
        use ChallengeChange::{Countered, Declined, Departed, Joined, Removed, Withdrawn};
        let is_refused = matches!(update.change, Countered | Declined | Departed | Joined | Removed | Withdrawn);
        let is_between = |players: &[Handle; 2]| players.iter().any(|player| update.name.as_ref() == Some(player));
        self.loaded.take_if(|loaded| is_refused && is_between(&loaded.0));
    }

    /// Keeps the announcement of a game for its first board. If a known game has this number, the announcement decides which of
    /// the two the next board belongs to. A position that a challenge named was that of this game of its players.
    fn keep_announcement(&mut self, created: &GameCreated) {
        self.loaded.take_if(|loaded| [&created.white, &created.black].iter().all(|player| loaded.0.contains(player)));
        let known = self.by_id.get_mut(created.game);
        self.announced.move_to_latest_or_insert(created.game).set_announcement_and_reset(created, known.is_some());
        if let Some(game) = known {
            game.set_next_owner_by_announcement(created);
        }
    }

    /// Records the end of a game, once; ignores an unknown game and the end of another game with the same number. Discards
    /// reports for the next game with that number. The end of this login's own game also ends the link to the partner's.
    fn apply_ended(&mut self, ended: &GameEnded) -> Option<MessageEffect> {
        self.announced.take(ended.game);
        let game = self.by_id.get_mut(ended.game)?;
        // Some servers report the end to an observer twice.
        if !game.try_set_ending(ended) {
            return None;
        }
        self.stopped.insert(ended.game);
        if game.position().relation().is_mine() {
            self.partner_game = None;
        }
        let ended_game = Some(Arc::new(game.clone()));
        let effect = MessageEffect::change(game, ChangeKind::Ended);
        Some(MessageEffect { change: effect.change.map(|change| Change { ended_game, ..change }), ..effect })
    }

    /// Records that the session follows the game again or has left it; ignores an unknown game. `kind` is `Followed` or `Left`.
    fn set_followed_or_left(&mut self, id: GameId, kind: ChangeKind) -> Option<MessageEffect> {
        let game = self.by_id.get_mut(id)?;
        game.start_or_stop_following(kind == ChangeKind::Followed);
        if kind == ChangeKind::Left {
            self.stopped.insert(id);
        }
        Some(MessageEffect::change(game, kind))
    }

    /// Stores or clears the number of the partner's game, and links it with this login's game if there is one.
    fn apply_partner(&mut self, partner: &PartnershipUpdate) -> Option<MessageEffect> {
        self.partner_game = match *partner {
            PartnershipUpdate::Playing { game, .. } => Some(game),
            PartnershipUpdate::Ended | PartnershipUpdate::EndedByPartner | PartnershipUpdate::Disconnected => None,
            _ => return None,
        };
        let partner_game = self.partner_game?;
        let mine = self.mine()?;
        let (id, applied) = (mine.id(), MessageEffect::change(mine, ChangeKind::Info));
        self.link_partner_games(id, partner_game);
        Some(applied)
    }

    /// Records in each of two games of a bughouse match the number of the other; ignores games that are not known.
    fn link_partner_games(&mut self, game: GameId, partner_game: GameId) {
        for (id, beside) in [(game, partner_game), (partner_game, game)] {
            if let Some(game) = self.by_id.get_mut(id) {
                game.partner_game = Some(beside);
            }
        }
    }
}

impl MessageEffect {
    fn change(game: &Game, kind: ChangeKind) -> Self {
        GameStep::new(kind, None).into_effect(game.position(), None)
    }

    const fn desync(game: GameId, reason: DesyncReason) -> Self {
        Self { change: None, notice: Some((game, PrecedingReport::Desync(reason))), replaced: None }
    }
}

impl GameStep {
    /// Converts to the effect on the game whose new position is `position`. `board` is included in the change, for messages that
    /// are not boards themselves.
    fn into_effect(self, position: &Style12, board: Option<Arc<Style12>>) -> MessageEffect {
        let (game, relation) = (position.game(), position.relation());
        let Self { kind, played, notice, forbids_check } = self;
        let flags = if forbids_check { ChangeFlags::ForbidsCheck } else { ChangeFlags::Neither };
        let change = Change { game, relation, kind, board, played, ended_game: None, flags };
        MessageEffect { change: Some(change), notice: notice.map(|notice| (game, notice)), replaced: None }
    }
}

#[cfg(test)]
mod tests;
