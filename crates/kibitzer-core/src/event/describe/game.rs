//! Games: boards, reserves, how they begin and end, terms, and what happens in them besides moves.

use super::value::{Displayed, non_empty, objects};
use super::{LineDisplay, describe};
use crate::chess::{Color, LastMove, Role};
use crate::event::{Event, EventKind};
use crate::game::Desync;
use crate::message::{
    BoardMark, ClockNotice, ExamineAction, ExamineNotice, GameCreated, GameEnded, GameInfo, GameKind, GameNotification,
    GameUpdate, Holding, Message, ObservingUpdate, OwnGameStarting, PrimaryGameChange, Rating, RatingChange,
    RatingForecast, Style12,
};
use crate::text::{ServerText, decode_received};

describe! {
    Holding as it => EventKind::Holding, {
        game: it.game,
        fields: [
            game, white: it.white_letters, black: it.black_letters, passed,
        ],
        words(out): {
            write!(out, "game {} reserves: white [{}] black [{}]", it.game, it.white_letters, it.black_letters)?;
            it.passed.map_or(Ok(()), |(to, piece)| write!(out, ", {to} got {}", piece.letter()))
        },
    }

    OwnGameStarting as it => EventKind::Creating, {
        line: LineDisplay::InText,
        fields: [
            first, first_rating, second, second_rating, rated, kind: non_empty(it.kind.as_str()),
            speed: it.game_kind().speed, variant: it.game_kind().variant, initial_min, increment_s, loaded_from, adjourned,
        ],
    }

    GameCreated as it => EventKind::GameCreated, {
        game: it.game,
        fields: [
            game, white, black, rated, kind: non_empty(it.kind.as_str()), speed: it.game_kind().speed,
            variant: it.game_kind().variant, resumed,
        ],
        words(out): write!(out, "game {}: {} against {}, {}", it.game, it.white, it.black, it.kind),
    }

    GameEnded as it => EventKind::GameEnded, {
        game: it.game,
        fields: [
            game, white: non_empty(it.white.as_str()), black: non_empty(it.black.as_str()), result: it.result.as_str(),
            reason: it.reason.as_str(), text,
        ],
        words(out): {
            write!(out, "game {}: {}", it.game, it.result)?;
            non_empty(it.text.as_str()).map_or(Ok(()), |text| write!(out, ", {text}"))
        },
    }

    GameInfo as it => EventKind::GameInfo, {
        game: it.game,
        fields: [
            game, white, black, kind, speed: it.game_kind().speed, variant: it.game_kind().variant, private, rated, white_registered, black_registered, white_time_s, white_increment_s, black_time_s,
            black_increment_s, partner_game, white_rating, black_rating, white_timeseal, black_timeseal, min_move_time,
            no_escape,
        ],
        words(out): {
            let kind = it.kind.as_ref().map_or("", ServerText::as_str);
            let [white, black] = [it.white_rating, it.black_rating].map(rating_or_unrated);
            write!(out, "game {}: {}{kind}, ratings {white} and {black}", it.game, rated_prefix(it.rated))
        },
    }

    ObservingUpdate as it => EventKind::Observing, {
        game: it.game,
        fields: [game, on: it.is_observed],
        words(out): {
            let state = if it.is_observed { "observing" } else { "no longer observing" };
            write!(out, "{state} game {}", it.game)
        },
    }

    PrimaryGameChange as it => EventKind::Focus, {
        game: it.game,
        line: LineDisplay::InText,
        fields: [game, opponent],
    }

    ExamineNotice as it => EventKind::Examine, {
        game: it.game,
        line: LineDisplay::InText,
        fields: [
            game, by,
            action: match it.action { ExamineAction::Start { scratch: true } => "start_scratch", _ => it.action.as_ref() },
            plies: match it.action {
                ExamineAction::Forward(plies) | ExamineAction::Backward(plies) | ExamineAction::Truncate(plies) => Some(plies),
                _ => None,
            },
            move_number: match it.action { ExamineAction::Revert(number) => number, _ => None },
            value: match &it.action {
                ExamineAction::Move(played) => Some(played.as_str()),
                ExamineAction::Set(value) => Some(value.as_str()),
                ExamineAction::Result { result, .. } => Some(result.as_str()),
                _ => None,
            },
        ],
    }

    ClockNotice as it => EventKind::Clock, {
        game: it.game,
        line: LineDisplay::InText,
        fields: [game, action: it.action.as_str(), by, to, seconds],
    }

    GameNotification as it => EventKind::GameNotification, {
        game: it.game,
        line: LineDisplay::InText,
        fields: [
            game, white: it.terms.first, white_rating: it.terms.first_rating, black: it.terms.second,
            black_rating: it.terms.second_rating, rated: it.terms.rated, kind: non_empty(it.terms.kind.as_str()),
            speed: it.terms.game_kind().speed, variant: it.terms.game_kind().variant,
            initial_min: it.terms.initial_min, increment_s: it.terms.increment_s,
        ],
    }

    RatingChange as it => EventKind::RatingChange, {
        line: LineDisplay::InText,
        fields: [
            kind, speed: rated_kind(it.kind.as_ref()).speed, variant: rated_kind(it.kind.as_ref()).variant, old, new,
        ],
    }

    RatingForecast as it => EventKind::RatingForecast, {
        line: LineDisplay::InText,
        fields: [
            kind, speed: rated_kind(it.kind.as_ref()).speed, variant: rated_kind(it.kind.as_ref()).variant, win, draw, loss,
            rd_tenths,
        ],
    }

    // One that leads to a board is a position.
    GameUpdate as it => EventKind::GameUpdate, {
        game: it.game,
        line: LineDisplay::InDatagram,
        fields: [game, action: it.action.as_ref()],
    }

    BoardMark as it => EventKind::BoardMark, {
        game: it.game,
        line: LineDisplay::InDatagram,
        fields: [game, by, shape: if it.to.is_some() { "arrow" } else { "circle" }, from, to, drawn: it.is_drawn],
    }

    Desync as it => EventKind::Desync, {
        fields: [
            game, text: Displayed(it.reason),
            expected_fen: it.expected.as_ref().map(Displayed), actual_fen: it.actual.as_ref().map(Displayed),
            squares: it.differing_squares(),
        ],
        words(out): write!(out, "game {}: {}", it.game, it.reason),
    }
}

