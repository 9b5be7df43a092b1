//! What goes wrong in a session, and how sessions end.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::command::CommandError;
use crate::message::listing::ListingError;
use crate::message::{CommandCode, KickedBy, ObservingRefusal, Refusal};
use crate::text::{PlayerText, ServerText};

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum DialError {
    /// It took too long.
    #[error("no connection in time")]
    TimedOut,
    /// The host's name is not known.
    #[error("unknown host")]
    UnknownHost,
    /// The process may open no more files, and a connection counts as one.
    #[error("too many open files; `ulimit -n` shows the limit")]
    TooManyFiles,
    /// Nobody answers there.
    #[error("no connection: {0}")]
    Failed(io::ErrorKind),
}

/// How a connection broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum CloseCause {
    /// The server closed it.
    #[error("server closed the connection")]
    Closed,
    /// Reading or writing failed.
    #[error("connection failed: {0}")]
    Failed(io::ErrorKind),
    /// The server did not take what was written in time.
    #[error("server takes no bytes")]
    WriteTimedOut,
    /// The server was silent for too long, a probe included.
    #[error("server is silent")]
    Silent,
}

/// How far a login had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoginStep {
    /// The server has not asked for a name yet.
    Greeting,
    /// The login string, which sets ivars and shows whether timeseal is spoken, was sent.
    LoginString,
    /// The name was sent.
    Name,
    /// The server is full and has put us in a queue. That is no failure: it goes on by itself.
    Queued,
    /// The password was sent.
    Password,
    /// The server seems to let us in; its first prompt, or proof that we are in, is awaited.
    Entering,
    /// We are in; the session is being set up.
    SetUp,
}

impl LoginStep {
    /// The step in `snake_case`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Greeting => "greeting",
            Self::LoginString => "login_string",
            Self::Name => "name",
            Self::Queued => "queued",
            Self::Password => "password",
            Self::Entering => "entering",
            Self::SetUp => "set_up",
        }
    }
}

/// Why a login did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The password is wrong. It is not tried again.
    #[error("wrong password")]
    InvalidPassword,
    /// There is no account of this name.
    #[error("no account of this name")]
    UnknownAccount,
    /// Somebody is logged in under the guest's name: perhaps we are, on a connection that the server has not given up
    /// yet.
    #[error("name is in use")]
    NameInUse,
    /// The account, or everybody from our address, is shut out.
    #[error("banned")]
    Banned,
    /// Guests are not admitted, in general or from our address.
    #[error("guests are not admitted")]
    GuestsRefused,
    /// The server does not allow such a name.
    #[error("name is against the server's rules")]
    BadName,
    /// The guest's name belongs to an account.
    #[error("name belongs to an account, which wants a password")]
    PasswordRequired,
    /// The server takes no more players.
    #[error("server is full")]
    ServerFull,
    /// There is something about the account: its trial is over, it has to be renewed, it is bound to another client. The server's
    /// words.
    #[error("account is not let in{}", quoted(.0, NO_REASON))]
    AccountRefused(ServerText),
    /// The server does not speak the version of timeseal that was asked for.
    #[error("server does not speak timeseal")]
    TimesealRefused,
    /// The connection broke off, or nothing more came, before the first login prompt: most likely the peer is no chess server
    /// but speaks HTTP, SSH or the like. The first line it sent, cut where that is long.
    #[error("no login prompt: the server began with {:?}", .0.as_str())]
    NoLoginPrompt(ServerText),
    /// This step took too long, by our patience or the server's.
    #[error("login timed out: {step}", step = .0.as_str())]
    TimedOut(LoginStep),
    /// The connection broke off in this step.
    #[error("connection closed during login: {step}", step = .0.as_str())]
    Closed(LoginStep),
    /// Something else; the server's last line, of those that do not hold the password.
    #[error("login refused{}", quoted(.0, NO_REASON))]
    Other(ServerText),
}

