//! The reply to `moves`, `oldmoves` and `smoves`.

use std::ops::ControlFlow;

use super::Listing;
use super::parts::{ListedPlayer, read_free_name, read_text};
use crate::chess::Color;
use crate::message::clock::read_duration_ms;
use crate::message::template::match_template;
use crate::message::{GameId, GameResult, Rating, Style12, Titles};
use crate::scan::Cursor;
use crate::text::{Line, decode_latin_1};

/// The moves of one game.
///
/// ```text
/// Movelist for game 34:
///
/// A (1626) vs. B (UNR) --- Mon Nov  4, 08:38 CET 2002
/// Rated standard match, initial time: 10 minutes, increment: 12 seconds.
///
/// Move  A                       B
/// ----  ---------------------   ---------------------
///   1.  e4      (0:00.000)      c5      (0:00.123)
///       {Still in progress} *
/// ```
///
/// The list ends with the line in braces. uhlin-fics omits the first line. Boards, tells and end lines of games (`{Game 7 (...`)
/// that come in between are not part of it. FICS may send the list of a resumed game twice.
///
/// Source: transcripts of FatICS and uhlin-fics; FICS's and ICC's variants as clients know them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MoveList {
    /// The number of the game in the first line; `None` without that line.
    pub game: Option<GameId>,
    /// White, with the rating at the start; in FatICS's examined games literally `White (0)`. `None` without the line of the
    /// players.
    pub white: Option<ListedPlayer>,
    /// Black, with the rating at the start.
    pub black: Option<ListedPlayer>,
    /// When the game began, as printed: every server has its own form; uhlin-fics's date is always wrong. Empty
    /// without the line of the players.
    pub date: String,
    /// Whether the game is rated; `None` if no line has it.
    pub rated: Option<bool>,
    /// The kind as printed: `blitz`, `Standard`, `wild/5`, several words, or empty.
    pub kind: String,
    /// Minutes on each clock at the start, on White's if they differ; `None` if no line has it.
    pub initial_min: Option<u32>,
    /// Seconds added per move, of White if they differ; `None` if no line has it.
    pub increment_s: Option<u32>,
    /// The isolated boards before the table: the position in which the game began. They must neither start nor change
    /// a game. Empty for the usual position, or without the ivar `startpos`.
    pub start: Vec<Style12>,
    /// The moves in order. The first may be Black's.
    pub moves: Vec<ListedMove>,
    /// The text in the braces: `Still in progress`, `White resigns`. It has colors in place of names. Empty if the
    /// game has no moves.
    pub reason: String,
    /// The result; `None` only if the server reports that the game has no moves.
    pub result: Option<GameResult>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
    /// Whether the ruler above the moves was parsed, so that rows of moves follow. Not part of the reply.
    in_table: bool,
}

/// One move of a [`MoveList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedMove {
    /// Number of the ply: 1 is White's first move, 2 Black's.
    pub ply: u32,
    /// The move as printed: `Nf3`, `O-O`, `o-o`, `N@f3`, `e8=Q+`.
    pub san: String,
    /// Milliseconds the move took, full seconds unless the ivar `ms` is set; `None` if the list shows no times.
    pub elapsed_ms: Option<u32>,
}

impl ListedMove {
    /// Returns the side that made the move.
    pub const fn color(&self) -> Color {
        if self.ply % 2 == 1 { Color::White } else { Color::Black }
    }
}

impl Listing for MoveList {
    const HAS_LAST_LINE: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if self.in_table { self.add_table_line(line) } else { self.add_line_before_table(line) }
    }
}

impl MoveList {
    /// Adds a line that precedes the rows of the table. Returns `Break` for the line that reports a game without moves, `None` for a
    /// line that is not part of the list.
    fn add_line_before_table(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if line.trim_ascii_start().starts_with(b"There are no moves") {
            return Some(ControlFlow::Break(()));
        }
        if self.try_add_game_number(line).or_else(|| self.try_add_players(line)).is_none() {
            // Other tables and help pages have lines like these, which count only after the line of the players.
            self.white.as_ref()?;
            self.try_add_terms(line)
                .or_else(|| self.try_add_start_board(line))
                .or_else(|| self.try_add_table_head(line))?;
        }
        Some(ControlFlow::Continue(()))
    }

    /// Adds the line `Movelist for game 34:`.
    fn try_add_game_number(&mut self, line: &[u8]) -> Option<()> {
        let game = match_template(line, "Movelist for game #:")?.number_as_game()?;
        self.game.get_or_insert(game);
        Some(())
    }

