//! State of one game, as the console draws it, now and at an earlier row.

use std::collections::BTreeMap;
use std::time::Duration;

use kibitzer::internal::rules::opening_name;
use kibitzer_bot::BotEvent;
use kibitzer_core::chess::{Board, Color, Fen, Hands, LastMove, Role};
use kibitzer_core::game::{Game, PlayedMove};
use kibitzer_core::message::{
    ClockReading, GameEnded, GameId, GameInfo, GameKind, GameResult, Message, Rating, Relation, Style12,
};

use super::SessionModel;

/// The part of a game that the console draws.
#[derive(Clone, Debug)]
pub(crate) struct GameSnapshot {
    /// The newest board.
    pub(crate) board: Style12,
    /// The last move, with its squares as far as they are known.
    pub(crate) played: Option<LastMove>,
    /// Pieces in reserve; `None` in games without reserves, and if they are not known.
    pub(crate) hands: Option<Hands>,
    /// Kind of the game in the server's words, such as `blitz`.
    pub(crate) kind: Option<String>,
    /// Variant by its name, such as `chess`; `None` if it is not known.
    pub(crate) variant: Option<String>,
    /// Whether the rules know check. Assumed while the kind is unknown.
    has_check: bool,
    pub(crate) rated: Option<bool>,
    /// Ratings of White and Black, as reported.
    ratings: [Option<Rating>; 2],
    /// The message that ended the game, with its result.
    pub(crate) ending: Option<GameEnded>,
    /// Whether the game is in progress and the server reports its moves to this login.
    pub(crate) followed: bool,
    /// The engine's latest analysis, if a bot plays the game.
    pub(crate) analysis: Option<BotEvent>,
    /// The newest moves up to the board, at most 600, without a gap.
    pub(crate) moves: Vec<PlayedMove>,
    /// The board before the first known move.
    start: Board,
    /// Number of the row with the game's first board, or with its last takeback. The moves may not be those that led to an older board.
    pub(super) continuous_since: u64,
    /// The other game of a bughouse match.
    pub(crate) partner: Option<GameId>,
    /// Side whose clock is running.
    pub(super) running: Option<Color>,
    /// Time of the session at which the clocks were reported, by the last new board.
    pub(super) clocks_at: Duration,
}

/// Maximum number of moves of a snapshot.
const KEPT_MOVES: usize = 600;

impl GameSnapshot {
    /// Copies the drawn part of a game. The caller adds what depends on its [earlier state](Self::continue_from), the number of its first
    /// row, and the time of the clocks.
    pub(crate) fn new(game: &Game) -> Self {
        let board = game.position().clone();
        let reported = board.played();
        let info = game.info();
        // The terms may show which variant the same word stands for.
        let kind = info.map(GameInfo::game_kind).or_else(|| game.kind().map(GameKind::parse));
        let moves = game.moves();
        Self {
            played: moves.last().map(PlayedMove::played).or(reported),
            hands: game.hands(),
            kind: game.kind().map(str::to_owned),
            variant: game.variant().map(str::to_owned),
            has_check: kind.is_none_or(|kind| kind.forbids_check()),
            rated: game.is_rated(),
            ratings: [info.and_then(|info| info.white_rating), info.and_then(|info| info.black_rating)],
            ending: game.ending().cloned(),
            followed: game.is_followed_and_ongoing(),
            analysis: None,
            moves: moves.get(moves.len().saturating_sub(KEPT_MOVES)..).unwrap_or_default().to_vec(),
            start: game.base().board(),
            continuous_since: 0,
            partner: game.partner_game(),
            running: game.running_clock(),
            clocks_at: Duration::ZERO,
            board,
        }
    }

    /// Returns the game as it was at the board of an earlier row: with stopped clocks, and without a result and analysis. `played` is the
    /// move that led to that board. Without `hands`, the present reserves stay. There are no moves if the row is older than the game, or
    /// than its last takeback.
    fn at_earlier_board(&self, row: u64, board: &Style12, played: Option<LastMove>, hands: Option<Hands>) -> Self {
        let later = self.board.ply().checked_sub(board.ply()).filter(|_| row >= self.continuous_since);
        let n_moves = later.and_then(|later| self.moves.len().checked_sub(usize::try_from(later).ok()?));
        Self {
            board: board.clone(),
            played,
            hands: hands.or(self.hands),
            ending: None,
            analysis: None,
            moves: n_moves.and_then(|n| self.moves.get(..n)).unwrap_or_default().to_vec(),
            running: None,
            ..self.clone()
        }
    }

    /// Takes over the analysis from the earlier snapshot of the same game, and `continuous_since` unless moves were taken back.
    pub(super) fn continue_from(&mut self, earlier: &mut Self) {
        if self.followed {
            self.analysis = earlier.analysis.take();
        }
        if self.board.ply() >= earlier.board.ply() {
            self.continuous_since = earlier.continuous_since;
        }
    }

