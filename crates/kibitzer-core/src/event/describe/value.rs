//! Values of the fields of an event, independent of the output format.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use smol_str::SmolStr;
use strum::VariantNames as _;

use crate::chess::{Color, Role, Square};
use crate::message::listing::ListedName;
use crate::message::{Challenge, GameId, MeOrOther, Rating, RequestId, RequestOrigin, Seek};
use crate::text::{Handle, PlayerText, ServerText, Titles};

/// Value of a field, borrowed for a writer.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    /// Unknown, or does not apply.
    Null,
    Bool(bool),
    Number(i64),
    Letter(char),
    Text(&'a str),
    /// The text that a type displays.
    Display(&'a dyn fmt::Display),
    List(&'a dyn List),
    Object(&'a dyn Fields),
}

/// JSON type of all values that a field may have. The JSON Schema of events is generated from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    Bool,
    Integer,
    /// An integer that is not negative.
    Natural,
    Letter,
    Text,
    /// One of a fixed list of texts.
    Word(&'static [&'static str]),
    Nullable(&'static Self),
    List(&'static Self),
    /// An object, whose own fields have their types.
    Object,
}

/// Callback that receives each field of an object: its key, value and type.
pub(crate) type FieldSink<'p> = dyn FnMut(&'static str, Value<'_>, &FieldType) + 'p;

/// A type that is written as an object.
pub(crate) trait Fields {
    /// Passes every field to `put`, in the order in which they are written.
    fn put_fields(&self, put: &mut FieldSink<'_>);
}

/// A type that is written as an array.
pub(crate) trait List {
    /// Passes every item to `put`.
    fn put_items(&self, put: &mut dyn FnMut(Value<'_>));
}

/// A type that can be the value of a field.
pub(crate) trait AsValue {
    /// Type of all values.
    const TYPE: FieldType;

    /// Returns the value, borrowed from `self`.
    fn as_value(&self) -> Value<'_>;
}

/// Passes the named fields of a value to `put`: `key` alone is the field of that name, `key: expression` another value.
macro_rules! fields {
    ($put:ident, $it:expr; $($key:ident $(: $value:expr)?),* $(,)?) => {{
        $($crate::event::describe::value::fields!(@ $put, $it, $key $(, $value)?);)*
    }};
    (@ $put:ident, $it:expr, $key:ident) => {
        $crate::event::describe::value::put_field($put, stringify!($key), &$it.$key)
    };
    (@ $put:ident, $it:expr, $key:ident, $value:expr) => {
        $crate::event::describe::value::put_field($put, stringify!($key), &$value)
    };
}
pub(super) use fields;

/// Passes a field to `put`.
pub(super) fn put_field<T: AsValue + ?Sized>(put: &mut FieldSink<'_>, key: &'static str, value: &T) {
    put(key, value.as_value(), &T::TYPE);
}

/// Declares objects by their fields.
macro_rules! objects {
    ($($kind:ty as $it:ident: [$($fields:tt)*];)+) => {$(
        impl $crate::event::describe::value::Fields for $kind {
            fn put_fields(&self, put: &mut $crate::event::describe::value::FieldSink<'_>) {
                let $it = self;
                $crate::event::describe::value::fields!(put, $it; $($fields)*);
            }
        }

        impl $crate::event::describe::value::AsValue for $kind {
            const TYPE: $crate::event::describe::value::FieldType = $crate::event::describe::value::FieldType::Object;

            fn as_value(&self) -> $crate::event::describe::value::Value<'_> {
                $crate::event::describe::value::Value::Object(self)
            }
        }
    )+};
}
pub(super) use objects;

macro_rules! values {
    ($($kind:ty: $field:expr, $it:ident => $value:expr;)+) => {
        $(impl AsValue for $kind {
            const TYPE: FieldType = $field;

            fn as_value(&self) -> Value<'_> {
                let $it = self;
                $value
            }
        })+
    };
}

values! {
    bool: FieldType::Bool, it => Value::Bool(*it);
    u8: FieldType::Natural, it => Value::Number((*it).into());
    u16: FieldType::Natural, it => Value::Number((*it).into());
    u32: FieldType::Natural, it => Value::Number((*it).into());
    usize: FieldType::Natural, it => Value::Number(i64::try_from(*it).unwrap_or(i64::MAX));
    u64: FieldType::Natural, it => Value::Number(i64::try_from(*it).unwrap_or(i64::MAX));
    i32: FieldType::Integer, it => Value::Number((*it).into());
    i64: FieldType::Integer, it => Value::Number(*it);
    // Milliseconds.
    Duration: FieldType::Natural, it => Value::Number(i64::try_from(it.as_millis()).unwrap_or(i64::MAX));
    GameId: FieldType::Integer, it => Value::Number(it.0.into());
    Rating: FieldType::Nullable(&FieldType::Natural), it => it.value().map_or(Value::Null, |value| Value::Number(value.into()));
    char: FieldType::Letter, it => Value::Letter(*it);
    Role: FieldType::Letter, it => Value::Letter(it.letter());
    str: FieldType::Text, it => Value::Text(it);
    String: FieldType::Text, it => Value::Text(it);
    Cow<'_, str>: FieldType::Text, it => Value::Text(it);
    SmolStr: FieldType::Text, it => Value::Text(it);
    Handle: FieldType::Text, it => Value::Text(it.as_str());
    ListedName: FieldType::Text, it => Value::Text(it.as_str());
    PlayerText: FieldType::Text, it => Value::Text(it.as_str());
    ServerText: FieldType::Text, it => Value::Text(it.as_str());
    Color: FieldType::Word(&["white", "black"]), it => Value::Text(it.into());
    MeOrOther: FieldType::Word(&["me", "other"]), it => Value::Text(if *it == MeOrOther::Me { "me" } else { "other" });
    RequestId: FieldType::Natural, it => Value::Number(i64::try_from(it.number()).unwrap_or(i64::MAX));
    RequestOrigin: FieldType::Word(RequestOrigin::VARIANTS), it => Value::Text(it.into());
    Square: FieldType::Text, it => Value::Display(it);
    Titles: FieldType::List(&FieldType::Text), it => Value::List(it);
    Challenge: FieldType::Object, it => Value::Object(it);
    Seek: FieldType::Object, it => Value::Object(it);
}

impl<T: AsValue + ?Sized> AsValue for &T {
    const TYPE: FieldType = T::TYPE;

    fn as_value(&self) -> Value<'_> {
        (**self).as_value()
    }
}

impl<T: AsValue> AsValue for Option<T> {
    const TYPE: FieldType = FieldType::Nullable(&T::TYPE);

    fn as_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, AsValue::as_value)
    }
}

impl<T: AsValue> AsValue for Vec<T> {
    const TYPE: FieldType = FieldType::List(&T::TYPE);

    fn as_value(&self) -> Value<'_> {
        Value::List(self)
    }
}

impl<T: AsValue> List for Vec<T> {
    fn put_items(&self, put: &mut dyn FnMut(Value<'_>)) {
        for item in self {
            put(item.as_value());
        }
    }
}

impl List for Titles {
    fn put_items(&self, put: &mut dyn FnMut(Value<'_>)) {
        for title in self {
            put(Value::Text(title));
        }
    }
}

/// Wrapper of a value that is written as its `Display` text.
pub(super) struct Displayed<T>(pub(super) T);

impl<T: fmt::Display> AsValue for Displayed<T> {
    const TYPE: FieldType = FieldType::Text;

    fn as_value(&self) -> Value<'_> {
        Value::Display(&self.0)
    }
}

/// Returns the text; `None` if it is empty, because the server left it out.
pub(super) fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
