//! Boards, each in the form its viewer asked for.
//!
//! Source of the forms: transcripts fatics-game-*, fatics-crazyhouse-*, fatics-bughouse-*, fatics-ms-compress-*.

use kibitzer_core::chess::{Color, Role};
use kibitzer_core::message::GameId;

use super::tables::Show;
use super::{ConnectionId, Flag, Ivar, World};
use crate::chess::Variant;
use crate::play::{View, Viewer};

/// The reason for sending a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// A move was made.
    Move,
    /// That many plies were taken back.
    TookBack(usize),
    /// A clock was set.
    Clock,
    /// Anything else.
    Other,
}

impl Occasion {
    /// Whether the recorded server sends a delta board. Unlike FICS (datagrams D5) it does so for a takeback and a clock too,
    /// with the move that is then the last one.
    ///
    /// Source: transcripts fatics-ms-compress-*.
    const fn has_delta(self) -> bool {
        matches!(self, Self::Move | Self::TookBack(_) | Self::Clock)
    }
}

impl World {
    fn viewer(&self, number: GameId, id: ConnectionId) -> Viewer {
        let Some(table) = self.tables.get(number) else { return Viewer::Guest };
        if table.examiners().contains(&id) {
            return Viewer::Examiner;
        }
        let name = self.lobby.player(id).map_or("", |player| player.name());
        match table.played().and_then(|game| game.color_of(name)) {
            Some(color) => Viewer::Player(color),
            None if table.observers.contains(&id) => Viewer::Observer,
            None => Viewer::Guest,
        }
    }

    /// Returns an empty line and a board's lines; `None` for a client without board lines.
    fn board(&self, number: GameId, to: ConnectionId, occasion: Occasion) -> Option<String> {
        let table = self.tables.get(number)?;
        let ivars = self.lobby.player(to)?.ivars;
        let view = View {
            viewer: self.viewer(number, to),
            unit: self.unit_of_family(to, self.lobby.clock_unit(to)),
            form: self.lobby.board_form(to)?,
            is_flipped: self.lobby.has_flag(to, Flag::Flip),
        };
        let wants_delta = occasion.has_delta() && ivars.is_set(Ivar::CompressMove);
        let line = match &table.show {
            Show::Played(game) => {
                let delta = if wants_delta { game.delta() } else { None };
                delta.unwrap_or_else(|| game.board(view, self.now()))
            }
            Show::Examined { game, .. } => game.board(view),
        };
        Some(format!("\n{line}\n"))
    }

    /// Returns the line of both reserves, for a client without the datagram.
    fn holding(&self, number: GameId) -> Option<String> {
        let table = self.tables.get(number)?;
        let line = match &table.show {
            Show::Played(game) => game.holding(None),
            Show::Examined { game, .. } => game.holding(None),
        };
        // The boards of bughouse have an empty line in front of what is held, those of crazyhouse do not.
        let gap = if table.terms().variant == Variant::Bughouse { "\n" } else { "" };
        line.map(|line| format!("{gap}{line}\n"))
    }

    /// Queues a board as part of a reply.
    pub(crate) fn put_board(&mut self, number: GameId, to: ConnectionId, occasion: Occasion) {
        if let Some(board) = self.board(number, to, occasion) {
            self.lobby.put_whole(to, &board);
        }
        self.put_board_datagrams(number, to, occasion);
        if !self.put_holdings(number, to)
            && let Some(holding) = self.holding(number)
        {
            self.lobby.put_whole(to, &holding);
        }
    }

    /// Sends an unsolicited board.
    pub(crate) fn send_board(&mut self, number: GameId, to: ConnectionId, occasion: Occasion) {
        if self.tables.get(number).is_none() {
            return;
        }
        self.lobby.ring(to);
        self.put_board(number, to, occasion);
        self.lobby.prompt(to);
    }

    /// Sends a board to the audience of a game; to `actor` as part of the reply.
    pub(crate) fn send_boards(&mut self, number: GameId, actor: Option<ConnectionId>, occasion: Occasion) {
        for id in
            self.audience(number).into_iter().filter(|&id| !self.lobby.is_away_from(id, number)).collect::<Vec<_>>()
        {
            if Some(id) == actor {
                self.put_board(number, id, occasion);
            } else {
                self.send_board(number, id, occasion);
            }
        }
    }

    /// Reports a piece that has just been added to a reserve to the audience of a game.
    pub(crate) fn send_passed(&mut self, number: GameId, color: Color, role: Role) {
        let Some(game) = self.tables.played(number) else { return };
        let Some(line) = game.holding(Some((color, role))) else { return };
        let gap = if game.terms().variant == Variant::Bughouse { "\n" } else { "" };
        for id in self.audience(number) {
            if self.put_holdings(number, id) {
                self.lobby.prompt(id);
            } else {
                self.lobby.notify_whole(id, &format!("{gap}{line}\n"));
            }
        }
    }

    /// Returns the line of a game's terms for a client with `gameinfo` set.
    pub(crate) fn info_line(&self, number: GameId, to: ConnectionId) -> Option<String> {
        let wants = self.lobby.player(to).is_some_and(|player| player.ivars.is_set(Ivar::GameInfo));
        let game = self.tables.get(number)?.played().filter(|_| wants)?;
        Some(format!("{}\n", game.info()))
    }
}