objects! {
    // `passed`.
    (Color, Role) as it: [to: it.0, piece: it.1];
}

/// Returns the speed and the variant of the games that a rating is about.
fn rated_kind(kind: Option<&ServerText>) -> GameKind {
    GameKind::parse(kind.map_or("", ServerText::as_str))
}

/// Returns the word to write before a type of game: `rated `, `unrated `, or nothing if it is not known.
pub(super) const fn rated_prefix(rated: Option<bool>) -> &'static str {
    match rated {
        Some(true) => "rated ",
        Some(false) => "unrated ",
        None => "",
    }
}

/// Returns the rating to display. An unknown rating and 0, which datagrams contain for players without a rating, are unrated.
pub(super) fn rating_or_unrated(rating: Option<Rating>) -> Rating {
    rating.filter(|rating| rating.value() != Some(0)).unwrap_or(Rating::Unrated)
}

impl Event {
    /// Returns the last move of the reported board; castling includes the squares of king and rook if the board before the move is
    /// known. `None` without a board or a last move, or if the form of the move is unknown.
    pub fn reported_move(&self) -> Option<LastMove> {
        let board = self.board()?;
        self.change().and_then(|change| change.played).or_else(|| board.played())
    }

    /// Returns whether the reported move left the mover's own king attacked, although the rules of the game forbid that: the server
    /// accepted an illegal move. `None` if the event is not a single move, and if the rules are not known or have no check.
    pub fn is_irregular_move(&self) -> Option<bool> {
        self.change().filter(|change| change.forbids_check())?;
        let board = self.board()?;
        Some(board.board().is_in_check(!board.side_to_move()))
    }
}

