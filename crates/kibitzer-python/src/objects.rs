//! Python objects from values of Rust, by way of `serde::Serialize`: an event becomes an instance of the class of its kind.
//!
//! The classes are frozen dataclasses without slots, generated into `kibitzer_ics/events.py`. An instance is made by
//! `object.__new__`, and its fields are put into its `__dict__`: that calls no Python code, and costs a third of a call of the class.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use kibitzer::internal::recorded::Stamp;
use kibitzer::message::ServerText;
use kibitzer::{Event, EventKind, GameId, Message};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple, PyType};
use serde::Serialize;
use serde::ser::{self, Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

/// The classes of `kibitzer_ics.events`, with what is needed to make instances.
pub(crate) struct Classes {
    kinds: HashMap<EventKind, Arc<Shape>>,
    /// Classes of events and answers by their names.
    named: HashMap<String, Arc<Shape>>,
    other: Arc<Shape>,
    /// `object.__new__`.
    new: Py<PyAny>,
}

/// A class and its fields.
pub(crate) struct Shape {
    class: Py<PyType>,
    /// In the order in which they are serialized.
    keys: Vec<Key>,
}

struct Key {
    /// Key in JSON.
    name: String,
    attribute: Py<PyString>,
    /// Class of the field's objects, or of those in its list.
    nested: Option<Arc<Shape>>,
}

impl Shape {
    /// Reads `_keys` of a class: keys in JSON, and after a colon the name of the class of nested objects.
    fn read(class: &Bound<'_, PyType>) -> PyResult<Arc<Self>> {
        let py = class.py();
        let module = py.import(class.getattr(intern!(py, "__module__"))?.cast::<PyString>()?)?;
        let mut keys = Vec::new();
        for key in class.getattr(intern!(py, "_keys"))?.extract::<String>()?.split_whitespace() {
            let (name, nested) = key.split_once(':').map_or((key, None), |(name, class)| (name, Some(class)));
            let nested = nested.map(|class| Self::read(module.getattr(class)?.cast()?)).transpose()?;
            // `from` is a keyword.
            let attribute = PyString::intern(py, if name == "from" { "sender" } else { name }).unbind();
            keys.push(Key { name: name.to_owned(), attribute, nested });
        }
        Ok(Arc::new(Self { class: class.clone().unbind(), keys }))
    }

    /// Returns the index of a key: nearly always that of `expected`, because objects are serialized in the order of the keys.
    fn find(&self, name: &str, expected: usize) -> Option<usize> {
        if self.keys.get(expected).is_some_and(|key| key.name == name) {
            return Some(expected);
        }
        self.keys.iter().position(|key| key.name == name)
    }
}

impl Classes {
    /// Returns the classes, which are read at the first call.
    ///
    /// # Errors
    ///
    /// Errors of importing the module `kibitzer_ics.events`.
    pub(crate) fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
        CLASSES.get_or_try_init(py, || {
            let module = py.import("kibitzer_ics.events")?;
            let (mut kinds, mut named) = (HashMap::new(), HashMap::new());
            for (kind, class) in module.getattr("KINDS")?.extract::<HashMap<String, Bound<'_, PyType>>>()? {
                let shape = Shape::read(&class)?;
                named.insert(class.name()?.extract()?, Arc::clone(&shape));
                // The events of a bot have no kind in the library.
                if let Ok(kind) = kind.parse() {
                    kinds.insert(kind, shape);
                }
            }
            for name in ["Game", "ServerClocks"] {
                let class = py.import("kibitzer_ics.answers")?.getattr(name)?;
                named.insert(name.to_owned(), Shape::read(class.cast()?)?);
            }
            let other = Shape::read(module.getattr("Other")?.cast()?)?;
            let new = py.import("builtins")?.getattr("object")?.getattr("__new__")?.unbind();
            Ok(Self { kinds, named, other, new })
        })
    }

    /// Makes an instance of a class without calling its `__init__`. Returns it with its `__dict__`.
    fn instance<'py>(&self, shape: &Shape, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let object = self.new.bind(py).call1((shape.class.bind(py),))?;
        let fields = object.getattr(intern!(py, "__dict__"))?.cast_into()?;
        Ok((object, fields))
    }

    /// Makes the object of an event. `missed` is the number of events that were lost just before it; `variant` that of a board's game.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn event<'py>(
        &self,
        py: Python<'py>,
        event: &Event,
        stamp: Option<Stamp>,
        missed: u64,
        variant: Option<ServerText>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let object = if let Some(shape) = self.kinds.get(&event.kind()) {
            event.serialize(self.value(py, Some(shape)))?
        } else {
            let (object, fields) = self.instance(&self.other, py)?;
            fields.set_item(intern!(py, "event"), event.kind().as_str())?;
            fields.set_item(intern!(py, "fields"), event.serialize(self.value(py, None))?)?;
            object
        };
        let fields = object.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
        fields.set_item(intern!(py, "_source"), Bound::new(py, Source { event: event.clone(), stamp })?)?;
        if let Some(stamp) = stamp {
            fields.set_item(intern!(py, "t"), seconds(stamp))?;
            if let Some(utc) = stamp.utc {
                fields.set_item(intern!(py, "utc"), utc.to_string())?;
            }
        }
        if missed > 0 {
            fields.set_item(intern!(py, "missed"), missed)?;
        }
        if let Some(variant) = variant {
            fields.set_item(intern!(py, "variant"), variant.as_str())?;
        }
        Ok(object)
    }

    /// Makes the object of a value. One with named fields becomes an instance of the class with this name, or a `dict` if neither the
    /// events nor the answers have such a class.
    ///
    /// # Errors
    ///
    /// As [`event`](Self::event).
    pub(crate) fn object<'py>(
        &self,
        py: Python<'py>,
        class: &str,
        value: &impl Serialize,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(value.serialize(self.value(py, self.named.get(class).map(|shape| &**shape)))?)
    }

    const fn value<'a, 'py>(&'a self, py: Python<'py>, shape: Option<&'a Shape>) -> ValueSerializer<'a, 'py> {
        ValueSerializer { classes: self, py, shape }
    }
}