    /// Adds the line of the players and the date: `A (1626) vs. B (UNR) --- Mon Nov  4, 08:38 CET 2002`.
    fn try_add_players(&mut self, line: &[u8]) -> Option<()> {
        let mut at = Cursor::new(line);
        let white = read_player(&mut at)?;
        let black = read_player(at.expect(b" vs. ")?)?;
        at.expect(b" --- ")?;
        (self.white, self.black, self.date) = (Some(white), Some(black), read_text(&mut at));
        Some(())
    }

    /// Adds the line with the kind and the times: `Rated standard match, initial time: …`.
    fn try_add_terms(&mut self, line: &[u8]) -> Option<()> {
        let mut at = Cursor::new(line);
        let rated = at.eat(b"Rated ");
        (rated || at.eat(b"Unrated ")).then_some(())?;
        // An empty kind leaves both its blanks: `Unrated  match`.
        let kind = at.take_until_and_skip(b" match")?;
        matches!(at.peek(), None | Some(b',' | b'.' | b' ')).then_some(())?;
        (self.rated, self.kind) = (Some(rated), decode_latin_1(kind).into_owned());
        self.initial_min = number_after(at, b"initial time: ");
        self.increment_s = number_after(at, b"increment: ");
        Some(())
    }

    /// Adds a board of the start position.
    fn try_add_start_board(&mut self, line: &[u8]) -> Option<()> {
        let board = Style12::parse(line).ok().filter(|board| board.relation().is_isolated())?;
        self.start.push(board);
        Some(())
    }

    /// Adds the head of the table or the ruler below it; from the ruler on, rows of moves follow.
    fn try_add_table_head(&mut self, line: &[u8]) -> Option<()> {
        self.in_table = line.starts_with(b"----") && line.iter().all(|b| matches!(b, b'-' | b' '));
        (self.in_table || line.starts_with(b"Move  ")).then_some(())
    }

    /// Adds a row of moves, or the reason and the result, which end the list; `None` for any other line.
    fn add_table_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some((reason, result)) = parse_last_line(line) {
            (self.reason, self.result) = (reason, Some(result));
            return Some(ControlFlow::Break(()));
        }
        self.moves.extend(parse_row(line)?);
        Some(ControlFlow::Continue(()))
    }
}

/// Reads a name, its titles, and a rating in brackets if there is one.
fn read_player(at: &mut Cursor<'_>) -> Option<ListedPlayer> {
    let name = read_free_name(at)?;
    let titles = Titles::read(at);
    let rating = at.attempt(|at| Rating::read_bracketed(at.skip_whitespace()));
    Some(ListedPlayer { name, titles, rating })
}

/// Returns the number after the next occurrence of `label`.
fn number_after(mut at: Cursor<'_>, label: &[u8]) -> Option<u32> {
    at.take_until_and_skip(label)?;
    at.number()
}

/// Parses a row of moves, `  1.  e4      (0:00)     e5      (0:00)`; `None` for any other line. `...` stands for a missing move
/// of White, and the move of Black may be missing.
fn parse_row(line: &[u8]) -> Option<Vec<ListedMove>> {
    let mut at = Cursor::new(line);
    let number: u32 = at.skip_whitespace().number()?;
    at.expect(b".")?;
    let black_ply = number.checked_mul(2)?;
    let mut moves = Vec::new();
    read_move_cell_into(&mut at, black_ply.checked_sub(1)?, &mut moves)?;
    if at.expect_blank_rest().is_none() {
        read_move_cell_into(&mut at, black_ply, &mut moves)?;
    }
    at.expect_blank_rest()?;
    Some(moves)
}

/// Reads a cell of a row: a move with or without its time, which is appended to `moves`, or `...` for a missing move of White, for
/// which nothing is appended. `None` for any other cell.
fn read_move_cell_into(at: &mut Cursor<'_>, ply: u32, moves: &mut Vec<ListedMove>) -> Option<()> {
    let dots = at.skip_whitespace().eat(b"...");
    let san = at.take_while(|b| b.is_ascii_alphanumeric() || b"@=+#-/".contains(&b));
    (dots == san.is_empty()).then_some(())?;
    let elapsed_ms = at.skip_whitespace().between(b"(", b")", read_duration_ms);
    if !dots {
        moves.push(ListedMove { ply, san: decode_latin_1(san).into_owned(), elapsed_ms });
    }
    Some(())
}

