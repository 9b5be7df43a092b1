//! The line that reports the end of a game, and the sentences for the reason.

use super::template::{SentenceParts, TemplateTable, match_template, read_game_line_head, templates, write_template};
use super::{GameId, Handle};
use crate::by_name::named_enum;
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
    #[doc(hidden)]
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
        let is_known = self.reason.is_adjournment() || self.reason.is_abort();
        let is_meant_in_text = || find_adjourned_or_aborted(&self.text, &self.white, &self.black) == Some("adjourned");
        self.result == GameResult::Unfinished && (self.reason.is_adjournment() || !is_known && is_meant_in_text())
    }
}

named_enum! {
    /// The result of a game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "PGN knows these four")]
    pub enum GameResult("Returns the result as servers and PGN files write it.", "result is none of 1-0, 0-1, 1/2-1/2 and *") {
        /// `1-0`.
        WhiteWins = "1-0",
        /// `0-1`.
        BlackWins = "0-1",
        /// `1/2-1/2`.
        Draw = "1/2-1/2",
        /// `*`: adjourned, aborted, or unknown.
        Unfinished = "*",
    }
}

impl GameResult {
    /// Returns the side that won; `None` for a draw or an unfinished game.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::WhiteWins => Some(Color::White),
            Self::BlackWins => Some(Color::Black),
            Self::Draw | Self::Unfinished => None,
        }
    }

    /// Returns the result that a server prints as `printed`; `None` for any other text.
    pub(super) fn from_wire(printed: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|result| result.as_str().as_bytes() == printed)
    }
}

named_enum! {
    /// Why a game ended, as far as the server's words are known.
    ///
    /// It does not determine who won; [`GameResult`] does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum GameEndReason("Returns the reason in `snake_case`, as in JSON.", "no end of a game has this name") {
        /// A player resigned.
        Resign = "resign",
        /// A player was checkmated.
        Mate = "mate",
        /// A player ran out of time.
        Time = "time",
        /// A player left the server and lost the game for it.
        Disconnect = "disconnect",
        /// An administrator decided the result.
        Adjudication = "adjudication",
        /// A rule of the variant: all material lost, king exploded, stalemate won.
        Variant = "variant",
        /// The other board of a bughouse match decided the result.
        Partner = "partner",
        /// Both agreed to a draw.
        Agreement = "agreement",
        /// Stalemate.
        Stalemate = "stalemate",
        /// The position came up for the third time.
        Repetition = "repetition",
        /// Fifty moves without a capture or a pawn move.
        Fifty = "fifty",
        /// Neither side has mating material.
        Material = "material",
        /// Both ran out of time.
        BothTime = "both_time",
        /// One player ran out of time, and the other has no mating material.
        TimeMaterial = "time_material",
        /// The game exceeded the maximum length.
        Length = "length",
        /// Aborted before it had begun in earnest.
        AbortMove1 = "abort_move1",
        /// Aborted by agreement.
        AbortAgreement = "abort_agreement",
        /// Aborted by an administrator.
        AbortAdjudication = "abort_adjudication",
        /// Aborted because the server goes down.
        AbortShutdown = "abort_shutdown",
        /// Aborted because the other board of a bughouse match was.
        AbortPartner = "abort_partner",
        /// Aborted because a player left.
        AbortDisconnect = "abort_disconnect",
        /// Aborted by one player as a courtesy to the other.
        AbortCourtesy = "abort_courtesy",
        /// Adjourned because a player left.
        AdjournDisconnect = "adjourn_disconnect",
        /// Adjourned by agreement.
        AdjournAgreement = "adjourn_agreement",
        /// Adjourned because the server goes down.
        AdjournShutdown = "adjourn_shutdown",
        /// Adjourned by an administrator.
        AdjournAdjudication = "adjourn_adjudication",
        /// Adjourned by the giver of a simul.
        AdjournSimul = "adjourn_simul",
        /// Adjourned by one player as a courtesy to the other.
        AdjournCourtesy = "adjourn_courtesy",
        /// Adjourned because the other board of a bughouse match was.
        AdjournPartner = "adjourn_partner",
        /// None of the known reasons.
        Unknown = "unknown",
    }
}

impl GameEndReason {
    /// Returns whether this is a reason of an aborted game.
    pub fn is_abort(self) -> bool {
        self.as_str().starts_with("abort_")
    }

    /// Returns whether this is a reason of an adjourned game, which can be resumed later.
    pub fn is_adjournment(self) -> bool {
        self.as_str().starts_with("adjourn_")
    }

