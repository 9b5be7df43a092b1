//! The line that reports the end of a game.

use super::game_end_reason::split_player_name;
use super::template::read_game_line_head;
use super::{GameEndReason, GameId, GameResult, Handle};
use crate::chess::Color;
use crate::scan::Cursor;
use crate::text::PlayerText;

/// A report that a game ended, was adjourned or was aborted: `{Game 39 (Foo vs. Bar) Bar checkmated} 1-0`.
///
/// With the variable `gin` set, it is also sent for games that this login does not follow. Titles after the names are
/// skipped. A rating line that may follow is not part of it.
///
/// Source: FICS help file `gin`, transcripts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameEnded {
    /// The number of the game.
    pub game: GameId,
    /// The player of the white pieces. Empty if the players are not known: ICC's datagrams have the names at the start
    /// only.
    pub white: Handle,
    /// The player of the black pieces; empty if not known, like [`white`](Self::white).
    pub black: Handle,
    /// The result as printed. Only this field decides who won.
    pub result: GameResult,
    /// The reason, as far as the server's words are known.
    pub reason: GameEndReason,
    /// The server's words for the reason: `Bar checkmated`. They contain names, and must not be parsed as protocol.
    pub text: PlayerText,
    /// Whether the game continues as an examined game. Only ICC's datagrams report it; otherwise `false`.
    pub lives_on: bool,
}

impl GameEnded {
    /// Parses a line; `None` if it does not report the end of a game. If the line has no result, the text must contain
    /// `adjourned` or `aborted`, and the result is [`GameResult::Unfinished`].
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        let (game, white, black) = read_game_line_head(&mut at)?;
        let close = at.rest().iter().rposition(|&b| b == b'}')?;
        let (text, tail) = at.rest().split_at_checked(close)?;
        let text = PlayerText::from_wire(text);
        let result = match tail.trim_ascii_end() {
            // Some servers omit the result of an adjourned or aborted game.
            b"}" => find_adjourned_or_aborted(&text, &white, &black).map(|_| GameResult::Unfinished)?,
            tail => GameResult::from_wire(tail.strip_prefix(b"} ")?)?,
        };
        let reason = match text.as_str() {
            // Words that were cut off, with the result, may have been any reason.
            "adjourned" | "aborted" if tail.trim_ascii_end() == b"}" => GameEndReason::Unknown,
            text => GameEndReason::from_text(text, white.as_str(), black.as_str()),
        };
        Some(Self { game, white, black, result, reason, text, lives_on: false })
    }

    /// Returns the color of the player named at the start of [`text`](Self::text): the one who resigned, was mated, or won by a
    /// rule. `None` if the text does not start with a player.
    pub fn named_player(&self) -> Option<Color> {
        split_player_name(self.text.as_str(), self.white.as_str(), self.black.as_str()).map(|(color, _)| color)
    }

    /// Returns whether the game was adjourned; `false` if it has a result. If the reason is neither an adjournment nor an abort,
    /// the first word `adjourned` or `aborted` in the text decides.
    pub fn is_adjourned(&self) -> bool {
        self.is_unfinished_for(GameEndReason::is_adjournment, "adjourned")
    }

    /// Returns whether the game was aborted; `false` if it has a result. If the reason is neither an adjournment nor an abort,
    /// the first word `adjourned` or `aborted` in the text decides.
    pub fn is_aborted(&self) -> bool {
        self.is_unfinished_for(GameEndReason::is_abort, "aborted")
    }

    /// Returns whether the game is unfinished for such a reason or, if its reason is neither an adjournment nor an abort, whether
    /// `word` is the first of `adjourned` and `aborted` in the text.
    fn is_unfinished_for(&self, is_such_reason: fn(GameEndReason) -> bool, word: &str) -> bool {
        let is_known = self.reason.is_adjournment() || self.reason.is_abort();
        let is_meant_in_text = || find_adjourned_or_aborted(&self.text, &self.white, &self.black) == Some(word);
        self.result == GameResult::Unfinished && (is_such_reason(self.reason) || !is_known && is_meant_in_text())
    }
}

