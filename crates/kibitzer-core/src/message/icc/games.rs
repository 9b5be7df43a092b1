//! Datagrams about games that start or end, or that this login starts or stops observing.

use smallvec::smallvec;

use crate::message::icc::DatagramMessages;
use crate::message::icc::arguments::NamedArguments;
use crate::message::icc::offers::EarlierDatagrams;
use crate::message::{
    ExamineAction, ExamineNotice, GameCreated, GameEndReason, GameEnded, GameInfo, GameResult, IccGameStart,
    IccGameStartReason, Message, ObservingUpdate, Rating, Refusal,
};
use crate::scan::Cursor;

/// Fewest arguments of a game-start datagram in any version of the format.
const LEAST_ARGUMENTS: usize = 11;

/// Parses a game-start datagram into the terms of the game, preceded by a message that it has started or is observed from now on,
/// if `kind` means that. Unless the board is isolated, stores the players in `known`, and removes the open offers stored for the
/// game.
pub(super) fn parse_game_start(
    arguments: &NamedArguments<'_>,
    known: &mut EarlierDatagrams,
    kind: IccGameStartReason,
) -> Option<DatagramMessages> {
    let (info, start) = parse_start_list(arguments, known, kind)?;
    let announcement = start_announcement(&info, &start);
    let terms = Message::from(GameInfo { start: Some(Box::new(start)), ..info });
    Some(announcement.into_iter().chain([terms]).collect())
}

/// Returns the message that announces the start of a game, or of observing one; `None` if the datagram only shows an isolated
/// position or changes the terms of a game.
fn start_announcement(info: &GameInfo, start: &IccGameStart) -> Option<Message> {
    match start.kind {
        IccGameStartReason::Foreign | IccGameStartReason::Mine => Some(Message::from(GameCreated {
            game: info.game,
            white: start.white.clone(),
            black: start.black.clone(),
            rated: info.rated,
            kind: info.kind.clone().unwrap_or_default(),
            resumed: false,
            loaded_from: None,
        })),
        IccGameStartReason::Observed => Some(ObservingUpdate { game: info.game, is_observed: true }.into()),
        IccGameStartReason::Isolated | IccGameStartReason::Changed => None,
    }
}

/// Parses the arguments of a game-start datagram. Unless it is for an isolated board, stores the players in `known`, because
/// later datagrams about the game omit them.
fn parse_start_list(
    arguments: &NamedArguments<'_>,
    known: &mut EarlierDatagrams,
    kind: IccGameStartReason,
) -> Option<(GameInfo, IccGameStart)> {
    (arguments.len() >= LEAST_ARGUMENTS).then_some(())?;
    let info = terms_from_arguments(arguments)?;
    let start = IccGameStart {
        kind,
        white: arguments.handle("white")?,
        black: arguments.handle("black")?,
        wild: arguments.number("wild")?,
        is_played: arguments.flag("played")?,
        has_irregular_legality: arguments.flag("irregular_legality").unwrap_or_default(),
        has_irregular_semantics: arguments.flag("irregular_semantics").unwrap_or_default(),
    };
    // An isolated board has the number of a game that may exist besides it.
    if kind != IccGameStartReason::Isolated {
        known.add_game(info.game, start.white.clone(), start.black.clone(), kind == IccGameStartReason::Mine);
    }
    Some((info, start))
}

/// Parses the number, the kind, the clocks and the ratings of a game.
fn terms_from_arguments(arguments: &NamedArguments<'_>) -> Option<GameInfo> {
    let [white, black] = clocks_from_arguments(arguments)?;
    Some(GameInfo {
        game: arguments.game()?,
        kind: arguments.server_text("kind"),
        rated: Some(arguments.flag("rated")?),
        white_time_s: white.map(|clock| clock.initial_s),
        white_increment_s: white.map(|clock| clock.increment_s),
        black_time_s: black.map(|clock| clock.initial_s),
        black_increment_s: black.map(|clock| clock.increment_s),
        white_rating: rating_argument(arguments, "white_rating"),
        black_rating: rating_argument(arguments, "black_rating"),
        ..GameInfo::default()
    })
}