/// Parses the last line of a list, `      {White resigns} 1-0`. `None` for the end line of a running game, which has the game's
/// number.
fn parse_last_line(line: &[u8]) -> Option<(String, GameResult)> {
    let line = line.trim_ascii().strip_prefix(b"{")?;
    let (text, result) = line.split_at_checked(memchr::memrchr(b'}', line)?)?;
    let result = GameResult::from_wire(result.strip_prefix(b"} ")?)?;
    let names_game = text.strip_prefix(b"Game ").and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit);
    (!names_game).then(|| (decode_latin_1(text).into_owned(), result))
}

#[cfg(test)]
mod tests {
    use super::super::ListingError;
    use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
    use super::*;

    const FATICS: &str = "\
Movelist for game 1:

Alekhine (1882) vs. Bogoljubov (1558) --- 2026-11-21 00:30 UTC
Unrated blitz match, initial time: 5 minutes, increment: 0 seconds.

Move  Alekhine                Bogoljubov
----  ---------------------   ---------------------
  1.  e4      (0:00.000)      e5      (0:00.000)
  2.  Nf3     (0:00.100)      Nc6     (0:00.101)
  3.  Bb5     (0:00.100)      
      {Still in progress} *
";

    const UHLIN: &str = "\
Alice (UNR) vs. Boris (UNR) --- 1999.09.01 23:28:00
Unrated Non-standard match, initial time: 5 minutes, increment: 0 seconds.

Move  Alice              Boris              
----  ----------------   ----------------
  1.  Nc3     (0:13)     e5      (0:00)  
 22.  N@g4    (0:00)     bxa1=R  (0:00)  
 40.  Ka1     (0:00)  
      {Black lost connection, game adjourned} *
";

    fn with_row(row: &str) -> String {
        UHLIN.replace("  1.  Nc3     (0:13)     e5      (0:00)  ", row)
    }

    fn moves(list: &MoveList) -> Vec<(u32, &str, Option<u32>)> {
        list.moves.iter().map(|m| (m.ply, m.san.as_str(), m.elapsed_ms)).collect()
    }

    #[test]
    fn a_list_of_fatics_with_milliseconds() {
        let list = parse::<MoveList>(FATICS).unwrap();
        assert_eq!(list.game, Some(GameId(1)));
        let (white, black) = (list.white.as_ref().unwrap(), list.black.as_ref().unwrap());
        assert_eq!((white.name.as_str(), black.name.as_str()), ("Alekhine", "Bogoljubov"));
        assert_eq!(white.rating, Some(Rating::Established(1882)));
        assert_eq!((list.rated, list.kind.as_str()), (Some(false), "blitz"));
        assert_eq!((list.initial_min, list.increment_s), (Some(5), Some(0)));
        let want = [
            (1, "e4", Some(0)),
            (2, "e5", Some(0)),
            (3, "Nf3", Some(100)),
            (4, "Nc6", Some(101)),
            (5, "Bb5", Some(100)),
        ];
        assert_eq!(moves(&list), want);
        assert_eq!((list.reason.as_str(), list.result), ("Still in progress", Some(GameResult::Unfinished)));
        assert_eq!(list.moves.iter().map(ListedMove::color).next_back(), Some(Color::White));
        assert!(list.unread.is_empty());
    }

    #[test]
    fn terms_with_different_clocks_are_those_of_white() {
        let terms = "Rated Lighting match, initial time: 10 minutes, increment: 12 seconds AND 5 minutes, increment: 0 seconds.";
        let reply = UHLIN.replace("Unrated Non-standard match, initial time: 5 minutes, increment: 0 seconds.", terms);
        let list = parse::<MoveList>(&reply).unwrap();
        assert_eq!((list.rated, list.kind.as_str()), (Some(true), "Lighting"));
        assert_eq!((list.initial_min, list.increment_s, list.unread.len()), (Some(10), Some(12), 0));
    }

    // Rules: text M1, bugs 71
    #[test]
    fn dates_of_every_server() {
        let dates = [
            "Mon Nov  4, 08:38 CET 2002",
            "Mon Nov  4, 08:38 ??? 2002",
            "2008.01.19 16:55:38",
            "2010-10-14 20:36 UTC",
            "1999.09.01 23:28:00",
        ];
        for date in dates {
            let list = parse::<MoveList>(&FATICS.replace("2026-11-21 00:30 UTC", date)).unwrap();
            assert_eq!(list.date, date);
        }
    }

