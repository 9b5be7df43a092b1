//! Datagrams of games that start, end, and are observed.

use super::DatagramMessages;
use super::context::DatagramContext;
use super::kind::Arguments;
use crate::message::start_list::TimeControl;
use crate::message::{
    Confidence, Examine, ExamineAction, GameCreated, GameEndReason, GameEnded, GameInfo, GameResult, Message,
    Observing, ObservingChange, Rating, Refusal, StartKind, StartList,
};

/// Number of arguments that a start list has at least, in all versions of the format.
const LEAST_ARGUMENTS: usize = 11;

/// Parses the start of a game into its announcement and its terms, and stores the game in the context. `None`, without a change,
/// if an argument is missing or invalid.
pub(super) fn parse_game_start(
    arguments: &Arguments<'_>,
    context: &mut DatagramContext,
    kind: StartKind,
) -> Option<DatagramMessages> {
    let (info, start) = read_start_list(arguments, context, kind)?;
    let created = GameCreated {
        game: info.game,
        white: start.white.clone(),
        black: start.black.clone(),
        rated: info.rated,
        kind: info.kind.clone().unwrap_or_default(),
        resumed: false,
    };
    Some(DatagramMessages { first: Message::from(created), more: vec![start_list_message(info, start)] })
}

pub(super) fn parse_started_observing(
    arguments: &Arguments<'_>,
    context: &mut DatagramContext,
) -> Option<DatagramMessages> {
    let (info, start) = read_start_list(arguments, context, StartKind::Observed)?;
    let observing = Observing { game: info.game, change: ObservingChange::Started };
    Some(DatagramMessages { first: Message::from(observing), more: vec![start_list_message(info, start)] })
}

/// Parses the terms of a game that does not start now: a position without a game, or a game that continues under other terms. The
/// latter replaces the stored names and drops the stored offers.
pub(super) fn parse_game_change(
    arguments: &Arguments<'_>,
    context: &mut DatagramContext,
    kind: StartKind,
) -> Option<DatagramMessages> {
    let (info, start) = read_start_list(arguments, context, kind)?;
    Some(start_list_message(info, start).into())
}

fn start_list_message(info: GameInfo, start: StartList) -> Message {
    Message::from(GameInfo { start: Some(Box::new(start)), ..info })
}

/// Parses a start list. Unless it is for an isolated board, stores the names in the context, because later datagrams of the game
/// omit them.
fn read_start_list(
    arguments: &Arguments<'_>,
    context: &mut DatagramContext,
    kind: StartKind,
) -> Option<(GameInfo, StartList)> {
    (arguments.len() >= LEAST_ARGUMENTS).then_some(())?;
    let info = read_terms(arguments)?;
    let start = StartList {
        kind,
        white: arguments.handle("white")?,
        black: arguments.handle("black")?,
        white_titles: arguments.titles("white_titles"),
        black_titles: arguments.titles("black_titles"),
        wild: arguments.number("wild")?,
        is_played: arguments.flag("played")?,
        example: arguments.text("example"),
        id: arguments.number("id"),
        has_irregular_legality: arguments.flag("irregular_legality").unwrap_or_default(),
        has_irregular_semantics: arguments.flag("irregular_semantics").unwrap_or_default(),
        has_drops: arguments.flag("drops").unwrap_or_default(),
        promotes_to_king: arguments.flag("promotes_to_king").unwrap_or_default(),
        time_control: arguments.word("time_control"),
    };
    // An isolated board has the number of a game that may exist besides it.
    if kind != StartKind::Isolated {
        context.add_game(info.game, start.white.clone(), start.black.clone(), kind == StartKind::Mine);
    }
    Some((info, start))
}

fn read_terms(arguments: &Arguments<'_>) -> Option<GameInfo> {
    let [white, black] = read_clocks(arguments)?;
    Some(GameInfo {
        kind: arguments.word("kind"),
        rated: Some(arguments.flag("rated")?),
        white_time_s: white.map(|clock| clock.initial_s),
        white_increment_s: white.map(|clock| clock.increment_s),
        black_time_s: black.map(|clock| clock.initial_s),
        black_increment_s: black.map(|clock| clock.increment_s),
        white_rating: read_rating(arguments, "white_rating"),
        black_rating: read_rating(arguments, "black_rating"),
        ..GameInfo::empty(arguments.game()?)
    })
}

/// Parses White's clock and Black's. A time control in PGN's notation replaces minutes and increments, for both sides; both
/// clocks are `None` if it is unknown. Without one, the result is `None` if a number is missing or too large.
fn read_clocks(arguments: &Arguments<'_>) -> Option<[Option<TimeControl>; 2]> {
    let in_words = arguments.bytes("time_control").filter(|words| !words.is_empty());
    if let Some(words) = in_words {
        return Some([TimeControl::parse_pgn(words); 2]);
    }
    let clock = |minutes, increment| {
        let minutes: u32 = arguments.number(minutes)?;
        Some(TimeControl { initial_s: minutes.checked_mul(60)?, increment_s: arguments.number(increment)? })
    };
    let (white, black) = (clock("white_minutes", "white_increment")?, clock("black_minutes", "black_increment")?);
    Some([Some(white), Some(black)])
}

/// Parses a rating; 0 is [`Rating::Unrated`], and `None` stands for a missing or invalid argument.
fn read_rating(arguments: &Arguments<'_>, name: &str) -> Option<Rating> {
    let value = arguments.number(name)?;
    Some(if value == 0 { Rating::Unrated } else { Rating::Rated(value, Confidence::Established) })
}

pub(super) fn parse_stop_observing(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let observing = Observing { game: arguments.game()?, change: ObservingChange::Stopped };
    Some(Message::from(observing).into())
}

pub(super) fn parse_my_game_ended(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    let stopped = Examine { game: Some(arguments.game()?), by: None, action: ExamineAction::Stop };
    Some(Message::from(stopped).into())
}

/// Parses the end of a game. The datagram does not name the players: they come from the stored start of the game, and are empty
/// without it.
pub(super) fn parse_game_result(arguments: &Arguments<'_>, context: &mut DatagramContext) -> Option<DatagramMessages> {
    let game = arguments.game()?;
    let (white, black) =
        context.game(game).map(|context| (context.white.clone(), context.black.clone())).unwrap_or_default();
    let score = arguments.bytes("score")?;
    let is_aborted = score == b"aborted";
    let result = if is_aborted { GameResult::Unfinished } else { GameResult::from_wire(score)? };
    let text = arguments.text("text");
    // The words are more specific than the code, which is the same for several reasons.
    let reason = match GameEndReason::find(text.as_str(), white.as_str(), black.as_str()) {
        GameEndReason::Unknown => GameEndReason::from_icc_code(arguments.bytes("code")?, result, is_aborted),
        reason => reason,
    };
    let lives_on = arguments.flag("examined").unwrap_or_default();
    Some(Message::from(GameEnded { game, white, black, result, reason, text, lives_on }).into())
}

pub(super) fn parse_illegal_move(arguments: &Arguments<'_>, _: &mut DatagramContext) -> Option<DatagramMessages> {
    arguments.game()?;
    Some(Message::from(Refusal::of_move_code(arguments.number("reason")?)).into())
}
