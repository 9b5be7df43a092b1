//! Settings out of environment variables: the keys of the files, in upper case, behind a prefix.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// In front of the name of every variable.
pub(super) const PREFIX: &str = "KIBITZER_";

/// The variable of a key.
pub(super) fn variable_of(key: &str) -> String {
    format!("{PREFIX}{}", key.to_ascii_uppercase())
}

/// A struct whose fields are variables. What else is in the environment is none of our business.
pub(super) struct Environment<L>(pub(super) L);

impl<'de, L: Fn(&str) -> Option<String>> Deserializer<'de> for Environment<L> {
    type Error = VariableError;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, VariableError> {
        let set = keys.iter().filter_map(|&key| Some((key, (self.0)(&variable_of(key))?))).collect::<Vec<_>>();
        visitor.visit_map(Variables { rest: set.into_iter(), value: None })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, VariableError> {
        Err(de::Error::custom("an environment has named variables"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The variables that are set, by their keys.
struct Variables {
    rest: std::vec::IntoIter<(&'static str, String)>,
    /// That of the last key.
    value: Option<(&'static str, String)>,
}

impl<'de> MapAccess<'de> for Variables {
    type Error = VariableError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, VariableError> {
        self.value = self.rest.next();
        self.value.as_ref().map(|&(key, _)| seed.deserialize(key.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, VariableError> {
        let (key, value) = self.value.take().ok_or_else(|| VariableError::custom("a value without a key"))?;
        let named = |error: VariableError| VariableError { name: variable_of(key), ..error };
        seed.deserialize(Value(value)).map_err(named)
    }
}

/// What a variable holds: a text, a number, or several of them with commas between; one of several kinds of them with the
/// kind and a colon in front; texts with names, `name=text`, with semicolons between.
struct Value(String);

impl Value {
    fn parse<T: std::str::FromStr>(&self, what: &str) -> Result<T, VariableError> {
        self.0.trim().parse().map_err(|_| de::Error::custom(format_args!("not {what}")))
    }
}

impl<'de> Deserializer<'de> for Value {
    type Error = VariableError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, VariableError> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, VariableError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, VariableError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, VariableError> {
        visitor.visit_u16(self.parse("a number from 0 to 65535")?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, VariableError> {
        visitor.visit_u32(self.parse("a whole number")?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, VariableError> {
        visitor.visit_u64(self.parse("a whole number")?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, VariableError> {
        visitor.visit_enum(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, VariableError> {
        let parts: Vec<_> = self.0.split(',').map(|part| Self(part.trim().to_owned())).collect();
        visitor.visit_seq(SeqDeserializer::new(parts.into_iter()))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, VariableError> {
        let pair = |text: &str| {
            let (name, value) =
                text.split_once('=').ok_or_else(|| VariableError::custom("names and values have a = between"))?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        };
        let pairs = self.0.split(';').filter(|text| !text.trim().is_empty()).map(pair);
        visitor.visit_map(MapDeserializer::new(pairs.collect::<Result<Vec<_>, _>>()?.into_iter()))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple tuple_struct struct
        identifier ignored_any
    }
}

/// A variant, and what it holds behind a colon.
impl<'de> EnumAccess<'de> for Value {
    type Error = VariableError;
    type Variant = Held;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Held), VariableError> {
        let (variant, held) = self.0.split_once(':').map_or((&*self.0, None), |(variant, held)| (variant, Some(held)));
        let held = Held(held.map(str::to_owned));
        Ok((seed.deserialize(variant.trim().into_deserializer())?, held))
    }
}

/// What stands behind the colon, if there is one.
struct Held(Option<String>);

impl<'de> VariantAccess<'de> for Held {
    type Error = VariableError;

    fn unit_variant(self) -> Result<(), VariableError> {
        self.0.map_or(Ok(()), |_| Err(de::Error::custom("nothing follows this word")))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, VariableError> {
        seed.deserialize(Value(self.0.ok_or_else(|| VariableError::custom("a colon and a value have to follow"))?))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, VariableError> {
        Err(de::Error::custom("not for an environment variable"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, VariableError> {
        Err(de::Error::custom("not for an environment variable"))
    }
}

impl IntoDeserializer<'_, VariableError> for Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// What is wrong with which variable.
#[derive(Debug)]
pub(super) struct VariableError {
    pub(super) name: String,
    pub(super) reason: String,
}

impl de::Error for VariableError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self { name: String::new(), reason: reason.to_string() }
    }
}

impl std::error::Error for VariableError {}

impl fmt::Display for VariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}