    // Rules: text M1, bugs 71
    #[test]
    fn ratings_and_names_of_every_kind() {
        let cases = [
            ("A vs. B --- x", "A", None, "B", None),
            ("A (UNR) vs. B (----) --- x", "A", Some(Rating::Unrated), "B", Some(Rating::Unrated)),
            ("White (0) vs. Black (++++) --- x", "White", Some(Rating::Established(0)), "Black", Some(Rating::Guest)),
            (
                "Foo(GM) ( 958) vs. B.Bar (1500P) --- x",
                "Foo",
                Some(Rating::Established(958)),
                "B.Bar",
                Some(Rating::Provisional(1500)),
            ),
        ];
        for (line, white, white_rating, black, black_rating) in cases {
            let mut list = MoveList::default();
            list.try_add_players(line.as_bytes()).unwrap();
            let (w, b) = (list.white.unwrap(), list.black.unwrap());
            assert_eq!((w.name.as_str(), w.rating), (white, white_rating), "{line}");
            assert_eq!((b.name.as_str(), b.rating), (black, black_rating), "{line}");
        }
    }

    // Rules: text M2, bugs 71
    #[test]
    fn kinds_from_nothing_to_several_words() {
        let cases = [
            ("Unrated  match", (false, "", None, None)),
            ("Unrated  match, initial time: 3 minutes, increment: 2 seconds.", (false, "", Some(3), Some(2))),
            (
                "Rated blitz crazyhouse match, initial time: 3 minutes, increment: 0 seconds.",
                (true, "blitz crazyhouse", Some(3), Some(0)),
            ),
            ("Rated wild/5 match, initial time: 1 minute, increment: 1 second.", (true, "wild/5", Some(1), Some(1))),
            (
                "Unrated untimed match, initial time: 0 minutes, increment: 0 seconds.",
                (false, "untimed", Some(0), Some(0)),
            ),
        ];
        for (line, want) in cases {
            let reply = FATICS.replace("Unrated blitz match, initial time: 5 minutes, increment: 0 seconds.", line);
            let list = parse::<MoveList>(&reply).unwrap();
            assert_eq!((list.rated.unwrap(), list.kind.as_str(), list.initial_min, list.increment_s), want, "{line}");
        }
    }

    // Rules: text M2, bugs 71
    #[test]
    fn an_untimed_list_has_no_times() {
        let list = parse::<MoveList>(&with_row("  1.  Nc3                e5")).unwrap();
        assert_eq!(moves(&list)[..2], [(1, "Nc3", None), (2, "e5", None)]);
    }

    // Rules: text M3, bugs 71
    #[test]
    fn times_in_every_form() {
        let list = parse::<MoveList>(&with_row("  1.  Nc3     (1:02:03)  e5      (12:26.052)")).unwrap();
        assert_eq!(moves(&list)[..2], [(1, "Nc3", Some(3_723_000)), (2, "e5", Some(746_052))]);
    }

    // Rules: text M4, bugs 71
    #[test]
    fn black_may_move_first() {
        let list = parse::<MoveList>(&with_row("  1.  ...     (0:00)   e5 (0:05)")).unwrap();
        assert_eq!(moves(&list)[0], (2, "e5", Some(5000)));
        assert_eq!(list.moves[0].color(), Color::Black);
        let untimed = parse::<MoveList>(&with_row("  1.  ...      e5")).unwrap();
        assert_eq!(moves(&untimed)[0], (2, "e5", None));
    }

    // Rules: text M5
    #[test]
    fn moves_of_every_kind() {
        for san in ["O-O", "o-o", "O-O-O+", "N@f3", "P@c3", "e8=Q+", "bxa1=R", "Nfxd4#", "none", "Qa1xb2=Q++"] {
            let list = parse::<MoveList>(&with_row(&format!("  1.  {san} (0:00) {san:8}(0:00)"))).unwrap();
            assert_eq!(moves(&list)[..2], [(1, san, Some(0)), (2, san, Some(0))]);
        }
    }

