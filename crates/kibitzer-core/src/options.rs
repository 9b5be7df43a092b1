//! Groups of numeric options, such as [`Timings`](crate::session::Timings), each declared by one invocation of
//! `numeric_options!`.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Description of one numeric option of the group `G`: its key, documentation, range and accessors. Configuration files derive a
/// setting from it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NumericOption<G: 'static> {
    /// Key of the setting in a configuration file, with its unit: `settle_ms`.
    pub key: &'static str,
    /// Documentation of the setter, one element for each line; the first begins with `Sets`.
    pub doc: &'static [&'static str],
    /// Values that a configuration file may contain, in the unit of the key.
    pub range: RangeInclusive<u64>,
    /// Returns the value, in the unit of the key; `None` means unlimited.
    pub get: fn(&G) -> Option<u64>,
    /// Sets the value, in the unit of the key. Does not check the range; a number that the field cannot hold becomes its maximum.
    pub set: fn(&mut G, u64),
}

/// Type of a numeric option's field, converted from and to the number in a configuration file.
pub(crate) trait NumericOptionValue: Copy {
    /// Numbers that a configuration file may contain for this type.
    const RANGE: RangeInclusive<u64> = 1..=u64::MAX;

    /// Converts from a number; a number that the type cannot represent becomes its maximum.
    fn from_number_saturating(number: u64) -> Self;

    /// Converts to a number; `None` if the value means unlimited.
    fn to_number_unless_unlimited(self) -> Option<u64>;
}

/// Converts from and to whole milliseconds; a fraction is truncated.
impl NumericOptionValue for Duration {
    fn from_number_saturating(number: u64) -> Self {
        Self::from_millis(number)
    }

    fn to_number_unless_unlimited(self) -> Option<u64> {
        Some(u64::try_from(self.as_millis()).unwrap_or(u64::MAX))
    }
}

impl NumericOptionValue for usize {
    fn from_number_saturating(number: u64) -> Self {
        Self::try_from(number).unwrap_or(Self::MAX)
    }

    fn to_number_unless_unlimited(self) -> Option<u64> {
        u64::try_from(self).ok()
    }
}

impl NumericOptionValue for u64 {
    fn from_number_saturating(number: u64) -> Self {
        number
    }

    fn to_number_unless_unlimited(self) -> Option<u64> {
        Some(self)
    }
}

/// An optional limit: `None` means unlimited, and no number converts to it.
impl NumericOptionValue for Option<u32> {
    const RANGE: RangeInclusive<u64> = 0..=0xFFFF_FFFF;

    fn from_number_saturating(number: u64) -> Self {
        Some(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn to_number_unless_unlimited(self) -> Option<u64> {
        self.map(u64::from)
    }
}

/// Declares a struct of numeric options with its `Default`, a by-value setter for each field, and the constant `OPTIONS`, which
/// describes them.
///
/// An entry is `/// documentation of the setter`, then `visibility name: type = default, "key";`.
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
                #[doc(hidden)]
                $visibility $field: $kind,
            )+
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $group {
            /// Descriptions of all options of this group, in the order of declaration.
            #[doc(hidden)]
            pub const OPTIONS: &[$crate::options::NumericOption<Self>] = &[$({
                use $crate::options::NumericOptionValue;

                $crate::options::NumericOption {
                    key: $key,
                    doc: &[$($doc),+],
                    range: <$kind as NumericOptionValue>::RANGE,
                    get: |group| NumericOptionValue::to_number_unless_unlimited(group.$field),
                    set: |group, number| group.$field = NumericOptionValue::from_number_saturating(number),
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
