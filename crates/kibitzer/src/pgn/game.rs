//! One game as PGN.

use std::fmt::{self, Write as _};

use kibitzer_core::chess::Color;
use kibitzer_core::message::{ClockReading, GameInfo, GameResult, Rating};

use super::notation::{escape_tag_value, format_clock, san_moves, sanitize_comment};
use crate::track::{MoveLine, TrackedGame, TrackedMove, TrackedState};
use crate::transcript::Utc;

/// Maximum number of comments of one game; later ones are dropped.
pub(super) const MAX_COMMENTS: usize = 500;

/// The tags in the order in which they are written; others follow, and `Result` is the last.
const TAG_ORDER: &str = "Event Site ICSGame White Black WhiteElo BlackElo WhiteRD BlackRD WhiteIsComp BlackIsComp TimeControl \
     Date Round Time UTCDate UTCTime WhiteClock BlackClock Variant SetUp FEN ECO PlyCount Termination Annotator Opening";

/// The server of games, and the start time of one of them, for their tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnOrigin {
    server: String,
    host: String,
    started: Option<Utc>,
}

impl PgnOrigin {
    /// Creates the origin of games on a server, by its host: `freechess.org` is called `FICS`, `chessclub.com` `ICC`; other
    /// servers have no name. The start time is not set.
    pub fn new(host: &str) -> Self {
        let server = match host {
            _ if host.ends_with("freechess.org") => "FICS",
            _ if host.ends_with("chessclub.com") => "ICC",
            _ => "",
        };
        Self { server: server.to_owned(), host: host.to_owned(), started: None }
    }

    /// Sets the time at which the game started; without it, date and time are not known.
    #[must_use]
    pub const fn started_at(mut self, time: Utc) -> Self {
        self.started = Some(time);
        self
    }

    /// Returns the site: name and host of the server.
    pub(super) fn site(&self, separator: &str) -> String {
        let parts = [&self.server, &self.host].into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(separator)
    }

    /// Returns date (`2025.03.01`) and time (`12:34:56`) in UTC; with question marks if the time is not known.
    pub(super) fn date_and_time(&self) -> [String; 2] {
        let text = self.started.map(|time| time.to_string()).unwrap_or_default();
        match (text.get(..10), text.get(11..19)) {
            (Some(date), Some(time)) => [date.replace('-', "."), time.to_owned()],
            _ => ["????.??.??", "??:??:??"].map(str::to_owned),
        }
    }
}

/// A game as PGN; `Display` writes it, with an empty line between tags and moves and a line end after the result.
///
/// Moves are in standard notation with `[%clk]` (clock after the move) and `[%emt]` (time spent). Names and talk are sanitized:
/// no text of a player can end a tag or a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnGame {
    /// Name and sanitized value.
    tags: Vec<(String, String)>,
    /// Number of plies before the first move.
    start_ply: u32,
    /// Moves with their times, as written.
    moves: Vec<String>,
    /// Sanitized comments by the number of moves before them, in the order in which they are written.
    comments: Vec<(usize, String)>,
    result: GameResult,
    /// The server's words about the end, sanitized.
    ending: Option<String>,
}

impl PgnGame {
    /// Creates the record of a game in its current state, finished or not.
    ///
    /// A game that was broken off has the result `*` and the tag `Termination` with the value `unterminated`. If the first moves
    /// are not known, the record starts from the first known position.
    pub fn new(game: &TrackedGame, origin: &PgnOrigin) -> Self {
        let line = game.line();
        let sans = san_moves(&line, follows_chess_rules(game));
        let moves = sans.into_iter().zip(&line.moves).map(|(san, step)| san + &time_comment(step)).collect();
        let ending = game.ending();
        let result = ending.map_or(GameResult::Unfinished, |ending| ending.result);
        let mut pgn = Self {
            tags: Vec::new(),
            start_ply: line.start_ply(),
            moves,
            comments: Vec::new(),
            result,
            ending: ending.map(|ending| sanitize_comment(&replace_name_by_color(ending.text.as_str(), game))),
        };
        pgn.add_tags(game, &line, origin);
        pgn
    }

