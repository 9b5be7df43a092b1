//! Chooses the game on the board, and shows what waits for an answer of the user: an offer, or a move.

use std::collections::BTreeSet;

use kibitzer_core::game::{Change, ChangeKind, OpenOffer};
use kibitzer_core::message::{GameId, Handle, Message, Relation};

use super::App;
use super::preferences::Switch;
use super::screen::{Pane, TerminalRequest};
use super::typing::NO_SERVER;
use crate::console::model::{ConsoleRow, GameSnapshot};

/// The user's answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferCommand {
    Accept,
    Decline,
}

impl OfferCommand {
    /// Returns the line that answers an offer.
    fn to_line(self, offer: &OpenOffer) -> String {
        let word = if self == Self::Accept { "accept" } else { "decline" };
        match (offer.index, &offer.player) {
            (Some(number), _) => format!("{word} {number}"),
            (None, Some(player)) if offer.is_challenge() => format!("{word} {player}"),
            // To offer the same is to accept, on servers that do not number offers.
            _ if self == Self::Accept => terms_of(offer),
            _ => word.to_owned(),
        }
    }
}

/// Returns the command that makes the same offer, such as `takeback 2`.
fn terms_of(offer: &OpenOffer) -> String {
    match &offer.report {
        Message::Offer(notice) => {
            notice.count.map_or_else(|| offer.kind.to_string(), |n| format!("{} {n}", offer.kind))
        }
        _ => offer.kind.to_string(),
    }
}

/// Returns an offer in words.
fn offer_text(offer: &OpenOffer) -> String {
    let player = offer.player.as_ref().map_or("your opponent", Handle::as_str);
    match &offer.report {
        Message::Challenge(challenge) => {
            let rated = if challenge.rated { "rated" } else { "unrated" };
            let time = challenge.initial_min.zip(challenge.increment_s);
            let time = time.map_or_else(String::new, |(initial, increment)| format!(" {initial}+{increment}"));
            let (rating, kind) = (challenge.from_rating, &challenge.kind);
            format!("{player} ({rating}) challenges you: {rated} {kind}{time}")
        }
        Message::Pending(pending) => {
            let parameters = pending.parameters.as_str().trim_matches('#');
            format!("{player} offers: {} {parameters}", offer.kind).trim_end().to_owned()
        }
        _ => format!("{player} offers you: {}", terms_of(offer)),
    }
}

/// The chosen games, and those that the user turned.
#[derive(Debug, Default)]
pub(crate) struct GameChoice {
    /// Game chosen by the user.
    pub(crate) pinned: Option<GameId>,
    /// Game chosen by the console; shown if none is pinned and the selected older row has none.
    pub(super) auto: Option<GameId>,
    /// Games with the other side at the bottom than usual.
    pub(crate) turned: BTreeSet<GameId>,
}

impl App {
    /// Returns the game in progress that the user plays, preferably one in which it is the user's move, then the pinned one. `None`
    /// without one, in a recording, without write access, and if a bot plays.
    pub(super) fn own_game(&self) -> Option<&GameSnapshot> {
        let games = self.model.games.values().map(|game| &**game).filter(|game| self.is_own_game(game));
        games.max_by_key(|game| (game.board.relation() == Relation::MyTurn, Some(game.id()) == self.game_choice.pinned))
    }

    /// Returns whether the user, not a bot, plays a game, and can send lines.
    pub(super) fn is_own_game(&self, game: &GameSnapshot) -> bool {
        self.may_play() && game.followed && game.board.relation().is_mine()
    }

    /// Returns whether the session's lines are those of the person at this console: not of a bot, a recording or another
    /// program.
    pub(crate) fn may_play(&self) -> bool {
        self.playback.source.accepts_lines() && !self.playback.source.has_bot()
    }

    /// Returns the own game that waits for the user's move.
    pub(super) fn own_game_to_move(&self) -> Option<&GameSnapshot> {
        self.own_game().filter(|game| game.board.relation() == Relation::MyTurn)
    }

    /// Ends the pause of the list, and unpins the pinned game, if the user plays a game.
    pub(super) fn return_to_own_game(&mut self) {
        if self.own_game().is_some() {
            self.list.follow_end();
            self.game_choice.pinned = None;
        }
    }

    /// Returns the game on the board: the pinned one, otherwise the user's own, otherwise that of the selected row while the list is
    /// paused, otherwise the automatic choice. `None` before the first board.
    pub(crate) fn shown_game(&self) -> Option<GameId> {
        let own = || self.own_game().map(GameSnapshot::id);
        let selected = self.selected_row().filter(|_| self.list.is_paused);
        let of_row = || selected.and_then(ConsoleRow::game).filter(|game| self.model.games.contains_key(game));
        self.game_choice.pinned.or_else(own).or_else(of_row).or(self.game_choice.auto)
    }

