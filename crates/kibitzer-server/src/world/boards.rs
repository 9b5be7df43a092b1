//! Boards, each in the form its viewer asked for.
//!
//! Source of the forms: transcripts fatics-game-*, fatics-crazyhouse-*, fatics-bughouse-*, fatics-ms-compress-*.

use kibitzer_core::chess::{Color, Role};
use kibitzer_core::message::{GameId, Relation};

use super::game_store::ActiveGame;
use super::{ConnectionId, Ivar, World};
use crate::chess::Variant;
use crate::play::BoardViewer;

/// The reason for sending a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardReason {
    /// A move was made.
    Move,
    /// That many plies were taken back.
    TookBack(usize),
    /// A clock was changed.
    ClockChange,
    /// Anything else.
    Other,
}

impl World {
    /// Returns the relation of a client to a game, and the color that the client plays in it. [`Relation::Isolated`] for a client
    /// that takes no part in the game, or is not logged in.
    fn relation_of(&self, active_game: &ActiveGame, id: ConnectionId) -> (Relation, Option<Color>) {
        let Some(player) = self.lobby.player(id) else { return (Relation::Isolated, None) };
        let number = active_game.header().id;
        let color = active_game.as_played().and_then(|game| game.header.color_of(player.name()));
        let relation = match (active_game, color) {
            (ActiveGame::Played(game), Some(color)) if color == game.side_to_move() => Relation::MyTurn,
            (ActiveGame::Played(_), Some(_)) => Relation::OpponentsTurn,
            (ActiveGame::Played(_), None) if player.observing.contains(&number) => Relation::Observing,
            (ActiveGame::Examined(_), _) if player.game == Some(number) => Relation::Examining,
            (ActiveGame::Examined(_), _) if player.observing.contains(&number) => Relation::ObservingExamined,
            _ => Relation::Isolated,
        };
        (relation, color)
    }

    /// Formats a board with an empty line before it and a newline: as a delta board if the client has requested those, one can be
    /// formed, and the reason is not [`BoardReason::Other`]. `None` without such a game, or for a client that is not logged in or
    /// receives no board lines.
    fn format_board_for(&self, number: GameId, to: ConnectionId, reason: BoardReason) -> Option<String> {
        let active_game = self.games.get(number)?;
        let ivars = self.lobby.player(to)?.ivars;
        let (relation, color) = self.relation_of(active_game, to);
        let view = BoardViewer {
            relation,
            unit: self.lobby.clock_unit(to),
            form: self.lobby.connection(to)?.board_form?,
            // Black sees the board from the other side.
            is_flipped: self.lobby.has_flag(to, "flip") != (color == Some(Color::Black)),
        };
        // Unlike FICS (datagrams D5), the recorded server sends a delta board after a takeback or a change of the clock too, with
        // the move that is then the last one. Source: transcripts fatics-ms-compress-*.
        let wants_delta = reason != BoardReason::Other && ivars.is_set(Ivar::CompressMove);
        let line = match active_game {
            ActiveGame::Played(game) => {
                let delta = if wants_delta { game.delta_line() } else { None };
                delta.unwrap_or_else(|| game.format_board(view, self.now()))
            }
            ActiveGame::Examined(game) => game.format_board(view),
        };
        Some(format!("\n{line}\n"))
    }

    /// Formats the line of both reserves, with the piece that was just added, and a newline; in bughouse, also an empty line
    /// before it. `None` in variants without reserves.
    fn format_reserves_with_newlines(&self, number: GameId, added: Option<(Color, Role)>) -> Option<String> {
        let active_game = self.games.get(number)?;
        let line = active_game.header().holding_line(active_game.position(), added)?;
        // Reserves of bughouse follow an empty line, those of crazyhouse do not.
        let gap = if active_game.header().terms.variant == Variant::Bughouse { "\n" } else { "" };
        Some(format!("{gap}{line}\n"))
    }

    /// Queues a board, its datagrams and the reserves as part of a reply, without a prompt.
    pub(crate) fn queue_board(&mut self, number: GameId, to: ConnectionId, reason: BoardReason) {
        if let Some(board) = self.format_board_for(number, to, reason) {
            self.lobby.queue_unwrapped(to, &board);
        }
        self.queue_board_datagrams_if_on(number, to, reason);
        if !self.queue_holdings_datagram_if_on(number, to)
            && let Some(holding) = self.format_reserves_with_newlines(number, None)
        {
            self.lobby.queue_unwrapped(to, &holding);
        }
    }

    /// Sends an unsolicited board, with a bell before it, if the player has switched that on, and a prompt after it; nothing
    /// without such a game.
    pub(crate) fn notify_board(&mut self, number: GameId, to: ConnectionId, reason: BoardReason) {
        if self.games.get(number).is_none() {
            return;
        }
        self.lobby.queue_bell_if_on(to);
        self.queue_board(number, to, reason);
        self.lobby.queue_prompt_if_on(to);
    }

    /// Sends a board to the audience of a game; to `actor` as part of the reply. Leaves out the giver of a simul who is at
    /// another board.
    pub(crate) fn show_board_to_audience(&mut self, number: GameId, actor: Option<ConnectionId>, reason: BoardReason) {
        for id in self.audience(number) {
            // The giver of a simul sees only the current board.
            if self.lobby.is_at_other_board(id, number) {
                continue;
            }
            if Some(id) == actor {
                self.queue_board(number, id, reason);
            } else {
                self.notify_board(number, id, reason);
            }
        }
    }

    /// Reports a piece that has just been added to a reserve to the audience of a game.
    pub(crate) fn notify_reserve_addition(&mut self, number: GameId, color: Color, role: Role) {
        let Some(line) = self.format_reserves_with_newlines(number, Some((color, role))) else { return };
        for id in self.audience(number) {
            if self.queue_holdings_datagram_if_on(number, id) {
                self.lobby.queue_prompt_if_on(id);
            } else {
                self.lobby.notify_unwrapped(id, &line);
            }
        }
    }

    /// Formats the `<g1>` line with the terms of a played game, and a newline; `None` if the client has not set the ivar
    /// `gameinfo`, or the game is not played.
    pub(crate) fn gameinfo_with_newline_if_on(&self, number: GameId, to: ConnectionId) -> Option<String> {
        let has_gameinfo = self.lobby.player(to).is_some_and(|player| player.ivars.is_set(Ivar::GameInfo));
        let game = self.games.get(number)?.as_played().filter(|_| has_gameinfo)?;
        Some(format!("{}\n", game.to_game_info()))
    }
}
