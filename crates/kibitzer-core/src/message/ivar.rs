//! Interface variables: switches for the output of one FICS session.

use std::str::FromStr;

use crate::ParseError;
use crate::by_name::named_enum;

/// Number of ivars that have a position in the login string.
const NUMBERED: u8 = 35;

named_enum! {
    /// An interface variable of FICS, off unless set with `iset` or in the login string (`%b0110…`).
    ///
    /// The variants are declared in the order of their positions in the login string; those without one come last.
    ///
    /// Source: FICS help files `ivariables` and `iv_*`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    #[repr(u8)]
    pub enum Ivar("Returns the name for `iset`.") {
        /// Moves come as `<d1>` instead of `<12>` where a move is enough.
        CompressMove = "compressmove",
        /// Voice chat; obsolete.
        AudioChat = "audiochat",
        /// Removals of seek ads are sent.
        SeekRemove = "seekremove",
        /// The prompt is always `fics% `.
        DefPrompt = "defprompt",
        /// All ivars stay as they are for the rest of the session.
        Lock = "lock",
        /// Move lists of games with a start position of their own include it as a board.
        StartPos = "startpos",
        /// Replies are framed and numbered: block mode.
        Block = "block",
        /// The server sends `<g1>` when a game starts or is first observed.
        GameInfo = "gameinfo",
        /// Never implemented.
        Xdr = "xdr",
        /// The server sends `<pt>`, `<pf>`, `<pr>` for offers.
        PendInfo = "pendinfo",
        /// The client can show graphics; effect unknown.
        Graph = "graph",
        /// The server sends `<s>`, `<sn>`, `<sr>`, `<sc>` for seeks.
        SeekInfo = "seekinfo",
        /// The client can show extended ASCII; effect unknown.
        ExtAscii = "extascii",
        /// The server writes no terminal escapes around names.
        NoHighlight = "nohighlight",
        /// The client requests VT-100 highlighting; also spelled `vt_highlight`.
        VtHighlight = "vthighlight",
        /// Concerns chat of linked servers; effect unknown.
        ShowServer = "showserver",
        /// The server sends `<wa>`, `<wd>` instead of text about arrivals.
        Pin = "pin",
        /// The server sends clocks in milliseconds.
        Ms = "ms",
        /// The server sends results of the timeseal ping; format unknown.
        PingInfo = "pinginfo",
        /// The server sends more about boards; format unknown.
        BoardInfo = "boardinfo",
        /// The server sends more about users; format unknown.
        ExtUserInfo = "extuserinfo",
        /// Concerns seeks of variants; effect unknown.
        SeekCa = "seekca",
        /// The server lists one's own ads, too.
        ShowOwnSeek = "showownseek",
        /// A move sent before the turn is stored until then.
        Premove = "premove",
        /// Incomplete moves are accepted.
        SmartMove = "smartmove",
        /// `bc3` is a pawn's move, never a bishop's.
        MoveCase = "movecase",
        /// The client knows suicide chess.
        Suicide = "suicide",
        /// The client knows crazyhouse.
        Crazyhouse = "crazyhouse",
        /// The client knows losers chess.
        Losers = "losers",
        /// The client knows castling in wild games.
        WildCastle = "wildcastle",
        /// The client knows Fischer random chess.
        Fr = "fr",
        /// Long lines are not wrapped.
        NoWrap = "nowrap",
        /// With the variable `gin` set, the server also reports results of games that were not in progress.
        AllResults = "allresults",
        /// Concerns the players' lag as shown to observers; effect unknown.
        ObsPing = "obsping",
        /// A new observation replaces the old one; effect not confirmed.
        SingleBoard = "singleboard",
        /// The client knows atomic chess. No position in the login string is known.
        Atomic = "atomic",
        /// Listed by some servers, which refuse to set it.
        Xml = "xml",
    }
}

impl Ivar {
    /// Returns the position of the ivar in the login string, from 0; `None` if the ivar can only be set with `iset`.
    #[doc(hidden)]
    pub const fn login_string_position(self) -> Option<u8> {
        let position = self as u8;
        if position < NUMBERED { Some(position) } else { None }
    }
}

impl FromStr for Ivar {
    type Err = ParseError;

    /// Parses a full name; case matters. `vt_highlight`, the second name of one ivar, is accepted too.
    ///
    /// # Errors
    ///
    /// [`ParseError`] for any other text.
    fn from_str(name: &str) -> Result<Self, ParseError> {
        let name = if name == "vt_highlight" { "vthighlight" } else { name };
        let found = Self::ALL.iter().copied().find(|ivar| ivar.as_str() == name);
        found.ok_or(ParseError::new("no ivar has this name"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_in_the_login_string() {
        let cases = [
            (Ivar::CompressMove, Some(0)),
            (Ivar::DefPrompt, Some(3)),
            (Ivar::Block, Some(6)),
            (Ivar::SeekInfo, Some(11)),
            (Ivar::Ms, Some(17)),
            (Ivar::ShowOwnSeek, Some(22)),
            (Ivar::NoWrap, Some(31)),
            (Ivar::AllResults, Some(32)),
            (Ivar::SingleBoard, Some(34)),
            (Ivar::Atomic, None),
            (Ivar::Xml, None),
        ];
        for (ivar, want) in cases {
            assert_eq!(ivar.login_string_position(), want, "{}", ivar.as_str());
        }
        let numbers: Vec<_> = Ivar::ALL.iter().filter_map(|ivar| ivar.login_string_position()).collect();
        assert_eq!(numbers, (0..=34).collect::<Vec<_>>());
    }

    #[test]
    fn every_ivar_is_found_by_its_name() {
        for &ivar in Ivar::ALL {
            assert_eq!(ivar.to_string().parse(), Ok(ivar));
        }
        assert_eq!("vt_highlight".parse(), Ok(Ivar::VtHighlight));
        for name in ["", "seek", "ms ", "MS"] {
            assert_eq!(name.parse::<Ivar>(), Err(ParseError::new("no ivar has this name")), "{name:?}");
        }
    }
}