    // Rules: text M6
    #[test]
    fn trailers_of_every_result() {
        let cases = [
            ("      {White resigns} 0-1", "White resigns", "0-1"),
            ("      {Black checkmated} 1-0", "Black checkmated", "1-0"),
            ("      {Stalemate.} 1/2-1/2", "Stalemate.", "1/2-1/2"),
            ("{Game drawn by mutual agreement} 1/2-1/2", "Game drawn by mutual agreement", "1/2-1/2"),
            ("      {odd } text} *", "odd } text", "*"),
        ];
        for (line, reason, result) in cases {
            let list =
                parse::<MoveList>(&UHLIN.replace("      {Black lost connection, game adjourned} *", line)).unwrap();
            assert_eq!((list.reason.as_str(), list.result.map(GameResult::as_str)), (reason, Some(result)));
        }
        for line in [
            "      {White resigns} 2-0",
            "{",
            "}",
            "{}",
            "      White resigns} 0-1",
            "{Game 1 (A vs. B) A resigns} 0-1",
        ] {
            assert_eq!(parse_last_line(line.as_bytes()), None, "{line}");
        }
    }

    // Rules: text M7
    #[test]
    fn a_start_position_precedes_the_table() {
        let board = |relation| {
            format!(
                "<12> bqnrnkrb pppppppp -------- -------- -------- -------- PPPPPPPP BQNRNKRB W -1 1 1 1 1 0 1 Alekhine \
                     Bogoljubov {relation} 5 0 39 39 300000 300000 1 none (0:00.000) none 0 0 0"
            )
        };
        for (relation, is_start) in [("-4", true), ("-3", true), ("1", false), ("0", false)] {
            let head = format!("{}\n\nMove  A", board(relation));
            let list = parse::<MoveList>(&FATICS.replace("Move  A", &head)).unwrap();
            assert_eq!((list.start.len(), list.unread.len()), (usize::from(is_start), usize::from(!is_start)));
            assert_eq!(list.moves.len(), 5);
        }
        let late = parse::<MoveList>(&with_row(&board("-4"))).unwrap();
        assert_eq!((late.start.len(), late.unread.len()), (0, 1));
    }

    // Rules: text M8, bugs 72
    #[test]
    fn other_lines_in_between_change_nothing() {
        for reply in [FATICS.trim_end(), UHLIN.trim_end()] {
            assert_eq!(parse_with_async_lines_inserted::<MoveList>(reply), parse::<MoveList>(reply));
        }
    }

    // Rules: text M8
    #[test]
    fn a_list_without_its_trailer_is_incomplete() {
        assert_eq!(parse::<MoveList>(FATICS.split('{').next().unwrap()), Err(ListingError::Incomplete));
    }

    // Rules: text M9
    #[test]
    fn a_list_sent_twice_is_two_lists() {
        let reply = format!("{FATICS}\nfoo\n{FATICS}");
        let mut lines = reply.lines().map(str::as_bytes);
        let first = MoveList::parse(&mut lines).unwrap();
        let second = MoveList::parse(&mut lines).unwrap();
        assert_eq!((first.moves, first.result), (second.moves, second.result));
        assert_eq!(second.unread.len(), 1);
        assert_eq!(MoveList::parse(&mut lines), Err(ListingError::NotThisReply));
    }

    // Rules: text M10
    #[test]
    fn a_game_may_have_no_moves() {
        let length_and_result = |reply: &str| parse::<MoveList>(reply).map(|list| (list.moves.len(), list.result));
        let list = parse::<MoveList>(FATICS.split("  1.").next().unwrap().to_owned().as_str());
        assert_eq!(list, Err(ListingError::Incomplete));
        let empty = "Alice (UNR) vs. Alice (UNR) --- 1999.09.01 23:28:22\n\
                     Unrated Untimed match, initial time: 0 minutes, increment: 0 seconds.\n\n\
                     Move  Alice              Alice              \n\
                     ----  ----------------   ----------------\n      {Still in progress} *";
        assert_eq!(length_and_result(empty), Ok((0, Some(GameResult::Unfinished))));
        assert_eq!(length_and_result("There are no moves."), Ok((0, None)));
    }

    #[test]
    fn a_table_of_another_command_is_not_a_move_list() {
        let style_9 =
            "Move     Alice                  Boris\n----     --------------         --------------\n  1.     e4";
        assert_eq!(parse::<MoveList>(style_9), Err(ListingError::NotThisReply));
    }

    #[test]
    fn numbers_too_large_make_no_row() {
        for row in ["4294967295.  e4", "0.  e4", "1.", "1.  e4 (0:00) e5 (0:00) x", "1.  e4 e5 (x)", "1.  ...."] {
            assert_eq!(parse_row(row.as_bytes()), None, "{row}");
        }
    }
}