/// A board, and the event that reports it.
pub(super) struct ReportedBoard<'a> {
    pub(super) event: Option<&'a Event>,
    pub(super) board: &'a Style12,
}

impl ReportedBoard<'_> {
    fn played(&self) -> Option<LastMove> {
        self.event.map_or_else(|| self.board.played(), Event::reported_move)
    }

    fn is_irregular_move(&self) -> Option<bool> {
        self.event?.is_irregular_move()
    }
}

/// The object `last_move`.
struct LastMoveObject<'a>(&'a ReportedBoard<'a>);

objects! {
    LastMoveObject<'_> as it: [
        verbose: decode_received(it.0.board.verbose_bytes()),
        san: Some(it.0.board.san_bytes()).filter(|san| !san.is_empty()).map(decode_received),
        uci: it.0.played().and_then(|played| played.uci_text(!it.0.board.side_to_move())),
        elapsed_ms: it.0.board.elapsed_ms(),
    ];
}

describe! {
    ReportedBoard<'_> as it => EventKind::Position, {
        line: LineDisplay::Nowhere,
        fields: [
            game: it.board.game(),
            fen: Displayed(it.board.fen()),
            side_to_move: it.board.side_to_move(),
            white: decode_received(it.board.player_bytes(Color::White)),
            black: decode_received(it.board.player_bytes(Color::Black)),
            relation: it.board.relation().code(),
            initial_s: u64::from(it.board.initial_min()) * 60,
            increment_s: it.board.increment_s(),
            white_material: it.board.white_material(),
            black_material: it.board.black_material(),
            white_clock_ms: it.board.white_clock().as_ms(),
            black_clock_ms: it.board.black_clock().as_ms(),
            move_number: it.board.move_number(),
            halfmove_clock: it.board.halfmove_clock(),
            double_push_file: it.board.double_push_file().map(|file| char::from(b'a'.saturating_add(file))),
            last_move: it.board.has_last_move().then_some(LastMoveObject(it)),
            flip: it.board.flip(),
            clock_running: it.board.clock_running(),
            lag_ms: it.board.lag_ms(),
            source: match it.event.and_then(Event::message) {
                Some(Message::Delta(_)) => "delta",
                Some(Message::GameUpdate(_)) => "datagram",
                Some(Message::Style10(_)) => "style10",
                _ => "style12",
            },
            cut: it.board.is_cut(),
            white_reserve: it.board.reserves().map(|hands| Displayed(hands.white)),
            black_reserve: it.board.reserves().map(|hands| Displayed(hands.black)),
            irregular: it.is_irregular_move(),
        ],
        // The last move and the clocks, White's first: `game 7 2. Ke2  1:59 2:02  Newton-Einstein`.
        words(out): {
            let board = it.board;
            let played = board.numbered_move().unwrap_or_else(|| "start".to_owned());
            let [white, black] = Color::BOTH.map(|color| board.player(color));
            let (white_clock, black_clock) = (board.white_clock(), board.black_clock());
            write!(out, "game {} {played}  {white_clock} {black_clock}  {white}-{black}", board.game())?;
            out.write_str(if it.is_irregular_move() == Some(true) { "  irregular move" } else { "" })
        },
    }
}

impl Style12 {
    /// Returns the last move with its number, as in printed games: `12. Nf3`, `12... Nf6`. `None` for a board without a last
    /// move.
    pub fn numbered_move(&self) -> Option<String> {
        let last_move = self.last_move()?;
        let number = self.move_number();
        Some(match self.side_to_move() {
            Color::Black => format!("{number}. {}", last_move.text()),
            Color::White => format!("{}... {}", number.saturating_sub(1), last_move.text()),
        })
    }
}
