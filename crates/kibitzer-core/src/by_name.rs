//! Choices that people type and read by their names.

/// Implements `FromStr` and `Display` for an enum by its `ALL` and `as_str`, and declares the error of a name that none has.
macro_rules! by_name {
    ($kind:ident, $(#[$meta:meta])* $error:ident = $message:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ::thiserror::Error)]
        #[error($message)]
        #[non_exhaustive]
        pub struct $error;

        impl ::std::str::FromStr for $kind {
            type Err = $error;

            /// Takes a name as [`as_str`](Self::as_str) has it.
            fn from_str(name: &str) -> Result<Self, $error> {
                Self::ALL.iter().copied().find(|one| one.as_str() == name).ok_or($error)
            }
        }

        impl ::std::fmt::Display for $kind {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use by_name;