    /// Returns the reason for the code in ICC's result datagrams (13, 16); [`Unknown`](Self::Unknown) if the code is not listed
    /// for this result. `is_aborted` distinguishes an aborted from an adjourned game, and matters only for an unfinished one.
    ///
    /// Source: the codes of ICC's game lists.
    pub(crate) fn from_icc_result_code(code: &[u8], result: GameResult, is_aborted: bool) -> Self {
        // The place of a code is its number in the game lists.
        let (status, codes): (u32, &[&[u8]]) = match result {
            GameResult::WhiteWins | GameResult::BlackWins => (0, &[b"Res", b"Mat", b"Fla", b"Adj", b"BQ"]),
            GameResult::Draw => (1, &[b"Agr", b"Sta", b"Rep", b"50", b"TM", b"NM", b"NT", b"Adj"]),
            GameResult::Unfinished if is_aborted => (3, &[b"Agr", b"BQ", b"SD", b"BA", b"Adj", b"Sho"]),
            GameResult::Unfinished => (2, &[b"Agr", b"BQ", b"SD", b"BA", b"Adj"]),
        };
        let mut numbered = (0..).zip(codes);
        numbered
            .find(|(_, known)| **known == code)
            .map_or(Self::Unknown, |(mode, _)| Self::from_icc_list_codes(status, mode))
    }

    /// Returns the reason for the two numbers in ICC's game lists (`history`, `stored`, `liblist`: datagram 73).
    ///
    /// `status` is 0 for a win, 1 for a draw, 2 for an adjourned and 3 for an aborted game; `mode` is the reason
    /// within that status. Any other pair is [`Unknown`](Self::Unknown).
    ///
    /// Source: ICC's description of its game lists (icc R2).
    pub(crate) const fn from_icc_list_codes(status: u32, mode: u32) -> Self {
        match (status, mode) {
            (0, 0) => Self::Resign,
            (0, 1) => Self::Mate,
            (0, 2) => Self::Time,
            (0, 3) | (1, 7) => Self::Adjudication,
            (0, 4..=6 | 11) => Self::Disconnect,
            (0, 7..=10) | (1, 8 | 9) => Self::Partner,
            (1, 0) => Self::Agreement,
            (1, 1) => Self::Stalemate,
            (1, 2) => Self::Repetition,
            (1, 3) => Self::Fifty,
            (1, 4) => Self::TimeMaterial,
            (1, 5) => Self::Material,
            (1, 6) => Self::BothTime,
            (2, 0) => Self::AdjournAgreement,
            (2, 1 | 5) => Self::AdjournDisconnect,
            (2, 2) => Self::AdjournShutdown,
            (2, 3) => Self::AdjournCourtesy,
            (2, 4) => Self::AdjournAdjudication,
            (3, 0) => Self::AbortAgreement,
            (3, 1 | 11) => Self::AbortDisconnect,
            (3, 2) => Self::AbortShutdown,
            (3, 3) => Self::AbortCourtesy,
            (3, 4 | 10) => Self::AbortAdjudication,
            (3, 5 | 7 | 9) => Self::AbortMove1,
            (3, 6 | 8) => Self::AbortPartner,
            _ => Self::Unknown,
        }
    }

    /// Returns the reason for the server's text; [`Unknown`](Self::Unknown) if no known sentence matches. The text after a
    /// player's name at its start is compared first, then the whole text, because a name may be a word of a reason.
    pub(crate) fn from_text(text: &str, white: &str, black: &str) -> Self {
        let is_match = |text: &str, template| match_template(text.as_bytes(), template).is_some();
        let rest = split_player_name(text, white, black).map(|(_, rest)| rest);
        let of_player = ENDINGS.iter().find(|(template, _)| {
            rest.zip(template.strip_prefix('%')).is_some_and(|(rest, template)| is_match(rest, template))
        });
        let of_game = || ENDINGS.iter().find(|(template, _)| !template.starts_with('%') && is_match(text, template));
        match of_player.or_else(of_game) {
            Some((_, (reason, _))) => *reason,
            // Atomic chess has many sentences about explosions.
            None if rest.is_some_and(|rest| rest.contains("exploded")) => Self::Variant,
            None => Self::Unknown,
        }
    }

    /// Returns the code in histories and lists of stored games, such as `Res`; empty if none is known.
    pub fn code(self) -> &'static str {
        self.rows().next().map_or("", |(_, code)| code)
    }

    /// Returns the words of FICS for this reason, `Foo resigns`: the first sentence whose names the parts contain. A name is that of
    /// the player who resigned, lost, left, aborted or adjourned, or whose partner won; the opponent's follows it. Empty for
    /// [`Unknown`](Self::Unknown), and without a name that every sentence has.
    #[doc(hidden)]
    pub fn to_sentence(self, parts: &SentenceParts<'_>) -> String {
        self.rows().find_map(|(sentence, _)| write_template(sentence, parts)).unwrap_or_default()
    }

    /// Returns the sentences for this reason, each with its code.
    fn rows(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        ENDINGS.iter().filter(move |(_, (reason, _))| *reason == self).map(|&(sentence, (_, code))| (sentence, code))
    }
}