impl LoginError {
    /// Whether trying again would be refused again, or is not ours to do.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::InvalidPassword
            | Self::UnknownAccount
            | Self::Banned
            | Self::BadName
            | Self::PasswordRequired
            | Self::AccountRefused(_)
            | Self::TimesealRefused => true,
            Self::NameInUse
            | Self::GuestsRefused
            | Self::ServerFull
            | Self::NoLoginPrompt(_)
            | Self::TimedOut(_)
            | Self::Closed(_)
            | Self::Other(_) => false,
        }
    }
}

/// The end of a message where the server gives no reason.
const NO_REASON: &str = " without a reason";

/// The server's words as the end of a message, safe on a terminal.
fn quoted(text: &ServerText, otherwise: &str) -> String {
    if text.as_str().is_empty() { otherwise.to_owned() } else { format!(": {:?}", text.as_str()) }
}

/// Why there is no session at the moment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LostCause {
    /// The connection broke off.
    #[error(transparent)]
    Connection(#[from] CloseCause),
    /// There was a connection, but no login.
    #[error(transparent)]
    Login(#[from] LoginError),
    /// There was no connection.
    #[error(transparent)]
    Dial(#[from] DialError),
}

/// Why a session is over for good.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EndReason {
    /// We said `quit`.
    #[error("quit")]
    Quit,
    /// The session was shut down on this side.
    #[error("shut down")]
    Shutdown,
    /// The server threw us out, for a second login to the same account or by an administrator: it said so and closed the
    /// connection within 10 s.
    #[error("kicked")]
    Kicked(KickedBy),
    /// The login was refused: for good, or it was the first.
    #[error("login failed")]
    Login(#[source] LoginError),
    /// The first connection was not made.
    #[error("not connected")]
    Dial(#[source] DialError),
    /// The connection is lost, and was not to be made again, or not as often as it was tried.
    #[error("connection lost, {attempts} attempts to reconnect")]
    Lost {
        /// The last failure.
        #[source]
        cause: LostCause,
        /// How often it was tried again.
        attempts: u32,
    },
}

/// What the server says against a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalReason {
    /// A line that refuses commands.
    Refusal(Refusal),
    /// A line about observing.
    Observing(ObservingRefusal),
    /// Only the code of the reply.
    Code(CommandCode),
}

/// Why a request has no answer: it was not sent, there is no reply, the server refuses, or the reply is none to it.
///
/// [`refusal`](Self::refusal) tells a refusal from the rest, [`text`](Self::text) what the server said.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// It is no line that can be sent.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Too many requests wait to be sent. Nothing was sent.
    #[error("too many requests are waiting")]
    Busy,
    /// There is no session now: it is being connected, or set up. Nothing was sent, and nothing will be.
    #[error("not connected")]
    NotConnected,
    /// The reply did not come in time. The command may have been carried out.
    #[error("no reply within {0:?}")]
    TimedOut(Duration),
    /// The connection broke off before the reply. The command may have been carried out.
    #[error("connection lost before the reply")]
    Lost,
    /// The reply is longer than what is kept of one. The command was carried out.
    #[error("reply is longer than {limit_bytes} bytes or {limit_events} events")]
    TooLong {
        /// The limit in bytes of text.
        limit_bytes: usize,
        /// The limit in events.
        limit_events: usize,
    },
    /// The reply broke off, or cannot be told from another's. The command was carried out, as far as is known.
    #[error("reply is incomplete")]
    Incomplete,
    /// The server did not carry the command out, because it had no number: block mode was switched behind our back.
    #[error("server wanted a number in front of the command")]
    Unnumbered,
    /// The server refuses.
    #[error("refused{}", quoted(.text, ""))]
    Refused {
        /// Why.
        reason: RefusalReason,
        /// In the server's words.
        text: ServerText,
    },
    /// There is no such command; some servers say so of a move they cannot read.
    #[error("unknown command")]
    UnknownCommand,
    /// The command's name is cut so short that several fit.
    #[error("ambiguous command")]
    Ambiguous,
    /// It is not for us: for administrators, or for registered players.
    #[error("not allowed")]
    Rights,
    /// We play no game, and where that would do examine none.
    #[error("not playing a game")]
    NotPlaying,
    /// Something is wrong or missing behind the command's name.
    #[error("bad parameters")]
    BadParameters,
    /// The server takes no command of this length.
    #[error("command is too long for the server")]
    CommandTooLong,
    /// The server says something else than it is known to say when it carries the command out. Most likely it did not.
    #[error("reply is not understood")]
    Unexpected {
        /// The first line of the reply that is neither board nor talk; empty if there is none.
        text: PlayerText,
    },
    /// The reply is no listing of the kind asked for, or not a whole one.
    #[error("listing is not understood")]
    Listing {
        /// What is wrong with it.
        #[source]
        source: ListingError,
        /// As in [`Unexpected`](Self::Unexpected).
        text: PlayerText,
    },
    /// The session is over.
    #[error("session is over")]
    Ended(#[source] EndReason),
}

impl RequestError {
    /// Why the server refuses; `None` if it does not, or in words that are not known.
    ///
    /// Refusals that are variants of their own have the reason which says the same.
    pub const fn refusal(&self) -> Option<RefusalReason> {
        let reason = match self {
            Self::Refused { reason, .. } => *reason,
            Self::UnknownCommand => RefusalReason::Refusal(Refusal::UnknownCommand),
            Self::Ambiguous => RefusalReason::Refusal(Refusal::AmbiguousCommand),
            Self::NotPlaying => RefusalReason::Refusal(Refusal::NotPlaying),
            Self::CommandTooLong => RefusalReason::Refusal(Refusal::CommandTooLong),
            Self::Rights => RefusalReason::Code(CommandCode::INSUFFICIENT_RIGHTS),
            Self::BadParameters => RefusalReason::Code(CommandCode::BAD_PARAMETERS),
            Self::Unnumbered => RefusalReason::Code(CommandCode::UNNUMBERED),
            _ => return None,
        };
        Some(reason)
    }

    /// The server's words, where they say more than the variant: how it refuses, or what it says instead of an answer. Never
    /// empty.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Refused { text, .. } => Some(text.as_str()),
            Self::Unexpected { text } | Self::Listing { text, .. } => Some(text.as_str()),
            _ => None,
        }
        .filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_its_reason_whatever_variant_it_is() {
        let refusal = |refusal| Some(RefusalReason::Refusal(refusal));
        let code = |code| Some(RefusalReason::Code(CommandCode(code)));
        let cases = [
            (RequestError::UnknownCommand, refusal(Refusal::UnknownCommand)),
            (RequestError::Ambiguous, refusal(Refusal::AmbiguousCommand)),
            (RequestError::NotPlaying, refusal(Refusal::NotPlaying)),
            (RequestError::CommandTooLong, refusal(Refusal::CommandTooLong)),
            (RequestError::Rights, code(515)),
            (RequestError::BadParameters, code(513)),
            (RequestError::Unnumbered, code(519)),
            (RequestError::Busy, None),
            (RequestError::Lost, None),
            (RequestError::Command(CommandError::LineBreak), None),
            (RequestError::Ended(EndReason::Quit), None),
        ];
        for (error, want) in cases {
            assert_eq!((error.refusal(), error.text()), (want, None), "{error:?}");
        }
    }

    #[test]
    fn the_servers_words_are_kept_where_no_variant_says_them() {
        let reason = RefusalReason::Refusal(Refusal::IllegalMove);
        let refused = RequestError::Refused { reason, text: ServerText::from_wire(b"Illegal move.") };
        assert_eq!((refused.refusal(), refused.text()), (Some(reason), Some("Illegal move.")));
        let text = PlayerText::from_wire(b"What?");
        let source = ListingError::NotThisReply;
        for error in [RequestError::Unexpected { text: text.clone() }, RequestError::Listing { source, text }] {
            assert_eq!((error.refusal(), error.text()), (None, Some("What?")));
        }
    }
}