/// Parses the clock settings of White and Black. A time control in PGN's notation takes precedence over the numbers, for both sides;
/// both settings are `None` if it cannot be parsed. Without it, the result is `None` if a number is missing or too large.
fn clocks_from_arguments(arguments: &NamedArguments<'_>) -> Option<[Option<TimeControl>; 2]> {
    let in_words = arguments.bytes("time_control").filter(|words| !words.is_empty());
    if let Some(words) = in_words {
        return Some([TimeControl::parse_first_pgn_period(words); 2]);
    }
    let clock = |minutes, increment| {
        let minutes: u32 = arguments.number(minutes)?;
        Some(TimeControl { initial_s: minutes.checked_mul(60)?, increment_s: arguments.number(increment)? })
    };
    let (white, black) = (clock("white_minutes", "white_increment")?, clock("black_minutes", "black_increment")?);
    Some([Some(white), Some(black)])
}

/// Parses the argument called `name` as a rating, with 0 as [`Rating::Unrated`]; `None` if it is missing or invalid.
fn rating_argument(arguments: &NamedArguments<'_>, name: &str) -> Option<Rating> {
    let value = arguments.number(name)?;
    Some(if value == 0 { Rating::Unrated } else { Rating::Established(value) })
}

/// Parses the report that this login stopped examining a game.
pub(super) fn parse_my_game_ended(arguments: &NamedArguments<'_>) -> Option<Message> {
    let stopped = ExamineNotice { game: Some(arguments.game()?), by: None, action: ExamineAction::Stop };
    Some(stopped.into())
}

/// Parses the end of a game. The datagram does not name the players: they are those stored in `known`, or empty without an
/// entry.
pub(super) fn parse_game_result(
    arguments: &NamedArguments<'_>,
    known: &mut EarlierDatagrams,
) -> Option<DatagramMessages> {
    let game = arguments.game()?;
    let (white, black) =
        known.games.get(game).map(|known| (known.white.clone(), known.black.clone())).unwrap_or_default();
    let score = arguments.bytes("score")?;
    let is_aborted = score == b"aborted";
    let result = if is_aborted { GameResult::Unfinished } else { GameResult::from_wire(score)? };
    let text = arguments.player_text("text");
    // The words are more specific than the code, which is the same for several reasons.
    let reason = match GameEndReason::from_text(text.as_str(), white.as_str(), black.as_str()) {
        GameEndReason::Unknown => GameEndReason::from_icc_result_code(arguments.bytes("code")?, result, is_aborted),
        reason => reason,
    };
    let lives_on = arguments.flag("examined").unwrap_or_default();
    Some(smallvec![GameEnded { game, white, black, result, reason, text, lives_on }.into()])
}

/// Parses the refusal of a move. The message does not include the game.
pub(super) fn parse_illegal_move(arguments: &NamedArguments<'_>) -> Option<Message> {
    arguments.game()?;
    Some(Refusal::from_icc_move_code(arguments.number("reason")?).into())
}

/// The clock setting of one side: initial time and increment, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeControl {
    pub(super) initial_s: u32,
    pub(super) increment_s: u32,
}

impl TimeControl {
    /// Parses the first period of a time control in PGN's notation, `40/7200:20/3600`, `40/5400+30:900+30`, `300`; later periods
    /// and numbers of moves are ignored.
    ///
    /// `None` for an unknown (`?`) or missing (`-`) time control, and for any other form.
    pub(super) fn parse_first_pgn_period(text: &[u8]) -> Option<Self> {
        let period = text.split(|&b| b == b':').next()?;
        let times = period.splitn(2, |&b| b == b'/').last()?;
        let mut at = Cursor::new(times);
        let initial_s = at.number()?;
        let increment_s = if at.eat(b"+") { at.number()? } else { 0 };
        at.is_empty().then_some(Self { initial_s, increment_s })
    }
}
