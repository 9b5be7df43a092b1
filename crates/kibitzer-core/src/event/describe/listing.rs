//! Listings: replies that are tables.

use std::fmt::{self, Write};

use super::value::{Displayed, FieldSink, Fields, fields, non_empty, objects};
use super::{EventDescriptor, LineDisplay};
use crate::chess::Color;
use crate::event::EventKind;
use crate::message::listing::{
    AnyListing, ChannelMembers, FingerGame, FingerNote, FingerRating, GameObservers, GameRow, HistoryRow, JournalRow,
    ListedMove, ListedName, ListedPlayer, ListedTerms, NameList, NamedValue, OnlineStatus, StoredDetails, StoredGame,
    WhoRow,
};
use crate::message::{ClockReading, GameKind, GameResult, RATINGS, Rating};

impl Fields for AnyListing {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        match self {
            Self::Bughouse(it) => fields!(put, it;
                games, partnerships: it.partnerships.iter().map(|pair| pair.to_vec()).collect::<Vec<_>>(), unpartnered,
            ),
            Self::Channels(it) => fields!(put, it; channels),
            Self::Finger(it) => fields!(put, it;
                player, registered: !it.is_unregistered, presence, game, ratings, details, notes,
            ),
            Self::Games(it) => fields!(put, it; games, count: it.shown.map(|shown| (shown, it.total))),
            Self::GameDetails(it) => fields!(put, it;
                game: it.terms.game, white, white_rating: it.terms.white_rating, black, black_rating: it.terms.black_rating,
                private: it.terms.private, rated: it.terms.rated, kind: it.terms.kind, speed: it.terms.game_kind().speed,
                variant: it.terms.game_kind().variant, time_s: it.terms.white_time_s, increment_s: it.terms.white_increment_s,
                examiner, started, white_clock_ms: it.white_clock.map(ClockReading::as_ms),
                black_clock_ms: it.black_clock.map(ClockReading::as_ms), paused: it.is_paused, plies, sentences,
            ),
            Self::Help(it) => fields!(put, it; topic: non_empty(&it.topic), lines),
            Self::History(it) => fields!(put, it; owner, games),
            Self::Journal(it) => fields!(put, it; owner, games),
            Self::Names(it) => fields!(put, it; lists),
            Self::Observers(it) => fields!(put, it; games),
            Self::Moves(it) => fields!(put, it;
                game, white, black, date, rated, kind, speed: GameKind::parse(&it.kind).speed,
                variant: GameKind::parse(&it.kind).variant, initial_min, increment_s,
                start: it.start.iter().map(|board| Displayed(board.fen())).collect::<Vec<_>>(),
                moves, reason, result: it.result.map(Displayed),
            ),
            Self::Sought(it) => fields!(put, it; seeks, count: it.shown.map(|shown| (shown, it.total))),
            Self::Stored(it) => fields!(put, it; owner, games),
            Self::Variables(it) => fields!(put, it; owner, interface: it.is_interface, values, texts),
            Self::Who(it) => fields!(put, it; players, count: it.shown.map(|shown| (shown, it.total))),
        }
        fields!(put, self; unread: self.unread().len());
    }
}

impl AnyListing {
    /// Returns the kind of the event that reports the listing.
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::Bughouse(_) => EventKind::BughouseList,
            Self::Channels(_) => EventKind::ChannelList,
            Self::Finger(_) => EventKind::Finger,
            Self::Games(_) => EventKind::GameList,
            Self::GameDetails(_) => EventKind::GameDetails,
            Self::Help(_) => EventKind::Help,
            Self::History(_) => EventKind::History,
            Self::Journal(_) => EventKind::Journal,
            Self::Names(_) => EventKind::NameLists,
            Self::Observers(_) => EventKind::ObserverLists,
            Self::Moves(_) => EventKind::MoveList,
            Self::Sought(_) => EventKind::SoughtList,
            Self::Stored(_) => EventKind::StoredGames,
            Self::Variables(_) => EventKind::Variables,
            Self::Who(_) => EventKind::WhoList,
        }
    }
}

