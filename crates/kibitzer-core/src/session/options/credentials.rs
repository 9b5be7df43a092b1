//! Credentials of a login.

use std::fmt;

use zeroize::Zeroizing;

use crate::event::CommandError;
use crate::message::Handle;
use crate::session::command::{Command, refuse_control_characters};
use crate::session::secret::Secret;

/// A password. It is wiped from memory when dropped, and `Debug` prints nothing of it.
///
/// ```
/// use kibitzer_core::session::Password;
///
/// assert_eq!(format!("{:?}", Password::new("swordfish").unwrap()), "Password(..)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Validates a password. It is sent without encoding, and only printable ASCII reaches a server unchanged.
    ///
    /// # Errors
    ///
    /// [`CommandError::Empty`]: servers ask for another name after an empty line. [`CommandError::LineBreak`];
    /// [`CommandError::Control`], also for characters other than ASCII; [`CommandError::TooLong`].
    pub fn new(password: impl Into<String>) -> Result<Self, CommandError> {
        let password = Zeroizing::new(password.into());
        refuse_control_characters(&password)?;
        match password.len() {
            0 => Err(CommandError::Empty),
            length if length > Command::MAX_BYTES => Err(CommandError::TooLong { length }),
            _ if !password.is_ascii() => Err(CommandError::Control),
            _ => Ok(Self(password)),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Name and password, or guest access, for a login.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credentials {
    /// A guest whose name the server chooses.
    Guest,
    /// A guest of this name. The login fails if an account has this name.
    NamedGuest(Handle),
    /// A registered account, which logs in with a password.
    Account {
        /// Name of the account; servers ignore case.
        handle: Handle,
        /// Password of the account, sent when the server asks for it; on ICC sent with the name, on the same line.
        password: Password,
    },
}

impl Credentials {
    /// Returns the name to send at `login: `.
    pub fn name_to_send(&self) -> &str {
        match self {
            Self::Guest => "guest",
            Self::NamedGuest(handle) | Self::Account { handle, .. } => handle.as_str(),
        }
    }

    pub(crate) const fn is_guest(&self) -> bool {
        !matches!(self, Self::Account { .. })
    }

    /// Returns whether a line contains the password; servers echo what they received.
    pub(crate) fn password_appears_in(&self, line: &[u8]) -> bool {
        let Self::Account { password, .. } = self else { return false };
        Secret::new(password.as_bytes()).is_some_and(|secret| secret.is_in(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Rules: transport LG2, bugs 17
    #[test]
    fn passwords_are_never_printed() {
        let password = Password::new("swordfish").unwrap();
        let account = Credentials::Account { handle: "Newton".parse().unwrap(), password: password.clone() };
        for shown in [format!("{password:?}"), format!("{password:#?}"), format!("{account:?}")] {
            assert!(!shown.contains("swordfish"), "{shown}");
        }
    }

    #[test]
    fn passwords_are_one_line_of_ascii() {
        let cases = [
            ("", CommandError::Empty),
            ("a\nb", CommandError::LineBreak),
            ("a\x18", CommandError::Control),
            ("süß", CommandError::Control),
        ];
        for (text, want) in cases {
            assert_eq!(Password::new(text), Err(want), "{text:?}");
        }
        assert_eq!(Password::new("x".repeat(2000)), Err(CommandError::TooLong { length: 2000 }));
    }
}