    /// Returns the games to draw: the shown game, the other board of its bughouse match and, in the grid, all other games in
    /// progress. Each is as it is now, or was at the selected older row.
    pub(crate) fn shown_boards(&self) -> Vec<GameSnapshot> {
        let all = self.model.games.iter().filter(|(_, game)| self.screen.alone == Some(Pane::Grid) && game.followed);
        let mut games: Vec<_> = self.shown_game().into_iter().chain(self.partner_of_shown_game()).collect();
        games.extend(all.map(|(id, _)| *id).filter(|id| !games.contains(id)).collect::<Vec<_>>());
        self.snapshots_at_selection(&games)
    }

    /// Returns the other game of the bughouse match on the board, if its board was received. If the server did not name it, as
    /// some servers do not for observers, returns the only other game that may be bughouse; `None` if there are several.
    pub(crate) fn partner_of_shown_game(&self) -> Option<GameId> {
        let game = self.shown_game()?;
        let shown = self.model.games.get(&game)?;
        if let Some(partner) = shown.partner {
            return Some(partner).filter(|partner| self.model.games.contains_key(partner));
        }
        let games = self.model.games.values();
        let mut others = games.filter(|other| other.id() != game && other.may_be_bughouse());
        let only = others.next().filter(|_| shown.may_be_bughouse() && others.next().is_none());
        only.map(|other| other.id())
    }

    /// Returns these games as they are now or, with stopped clocks, as they were at the [row of their board](Self::row_of_board).
    /// Leaves out games without a stored board.
    pub(super) fn snapshots_at_selection(&self, games: &[GameId]) -> Vec<GameSnapshot> {
        let older: Vec<_> = games.iter().copied().filter(|game| self.row_of_board(*game).is_some()).collect();
        let row = older.first().and_then(|game| self.row_of_board(*game));
        let mut then = row.map_or_else(Vec::new, |row| self.model.games_at_row(&older, row)).into_iter().peekable();
        let snapshot = |game: &GameId| {
            if older.contains(game) {
                return then.next_if(|snapshot| snapshot.id() == *game);
            }
            self.model.games.get(game).map(|game| (**game).clone())
        };
        games.iter().filter_map(snapshot).collect()
    }

    /// Returns the older row at which a game is shown: the selected one. `None` if the game is shown as it is now: without a
    /// selection, while it follows the newest row, at the newest stored row, if the user plays the game, and while any game waits
    /// for the user's move.
    pub(crate) fn row_of_board(&self, game: GameId) -> Option<u64> {
        let is_own = self.model.games.get(&game).is_some_and(|game| self.is_own_game(game));
        let is_older = |row: &u64| self.list.is_paused && *row < self.model.rows.newest;
        self.list.selected_number().filter(is_older).filter(|_| !is_own && self.own_game_to_move().is_none())
    }

    /// Turns the board of the shown game.
    pub(super) fn flip_board(&mut self) {
        let Some(game) = self.shown_game() else { return };
        if !self.game_choice.turned.remove(&game) {
            self.game_choice.turned.insert(game);
        }
    }

    /// Chooses the game on the board after a change. A game that the user begins ends the pause of the list and fills the screen, except
    /// when it goes on after a loss of the connection. The user's turn unpins other games. A game that the user asked to observe is shown. A new game of a session is
    /// not turned.
    ///
    /// `is_users` says whether the change is part of the reply to a line of the session's user.
    pub(super) fn on_game_change(&mut self, change: &Change, is_users: bool) {
        use ChangeKind::{Followed, Jumped, Moved, Opened, Replaced, TookBack};
        let begins = matches!(change.kind, Opened | Replaced | Followed);
        // A recording that is moved back opens the same game again.
        if matches!(change.kind, Opened | Replaced) && self.playback.source.is_live() {
            self.game_choice.turned.remove(&change.game);
        }
        self.consider_auto_game(change.game);
        match change.relation {
            relation if relation.is_mine() && begins => {
                self.return_to_own_game();
                let is_new = !matches!(change.kind, Followed);
                if is_new && self.own_game().is_some() && self.playback.source.is_live() {
                    self.screen.alone = Some(Pane::Board);
                }
            }
            Relation::MyTurn if self.may_play() && matches!(change.kind, Moved | Jumped | TookBack { .. }) => {
                let pinned = self.game_choice.pinned.and_then(|pinned| self.model.games.get(&pinned));
                self.game_choice.pinned = pinned.filter(|game| self.is_own_game(game)).map(|game| game.id());
            }
            _ if begins && is_users && self.may_play() => self.show_observed_game(change.game),
            _ => {}
        }
    }

