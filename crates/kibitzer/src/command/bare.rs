//! Commands that are one word and nothing else.

/// Declares commands without arguments: the word, the type of the answer, and how the answer is read out of the reply.
macro_rules! bare_commands {
    ($($(#[$meta:meta])* $name:ident = $word:literal -> $answer:ty, $read:expr;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub struct $name;

        impl $name {
            /// The command.
            pub const fn new() -> Self {
                Self
            }
        }

        impl Request for $name {
            type Answer = $answer;

            fn command(&self) -> Result<Command, CommandError> {
                Command::new($word)
            }

            fn answer(&self, reply: Reply) -> Result<$answer, RequestError> {
                let read: fn(&Reply) -> Result<$answer, RequestError> = $read;
                read(&reply)
            }
        }
    )+};
}
pub(super) use bare_commands;
