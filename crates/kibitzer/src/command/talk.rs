//! Talk.

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::Handle;
use kibitzer_core::session::{Command, Reply, split_text};
use kibitzer_core::text::encode;

use super::{Request, answer};

/// Longest text of one line of talk after encoding, in bytes.
///
/// Source: transport L6. FICS cuts tells at some 400 characters; ICC wants 320 or fewer.
const MAX_TEXT_BYTES: usize = 320;

/// Something said to somebody: `tell`, `say`, `kibitz` and so on.
///
/// Letters that servers do not take are encoded. A text of more than 320 bytes is cut by
/// [`Client::talk`](crate::Client::talk), or by [`pieces`](Self::pieces); as one command it is an error, as servers drop
/// what is beyond.
///
/// ```
/// use kibitzer::command::{Request, Talk};
///
/// let talk = Talk::tell(&"Newton".parse()?, "Köln?");
/// assert_eq!(talk.command()?.as_str(), "tell Newton K&#xf6;ln?");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Talk {
    /// The command, with whom it is for.
    head: String,
    text: String,
}

impl Talk {
    /// `tell`: to one player.
    pub fn tell(player: &Handle, text: impl Into<String>) -> Self {
        Self { head: format!("tell {player}"), text: text.into() }
    }

    /// `tell` with a number: to a channel.
    pub fn channel(channel: u16, text: impl Into<String>) -> Self {
        Self { head: format!("tell {channel}"), text: text.into() }
    }

    /// `say`: to the opponent, or the last one.
    pub fn say(text: impl Into<String>) -> Self {
        Self::with("say", text)
    }

    /// `ptell`: to the bughouse partner.
    pub fn partner(text: impl Into<String>) -> Self {
        Self::with("ptell", text)
    }

    /// `kibitz`: to the players and observers of the game.
    pub fn kibitz(text: impl Into<String>) -> Self {
        Self::with("kibitz", text)
    }

    /// `whisper`: to the observers of the game.
    pub fn whisper(text: impl Into<String>) -> Self {
        Self::with("whisper", text)
    }

    /// `shout`: to everybody.
    pub fn shout(text: impl Into<String>) -> Self {
        Self::with("shout", text)
    }

    /// `cshout`: to everybody, about chess.
    pub fn c_shout(text: impl Into<String>) -> Self {
        Self::with("cshout", text)
    }

    fn with(head: &str, text: impl Into<String>) -> Self {
        Self { head: head.to_owned(), text: text.into() }
    }

    /// The same in pieces that servers deliver whole, cut between words; to be sent one after the other.
    ///
    /// A text that holds nothing to say is one piece, whose [`command`](Request::command) fails.
    pub fn pieces(&self) -> Vec<Self> {
        if encode(&self.text).len() <= MAX_TEXT_BYTES {
            return vec![self.clone()];
        }
        split_text(&self.text, MAX_TEXT_BYTES).into_iter().map(|text| Self { head: self.head.clone(), text }).collect()
    }
}

/// Something that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Told {
    /// How many players heard it, as the server counts them.
    pub players: u32,
}

impl Request for Talk {
    type Answer = Told;

    /// A text longer than one piece is [`CommandError::TooLong`].
    fn command(&self) -> Result<Command, CommandError> {
        let length = encode(&self.text).len();
        if length > MAX_TEXT_BYTES {
            return Err(CommandError::TooLong { length });
        }
        Command::with_text(&self.head, &self.text)
    }

    fn answer(&self, reply: Reply) -> Result<Told, RequestError> {
        let told: Vec<u32> = reply.answers().filter_map(|event| told(event.raw())).collect();
        if told.is_empty() {
            return Err(answer::unexpected(&reply));
        }
        Ok(Told { players: told.into_iter().fold(0, u32::saturating_add) })
    }
}

/// How many players heard it, by a line that says so to the speaker.
fn told(line: &[u8]) -> Option<u32> {
    let line = line.trim_ascii();
    let bracketed = || line.strip_prefix(b"(").and_then(told_in_brackets);
    told_to(line, b".").or_else(bracketed)
}

/// Behind the bracket: `told Foo, who is playing)`, `told 3 players in channel 53)`, `shouted to 2 players)`,
/// `1->(2))`, `3) Foo shouts: hello`.
fn told_in_brackets(line: &[u8]) -> Option<u32> {
    if let Some(whom) = line.strip_prefix(b"told ") {
        return Some(counted(whom).map_or(1, |(players, _)| players));
    }
    let by_channel = || counted(line).and_then(|(_, rest)| counted(rest.strip_prefix(b"->(")?));
    let by_shout = || counted(line).filter(|(_, rest)| rest.starts_with(b") "));
    told_to(line, b" player").or_else(|| by_channel().or_else(by_shout).map(|(players, _)| players))
}

/// `kibitzed to 3` and what has to follow the number.
fn told_to(line: &[u8], behind: &[u8]) -> Option<u32> {
    const VERBS: [&[u8]; 5] = [b"kibitzed to ", b"whispered to ", b"shouted to ", b"c-shouted to ", b"it-shouted to "];
    let number = VERBS.iter().find_map(|verb| line.strip_prefix(*verb))?;
    counted(number).filter(|(_, rest)| rest.starts_with(behind)).map(|(players, _)| players)
}