/// Returns the time of a stamp in seconds, with the digits of its JSON.
#[expect(clippy::cast_precision_loss, reason = "exact for 285 years")]
pub(crate) const fn seconds(stamp: Stamp) -> f64 {
    stamp.time.as_micros() as f64 / 1e6
}

/// The variant of each game that a stream of events has reported, because boards do not contain it.
#[derive(Default)]
pub(crate) struct Variants(HashMap<GameId, ServerText>);

impl Variants {
    /// Limit of the number of games; beyond it, all are forgotten.
    const MAX_GAMES: usize = 4_096;

    /// Records the variant that an event reports. Returns that of the game whose board the event brings.
    pub(crate) fn record(&mut self, event: &Event) -> Option<ServerText> {
        let (game, variant) = match event.message()? {
            Message::GameInfo(info) => (info.game, info.game_kind().variant?),
            Message::GameCreated(created) => (created.game, created.game_kind().variant?),
            _ => return self.0.get(&event.board()?.game()).cloned(),
        };
        if self.0.len() >= Self::MAX_GAMES {
            self.0.clear();
        }
        self.0.insert(game, variant);
        None
    }
}

/// What an event object was made from: its line and its JSON.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct Source {
    event: Event,
    stamp: Option<Stamp>,
}

#[pymethods]
impl Source {
    /// The received line without its line end, undecoded; empty for events of the session itself.
    #[getter]
    fn raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.event.raw())
    }

    /// Returns the event as the line of JSON that `kibitzer decode` prints.
    fn json(&self) -> String {
        let mut line = Vec::new();
        self.event.write_json(&self.stamp.as_ref().map(Stamp::json_members).unwrap_or_default(), &mut line);
        String::from_utf8_lossy(&line).into_owned()
    }

    /// Returns the event as text for people, with control characters as the server sent them.
    fn text(&self) -> String {
        self.event.to_string()
    }
}

/// An error of Python while an object is made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct ObjectError(#[from] PyErr);

impl ser::Error for ObjectError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(PyValueError::new_err(message.to_string()))
    }
}

impl From<ObjectError> for PyErr {
    fn from(error: ObjectError) -> Self {
        error.0
    }
}

type Result<T> = std::result::Result<T, ObjectError>;

fn unsupported<T>() -> Result<T> {
    Err(ser::Error::custom("a value has no form in Python"))
}

pub(crate) type Object<'py> = Bound<'py, PyAny>;

/// Makes the Python object of a value. An object becomes an instance of `shape`, a `dict` without one; a list becomes a tuple.
#[derive(Clone, Copy)]
pub(crate) struct ValueSerializer<'a, 'py> {
    classes: &'a Classes,
    py: Python<'py>,
    shape: Option<&'a Shape>,
}

/// Declares methods of a serializer that convert a number or another plain value.
macro_rules! plain {
    ($($name:ident: $kind:ty),+) => {$(
        fn $name(self, value: $kind) -> Result<Self::Ok> {
            Ok(value.into_pyobject(self.py).map_err(PyErr::from)?.to_owned().into_any())
        }
    )+};
}

/// Declares methods of a serializer for forms that no value has.
macro_rules! never {
    ($($name:ident($($argument:ty),*) -> $ok:ty;)+) => {$(
        fn $name(self, $(_: $argument),*) -> Result<$ok> {
            unsupported()
        }
    )+};
}

