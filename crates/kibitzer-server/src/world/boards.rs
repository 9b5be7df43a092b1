//! Boards, each in the form its viewer asked for.
//!
//! Source of the forms: transcripts fatics-game-*, fatics-crazyhouse-*, fatics-bughouse-*, fatics-ms-compress-*.

use kibitzer_core::chess::{Color, Role};
use kibitzer_core::message::GameId;

use super::tables::Show;
use super::{ConnectionId, Flag, Ivar, Table, World};
use crate::chess::Variant;
use crate::play::{ClockUnit, View, Viewer};

/// Why a board is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// A move was made, so that a delta board tells it all.
    Move,
    /// Anything else.
    Other,
}

impl World {
    /// The unit a client wants clocks in.
    pub(crate) fn clock_unit(&self, id: ConnectionId) -> ClockUnit {
        let has_ms = self.player(id).is_some_and(|player| player.ivars.is_set(Ivar::Ms));
        if has_ms { ClockUnit::Milliseconds } else { ClockUnit::Seconds }
    }

    fn viewer(&self, number: GameId, id: ConnectionId) -> Viewer {
        let Some(table) = self.table(number) else { return Viewer::Guest };
        if table.examiners().contains(&id) {
            return Viewer::Examiner;
        }
        let name = self.player(id).map_or("", |player| player.name());
        match table.played().and_then(|game| game.color_of(name)) {
            Some(color) => Viewer::Player(color),
            None if table.observers.contains(&id) => Viewer::Observer,
            None => Viewer::Guest,
        }
    }

    /// The lines of a board, and of what both sides hold, behind an empty line.
    fn board(&self, number: GameId, to: ConnectionId, occasion: Occasion) -> Option<String> {
        let table = self.table(number)?;
        let ivars = self.player(to)?.ivars;
        let view = View {
            viewer: self.viewer(number, to),
            unit: self.clock_unit(to),
            is_flipped: self.has_flag(to, Flag::Flip),
        };
        let wants_delta = occasion == Occasion::Move && ivars.is_set(Ivar::Compressmove);
        let (line, holding) = match &table.show {
            Show::Played(game) => {
                let delta = if wants_delta { game.delta() } else { None };
                (delta.unwrap_or_else(|| game.style12(view, self.now)), game.holding(None))
            }
            Show::Examined { game, .. } => (game.style12(view), game.holding(None)),
        };
        // The boards of bughouse have an empty line in front of what is held, those of crazyhouse do not.
        let gap = if table.terms().variant == Variant::Bughouse { "\n" } else { "" };
        let holding = holding.map(|line| format!("{gap}{line}\n")).unwrap_or_default();
        Some(format!("\n{line}\n{holding}"))
    }

    /// A board as part of a reply.
    pub(crate) fn put_board(&mut self, number: GameId, to: ConnectionId, occasion: Occasion) {
        if let Some(board) = self.board(number, to, occasion) {
            self.put_whole(to, &board);
        }
    }

    /// A board that was not asked for.
    pub(crate) fn send_board(&mut self, number: GameId, to: ConnectionId, occasion: Occasion) {
        let Some(board) = self.board(number, to, occasion) else { return };
        self.ring(to);
        self.put_whole(to, &board);
        self.prompt(to);
    }

    /// A board to all who see the game: part of the reply to `actor`, if he is one of them.
    pub(crate) fn send_boards(&mut self, number: GameId, actor: Option<ConnectionId>, occasion: Occasion) {
        for id in self.audience(number) {
            if Some(id) == actor {
                self.put_board(number, id, occasion);
            } else {
                self.send_board(number, id, occasion);
            }
        }
    }

    /// Players or examiners, then observers.
    pub(crate) fn audience(&self, number: GameId) -> Vec<ConnectionId> {
        let mut audience = self.participants(number);
        audience.extend(self.observers(number));
        audience
    }

    /// Tells all who see a game of a piece that has just come into a hand.
    pub(crate) fn send_passed(&mut self, number: GameId, color: Color, role: Role) {
        let Some(game) = self.table(number).and_then(Table::played) else { return };
        let Some(line) = game.holding(Some((color, role))) else { return };
        let gap = if game.terms().variant == Variant::Bughouse { "\n" } else { "" };
        for id in self.audience(number) {
            self.notify_whole(id, &format!("{gap}{line}\n"));
        }
    }

    /// The terms of a game, for a client that asked for them.
    pub(crate) fn info_line(&self, number: GameId, to: ConnectionId) -> Option<String> {
        let wants = self.player(to).is_some_and(|player| player.ivars.is_set(Ivar::Gameinfo));
        let game = self.table(number)?.played().filter(|_| wants)?;
        Some(format!("{}\n", game.info()))
    }
}
