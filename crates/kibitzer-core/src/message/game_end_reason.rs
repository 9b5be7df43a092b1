//! Results of games, and the reasons why they ended.

use super::template::match_table;
use crate::by_name::named_enum;
use crate::chess::Color;

named_enum! {
    /// The result of a game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "PGN knows these four")]
    pub enum GameResult("Returns the result as servers and PGN files write it.") {
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
    pub enum GameEndReason("Returns the reason in `snake_case`, as in JSON.") {
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
    pub const fn from_icc_list_codes(status: u32, mode: u32) -> Self {
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
        let rest = split_player_name(text, white, black).map(|(_, rest)| rest);
        let of_player = rest.and_then(|rest| match_table(rest.as_bytes(), OF_PLAYER));
        match of_player.or_else(|| match_table(text.as_bytes(), OF_GAME)) {
            Some((reason, _)) => reason,
            // Atomic chess has many sentences about explosions.
            None if rest.is_some_and(|rest| rest.contains("exploded")) => Self::Variant,
            None => Self::Unknown,
        }
    }
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

/// Sentences after the name of one of the two players.
const OF_PLAYER: &[(&str, GameEndReason)] = &[
    (" resigns", GameEndReason::Resign),
    (" resigned", GameEndReason::Resign),
    (" ran out of time", GameEndReason::Time),
    (" checkmated", GameEndReason::Mate),
    (" and @ checkmated", GameEndReason::Mate),
    (" forfeits on time", GameEndReason::Time),
    (" forfeits by disconnection", GameEndReason::Disconnect),
    (" disconnected and forfeits", GameEndReason::Disconnect),
    (" wins by adjudication", GameEndReason::Adjudication),
    (" wins by losing all material", GameEndReason::Variant),
    (" wins by having less material*", GameEndReason::Variant),
    (" wins by stalemate", GameEndReason::Variant),
    ("'s partner won", GameEndReason::Partner),
    ("'s partner resigns", GameEndReason::Partner),
    ("'s partner checkmated", GameEndReason::Partner),
    ("'s partner forfeits on time", GameEndReason::Partner),
    ("'s partner disconnected and forfeits", GameEndReason::Partner),
    (" ran out of time and @ has no material to mate", GameEndReason::TimeMaterial),
    (" ran out of time and @ lacks mating material", GameEndReason::TimeMaterial),
    (" lost connection and too few moves; game aborted", GameEndReason::AbortDisconnect),
    (" aborts by disconnection", GameEndReason::AbortDisconnect),
    (" lost connection; game adjourned", GameEndReason::AdjournDisconnect),
    (" lost connection, game adjourned", GameEndReason::AdjournDisconnect),
];

/// Sentences about the game as a whole. `adjourned` and `aborted` alone are uhlin-fics's words for a lost connection.
const OF_GAME: &[(&str, GameEndReason)] = &[
    ("Game drawn by mutual agreement", GameEndReason::Agreement),
    ("Game drawn by agreement", GameEndReason::Agreement),
    ("Game drawn by stalemate", GameEndReason::Stalemate),
    ("Game drawn by stalemate (*", GameEndReason::Stalemate),
    ("Stalemate.", GameEndReason::Stalemate),
    ("Draw by the 50 move rule", GameEndReason::Fifty),
    ("Game drawn because neither player has mating material", GameEndReason::Material),
    ("Game drawn by repetition", GameEndReason::Repetition),
    ("Game drawn by the 50 move rule", GameEndReason::Fifty),
    ("Game drawn because both players ran out of time", GameEndReason::BothTime),
    ("Game drawn by adjudication", GameEndReason::Adjudication),
    ("Game drawn due to length", GameEndReason::Length),
    ("Game drawn by mate on both boards", GameEndReason::Partner),
    ("Game was drawn by mutual agreement", GameEndReason::Agreement),
    ("Game was drawn by agreement", GameEndReason::Agreement),
    ("Game was drawn by stalemate", GameEndReason::Stalemate),
    ("Game was drawn by repetition", GameEndReason::Repetition),
    ("Game was drawn by the 50 move rule", GameEndReason::Fifty),
    ("Neither player has mating material", GameEndReason::Material),
    ("Both players ran out of time", GameEndReason::BothTime),
    ("@ and @ checkmated", GameEndReason::Mate),
    ("Partners' game drawn", GameEndReason::Partner),
    ("Partners' game aborted", GameEndReason::AbortPartner),
    ("Partners' game adjourned", GameEndReason::AdjournPartner),
    ("Bughouse game aborted.", GameEndReason::AbortPartner),
    ("Bughouse game aborted", GameEndReason::AbortPartner),
    ("Game aborted on move 1", GameEndReason::AbortMove1),
    ("Game aborted on move 1 by @", GameEndReason::AbortMove1),
    ("Game aborted by mutual agreement", GameEndReason::AbortAgreement),
    ("Game aborted by agreement", GameEndReason::AbortAgreement),
    ("Game aborted by adjudication", GameEndReason::AbortAdjudication),
    ("Game aborted by server shutdown", GameEndReason::AbortShutdown),
    ("Game courtesyaborted by @", GameEndReason::AbortCourtesy),
    ("Bughouse game courtesyaborted by @", GameEndReason::AbortCourtesy),
    ("aborted", GameEndReason::AbortDisconnect),
    ("adjourned", GameEndReason::AdjournDisconnect),
    ("Game adjourned by mutual agreement", GameEndReason::AdjournAgreement),
    ("Game adjourned by agreement", GameEndReason::AdjournAgreement),
    ("Game adjourned by server shutdown", GameEndReason::AdjournShutdown),
    ("Game adjourned by adjudication", GameEndReason::AdjournAdjudication),
    ("Game adjourned by simul holder", GameEndReason::AdjournSimul),
    ("Game courtesyadjourned by @", GameEndReason::AdjournCourtesy),
];

#[cfg(test)]
mod tests;
