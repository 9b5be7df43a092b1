//! Groups of numeric options, such as [`Timings`](crate::session::Timings), each declared by one list.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Description of one option of the group `G`, from which configuration files derive a setting.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NumericOption<G: 'static> {
    /// Name of the setting, with its unit: `settle_ms`.
    pub key: &'static str,
    /// Documentation of the setter, line by line; the first one begins with `Sets`.
    pub doc: &'static [&'static str],
    /// Accepted numbers.
    pub range: RangeInclusive<u64>,
    /// Returns the value, in the unit of the key; `None` if there is no limit.
    pub get: fn(&G) -> Option<u64>,
    /// Sets the value, in the unit of the key.
    pub set: fn(&mut G, u64),
}

/// Type that a numeric option can have.
pub(crate) trait SettingNumber: Copy {
    /// Numbers that a setting of this type accepts.
    const RANGE: RangeInclusive<u64> = 1..=u64::MAX;

    /// Converts from a number in the range; a number beyond it becomes the nearest one.
    fn from_number(number: u64) -> Self;

    /// Converts to a number; `None` if there is no limit.
    fn to_number(self) -> Option<u64>;
}

/// Converts from and to milliseconds.
impl SettingNumber for Duration {
    fn from_number(number: u64) -> Self {
        Self::from_millis(number)
    }

    fn to_number(self) -> Option<u64> {
        Some(u64::try_from(self.as_millis()).unwrap_or(u64::MAX))
    }
}

impl SettingNumber for usize {
    fn from_number(number: u64) -> Self {
        Self::try_from(number).unwrap_or(Self::MAX)
    }

    fn to_number(self) -> Option<u64> {
        u64::try_from(self).ok()
    }
}

impl SettingNumber for u64 {
    fn from_number(number: u64) -> Self {
        number
    }

    fn to_number(self) -> Option<u64> {
        Some(self)
    }
}

/// Converts a limit, where `None` is no limit. No number converts to `None`.
impl SettingNumber for Option<u32> {
    const RANGE: RangeInclusive<u64> = 0..=0xFFFF_FFFF;

    fn from_number(number: u64) -> Self {
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn to_number(self) -> Option<u64> {
        self.map(u64::from)
    }
}

/// Declares a group of numeric options: the struct, its `Default`, a setter for each field, and the list `OPTIONS` that
/// describes them.
///
/// An entry reads: documentation of the setter, visibility and type of the field, default, key of the setting.
macro_rules! numeric_options {
    (
        $(#[$meta:meta])*
        pub struct $group:ident {
            $($(#[doc = $doc:literal])+ $visibility:vis $field:ident: $kind:ty = $default:expr, $key:literal;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $group {
            $(
                #[doc = concat!("Value of the option [`", stringify!($field), "`](fn@Self::", stringify!($field), ").")]
                $visibility $field: $kind,
            )+
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $group {
            /// Describes every option of this group, in the order in which they are documented.
            pub const OPTIONS: &[$crate::options::NumericOption<Self>] = &[$({
                use $crate::options::SettingNumber;

                $crate::options::NumericOption {
                    key: $key,
                    doc: &[$($doc),+],
                    range: <$kind as SettingNumber>::RANGE,
                    get: |group| SettingNumber::to_number(group.$field),
                    set: |group, number| group.$field = SettingNumber::from_number(number),
                }
            },)+];

            $(
                $(#[doc = $doc])+
                ///
                #[doc = concat!(" Default `", stringify!($default), "`. In a profile: `", $key, "`.")]
                #[must_use]
                pub const fn $field(mut self, $field: $kind) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}
pub(crate) use numeric_options;
