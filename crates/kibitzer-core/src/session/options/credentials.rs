//! Who logs in.

use std::fmt;

use zeroize::Zeroizing;

use crate::event::CommandError;
use crate::message::Handle;
use crate::session::command::{Command, check};
use crate::session::secret::Secret;

/// A password. It is wiped from memory when dropped, and `Debug` shows none of it.
///
/// ```
/// use kibitzer_core::session::Password;
///
/// assert_eq!(format!("{:?}", Password::new("swordfish").unwrap()), "Password(..)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Checks a password as the line it will be. It is sent as it is: only printable ASCII reaches a server unharmed.
    ///
    /// # Errors
    ///
    /// [`CommandError::Empty`]: servers take an empty one for another name to come. [`CommandError::LineBreak`],
    /// [`CommandError::Control`], the latter also for what is no ASCII, and [`CommandError::TooLong`].
    pub fn new(password: impl Into<String>) -> Result<Self, CommandError> {
        let password = Zeroizing::new(password.into());
        check(&password)?;
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

/// Who logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credentials {
    /// A guest whose name the server chooses.
    Guest,
    /// A guest of this name. A server that knows an account of this name does not let us in.
    NamedGuest(Handle),
    /// The owner of an account.
    Account {
        /// Its name; servers ignore case.
        handle: Handle,
        /// Its password, sent when the server asks for it; to ICC behind the name, on the same line.
        password: Password,
    },
}

impl Credentials {
    /// The name that is typed at `login: `.
    pub fn name(&self) -> &str {
        match self {
            Self::Guest => "guest",
            Self::NamedGuest(handle) | Self::Account { handle, .. } => handle.as_str(),
        }
    }

    pub(crate) const fn is_guest(&self) -> bool {
        !matches!(self, Self::Account { .. })
    }

    /// Whether the line contains the password: a server may repeat what it was sent.
    pub(crate) fn are_shown_by(&self, line: &[u8]) -> bool {
        let Self::Account { password, .. } = self else { return false };
        Secret::new(password.as_bytes()).is_some_and(|secret| secret.is_in(line))
    }

    /// Replaces the password of an account.
    pub(crate) fn set_password(&mut self, new: Password) {
        if let Self::Account { password, .. } = self {
            *password = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Rules: transport LG2, bugs 17
    #[test]
    fn a_password_is_never_shown() {
        let password = Password::new("swordfish").unwrap();
        let account = Credentials::Account { handle: "Newton".parse().unwrap(), password: password.clone() };
        for shown in [format!("{password:?}"), format!("{password:#?}"), format!("{account:?}")] {
            assert!(!shown.contains("swordfish"), "{shown}");
        }
    }

    #[test]
    fn a_password_is_one_line() {
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
