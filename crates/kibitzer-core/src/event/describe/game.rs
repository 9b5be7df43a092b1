//! Games: reserves, how they begin and end, terms, and what happens in them besides moves.

use super::value::{Displayed, non_empty, objects};
use super::{LineDisplay, describe};
use crate::chess::{Color, Role};
use crate::event::EventKind;
use crate::game::Desync;
use crate::message::{
    BoardMark, ExamineAction, ExamineNotice, GameCreated, GameEnded, GameInfo, GameUpdate, Holding, ObservingUpdate,
    OwnGameStarting, PrimaryGameChange, Rating,
};
use crate::text::ServerText;

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
            game, kind, speed: it.game_kind().speed, variant: it.game_kind().variant, private, rated, white_registered, black_registered, white_time_s, white_increment_s, black_time_s,
            black_increment_s, partner_game, white_rating, black_rating, white_timeseal, black_timeseal,
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
            plies: match it.action { ExamineAction::Forward(plies) | ExamineAction::Backward(plies) => Some(plies), _ => None },
            move_number: match it.action { ExamineAction::Revert(number) => number, _ => None },
            value: match &it.action {
                ExamineAction::Move(played) => Some(played.as_str()),
                ExamineAction::Set(value) => Some(value.as_str()),
                _ => None,
            },
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
