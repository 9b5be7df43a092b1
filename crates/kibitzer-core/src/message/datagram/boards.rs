//! Datagrams of boards: positions, moves, clocks, reserves, drawings.

use smallvec::SmallVec;

use super::DatagramMessages;
use super::context::DatagramContext;
use super::kind::{Argument, Arguments, UnquotedWords, parse_signed};
use crate::chess::{Board, Color, Fen, Hand, SmithMove, Square};
use crate::message::{ClockReading, GameAction, GameId, GameRole, GameUpdate, Holding, Mark, Message, SentMove};
use crate::scan::Cursor;
use crate::text::ServerText;

pub(super) fn parse_moves(arguments: &Arguments<'_>, context: &mut DatagramContext) -> Option<DatagramMessages> {
    let game = arguments.game()?;
    let action = GameAction::Move(sent_move(arguments.with_start_offset("san"))?);
    if let Some(game) = context.game_mut(game) {
        game.count_move_and_expire_offers();
    }
    Some(Message::from(GameUpdate { game, action }).into())
}

/// Parses a move in its usual form: both notations, time and clock, and perhaps the number of the variation. Counts the move in
/// the context, which removes offers that have expired. A fast path of [`send_moves`]; `None`, without a change, for every other
/// datagram.
pub(super) fn parse_usual_move(unit: &[u8], context: &mut DatagramContext) -> Option<GameUpdate> {
    let mut words = UnquotedWords::read(unit.strip_prefix(b"24 ")?)?;
    let mut next = || words.next();
    let game = GameId(i32::try_from(parse_signed(next()?)?).ok()?);
    let (san, smith) = (next()?, next()?);
    let (taken_s, clock_s) = (parse_signed(next()?)?, parse_signed(next()?)?);
    let variation = next().map(parse_signed).map_or(Some(None), |number| number.map(Some))?;
    (next().is_none() && parse_signed(san).is_none() && parse_signed(smith).is_none()).then_some(())?;
    if let Some(game) = context.game_mut(game) {
        game.count_move_and_expire_offers();
    }
    let sent = SentMove {
        san: Some(ServerText::from_wire(san)),
        smith: Some(ServerText::from_wire(smith)),
        taken_s: u32::try_from(taken_s).ok(),
        clock_s: i32::try_from(clock_s).ok(),
        variation: variation.and_then(|number| u8::try_from(number).ok()),
    };
    Some(GameUpdate { game, action: GameAction::Move(sent) })
}

pub(super) fn parse_past_move(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    update_message(arguments, GameAction::PastMove(sent_move(arguments.with_start_offset("san"))?))
}

pub(super) fn parse_move_list(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let start = match arguments.bytes("start")? {
        b"*" => None,
        squares => Some(read_squares(squares)?),
    };
    let moves: Option<Vec<_>> =
        arguments.with_start_offset("move").map(|group| sent_move(Argument::all(Cursor::new(group.bytes)))).collect();
    update_message(arguments, GameAction::MoveList { start, moves: moves? })
}

