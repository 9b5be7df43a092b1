//! Moves as the user types them: completion by the legal moves, and the check for illegal ones.

use kibitzer::command::MoveText;
use kibitzer::internal::rules::{LegalMove, legal_moves};
use kibitzer_core::chess::{Role, SanMove, Square};

use super::App;
use crate::console::model::GameSnapshot;

impl App {
    /// Returns the legal moves of the only own game, if it waits for the user's move, in standard algebraic notation. Empty if the
    /// variant's rules are not known here.
    pub(super) fn legal_sans(&self) -> Vec<String> {
        let legal = self.own_game_with_legal_moves().map(|(_, legal)| legal).unwrap_or_default();
        legal.into_iter().map(|legal| legal.san).collect()
    }

    /// Returns whether a line is a move that the rules of the own game that waits for the user's move do not allow. `false` if that
    /// is not certain: in a variant whose rules are not known here, for a drop in bughouse, and if several own games go on.
    pub(super) fn is_illegal_move(&self, line: &str) -> bool {
        let Some((game, legal)) = self.own_game_with_legal_moves() else { return false };
        let Ok(typed) = MoveText::new(line) else { return false };
        // A small `b` is a file or, for servers, a bishop.
        let capital = typed.as_str().strip_prefix('b').map(|rest| format!("B{rest}"));
        let readings = [Some(typed.as_str().to_owned()), capital];
        let is_allowed = |text: String| is_allowed(&text, &legal, game);
        !readings.into_iter().flatten().any(is_allowed)
    }

    /// Returns the only own game, if it waits for the user's move, and its legal moves.
    fn own_game_with_legal_moves(&self) -> Option<(&GameSnapshot, Vec<LegalMove>)> {
        let mut own = self.model.games.values().filter(|game| self.is_own_game(game));
        let only = own.next().filter(|_| own.next().is_none())?;
        let game = self.own_game_to_move().filter(|game| game.id() == only.id())?;
        Some((game, legal_moves(&game.board, game.variant.as_deref()?, game.hands)?))
    }
}

/// Returns whether a move, as it would be sent, may be one of the legal ones of a game.
fn is_allowed(typed: &str, legal: &[LegalMove], game: &GameSnapshot) -> bool {
    let text = match typed.split_once('=') {
        Some((squares, promotion)) => format!("{squares}={}", promotion.to_ascii_uppercase()),
        None => typed.to_owned(),
    };
    match SanMove::parse(text.as_bytes()) {
        Some(SanMove::Castle(_)) => legal.iter().any(|legal| legal.san == text),
        // Reserves change while the move is on its way.
        Some(SanMove::Drop { .. }) if game.variant.as_deref() == Some("bughouse") => true,
        Some(SanMove::Drop { role, to }) => legal.iter().any(|legal| legal.uci == format!("{}@{to}", role.letter())),
        Some(SanMove::Normal { role, from_file, from_rank, to, promotion, .. }) => {
            // `g1f3` has no letter for the piece.
            let is_uci = from_rank.is_some() && text.starts_with(|letter: char| letter.is_ascii_lowercase());
            let role = (!is_uci).then_some(role);
            let board = game.board.board();
            legal.iter().filter_map(|legal| squares_of(&legal.uci)).any(|(from, legal_to, legal_promotion)| {
                to == legal_to
                    && from_file.is_none_or(|file| file == from.file())
                    && from_rank.is_none_or(|rank| rank == from.rank())
                    && (promotion.is_none() || promotion == legal_promotion)
                    && role.is_none_or(|role| board.piece(from).is_some_and(|piece| piece.role == role))
            })
        }
        _ => true,
    }
}

/// Returns the squares of departure and destination of a move in UCI notation, and the role of its promotion; `None` for a drop.
fn squares_of(uci: &str) -> Option<(Square, Square, Option<Role>)> {
    let (from, rest) = uci.split_at_checked(2)?;
    let (to, promotion) = rest.split_at_checked(2)?;
    let promotion = promotion.bytes().next().and_then(|letter| Role::from_letter(letter.to_ascii_uppercase()));
    Some((Square::parse(from.as_bytes())?, Square::parse(to.as_bytes())?, promotion))
}