/// Returns the first word `adjourned` or `aborted` in the server's text; `None` if it has neither. Words equal to a player's name
/// are skipped.
fn find_adjourned_or_aborted<'a>(text: &'a PlayerText, white: &Handle, black: &Handle) -> Option<&'a str> {
    let mut words = text.as_str().split([' ', '.']).filter(|word| *word != white.as_str() && *word != black.as_str());
    words.find(|word| matches!(*word, "adjourned" | "aborted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> GameEnded {
        GameEnded::parse(line.as_bytes()).unwrap_or_else(|| panic!("{line}"))
    }

    #[test]
    fn every_field() {
        assert_eq!(
            parsed("{Game 1 (Alekhine vs. Bogoljubov) Bogoljubov checkmated} 1-0"),
            GameEnded {
                game: GameId(1),
                white: Handle::from_wire(b"Alekhine"),
                black: Handle::from_wire(b"Bogoljubov"),
                result: GameResult::WhiteWins,
                reason: GameEndReason::Mate,
                text: PlayerText::from_wire(b"Bogoljubov checkmated"),
                lives_on: false,
            }
        );
    }

    #[test]
    fn results_and_reasons() {
        let cases: &[(&str, &str, &str)] = &[
            ("{Game 1 (Alekhine vs. Bogoljubov) Alekhine resigns} 0-1", "0-1", "resign"),
            ("{Game 1 (Alice vs. Boris) Boris forfeits on time} 1-0", "1-0", "time"),
            ("{Game 1 (GuestMVSJ vs. GuestQTFF) GuestMVSJ forfeits by disconnection} 0-1", "0-1", "disconnect"),
            (
                "{Game 1 (Capablanca vs. Duras) Capablanca wins by having less material (stalemate)} 1-0",
                "1-0",
                "variant",
            ),
            ("{Game 1 (Dmitri vs. Erika) Game drawn by repetition} 1/2-1/2", "1/2-1/2", "repetition"),
            ("{Game 1 (Duras vs. Euwe) Game aborted on move 1 by Duras} *", "*", "abort_move1"),
            ("{Game 1 (Dmitri vs. Erika) Game courtesyaborted by Dmitri} * ", "*", "abort_courtesy"),
            ("{Game 5 (A vs. B) White resigns} 0-1", "0-1", "resign"),
            ("{Game 5 (A(GM) vs. B(*)) A resigns} 0-1", "0-1", "resign"),
            ("{Game 5 (A vs. B) anything else (yes). Really} 1/2-1/2", "1/2-1/2", "unknown"),
            ("{Game 5 (A vs. B) } *", "*", "unknown"),
        ];
        for &(line, result, reason) in cases {
            let ended = parsed(line);
            assert_eq!((ended.result.as_str(), ended.reason.as_str()), (result, reason), "{line}");
        }
    }

    // Rules: text Z1
    #[test]
    fn the_result_has_the_winner_and_the_text_the_named_player() {
        use Color::{Black, White};
        let cases = [
            ("{Game 1 (A vs. B) A checkmated} 0-1", Some(Black), Some(White)),
            ("{Game 1 (A vs. B) A wins by adjudication} 1-0", Some(White), Some(White)),
            ("{Game 1 (A vs. B) A resigns} 1-0", Some(White), Some(White)),
            ("{Game 1 (A vs. B) Game drawn by repetition} 1/2-1/2", None, None),
            ("{Game 1 (A vs. B) Game aborted by agreement} *", None, None),
            ("{Game 1 (A vs. B) Black resigns} 1-0", Some(White), Some(Black)),
        ];
        for (line, winner, subject) in cases {
            let ended = parsed(line);
            assert_eq!((ended.result.winner(), ended.named_player()), (winner, subject), "{line}");
        }
    }

    // Rules: text Z2
    #[test]
    fn an_unfinished_game_is_adjourned_or_aborted_by_its_words() {
        let cases = [
            ("{Game 1 (A vs. B) B lost connection; game adjourned} *", true, false),
            ("{Game 1 (A vs. B) adjourned} *", true, false),
            ("{Game 1 (A vs. B) adjourned for lunch} *", true, false),
            ("{Game 1 (A vs. B) Game courtesyadjourned by A} *", true, false),
            ("{Game 1 (A vs. B) aborted} *", false, true),
            ("{Game 1 (A vs. B) A aborts by disconnection} *", false, true),
            ("{Game 1 (A vs. B) Bughouse game aborted.} *", false, true),
            ("{Game 1 (A vs. B) nobody knows} *", false, false),
            ("{Game 1 (A vs. B) adjourned} 1-0", false, false),
            ("{Game 1 (adjourned vs. B) adjourned stumbles} *", false, false),
            ("{Game 1 (adjourned vs. B) Game adjourned by agreement} *", true, false),
        ];
        for (line, adjourned, aborted) in cases {
            let ended = parsed(line);
            assert_eq!((ended.is_adjourned(), ended.is_aborted()), (adjourned, aborted), "{line}");
        }
    }

    // Rules: text Z5, bugs 52
    #[test]
    fn cut_texts_have_an_unknown_reason() {
        let cases = [
            ("{Game 5 (A vs. B) adjourned} *", "adjourned", GameEndReason::AdjournDisconnect),
            ("{Game 1 (Alice vs. Vagabond) aborted} *", "aborted", GameEndReason::AbortDisconnect),
            ("{Game 5 (A vs. B) adjourned}", "adjourned", GameEndReason::Unknown),
        ];
        for (line, text, reason) in cases {
            let ended = parsed(line);
            assert_eq!((ended.result, ended.reason), (GameResult::Unfinished, reason), "{line}");
            assert_eq!(ended.text.as_str(), text, "{line}");
        }
    }

    // Rules: text Z8
    #[test]
    fn a_rating_line_is_not_part_of_the_result() {
        let lines = [
            "No ratings adjustment done.",
            "Blitz rating adjustment: 1500 --> 1508.",
            "{Game 1 (A vs. B) A resigns} 0-1 Blitz rating adjustment: 1500 --> 1508.",
        ];
        for line in lines {
            assert_eq!(GameEnded::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn the_other_board_of_a_bughouse_match() {
        let cases = [
            ("{Game 79 (A vs. B) A's partner won} 1-0", "1-0", "partner", Some(Color::White)),
            ("{Game 79 (A vs. B) B's partner won} 0-1", "0-1", "partner", Some(Color::Black)),
            ("{Game 52 (Foo vs. Bar) Bar's partner won} 0-1", "0-1", "partner", Some(Color::Black)),
            ("{Game 79 (A vs. B) Partners' game drawn} 1/2-1/2", "1/2-1/2", "partner", None),
            ("{Game 79 (A vs. B) Partners' game aborted} *", "*", "abort_partner", None),
            ("{Game 79 (A vs. B) Partners' game adjourned} *", "*", "adjourn_partner", None),
            ("{Game 79 (A vs. B) Bughouse game aborted.} *", "*", "abort_partner", None),
            ("{Game 79 (A vs. B) Game drawn by mate on both boards} 1/2-1/2", "1/2-1/2", "partner", None),
            ("{Game 79 (A vs. B) A's partner resigns} 0-1", "0-1", "partner", Some(Color::White)),
            ("{Game 79 (A vs. B) A's partner checkmated} 0-1", "0-1", "partner", Some(Color::White)),
            ("{Game 79 (A vs. B) B's partner forfeits on time} 1-0", "1-0", "partner", Some(Color::Black)),
            ("{Game 79 (A vs. B) A's partner disconnected and forfeits} 0-1", "0-1", "partner", Some(Color::White)),
        ];
        for (line, result, reason, subject) in cases {
            let ended = parsed(line);
            assert_eq!((ended.result.as_str(), ended.reason.as_str()), (result, reason), "{line}");
            assert_eq!(ended.named_player(), subject, "{line}");
        }
    }

    #[test]
    fn other_lines_are_not_parsed() {
        let lines = [
            "",
            "{Game 1 (A vs. B) Creating rated blitz match.}",
            "{Game 1 (A vs. B) A resigns}",
            "{Game 1 (A vs. B) A resigns} 2-0",
            "{Game 1 (A vs. B) A resigns}0-1",
            "{Game 1 (A vs. B) A resigns 0-1",
            "{Game 1 (A vs. B)} *",
            " {Game 1 (A vs. B) A resigns} 0-1",
            "Foo tells you: {Game 1 (A vs. B) A resigns} 0-1",
            "{White resigns} 0-1",
            "{Still in progress} *",
            "{Black lost connection, game adjourned} *",
            "Game 1: Bogoljubov resigns 1-0",
        ];
        for line in lines {
            assert_eq!(GameEnded::parse(line.as_bytes()), None, "{line}");
        }
    }
}
