//! Datagrams about a game's board: positions, moves, clocks, reserves, drawings.

use smallvec::{SmallVec, smallvec};

use crate::chess::{Board, Fen, Hand, SmithMove, Square};
use crate::message::icc::DatagramMessages;
use crate::message::icc::arguments::{Argument, NamedArguments, UnquotedWords, parse_signed};
use crate::message::icc::offers::EarlierDatagrams;
use crate::message::{
    BoardMark, ClockReading, DatagramMove, GameId, GameUpdate, GameUpdateKind, Holding, Message, MyGameRole,
};
use crate::text::ServerText;

/// Parses a move, and counts it in `known`, which removes expired offers of the game.
pub(super) fn parse_move(arguments: &NamedArguments<'_>, known: &mut EarlierDatagrams) -> Option<DatagramMessages> {
    let played = game_update(arguments, GameUpdateKind::Move(move_arguments(arguments)?))?;
    known.count_move_and_expire_offers(arguments.game()?);
    Some(smallvec![played])
}

/// Parses the usual form of datagram 24 as [`parse_move`] does, but faster: both notations, time, clock, and possibly
/// the origin of the move. `None`, without a change of `known`, for any other unit.
pub(super) fn parse_usual_move(unit: &[u8], known: &mut EarlierDatagrams) -> Option<GameUpdate> {
    let mut words = UnquotedWords::try_split(unit.strip_prefix(b"24 ")?)?;
    let mut next = || words.next();
    let game = GameId(i32::try_from(parse_signed(next()?)?).ok()?);
    let (san, smith) = (next()?, next()?);
    let (taken_s, clock_s) = (parse_signed(next()?)?, parse_signed(next()?)?);
    let variation = next().map(parse_signed).map_or(Some(None), |number| number.map(Some))?;
    (next().is_none() && parse_signed(san).is_none() && parse_signed(smith).is_none()).then_some(())?;
    known.count_move_and_expire_offers(game);
    let sent = DatagramMove {
        san: Some(ServerText::from_wire(san)),
        smith: Some(ServerText::from_wire(smith)),
        taken_s: u32::try_from(taken_s).ok(),
        clock_s: i32::try_from(clock_s).ok(),
        variation: variation.and_then(|number| u8::try_from(number).ok()),
    };
    Some(GameUpdate { game, action: GameUpdateKind::Move(sent) })
}

pub(super) fn parse_move_list(arguments: &NamedArguments<'_>) -> Option<Message> {
    let start = match arguments.bytes("start")? {
        b"*" => None,
        squares => Some(parse_squares(squares)?),
    };
    let moves: Option<Vec<_>> = arguments
        .argument_and_following("move")
        .map(|group| parse_move_parts(Argument::split_all(group.bytes)))
        .collect();
    game_update(arguments, GameUpdateKind::MoveList { start, moves: moves? })
}

/// Parses the arguments of a move, from `san` on; `None` if none of them is a notation.
pub(super) fn move_arguments(arguments: &NamedArguments<'_>) -> Option<DatagramMove> {
    parse_move_parts(arguments.argument_and_following("san"))
}

/// Parses the parts of a move, at most [`MAX_PARTS`]; `None` if none of them is a notation. The client chooses which parts are sent.
///
/// The notations come first, algebraic before Smith notation; then the time, the clock, and the origin of the move. A single number
/// is ambiguous and ignored; a number out of range becomes `None`.
fn parse_move_parts<'a>(parts: impl Iterator<Item = Argument<'a>>) -> Option<DatagramMove> {
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
    let mut sent = DatagramMove {
        san: san.map(ServerText::from_wire),
        smith: smith.map(ServerText::from_wire),
        ..DatagramMove::default()
    };
    if let [taken_s, clock_s, ref variation @ ..] = numbers[..] {
        sent.taken_s = u32::try_from(taken_s).ok();
        sent.clock_s = i32::try_from(clock_s).ok();
        sent.variation = variation.first().and_then(|&number| u8::try_from(number).ok());
    }
    Some(sent)
}