impl EventDescriptor for AnyListing {
    fn kind(&self) -> EventKind {
        self.kind()
    }

    fn line_display(&self) -> LineDisplay {
        LineDisplay::Nowhere
    }

    /// Writes the name only: the lines before it are the words.
    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "end of {}", self.kind().as_str().replace('_', " "))?;
        match self.unread().len() {
            0 => Ok(()),
            unread => write!(out, " ({unread} lines not parsed)"),
        }
    }
}

/// Returns the name in JSON of the result from the owner's side.
const fn outcome_for_owner(row: &HistoryRow) -> &'static str {
    match (row.result, row.color) {
        (GameResult::WhiteWins, Color::White) | (GameResult::BlackWins, Color::Black) => "won",
        (GameResult::WhiteWins | GameResult::BlackWins, _) => "lost",
        (GameResult::Draw, _) => "drawn",
        (GameResult::Unfinished, _) => "unfinished",
    }
}

/// Ratings by the kind of game, in the order of a `<wa>` line.
pub(super) struct PlayerRatings<'a>(pub(super) &'a [Option<Rating>; RATINGS]);

objects! {
    ChannelMembers as it: [channel, name, members];
    FingerGame as it: [activity: it.activity.as_str(), game, white, black];
    FingerNote as it: [number, text];
    FingerRating as it: [
        category, rating, rd_tenths, volatility_millionths, wins, losses, draws, total, best, best_on,
    ];
    GameRow as it: [
        game, state: it.state.as_str(), white, black, terms, example: non_empty(it.example.as_str()),
        white_clock_ms: it.white_clock.map(ClockReading::as_ms), black_clock_ms: it.black_clock.map(ClockReading::as_ms),
        white_material, black_material, to_move, move_number,
    ];
    ListedTerms as it: [mark, kind, speed: it.game_kind().speed, variant: it.game_kind().variant, rated, initial_min, increment_s];
    HistoryRow as it: [
        index, outcome: outcome_for_owner(it), rating, color, opponent_rating, opponent, terms, eco, ending, date,
    ];
    JournalRow as it: [
        slot, white, white_rating, black, black_rating, terms, eco, ending, result: it.result.as_str(),
    ];
    NameList as it: [name, count, entries];
    GameObservers as it: [game, white, black, examiners, observers];
    NamedValue as it: [name, value];
    ListedMove as it: [ply, san, elapsed_ms];
    ListedPlayer as it: [name, titles, rating];
    ListedPlayer<ListedName> as it: [name, titles, rating];
    (u32, Option<u32>) as it: [shown: it.0, total: it.1];
    StoredDetails as it: [
        index, color, opponent_is_on, terms, white_material, black_material, to_move, move_number, eco, date,
    ];
    StoredGame as it: [white, black, details];
    WhoRow as it: [
        name: it.player.name, titles: it.player.titles, rating: it.player.rating, status: it.status.as_str(),
        ratings: it.ratings.iter().any(Option::is_some).then_some(PlayerRatings(&it.ratings)),
    ];
    PlayerRatings<'_> as it: [
        blitz: it.0[0], standard: it.0[1], lightning: it.0[2], wild: it.0[3], bughouse: it.0[4], crazyhouse: it.0[5],
        suicide: it.0[6], losers: it.0[7], atomic: it.0[8],
    ];
    // `state` is `online`, `away` or `never`.
    OnlineStatus as it: [
        state: match it { OnlineStatus::Online { .. } => "online", OnlineStatus::LoggedOut { .. } => "away", OnlineStatus::Never => "never" },
        on_for: match it { OnlineStatus::Online { on_for, .. } => Some(on_for), _ => None },
        idle: match it { OnlineStatus::Online { idle, .. } => Some(idle), _ => None },
        since: match it { OnlineStatus::LoggedOut { since } => Some(since), _ => None },
    ];
}