/// A number, and what follows it.
fn counted(text: &[u8]) -> Option<(u32, &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(length)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use kibitzer_core::event::RefusalReason;
    use kibitzer_core::message::Refusal;

    use super::super::testing::{answer, assert_line};
    use super::*;

    fn newton() -> Handle {
        "Newton".parse().unwrap()
    }

    #[test]
    fn a_text_of_more_than_one_piece_is_no_command() {
        let longest = Talk::say("x".repeat(MAX_TEXT_BYTES));
        assert!(longest.command().is_ok());
        let long = Talk::say("x".repeat(MAX_TEXT_BYTES + 1));
        assert_eq!(long.command(), Err(CommandError::TooLong { length: MAX_TEXT_BYTES + 1 }));
        assert!(long.pieces().iter().all(|piece| piece.command().is_ok()));
        // What counts is what goes out.
        assert!(Talk::say("ö".repeat(100)).command().is_err());
    }

    #[test]
    fn every_kind_of_talk_has_its_line() {
        assert_line(&Talk::tell(&newton(), "hi"), "tell Newton hi");
        assert_line(&Talk::channel(53, "hi"), "tell 53 hi");
        assert_line(&Talk::say("hi"), "say hi");
        assert_line(&Talk::partner("N!"), "ptell N!");
        assert_line(&Talk::kibitz("hi"), "kibitz hi");
        assert_line(&Talk::whisper("hi"), "whisper hi");
        assert_line(&Talk::shout("hi"), "shout hi");
        assert_line(&Talk::c_shout("hi"), "cshout hi");
    }

    // Rules: transport L7, bugs 15
    #[test]
    fn talk_carries_no_second_command() {
        for (text, want) in [
            ("hi\nresign", CommandError::LineBreak),
            ("hi\rresign", CommandError::LineBreak),
            ("hi\0", CommandError::Control),
            ("hi\x18", CommandError::Control),
            ("  ", CommandError::Empty),
            ("", CommandError::Empty),
        ] {
            let talk = Talk::tell(&newton(), text);
            assert_eq!(talk.command(), Err(want), "{text:?}");
            assert!(talk.pieces().iter().any(|piece| piece.command().is_err()), "{text:?}");
        }
    }

    // Rules: transport L6
    #[test]
    fn long_talk_is_cut_between_words() {
        let talk = Talk::tell(&newton(), "Köln ".repeat(100));
        let pieces = talk.pieces();
        assert!(pieces.len() > 1);
        for piece in &pieces {
            let line = piece.command().unwrap();
            let text = line.as_str().strip_prefix("tell Newton ").unwrap();
            assert!(text.len() <= MAX_TEXT_BYTES && text.split(' ').all(|word| word == "K&#xf6;ln"), "{text}");
        }
        let words: usize = pieces.iter().map(|piece| piece.text.split(' ').count()).sum();
        assert_eq!(words, 100);
        assert_eq!(Talk::say(" a  b ").pieces(), [Talk::say(" a  b ")], "what fits stays as it is");
    }

    #[test]
    fn servers_count_who_heard_it() {
        let cases = [
            ("(told Bogoljubov, who is playing)", 1),
            ("(told Boris, who in a game, back at 10:30 (idle: 0 secs))", 1),
            ("(told Duras)\n(told Capablanca)\n(told Bogoljubov)", 3),
            ("Alekhine(53): first!\n(told 3 players in channel 53)", 3),
            ("(told 12 players in channel 1 \"help\")", 12),
            ("(1->(2))", 2),
            ("Player \"Carla\" isn't listening.\n(22->(3))\n (You're not listening to channel 22.)", 3),
            ("Alekhine(1882)[1] kibitzes: hi\n(kibitzed to 2 players)", 2),
            ("kibitzed to 3.", 3),
            ("Alekhine(1940)[1] whispers: hi\n(whispered to 1 player)", 1),
            ("whispered to 1.", 1),
            ("Alekhine shouts: hi\n(shouted to 45 players)", 45),
            ("(4) Boris shouts: hello", 4),
            ("Alekhine c-shouts: hi\n(c-shouted to 2 players)", 2),
            ("(3) Carla c-shouts: e4", 3),
        ];
        for (reply, players) in cases {
            assert_eq!(answer(&Talk::say("hi"), reply), Ok(Told { players }), "{reply}");
        }
    }

    #[test]
    fn talk_that_nobody_heard() {
        let cases = [
            ("Bogoljubov is censoring you.", Refusal::Censored),
            ("Player \"Carla\" is censoring you.", Refusal::Censored),
            ("Player \"Carla\" isn't listening to unregistered tells.", Refusal::NotListening),
            ("No player named \"nosuchuser\" is online.", Refusal::NotLoggedIn),
            ("No user named \"nobodyhere\" is logged in.", Refusal::NotLoggedIn),
            ("(Not sent because you are not in channel 2.)", Refusal::NotInChannel),
            ("Shout not sent. Next shout in 59 seconds.", Refusal::ShoutQuota),
            ("Invalid channel number.", Refusal::NoSuchChannel),
            ("The maximum channel number is 255.", Refusal::NoSuchChannel),
            ("I don't know whom to say that to.", Refusal::NobodyToTell),
            ("No one to say anything to, try tell.", Refusal::NobodyToTell),
            ("You do not have a partner at present.", Refusal::NoPartner),
        ];
        for (text, reason) in cases {
            let error = answer(&Talk::say("hi"), text).unwrap_err();
            assert_eq!((error.refusal(), error.text()), (Some(RefusalReason::Refusal(reason)), Some(text)));
        }
        for text in ["Only admins may send tells to channel 0.", "(told)"] {
            assert_eq!(answer(&Talk::say("hi"), text).unwrap_err().text(), Some(text));
        }
    }
}
