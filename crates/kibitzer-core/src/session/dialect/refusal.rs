//! Why ICC does not let us in, by the codes of its datagram.

use crate::event::LoginError;
use crate::message::Datagram;
use crate::text::ServerText;

/// The datagram that tells why a login failed. Source: rule icc §2.
const LOGIN_FAILED: u32 = 69;

/// The code and the text of a refusal that came as a datagram; `None` if it came as a line.
pub(crate) fn read_refusal(unit: &[u8]) -> Option<(u8, ServerText)> {
    let datagram = Datagram::parse(unit).filter(|datagram| datagram.number == LOGIN_FAILED)?;
    let code = datagram.argument("code")?.as_str().parse().ok()?;
    let text = datagram.argument("text").map_or("", |text| text.as_str());
    Some((code, ServerText::from_wire(text.as_bytes())))
}

/// What a code means for whoever logs in. [`QUEUED`] is no failure.
///
/// A name can be tried again (2, 3, 4, 9, 14), a password is wrong or missing (5, 6, 11), guests are not admitted (7, 8), or it is
/// over. What is said of guests means for an account that there is none.
///
/// Source: rule icc §2.
pub(crate) fn error_of(code: u8, text: ServerText, is_guest: bool) -> LoginError {
    match code {
        2..=4 => LoginError::BadName,
        5 | 9 if is_guest => LoginError::PasswordRequired,
        5 | 9 | 11 => LoginError::InvalidPassword,
        6..=8 if !is_guest => LoginError::UnknownAccount,
        6..=8 | 17 => LoginError::GuestsRefused,
        12 => LoginError::Banned,
        14 => LoginError::NameInUse,
        18 | 19 => LoginError::ServerFull,
        1 | 15 | 16 | 21 | 22 => LoginError::AccountRefused(text),
        _ => LoginError::Other(text),
    }
}

/// The code of a place in the queue in front of a full server.
pub(crate) const QUEUED: u8 = 20;