/// Parses the parts of a move, at most [`MAX_PARTS`]; `None` if it has no notation. The client decides which parts are sent.
///
/// The notations come first, algebraic before Smith notation; then the time, the clock, and the number of the variation. A single
/// number is ambiguous and ignored; a number out of range is `None`.
fn sent_move<'a>(parts: impl Iterator<Item = Argument<'a>>) -> Option<SentMove> {
    let (mut words, mut numbers) = (SmallVec::<[&[u8]; MAX_PARTS]>::new(), SmallVec::<[i64; MAX_PARTS]>::new());
    for part in parts.take(MAX_PARTS) {
        match parse_signed(part.bytes) {
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

/// Most parts of a move that are read; later versions of the format may append more, which are ignored.
const MAX_PARTS: usize = 5;

pub(super) fn parse_position_begin(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let fen = read_fen(arguments)?;
    update_message(arguments, GameAction::Position { fen, n_moves: arguments.number("n_moves")? })
}

pub(super) fn parse_fen(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    update_message(arguments, GameAction::Fen(read_fen(arguments)?))
}

/// Parses the argument `fen`; empty or `*` is the usual start position. `None` if the argument is missing or invalid.
fn read_fen(arguments: &Arguments<'_>) -> Option<Fen> {
    match std::str::from_utf8(arguments.bytes("fen")?).ok()? {
        "" | "*" => Some(Fen::START),
        text => text.parse().ok(),
    }
}

pub(super) fn parse_set_board(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let board = read_squares(arguments.bytes("board")?)?;
    let side_to_move = read_color(arguments, "side")?;
    update_message(arguments, GameAction::Board { board, side_to_move })
}

/// Parses 64 letters, from a8 to h1; `None` for any other number of letters or an unknown letter.
fn read_squares(letters: &[u8]) -> Option<Board> {
    let (rows, rest) = letters.as_chunks::<8>();
    rest.is_empty().then_some(())?;
    Board::from_rows(rows.try_into().ok()?)
}

pub(super) fn parse_takeback(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    update_message(arguments, GameAction::TookBack { plies: arguments.number("plies")? })
}

pub(super) fn parse_backward(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    update_message(arguments, GameAction::WentBack { plies: arguments.number("plies")? })
}

pub(super) fn parse_set_clock(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let reading = |name| arguments.number::<i32>(name).map(|s| ClockReading::from_ms(i64::from(s) * 1000));
    update_message(arguments, GameAction::Clocks { white: reading("white")?, black: reading("black")? })
}

pub(super) fn parse_running_clock(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let reading = ClockReading::from_ms(arguments.number::<i32>("ms")?.into());
    let is_running = arguments.flag("running")?;
    update_message(arguments, GameAction::Clock { color: read_color(arguments, "color")?, reading, is_running })
}

/// Parses an argument as a color: White is 1 or W, Black 0 or B. `None` if it is missing or anything else.
fn read_color(arguments: &Arguments<'_>, name: &str) -> Option<Color> {
    match arguments.bytes(name)? {
        b"1" => Some(Color::White),
        b"0" => Some(Color::Black),
        [letter] => Color::from_letter(*letter),
        _ => None,
    }
}

pub(super) fn parse_flip(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    update_message(arguments, GameAction::Flip(arguments.flag("flip")?))
}

pub(super) fn parse_my_relation(arguments: &Arguments<'_>, context: &mut DatagramContext) -> Option<DatagramMessages> {
    let role = GameRole::parse(arguments.bytes("symbol")?)?;
    if role == GameRole::Gone {
        context.remove_game(arguments.game()?);
    }
    update_message(arguments, GameAction::Role(role))
}

fn update_message(arguments: &Arguments<'_>, action: GameAction) -> Option<DatagramMessages> {
    Some(Message::from(GameUpdate { game: arguments.game()?, action }).into())
}

pub(super) fn parse_holdings(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let hand = |name| {
        let letters = arguments.bytes(name)?;
        Some((Hand::parse(letters)?, ServerText::from_wire_uppercase(letters)))
    };
    let ((white, white_letters), (black, black_letters)) = (hand("white")?, hand("black")?);
    let holding = Holding { game: arguments.game()?, white, black, white_letters, black_letters, passed: None };
    Some(Message::from(holding).into())
}

/// Parses a circle or an arrow that an examiner drew or erased; `None` if an argument is missing or invalid.
pub(super) fn parse_square_mark(arguments: &Arguments<'_>, is_drawn: bool) -> Option<DatagramMessages> {
    let square = |name| Square::parse(arguments.bytes(name)?);
    // A kind of datagram has the arguments of one of the two shapes.
    let (from, to) = match square("square") {
        Some(circled) => (circled, None),
        None => (square("from")?, Some(square("to")?)),
    };
    let (game, by) = (arguments.game()?, arguments.handle("examiner")?);
    Some(Message::from(Mark { game, by, from, to, is_drawn }).into())
}
