//! Datagrams of boards: positions, moves, clocks, reserves, drawings.

use smallvec::SmallVec;

use super::Reading;
use super::form::{Argument, Arguments, signed};
use super::known::Known;
use crate::chess::{Board, Color, Fen, Hand, SmithMove, Square};
use crate::message::{ClockReading, GameAction, GameRole, GameUpdate, Holding, Mark, MarkShape, Message, SentMove};
use crate::scan::Cursor;
use crate::text::ServerText;

pub(super) fn send_moves(arguments: &Arguments<'_>, known: &mut Known) -> Option<Reading> {
    if let Some(game) = known.game_mut(arguments.game()?) {
        game.moved();
    }
    update(arguments, GameAction::Move(sent_move(arguments.from("san"))?))
}

pub(super) fn past_move(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    update(arguments, GameAction::PastMove(sent_move(arguments.from("san"))?))
}

pub(super) fn move_list(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    let start = match arguments.bytes("start")? {
        b"*" => None,
        squares => Some(read_squares(squares)?),
    };
    let moves: Option<Vec<_>> =
        arguments.from("move").map(|group| sent_move(Argument::all(Cursor::new(group.bytes)))).collect();
    update(arguments, GameAction::MoveList { start, moves: moves? })
}

/// Reads what is told of a move: which parts that are depends on what the client has switched on.
///
/// Words come first, the algebraic one in front of the one in Smith notation; then the time, the clock, and the number of the
/// variation. Of one number alone nothing says which it is.
fn sent_move<'a>(parts: impl Iterator<Item = Argument<'a>>) -> Option<SentMove> {
    let (mut words, mut numbers) = (SmallVec::<[&[u8]; 2]>::new(), SmallVec::<[i64; 3]>::new());
    for part in parts.take(MAX_PARTS) {
        match signed(part.bytes) {
            Some(number) => numbers.push(number),
            None => words.push(part.bytes),
        }
    }
    let (san, smith) = match words[..] {
        [] => return None,
        [word] if SmithMove::parse(word).is_some() => (None, Some(word)),
        [word] => (Some(word), None),
        [san, smith, ..] => (Some(san), Some(smith)),
    };
    let mut sent = SentMove {
        san: san.map(ServerText::from_wire),
        smith: smith.map(ServerText::from_wire),
        ..SentMove::default()
    };
    if let [taken_s, clock_s, ref variation @ ..] = numbers[..] {
        sent.taken_s = u32::try_from(taken_s).ok();
        sent.clock_s = i32::try_from(clock_s).ok();
        sent.variation = variation.first().and_then(|&number| u8::try_from(number).ok());
    }
    Some(sent)
}

/// A move has at most five parts; what follows is of a later version.
const MAX_PARTS: usize = 5;

pub(super) fn position_begin(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    let fen = read_fen(arguments)?;
    update(arguments, GameAction::Position { fen, n_moves: arguments.number("n_moves")? })
}

pub(super) fn fen(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    update(arguments, GameAction::Fen(read_fen(arguments)?))
}

/// Reads a position; an empty one is the usual start.
fn read_fen(arguments: &Arguments<'_>) -> Option<Fen> {
    match std::str::from_utf8(arguments.bytes("fen")?).ok()? {
        "" | "*" => Some(Fen::START),
        text => text.parse().ok(),
    }
}

pub(super) fn set_board(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    let board = read_squares(arguments.bytes("board")?)?;
    let side_to_move = match arguments.bytes("side")? {
        b"1" => Color::White,
        b"0" => Color::Black,
        [letter] => Color::from_letter(letter.to_ascii_uppercase())?,
        _ => return None,
    };
    update(arguments, GameAction::Board { board, side_to_move })
}

/// Reads 64 letters, from a8 to h1.
fn read_squares(letters: &[u8]) -> Option<Board> {
    let (rows, rest) = letters.as_chunks::<8>();
    rest.is_empty().then_some(())?;
    Board::from_rows(rows.try_into().ok()?)
}

pub(super) fn takeback(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    update(arguments, GameAction::TookBack { plies: arguments.number("plies")? })
}

pub(super) fn backward(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    update(arguments, GameAction::WentBack { plies: arguments.number("plies")? })
}

pub(super) fn set_clock(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    let reading = |name| arguments.number::<i32>(name).map(|s| ClockReading::from_ms(i64::from(s) * 1000));
    update(arguments, GameAction::Clocks { white: reading("white")?, black: reading("black")? })
}

pub(super) fn msec(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    let reading = ClockReading::from_ms(arguments.number::<i32>("ms")?.into());
    let is_running = arguments.flag("running")?;
    update(arguments, GameAction::Clock { color: read_color(arguments)?, reading, is_running })
}

/// White is 1 or W, Black 0 or B.
fn read_color(arguments: &Arguments<'_>) -> Option<Color> {
    match arguments.bytes("color")? {
        b"1" => Some(Color::White),
        b"0" => Some(Color::Black),
        [letter] => Color::from_letter(letter.to_ascii_uppercase()),
        _ => None,
    }
}

pub(super) fn flip(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    update(arguments, GameAction::Flip(arguments.flag("flip")?))
}

pub(super) fn my_relation(arguments: &Arguments<'_>, known: &mut Known) -> Option<Reading> {
    let role = GameRole::parse(arguments.bytes("symbol")?)?;
    if role == GameRole::Gone {
        known.forget(arguments.game()?);
    }
    update(arguments, GameAction::Role(role))
}

fn update(arguments: &Arguments<'_>, action: GameAction) -> Option<Reading> {
    Some(Message::GameUpdate(GameUpdate { game: arguments.game()?, action }).into())
}

pub(super) fn holdings(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    let hand = |name| {
        let letters = arguments.bytes(name)?;
        Some((Hand::parse(letters)?, ServerText::from_letters(letters)))
    };
    let ((white, white_letters), (black, black_letters)) = (hand("white")?, hand("black")?);
    let holding = Holding { game: arguments.game()?, white, black, white_letters, black_letters, passed: None };
    Some(Message::Holding(holding).into())
}

pub(super) fn circle(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    mark(arguments, read_circle(arguments)?, true)
}

pub(super) fn uncircle(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    mark(arguments, read_circle(arguments)?, false)
}

pub(super) fn arrow(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    mark(arguments, read_arrow(arguments)?, true)
}

pub(super) fn unarrow(arguments: &Arguments<'_>, _: &mut Known) -> Option<Reading> {
    mark(arguments, read_arrow(arguments)?, false)
}

fn read_circle(arguments: &Arguments<'_>) -> Option<MarkShape> {
    Square::parse(arguments.bytes("square")?).map(MarkShape::Circle)
}

fn read_arrow(arguments: &Arguments<'_>) -> Option<MarkShape> {
    let square = |name| Square::parse(arguments.bytes(name)?);
    Some(MarkShape::Arrow { from: square("from")?, to: square("to")? })
}

fn mark(arguments: &Arguments<'_>, shape: MarkShape, is_drawn: bool) -> Option<Reading> {
    let mark = Mark { game: arguments.game()?, by: arguments.handle("examiner")?, shape, is_drawn };
    Some(Message::Mark(mark).into())
}
