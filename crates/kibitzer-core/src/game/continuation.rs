//! Decides whether a game that is found after a gap is the game that was followed before it.

use std::time::Duration;

use super::{ChangeKind, Game};
use crate::chess::{Board, Color, Fen, SanMove};
use crate::message::Style12;
use crate::message::listing::{ListedMove, MoveList};

/// Sum of the times of equal moves above which the moves belong to one game, whatever the clocks show. Moves of an opening take
/// no time in most games.
const TELLING_MS: u32 = 5_000;

/// Part of the time of a ply for which a server charges no clock, such as network lag.
const UNCHARGED_PER_PLY: Duration = Duration::from_secs(2);

/// Maximum difference between two reports of a clock or of a time, one of which may be in full seconds.
const ROUNDING_MS: u32 = 1_000;

/// Relation of a game that is found after a gap to a game that was followed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Continuation {
    /// It is the same game.
    Same,
    /// No list of moves was compared; position and clocks permit that it is the same game.
    Likely,
    /// No list of moves was compared; position or clocks suggest that it is another game.
    Unlikely,
    /// It is another game.
    Other,
}

impl Game {
    /// Returns whether `found`, which was found after a gap of at least `gap`, is this game.
    ///
    /// Without a list of the moves of `found`, only a position that is at most one move away proves that. With a list, it is
    /// this game if the list begins with the moves that are known here, in the same times; the clocks decide if the moves took no
    /// time. A shorter list is one of this game after a takeback only if the times prove it. Of examined games, only the terms are
    /// compared, because an examiner may go anywhere.
    #[doc(hidden)]
    pub fn continuation_in(&self, found: &Self, list: Option<&MoveList>, gap: Duration) -> Continuation {
        let now = found.position();
        if !has_same_terms(self.position(), now) {
            return Continuation::Other;
        }
        if now.relation().is_examined() {
            return Continuation::Same;
        }
        let clocks_fit = self.clocks_permit(now, gap);
        if let Some(list) = list {
            return if self.begins(list, now, clocks_fit) { Continuation::Same } else { Continuation::Other };
        }
        let (step, _) = self.clone().apply_board_and_take_replaced(&found.position);
        match step.kind {
            ChangeKind::Moved | ChangeKind::Repeated if clocks_fit => Continuation::Same,
            _ if clocks_fit && now.ply() > self.position.ply() => Continuation::Likely,
            _ => Continuation::Unlikely,
        }
    }

    /// Returns whether a list of moves, some of which led to `now`, is one of this game.
    fn begins(&self, list: &MoveList, now: &Style12, clocks_fit: bool) -> bool {
        let known_ply = self.position.ply();
        let first_ply = list.moves.first().map_or(0, |first| first.ply);
        let mut equal_ms = 0_u32;
        for (ply, san, elapsed_ms) in self.reported_moves() {
            let index = ply.checked_sub(first_ply).and_then(|index| usize::try_from(index).ok());
            let listed = index.and_then(|index| list.moves.get(index)).filter(|listed| listed.ply == ply);
            let Some(listed) = listed else { continue };
            if !is_same_report(listed, san, elapsed_ms) {
                return false;
            }
            // Servers charge at least 100 ms; other milliseconds are hardly equal in two games.
            let telling_ms = elapsed_ms.map_or(0, |ms| if ms % 100 == 0 { ms } else { TELLING_MS });
            equal_ms = equal_ms.saturating_add(telling_ms);
        }
        if listed_board(list, known_ply, now).is_some_and(|board| board != self.position.board()) {
            return false;
        }
        let is_complete = list.moves.last().map_or(0, |last| last.ply) >= known_ply;
        equal_ms >= TELLING_MS || (is_complete && clocks_fit)
    }

    /// Returns ply, pretty form and time of the known moves, the last move of the base included.
    fn reported_moves(&self) -> impl Iterator<Item = (u32, &str, Option<u32>)> {
        let base = self.base();
        let of_base = (base.ply(), str::from_utf8(base.san_bytes()).unwrap_or_default(), base.elapsed_ms());
        let later = (base.ply().saturating_add(1)..).zip(self.moves());
        let later = later.map(|(ply, played)| (ply, played.pretty().unwrap_or_default(), played.elapsed_ms()));
        base.has_last_move().then_some(of_base).into_iter().chain(later)
    }

    /// Returns whether the clocks of `now` may follow from the known ones after `gap`: none has risen by more than the
    /// increments, and together they used about as much time as has passed.
    fn clocks_permit(&self, now: &Style12, gap: Duration) -> bool {
        let known = self.position();
        let plies = now.ply().saturating_sub(known.ply());
        let mut used_ms = 0;
        for color in Color::BOTH {
            let n_moves = if color == known.side_to_move() { plies.div_ceil(2) } else { plies / 2 };
            let added_ms = i64::from(n_moves) * i64::from(known.increment_s()) * 1_000;
            let used = known.clock(color).as_ms().saturating_add(added_ms).saturating_sub(now.clock(color).as_ms());
            if used < -i64::from(ROUNDING_MS) {
                return false;
            }
            used_ms = used.saturating_add(used_ms);
        }
        let used_ms = used_ms.saturating_add(ROUNDING_MS.into());
        let used = Duration::from_millis(u64::try_from(used_ms).unwrap_or_default());
        self.running_clock().is_none() || used + UNCHARGED_PER_PLY.saturating_mul(plies) >= gap
    }
}

/// Returns whether two boards have the same players, time control and kind of relation.
fn has_same_terms(one: &Style12, other: &Style12) -> bool {
    let terms = |board: &Style12| (board.initial_min(), board.increment_s(), board.relation().is_examined());
    one.has_same_player_names(other) && terms(one) == terms(other)
}

/// Returns whether a listed move may be a known move. A check mark may be missing, and either time may be in full seconds.
fn is_same_report(listed: &ListedMove, san: &str, elapsed_ms: Option<u32>) -> bool {
    let plain = |san: &str| san.trim_end_matches(['+', '#']).replace('o', "O");
    let is_same_time = |(one, other): (u32, u32)| {
        let is_rounded = one % 1_000 == 0 || other % 1_000 == 0;
        one == other || (is_rounded && one.abs_diff(other) < ROUNDING_MS)
    };
    (san.is_empty() || plain(san) == plain(&listed.san)) && listed.elapsed_ms.zip(elapsed_ms).is_none_or(is_same_time)
}

/// Returns the board of a list at `ply`; `None` if the list does not reach it, or does not lead to `check`, as it may begin from
/// a position that it does not show, or contain a move that cannot be played.
fn listed_board(list: &MoveList, ply: u32, check: &Style12) -> Option<Board> {
    let mut board = list.start.last().map_or(Fen::START, Style12::fen).board;
    let mut wanted = None;
    for listed in &list.moves {
        let color = listed.color();
        let played = SanMove::parse(listed.san.as_bytes())?.to_last_move(&board, color)?;
        board.apply(played, color).ok()?;
        if listed.ply == ply {
            wanted = Some(board);
        }
        if listed.ply == check.ply() {
            return wanted.filter(|_| board == check.board());
        }
    }
    None
}