    /// Shows a game that the user asked to observe: ends the pause of the list, and pins the game if the user also plays one.
    pub(super) fn show_observed_game(&mut self, game: GameId) {
        self.list.follow_end();
        self.game_choice.auto = Some(game);
        self.game_choice.pinned = self.own_game().map(|_| game);
    }

    /// Pins the shown game to the board, or unpins the pinned one.
    pub(super) fn toggle_pin(&mut self) {
        self.game_choice.pinned = if self.game_choice.pinned.is_some() { None } else { self.shown_game() };
    }

    /// Pins a game to the board, which the screen then shows; `None` unpins. Shows an error for a game without a board.
    pub(super) fn pin_game(&mut self, game: Option<GameId>) {
        match game {
            Some(game) if !self.model.games.contains_key(&game) => {
                self.screen.show_error(format!("the server has not sent a board of game {game} yet"));
            }
            game => {
                self.game_choice.pinned = game;
                self.screen.alone = self.screen.alone.filter(|pane| matches!(pane, Pane::Board | Pane::Grid));
            }
        }
    }

    /// Pins the game that is `places` after the shown one, in the order of numbers; the first one if none is shown. Does nothing
    /// beyond the first and the last.
    pub(super) fn pin_neighboring_game(&mut self, places: isize) {
        let games: Vec<_> = self.model.games.keys().copied().collect();
        let at = self.shown_game().and_then(|game| games.iter().position(|other| *other == game));
        let to = at.map_or(Some(0), |at| at.checked_add_signed(places));
        if let Some(&game) = to.and_then(|to| games.get(to)) {
            self.pin_game(Some(game));
        }
    }

    /// Makes a game the automatic choice if no game is. A followed game in progress also replaces a choice that is over or no
    /// longer followed, unless the user played that; if the user plays it, it replaces any choice. Ignores a game without a stored
    /// board.
    pub(super) fn consider_auto_game(&mut self, game: GameId) {
        let Some(new) = self.model.games.get(&game) else { return };
        let known = self.game_choice.auto.and_then(|auto_game| self.model.games.get(&auto_game));
        let is_mine = new.board.relation().is_mine();
        let is_kept = |known: &GameSnapshot| known.followed || known.board.relation().is_mine();
        let is_better = new.followed && (is_mine || known.is_none_or(|known| !is_kept(known)));
        if self.game_choice.auto.is_none() || is_better {
            self.game_choice.auto = Some(game);
        }
    }

    /// Returns the text of the row above the input: the oldest offer to this login, with the keys that answer it if lines can be
    /// sent; without one, that it is the user's move. `None` without either, for a recording, and in a session that a bot plays.
    pub(crate) fn attention_text(&self) -> Option<String> {
        if !self.playback.source.is_live() || self.playback.source.has_bot() {
            return None;
        }
        let keys = |keys: &'static str| if self.playback.source.accepts_lines() { keys } else { "" };
        let mut offers = self.model.offers.received();
        if let Some(offer) = offers.next() {
            let n_others = offers.count();
            let others = if n_others == 0 { String::new() } else { format!(" ({n_others} more)") };
            return Some(format!("{}{}{others}", offer_text(offer), keys(": F5 accepts, F6 declines")));
        }
        let game = self.own_game_to_move()?;
        Some(format!("game {}: your move; type it, such as e4, and Enter", game.id()))
    }

    /// Starts to send the command that answers the oldest offer, and removes the offer. Shows an error, and keeps the offer, if the
    /// command cannot be sent now. Shows an error without an offer.
    pub(super) fn answer_offer(&mut self, answer: OfferCommand) {
        let Some(offer) = self.model.offers.received().next().cloned() else {
            return self.screen.show_error("no offer waits for an answer");
        };
        let command = answer.to_line(&offer);
        if self.start_job(NO_SERVER, |live| live.start_sending(&command)) {
            self.model.offers.remove(&offer);
            self.return_to_own_game();
        }
    }

    /// Requests the terminal's bell if it is switched on and the row above the input has a new text since the last call, for
    /// example because an offer arrived or it has become the user's move.
    pub(super) fn ring_bell_on_new_attention(&mut self) {
        let attention = self.attention_text();
        if attention != self.screen.last_attention {
            if self.preferences.bell == Switch::On && attention.is_some() {
                self.screen.request(TerminalRequest::Bell);
            }
            self.screen.last_attention = attention;
        }
    }
}