/// Returns the first word `adjourned` or `aborted` in the server's text; `None` if it has neither. Words equal to a player's name
/// are skipped.
fn find_adjourned_or_aborted<'a>(text: &'a PlayerText, white: &Handle, black: &Handle) -> Option<&'a str> {
    let mut words = text.as_str().split([' ', '.']).filter(|word| *word != white.as_str() && *word != black.as_str());
    words.find(|word| matches!(*word, "adjourned" | "aborted"))
}

/// Splits `Foo resigns` after the name of one of the two players, or after `White` or `Black` as on ICC; `None` if the text
/// starts with neither.
///
/// The name must be a whole word; the rest starts with a blank or an apostrophe.
pub(crate) fn split_player_name<'a>(text: &'a str, white: &str, black: &str) -> Option<(Color, &'a str)> {
    [(white, Color::White), (black, Color::Black), ("White", Color::White), ("Black", Color::Black)]
        .into_iter()
        .find_map(|(name, color)| Some((color, text.strip_prefix(name).filter(|rest| rest.starts_with([' ', '\'']))?)))
}

/// The ends of games, each with its reason and its code in histories; the first sentence for a reason is the one to write. `%` at
/// the start is the name of one of the two players. `adjourned` and `aborted` alone are uhlin-fics's words for a lost connection.
///
/// Source: text messages §8; transcripts; FICS help file `history`.
const ENDINGS: TemplateTable<(GameEndReason, &str)> = {
    use GameEndReason as Why;
    templates! {
        (Why::Resign, "Res") => "% resigns" "% resigned";
        (Why::Mate, "Mat") => "% checkmated" "@ and @ checkmated";
        (Why::Time, "Fla") => "% forfeits on time" "% ran out of time";
        (Why::Disconnect, "Dis") => "% forfeits by disconnection" "% disconnected and forfeits";
        (Why::Adjudication, "Adj") => "% wins by adjudication" "Game drawn by adjudication";
        (Why::Variant, "WLM") => "% wins by losing all material" "% wins by having less material*"
            "% wins by stalemate";
        (Why::Partner, "Par") => "%'s partner {won|resigns|checkmated|forfeits on time|disconnected and forfeits}"
            "Partners' game drawn" "Game drawn by mate on both boards";
        (Why::Agreement, "Agr") => "Game {|was }drawn by {mutual |}agreement";
        (Why::Stalemate, "Sta") => "Game {|was }drawn by stalemate" "Game drawn by stalemate (*" "Stalemate.";
        (Why::Repetition, "Rep") => "Game {|was }drawn by repetition";
        (Why::Fifty, "50") => "Game {|was }drawn by the 50 move rule" "Draw by the 50 move rule";
        (Why::Material, "NM") => "Neither player has mating material"
            "Game drawn because neither player has mating material";
        (Why::BothTime, "NT") => "Game drawn because both players ran out of time" "Both players ran out of time";
        (Why::TimeMaterial, "TM") => "% ran out of time and @ {has no material to mate|lacks mating material}";
        (Why::Length, "") => "Game drawn due to length";
        (Why::AbortMove1, "Adj") => "Game aborted on move 1 by @" "Game aborted on move 1";
        (Why::AbortAgreement, "Adj") => "Game aborted by {mutual |}agreement";
        (Why::AbortAdjudication, "Adj") => "Game aborted by adjudication";
        (Why::AbortShutdown, "Adj") => "Game aborted by server shutdown";
        (Why::AbortPartner, "Adj") => "Partners' game aborted" "Bughouse game aborted{.|}";
        (Why::AbortDisconnect, "Adj") => "% lost connection and too few moves; game aborted" "% aborts by disconnection"
            "aborted";
        (Why::AbortCourtesy, "Adj") => "{Game|Bughouse game} courtesyaborted by @";
        (Why::AdjournDisconnect, "Adj") => "% lost connection{;|,} game adjourned" "adjourned";
        (Why::AdjournAgreement, "Adj") => "Game adjourned by {mutual |}agreement";
        (Why::AdjournShutdown, "Adj") => "Game adjourned by server shutdown";
        (Why::AdjournAdjudication, "Adj") => "Game adjourned by adjudication";
        (Why::AdjournSimul, "Adj") => "Game adjourned by simul holder";
        (Why::AdjournCourtesy, "Adj") => "Game courtesyadjourned by @";
        (Why::AdjournPartner, "Adj") => "Partners' game adjourned";
    }
};

#[cfg(test)]
mod tests;