    /// Sets a tag, such as `ECO`, `WhiteIsComp` or `WhiteRD`; replaces the value that it had. Escapes the value, and cuts it to
    /// 400 characters. Does nothing unless the name has 1 to 30 ASCII letters and digits.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        let is_name = !name.is_empty() && name.len() <= 30 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_name {
            self.tags.retain(|(known, _)| known != name);
            self.tags.push((name.to_owned(), escape_tag_value(value)));
        }
    }

    /// Returns the value of a tag as it is written, with escapes; `None` without the tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Adds a comment after the first `n_moves` moves, 0 for the start; after the last one if there are fewer. The text is
    /// sanitized and cut to 400 characters. An empty comment and comments beyond 500 are dropped.
    pub fn add_comment(&mut self, n_moves: usize, comment: &str) {
        let comment = sanitize_comment(comment);
        if self.comments.len() < MAX_COMMENTS && !comment.is_empty() {
            self.comments.push((n_moves.min(self.moves.len()), comment));
        }
    }

    /// Adds commands such as `[%eval 0.17]` to the comment of the move that leads to this ply, before its times. Removes braces and
    /// control characters. Does nothing if there is no such move.
    pub fn add_commands(&mut self, ply: u32, commands: &str) {
        let n_played = ply.checked_sub(self.start_ply);
        let index = n_played.and_then(|n| n.checked_sub(1)).and_then(|index| usize::try_from(index).ok());
        let Some(step) = index.and_then(|index| self.moves.get_mut(index)) else { return };
        let commands = commands.replace(|letter: char| matches!(letter, '{' | '}') || letter.is_control(), "");
        *step = match step.split_once(" {") {
            Some((san, times)) => format!("{san} {{{commands}{times}"),
            None => format!("{step} {{{commands}}}"),
        };
    }

    fn add_tags(&mut self, game: &TrackedGame, line: &MoveLine, origin: &PgnOrigin) {
        let variant = game.variant();
        self.set_tag("Event", &event_tag_value(game, origin));
        self.set_tag("Site", &origin.site(" "));
        self.set_tag("ICSGame", &game.number().to_string());
        for (color, [name, elo]) in [(Color::White, ["White", "WhiteElo"]), (Color::Black, ["Black", "BlackElo"])] {
            self.set_tag(name, game.player(color).as_str());
            if let Some(rating) = game.rating(color).and_then(Rating::value).filter(|rating| *rating > 0) {
                self.set_tag(elo, &rating.to_string());
            }
        }
        self.add_time_tags(game, line, origin);
        self.set_tag("Round", "-");
        if let Some(name) = variant_tag_value(game) {
            self.set_tag("Variant", &name);
        }
        if !line.starts_from_standard_position() || variant == "chess960" {
            self.set_tag("SetUp", "1");
            self.set_tag("FEN", &line.start.to_string());
        }
        self.set_tag("PlyCount", &self.moves.len().to_string());
        if self.result == GameResult::Unfinished && game.state() != TrackedState::Playing {
            self.set_tag("Termination", "unterminated");
        }
        self.set_tag("Result", self.result.as_str());
    }

    fn add_time_tags(&mut self, game: &TrackedGame, line: &MoveLine, origin: &PgnOrigin) {
        let (initial_s, increment_s) = game.time_control_s();
        let is_untimed = initial_s == 0 && increment_s == 0;
        self.set_tag("TimeControl", &if is_untimed { "-".to_owned() } else { format!("{initial_s}+{increment_s}") });
        let [date, time] = origin.date_and_time();
        let times = [("Date", &date), ("Time", &time), ("UTCDate", &date), ("UTCTime", &time)];
        let n_known = if origin.started.is_some() { times.len() } else { 1 };
        times.into_iter().take(n_known).for_each(|(name, value)| self.set_tag(name, value));
        let known = line.start_clocks.map(|clocks| clocks.map(ClockReading::as_ms));
        let [white, black] = known.unwrap_or([i64::from(initial_s) * 1000; 2]);
        if !is_untimed {
            self.set_tag("WhiteClock", &format_clock(white));
            self.set_tag("BlackClock", &format_clock(black));
        }
    }

    fn write_tags(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |name: &str| {
            let known = TAG_ORDER.split(' ').position(|known| known == name);
            (name == "Result", known.unwrap_or(usize::MAX))
        };
        let mut tags: Vec<_> = self.tags.iter().collect();
        tags.sort_by_key(|(name, _)| place(name));
        tags.iter().try_for_each(|(name, value)| writeln!(f, "[{name} \"{value}\"]"))
    }

    fn write_comments_after(&self, f: &mut fmt::Formatter<'_>, n_moves: usize) -> fmt::Result {
        let comments = self.comments.iter().filter(|(at, _)| *at == n_moves);
        comments.map(|(_, comment)| comment).try_for_each(|comment| write!(f, "{{{comment}}} "))
    }
}

