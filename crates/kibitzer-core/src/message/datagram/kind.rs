//! Kinds of datagrams.

use super::DatagramMessages;
use super::arguments::{ArgumentSpec, NamedArguments};
use super::names_and_offers::DatagramNamesAndOffers;
use crate::message::Message;

/// A kind of datagram: number, name, arguments and parser. [`ALL`](Self::ALL) has every known one, and is used both to parse and to
/// write datagrams.
#[derive(Debug)]
pub(crate) struct DatagramKind {
    /// The number after `^Y(`, and in the list of datagrams that a client switches on.
    pub(crate) number: u16,
    /// The name in ICC's description of the format.
    pub(crate) name: &'static str,
    /// The arguments, in order. Servers append to the list over the years, and may omit arguments that are switched
    /// off.
    pub(super) arguments: &'static [ArgumentSpec],
    /// Whether an argument is a password or a key, which must never be logged.
    pub(super) is_secret: bool,
    pub(super) parser: ArgumentParser,
}

/// How the arguments of a kind of datagram become messages. If a function returns `None`, the datagram is emitted as a
/// [`Datagram`](super::Datagram).
#[derive(Debug)]
pub(super) enum ArgumentParser {
    /// The datagram is always emitted as a [`Datagram`](super::Datagram).
    Generic,
    /// Parses the arguments alone.
    Stateless(fn(&NamedArguments<'_>) -> Option<Message>),
    /// Also reads or updates the facts that earlier datagrams reported.
    Stateful(fn(&NamedArguments<'_>, &mut DatagramNamesAndOffers) -> Option<DatagramMessages>),
}

impl DatagramKind {
    /// Returns the kind of datagram with this number; `None` if the number is unknown.
    pub(crate) fn by_number(number: u32) -> Option<&'static Self> {
        let number = u16::try_from(number).ok()?;
        // The list has few gaps, so most kinds are at the index of their number.
        let at_number = Self::ALL.get(usize::from(number)).filter(|kind| kind.number == number);
        at_number.or_else(|| Self::ALL.get(Self::ALL.binary_search_by_key(&number, |kind| kind.number).ok()?))
    }

    /// Parses the text after the number of a datagram of this kind; `None` if there is no message for it.
    pub(super) fn parse(&'static self, text: &[u8], known: &mut DatagramNamesAndOffers) -> Option<DatagramMessages> {
        match self.parser {
            ArgumentParser::Generic => None,
            ArgumentParser::Stateless(parse) => {
                parse(&NamedArguments::split(self.arguments, text)).map(DatagramMessages::from)
            }
            ArgumentParser::Stateful(parse) => parse(&NamedArguments::split(self.arguments, text), known),
        }
    }
}

macro_rules! argument {
    ($name:ident) => {
        ArgumentSpec { name: stringify!($name), quoting: Quoting::Word }
    };
    ({$name:ident}) => {
        ArgumentSpec { name: stringify!($name), quoting: Quoting::Braces }
    };
    ([$name:ident]) => {
        ArgumentSpec { name: stringify!($name), quoting: Quoting::Marks }
    };
}

macro_rules! arguments {
    ((= $shared:expr)) => { $shared };
    (($($argument:tt)*)) => { &[$(argument!($argument)),*] };
}

macro_rules! kinds {
    ($($number:literal $name:literal $arguments:tt $parser:expr;)+) => {
        impl DatagramKind {
            /// Every known kind of datagram, by ascending number.
            pub(crate) const ALL: &[Self] = &[$(Self {
                number: $number,
                name: $name,
                arguments: arguments!($arguments),
                is_secret: matches!($number, 93 | 114 | 134),
                parser: $parser,
            }),+];
        }
    };
}

pub(super) use {argument, arguments, kinds};