impl<'a, 'py> Serializer for ValueSerializer<'a, 'py> {
    type Ok = Object<'py>;
    type Error = ObjectError;
    type SerializeSeq = ListBuilder<'a, 'py>;
    type SerializeTuple = Impossible<Object<'py>, ObjectError>;
    type SerializeTupleStruct = Impossible<Object<'py>, ObjectError>;
    type SerializeTupleVariant = Impossible<Object<'py>, ObjectError>;
    type SerializeMap = ObjectBuilder<'a, 'py>;
    type SerializeStruct = ObjectBuilder<'a, 'py>;
    type SerializeStructVariant = Impossible<Object<'py>, ObjectError>;

    plain! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_f32: f32,
        serialize_f64: f64, serialize_char: char, serialize_str: &str
    }

    never! {
        serialize_bytes(&[u8]) -> Self::Ok;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_none(self) -> Result<Self::Ok> {
        Ok(self.py.None().into_bound(self.py))
    }

    fn serialize_unit(self) -> Result<Self::Ok> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Self::Ok> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<Self::Ok> {
        self.serialize_str(name)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Self::Ok> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Self::Ok> {
        unsupported()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ListBuilder<'a, 'py>> {
        Ok(ListBuilder { serializer: self, items: Vec::new() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectBuilder<'a, 'py>> {
        let (object, fields) = match self.shape {
            Some(shape) => {
                let (object, fields) = self.classes.instance(shape, self.py)?;
                (Some(object), fields)
            }
            None => (None, PyDict::new(self.py)),
        };
        Ok(ObjectBuilder { serializer: self, object, fields, next: 0 })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<ObjectBuilder<'a, 'py>> {
        self.serialize_map(None)
    }
}

/// Collects the items of a list for a tuple.
pub(crate) struct ListBuilder<'a, 'py> {
    serializer: ValueSerializer<'a, 'py>,
    items: Vec<Object<'py>>,
}

impl<'py> SerializeSeq for ListBuilder<'_, 'py> {
    type Ok = Object<'py>;
    type Error = ObjectError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
        self.items.push(item.serialize(self.serializer)?);
        Ok(())
    }

    fn end(self) -> Result<Object<'py>> {
        Ok(PyTuple::new(self.serializer.py, self.items)?.into_any())
    }
}

/// Puts the members of an object into the `__dict__` of an instance, or into a `dict`.
pub(crate) struct ObjectBuilder<'a, 'py> {
    serializer: ValueSerializer<'a, 'py>,
    /// The instance; `None` for a `dict`.
    object: Option<Object<'py>>,
    fields: Bound<'py, PyDict>,
    /// Index of the key that comes next, if the members have the order of the keys.
    next: usize,
}

impl ObjectBuilder<'_, '_> {
    fn put<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let ValueSerializer { classes, py, shape } = self.serializer;
        let key = shape.and_then(|shape| shape.keys.get(shape.find(name, self.next)?));
        if let Some(key) = key {
            self.next += 1;
            let value = value.serialize(classes.value(py, key.nested.as_deref()))?;
            self.fields.set_item(key.attribute.bind(py), value)?;
        } else if shape.is_none() || name != "event" {
            self.fields.set_item(name, value.serialize(classes.value(py, None))?)?;
        }
        Ok(())
    }
}

impl<'py> SerializeMap for ObjectBuilder<'_, 'py> {
    type Ok = Object<'py>;
    type Error = ObjectError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<()> {
        unsupported()
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<()> {
        unsupported()
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(&mut self, key: &K, value: &V) -> Result<()> {
        let mut put = Ok(());
        write!(KeySink(|name: &str| put = self.put(name, value)), "{}", KeyText(key)).map_err(ObjectError::custom)?;
        put
    }

    fn end(self) -> Result<Object<'py>> {
        Ok(self.object.unwrap_or_else(|| self.fields.into_any()))
    }
}

impl<'py> SerializeStruct for ObjectBuilder<'_, 'py> {
    type Ok = Object<'py>;
    type Error = ObjectError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
        self.put(key, value)
    }

    fn end(self) -> Result<Object<'py>> {
        SerializeMap::end(self)
    }
}

/// Writes a key, which has to be a text, in one piece.
struct KeyText<'a, K: ?Sized>(&'a K);

impl<K: Serialize + ?Sized> fmt::Display for KeyText<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

/// Passes a text that is written in one piece to a function, without a copy of it.
struct KeySink<F>(F);

impl<F: FnMut(&str)> fmt::Write for KeySink<F> {
    fn write_str(&mut self, key: &str) -> fmt::Result {
        (self.0)(key);
        Ok(())
    }
}
