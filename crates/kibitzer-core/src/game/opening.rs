//! First board of a game for which ICC sent a list of its terms but no board line.

use super::play;
use crate::chess::{Color, Fen, Square};
use crate::message::{
    BoardNumbers, ClockReading, GameInfo, Handle, IccGameStart, IccGameStartReason, MyGameRole, Relation, Style12,
};

/// Numbers of the variants that begin with the usual array: chess, kriegspiel, losers, crazyhouse, bughouse, three checks,
/// giveaway, atomic.
///
/// Source: ICC's list of variants.
pub(super) const VARIANTS_WITH_USUAL_ARRAY: [u16; 8] = [0, 16, 17, 23, 24, 25, 26, 27];

/// Creates the board line that the server would send for the position; `None` without a start list, or for a game that this login
/// neither plays, examines nor observes.
///
/// This login's side follows from `role`, or else from a comparison of `login_name` with the players' names, which are real in
/// played games.
pub(super) fn first_board_from_start_list(
    info: &GameInfo,
    fen: &Fen,
    role: Option<MyGameRole>,
    login_name: Option<&Handle>,
) -> Option<Style12> {
    let start = info.start.as_deref()?;
    matches!(start.kind, IccGameStartReason::Mine | IccGameStartReason::Observed).then_some(())?;
    let role = role.unwrap_or_else(|| role_from_names(start, login_name));
    let clock = |seconds: Option<u32>| ClockReading::from_ms(i64::from(seconds.unwrap_or_default()) * 1000);
    let numbers = BoardNumbers {
        white_clock: clock(info.white_time_s),
        black_clock: clock(info.black_time_s),
        game: info.game,
        relation: relation_from_role(role, fen.side_to_move, start.is_played),
        halfmove_clock: fen.halfmove_clock,
        initial_min: info.white_time_s.unwrap_or_default() / 60,
        increment_s: info.white_increment_s.unwrap_or_default(),
        white_material: fen.board.material(Color::White).into(),
        black_material: fen.board.material(Color::Black).into(),
        move_number: fen.move_number,
        last_move: None,
        side_to_move: fen.side_to_move,
        double_push_file: fen.en_passant.map(Square::file),
        castling: fen.castling,
        flip: Some(play::color_of_role(role) == Some(Color::Black)),
        clock_running: None,
        lag_ms: None,
        is_cut: false,
        reserves: fen.hands,
    };
    Some(Style12::new(numbers, &fen.board, &start.white, &start.black))
}

/// Returns the role of this login as far as the list alone shows it; observer if the name of the login is not known.
fn role_from_names(start: &IccGameStart, login_name: Option<&Handle>) -> MyGameRole {
    match start.kind {
        IccGameStartReason::Mine if !start.is_played => MyGameRole::Examiner,
        IccGameStartReason::Mine if login_name == Some(&start.white) => MyGameRole::Player(Color::White),
        IccGameStartReason::Mine if login_name == Some(&start.black) => MyGameRole::Player(Color::Black),
        _ => MyGameRole::Observer,
    }
}

/// Converts the role of this login to the relation field of a board line.
pub(super) fn relation_from_role(role: MyGameRole, side_to_move: Color, is_played: bool) -> Relation {
    match role {
        MyGameRole::Player(color) | MyGameRole::SimulGiver(color) if color == side_to_move => Relation::MyTurn,
        MyGameRole::Player(_) | MyGameRole::SimulGiver(_) => Relation::OpponentsTurn,
        MyGameRole::Examiner => Relation::Examining,
        MyGameRole::Observer | MyGameRole::Gone if is_played => Relation::Observing,
        MyGameRole::Observer | MyGameRole::Gone => Relation::ObservingExamined,
    }
}