impl fmt::Display for PgnGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_tags(f)?;
        f.write_char('\n')?;
        self.write_comments_after(f, 0)?;
        for (at, (ply, step)) in (u64::from(self.start_ply)..).zip(&self.moves).enumerate() {
            let is_white = ply % 2 == 0;
            // A comment may have come between the moves of both sides.
            let dots = if is_white { "." } else { "..." };
            write!(f, "{}{dots} {step} ", ply / 2 + 1)?;
            self.write_comments_after(f, at + 1)?;
        }
        if let Some(ending) = &self.ending {
            write!(f, "{{{ending}}} ")?;
        }
        writeln!(f, "{}", self.result.as_str())
    }
}

/// Returns the comment about the time of a move, after a blank: `[%clk]` and `[%emt]`, each if it is known. Empty without either.
fn time_comment(step: &TrackedMove) -> String {
    let clock = step.clock.map(|clock| format!("[%clk {}]", format_clock(clock.as_ms())));
    let elapsed = step.elapsed_ms.map(|ms| format!("[%emt {}]", format_clock(ms.into())));
    let times: String = clock.into_iter().chain(elapsed).collect();
    if times.is_empty() { times } else { format!(" {{{times}}}") }
}

/// Returns the value of the tag `Event`: `FICS rated blitz game`.
pub(super) fn event_tag_value(game: &TrackedGame, origin: &PgnOrigin) -> String {
    let rated = match game.is_rated() {
        Some(true) => "rated",
        Some(false) => "unrated",
        None => "",
    };
    let kind = match game.variant().as_str() {
        "chess" => game.speed().unwrap_or_default().to_owned(),
        "chess960" => "wild/fr".to_owned(),
        variant => variant.to_owned(),
    };
    format!("{} {rated} {kind} game", origin.server)
}

/// Returns the value of the tag `Variant`; `None` for the rules of chess.
fn variant_tag_value(game: &TrackedGame) -> Option<String> {
    match game.variant().as_str() {
        "chess" => None,
        "chess960" => Some("Chess960".to_owned()),
        "wild/0" | "wild/1" if follows_chess_rules(game) => Some("Wildcastle".to_owned()),
        variant if variant.starts_with("wild") && follows_chess_rules(game) => None,
        variant => {
            let mut letters = variant.chars();
            letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        }
    }
}

/// Returns whether moves follow the rules of chess, perhaps from another start position.
fn follows_chess_rules(game: &TrackedGame) -> bool {
    let variant = game.variant();
    let is_irregular = game.game().info().is_some_and(GameInfo::has_irregular_rules);
    (variant == "chess" || variant == "chess960" || variant.starts_with("wild")) && !is_irregular
}

/// Replaces the player's name at the start of the server's result text by `White` or `Black`. Returns the text unchanged if it
/// does not start with either name.
fn replace_name_by_color(words: &str, game: &TrackedGame) -> String {
    let named = Color::BOTH.into_iter().find_map(|color| {
        let rest = words.strip_prefix(game.player(color).as_str()).filter(|rest| rest.starts_with([' ', '\'']))?;
        Some(format!("{}{rest}", if color == Color::White { "White" } else { "Black" }))
    });
    named.unwrap_or_else(|| words.to_owned())
}
