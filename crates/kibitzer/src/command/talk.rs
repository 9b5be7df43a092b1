//! Messages to other players.

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::{Delivered, Message};
use kibitzer_core::session::{Command, Reply, split_text};
use kibitzer_core::text::encode_ascii;

use super::{IntoHandle, Request, reply};
use crate::Client;

/// Maximum length in bytes of the encoded text of one line; a longer text is split, because servers drop the rest.
///
/// Source: transport L6. FICS cuts tells after some 400 characters; ICC accepts up to 320.
const MAX_TEXT_BYTES: usize = 320;

/// A message to other players: `tell`, `say`, `kibitz` and so on.
///
/// Characters that servers do not accept are encoded. [`Client::talk`](crate::Client::talk) sends a text of more than 320 bytes
/// in [`pieces`](Self::pieces). As one command it is an error, because servers drop the rest.
///
/// ```
/// use kibitzer::command::{Request, TalkCommand};
///
/// let talk = TalkCommand::tell("Newton", "Köln?");
/// assert_eq!(talk.command()?.as_str(), "tell Newton K&#xf6;ln?");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TalkCommand {
    /// The command with its recipient.
    head: Result<String, CommandError>,
    text: String,
}

impl TalkCommand {
    /// Splits the message between words into pieces that servers deliver whole; send them one after the other.
    ///
    /// An empty text is one piece, whose [`command`](Request::command) fails.
    pub fn pieces(&self) -> Vec<Self> {
        if encode_ascii(&self.text).len() <= MAX_TEXT_BYTES {
            return vec![self.clone()];
        }
        split_text(&self.text, MAX_TEXT_BYTES).into_iter().map(|text| Self { head: self.head.clone(), text }).collect()
    }
}

impl Client {
    /// Sends a text in as many pieces as the server needs to deliver it whole, one after the other. Returns the server's
    /// confirmation of each piece.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request). The pieces before the failed one were delivered.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, some of the pieces may have been delivered.
    pub async fn talk(&self, talk: &TalkCommand) -> Result<Vec<Delivered>, RequestError> {
        let mut delivered = Vec::new();
        for piece in talk.pieces() {
            delivered.push(self.request(&piece).await?);
        }
        Ok(delivered)
    }
}

/// Declares the kinds of talk.
///
/// An entry reads: documentation, method and recipient, and the command with its recipient.
macro_rules! talk {
    ($($doc:literal $name:ident($($argument:ident: $kind:ty)?) = $head:expr;)+) => {
        impl TalkCommand {$(
            #[doc = concat!(" Returns a message ", $doc, ".")]
            pub fn $name($($argument: $kind,)? text: impl Into<String>) -> Self {
                Self { head: $head, text: text.into() }
            }
        )+}

        /// # Talk
        impl Client {$(
            #[doc = concat!(" Sends a message ", $doc, ", in as many pieces as needed; see [`talk`](Self::talk).")]
            ///
            /// # Errors
            ///
            /// As [`talk`](Self::talk).
            ///
            /// # Cancel safety
            ///
            /// As [`talk`](Self::talk).
            pub async fn $name(&self, $($argument: $kind,)? text: impl Into<String>) -> Result<Vec<Delivered>, RequestError> {
                self.talk(&TalkCommand::$name($($argument,)? text)).await
            }
        )+}
    };
}

talk! {
    "to a player (`tell`)" tell(player: impl IntoHandle) = player.into_handle().map(|player| format!("tell {player}"));
    "to a channel (`tell` with a number)" channel_tell(channel: u16) = Ok(format!("tell {channel}"));
    "to the current or last opponent (`say`)" say() = Ok("say".to_owned());
    "to the bughouse partner (`ptell`)" partner_tell() = Ok("ptell".to_owned());
    "to players and observers of the game (`kibitz`)" kibitz() = Ok("kibitz".to_owned());
    "to the observers of the game (`whisper`)" whisper() = Ok("whisper".to_owned());
    "to all players (`shout`)" shout() = Ok("shout".to_owned());
    "about chess to all players (`cshout`)" c_shout() = Ok("cshout".to_owned());
}

impl Request for TalkCommand {
    /// The server's confirmation. If a reply has several, the first one with the sum of their players.
    type Answer = Delivered;

    /// Returns the line with the recipient and the encoded text. Fails with [`CommandError::TooLong`] if the encoded text has
    /// more than 320 bytes: send its [`pieces`](Self::pieces) instead.
    fn command(&self) -> Result<Command, CommandError> {
        let length = encode_ascii(&self.text).len();
        if length > MAX_TEXT_BYTES {
            return Err(CommandError::too_long(length, MAX_TEXT_BYTES));
        }
        Command::with_text(self.head.as_ref().map_err(|&error| error)?, &self.text)
    }

    fn parse_reply(&self, reply: Reply) -> Result<Delivered, RequestError> {
        let confirmed = reply.messages().filter_map(|message| match message {
            Message::Delivered(delivered) => Some((**delivered).clone()),
            _ => None,
        });
        confirmed.reduce(|delivered, other| delivered.and(&other)).ok_or_else(|| reply::unexpected_reply(&reply))
    }
}

#[cfg(test)]
mod tests;