    /// Returns the name of the opening, in a game of chess whose moves are known from the start.
    pub(crate) fn opening(&self) -> Option<&'static str> {
        let is_complete = usize::try_from(self.board.ply()) == Ok(self.moves.len()) && self.start == Fen::START.board;
        let sans = self.moves.iter().map(|played| played.pretty().unwrap_or_default());
        if is_complete && self.variant.as_deref() == Some("chess") { opening_name(sans) } else { None }
    }

    /// Returns the material advantage of a side on the board, in pawns; 0 without one, and in games with reserves.
    pub(crate) fn material_lead(&self, color: Color) -> u16 {
        let board = self.board.board();
        let lead = board.material(color).saturating_sub(board.material(color.opponent()));
        if self.hands.is_some() { 0 } else { lead }
    }

    /// Returns the side of this login; `None` unless it plays the game.
    pub(crate) fn own_color(&self) -> Option<Color> {
        match self.board.relation() {
            Relation::MyTurn => Some(self.board.side_to_move()),
            Relation::OpponentsTurn => Some(self.board.side_to_move().opponent()),
            _ => None,
        }
    }

    /// Returns the result, the winner and the reason, such as `0-1, you won: Euwe checkmated`, once the game has ended.
    pub(crate) fn result_text(&self) -> Option<String> {
        let GameEnded { result, text, .. } = self.ending.as_ref()?;
        Some(match (result.winner(), self.own_color()) {
            (Some(winner), Some(own)) if winner == own => format!("{result}, you won: {text}"),
            (Some(_), Some(_)) => format!("{result}, you lost: {text}"),
            (Some(winner), None) => format!("{result}, {} won: {text}", self.board.player(winner)),
            (None, _) if *result == GameResult::Draw => format!("{result}, draw: {text}"),
            (None, _) => format!("{result} {text}"),
        })
    }

    /// Returns whether the king of the side to move is attacked in a game in progress whose rules know check.
    pub(crate) fn is_check(&self) -> bool {
        self.has_check && self.ending.is_none() && self.board.board().is_in_check(self.board.side_to_move())
    }

    /// Returns whether the game has reserves and is not known to be of another variant than bughouse.
    pub(crate) fn may_be_bughouse(&self) -> bool {
        self.hands.is_some() && self.kind.as_deref().is_none_or(|kind| kind.contains("bughouse"))
    }

    pub(crate) const fn id(&self) -> GameId {
        self.board.game()
    }

    /// Returns a player's rating; `None` if the server reported none, or 0.
    pub(crate) fn rating(&self, color: Color) -> Option<Rating> {
        let [white, black] = self.ratings;
        // Datagrams have 0 for players without a rating.
        match color {
            Color::White => white,
            Color::Black => black,
        }
        .filter(|rating| rating.value() != Some(0))
    }

    /// Returns whether a player's clock is running.
    pub(crate) fn is_running(&self, color: Color) -> bool {
        self.running == Some(color)
    }

    /// Returns the reading of a player's clock at a time of the session: the reported one, for the running clock minus the time
    /// since the report. May be negative.
    pub(crate) fn clock_at(&self, color: Color, now: Duration) -> ClockReading {
        let reported = self.board.clock(color);
        if self.running != Some(color) {
            return reported;
        }
        let passed_ms = u64::try_from(now.saturating_sub(self.clocks_at).as_millis()).unwrap_or(u64::MAX);
        ClockReading::from_ms(reported.as_ms().saturating_sub_unsigned(passed_ms))
    }

    /// Returns the pieces of a color that are missing from the board, pawns first, compared with the usual starting position.
    pub(crate) fn missing_pieces(&self, color: Color) -> Vec<Role> {
        let start = [8_usize, 2, 2, 2, 1, 0];
        let left =
            |role| self.board.board().pieces().filter(|(_, piece)| piece.color == color && piece.role == role).count();
        let missing = Role::ALL.into_iter().zip(start).map(|(role, n)| (role, n.saturating_sub(left(role))));
        missing.flat_map(|(role, n)| std::iter::repeat_n(role, n)).collect()
    }

    /// Returns the rating mode and the kind, as far as they are known, and the time control, such as `rated blitz 5+0`.
    pub(crate) fn terms_text(&self) -> String {
        let rated = match self.rated {
            Some(true) => "rated ",
            Some(false) => "unrated ",
            None => "",
        };
        let kind = self.kind.as_ref().map_or_else(String::new, |kind| format!("{kind} "));
        format!("{rated}{kind}{}+{}", self.board.initial_min(), self.board.increment_s())
    }
}

impl SessionModel {
    /// Returns these games, in this order, as they were after a row, reconstructed from the rows up to it. Games whose board at
    /// that time is no longer stored are missing.
    pub(crate) fn games_at_row(&self, games: &[GameId], row: u64) -> Vec<GameSnapshot> {
        let known = games.iter().filter_map(|id| Some((*id, self.games.get(id)?)));
        // With the latest reserves before the row.
        let mut missing: BTreeMap<_, _> = known.map(|(id, snapshot)| (id, (snapshot, None))).collect();
        let mut found = BTreeMap::new();
        let mut events = self.rows.iter_back_from(row).filter_map(|row| Some((row.number, row.event()?)));
        while !missing.is_empty()
            && let Some((number, event)) = events.next()
        {
            if let Some(Message::Holding(holding)) = event.message()
                && let Some((_, hands)) = missing.get_mut(&holding.game)
            {
                hands.get_or_insert(Hands { white: holding.white, black: holding.black });
            }
            if let Some(board) = event.board()
                && let Some(id) = event.affected_game()
                && let Some((snapshot, hands)) = missing.remove(&id)
            {
                let played = event.change().and_then(|change| change.played);
                found.insert(id, snapshot.at_earlier_board(number, board, played, hands));
            }
        }
        games.iter().filter_map(|id| found.remove(id)).collect()
    }
}
