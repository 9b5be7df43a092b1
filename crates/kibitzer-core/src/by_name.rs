//! Macros for enums whose variants have text names, used in options, in JSON and in the servers' sentences.

use thiserror::Error;

/// Error returned when text is not valid for the type it is parsed to, such as a handle, a square, a position or an option's
/// name.
///
/// `Display` says what is invalid or, for some enums, lists the accepted names. It does not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ParseError {
    message: &'static str,
}

impl ParseError {
    /// Creates an error that displays as `message`.
    pub const fn new(message: &'static str) -> Self {
        Self { message }
    }
}

/// Declares an enum whose variants have text names, with the constant `ALL`, the method `as_str`, and `Display`.
///
/// `as_str_doc` becomes the documentation of `as_str`; it says where the names are used. With a message, the enum also implements
/// `FromStr`, as by `parse_by_name`.
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        pub enum $kind:ident($as_str_doc:literal $(, $message:literal)?) {
            $($(#[$doc:meta])* $variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        pub enum $kind {
            $($(#[$doc])* $variant,)+
        }

        impl $kind {
            /// Every value, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            #[doc = $as_str_doc]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl ::std::fmt::Display for $kind {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        $($crate::by_name::parse_by_name!($kind, $message);)?
    };
}

/// Implements `FromStr` for an enum with `ALL` and `as_str`; only the names that `as_str` returns are accepted. Other text fails
/// with a [`ParseError`] that displays as `message`.
macro_rules! parse_by_name {
    ($kind:ident, $message:literal) => {
        impl ::std::str::FromStr for $kind {
            type Err = $crate::ParseError;

            /// Parses a name as [`as_str`](Self::as_str) returns it; case matters.
            ///
            /// # Errors
            ///
            /// [`ParseError`](crate::ParseError) for any other text.
            fn from_str(name: &str) -> Result<Self, $crate::ParseError> {
                let found = Self::ALL.iter().copied().find(|value| value.as_str() == name);
                found.ok_or($crate::ParseError::new($message))
            }
        }
    };
}

pub(crate) use {named_enum, parse_by_name};