/// Most parts of a move that are parsed; later versions of the format may append more, which are ignored.
const MAX_PARTS: usize = 5;

/// Parses the argument `fen`; an empty one and `*` stand for the usual start position. `None` if it is missing or invalid.
pub(super) fn fen_argument(arguments: &NamedArguments<'_>) -> Option<Fen> {
    match std::str::from_utf8(arguments.bytes("fen")?).ok()? {
        "" | "*" => Some(Fen::START),
        text => text.parse().ok(),
    }
}

pub(super) fn parse_set_board(arguments: &NamedArguments<'_>) -> Option<Message> {
    let board = parse_squares(arguments.bytes("board")?)?;
    let side_to_move = arguments.color("side")?;
    game_update(arguments, GameUpdateKind::Board { board, side_to_move })
}

/// Parses 64 letters, from a8 to h1; `None` for any other number of letters or an unknown letter.
fn parse_squares(letters: &[u8]) -> Option<Board> {
    let (rows, rest) = letters.as_chunks::<8>();
    rest.is_empty().then_some(())?;
    Board::from_rows(rows.try_into().ok()?)
}

pub(super) fn parse_set_clock(arguments: &NamedArguments<'_>) -> Option<Message> {
    let reading = |name| arguments.number::<i32>(name).map(|s| ClockReading::from_ms(i64::from(s) * 1000));
    game_update(arguments, GameUpdateKind::Clocks { white: reading("white")?, black: reading("black")? })
}

pub(super) fn parse_running_clock(arguments: &NamedArguments<'_>) -> Option<Message> {
    let reading = ClockReading::from_ms(arguments.number::<i32>("ms")?.into());
    let is_running = arguments.flag("running")?;
    game_update(arguments, GameUpdateKind::Clock { color: arguments.color("color")?, reading, is_running })
}

/// Parses the role of this login in a game, and removes the game from `known` if this login has left it.
pub(super) fn parse_my_role(arguments: &NamedArguments<'_>, known: &mut EarlierDatagrams) -> Option<DatagramMessages> {
    let role = MyGameRole::parse(arguments.bytes("symbol")?)?;
    if role == MyGameRole::Gone {
        known.games.remove(arguments.game()?);
    }
    Some(smallvec![game_update(arguments, GameUpdateKind::Role(role))?])
}

/// Returns the message that the game named by the argument `game` has changed as `action` says; `None` if that argument is missing
/// or invalid.
pub(super) fn game_update(arguments: &NamedArguments<'_>, action: GameUpdateKind) -> Option<Message> {
    Some(GameUpdate { game: arguments.game()?, action }.into())
}

pub(super) fn parse_holdings(arguments: &NamedArguments<'_>) -> Option<Message> {
    let hand = |name| {
        let letters = arguments.bytes(name)?;
        Some((Hand::parse(letters)?, ServerText::from_wire_uppercase(letters)))
    };
    let ((white, white_letters), (black, black_letters)) = (hand("white")?, hand("black")?);
    let holding = Holding { game: arguments.game()?, white, black, white_letters, black_letters, passed: None };
    Some(holding.into())
}

/// Parses a circle or an arrow that an examiner drew or erased; `None` if an argument is missing or invalid.
pub(super) fn parse_square_mark(arguments: &NamedArguments<'_>, is_drawn: bool) -> Option<Message> {
    let square = |name| Square::parse(arguments.bytes(name)?);
    // A kind of datagram has the arguments of one of the two shapes.
    let (from, to) = match square("square") {
        Some(circled) => (circled, None),
        None => (square("from")?, Some(square("to")?)),
    };
    let (game, by) = (arguments.game()?, arguments.handle("examiner")?);
    Some(BoardMark { game, by, from, to, is_drawn }.into())
}
