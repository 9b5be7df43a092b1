//! Python objects from values of Rust, by way of `serde::Serialize`: an event becomes an instance of the class of its kind.
//!
//! The classes are frozen dataclasses without slots, generated into `kibitzer_ics/events.py`. An instance is made by the class's
//! `__new__`, without a call of its `__init__`. One of an event holds the event, and its `__dict__` is empty: [`LazyField`] reads
//! the numbers and the FEN of a board directly, and puts all fields into the `__dict__` when Python reads another one.

#[rustfmt::skip]
mod board_fields;

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use kibitzer::internal::recorded::Stamp;
use kibitzer::message::ServerText;
use kibitzer::{Event, EventKind, GameId, Message, event::RequestId};
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple, PyType};
use pyo3::{IntoPyObjectExt as _, intern};
use serde::Serialize;
use serde::ser::{self, Impossible, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use self::board_fields::board_field;

/// The classes of `kibitzer_ics.events`, with what is needed to make instances.
pub(crate) struct Classes {
    kinds: HashMap<EventKind, Arc<Shape>>,
    /// Classes of events and answers by their names.
    named: HashMap<String, Arc<Shape>>,
    other: Arc<Shape>,
    handoff: Py<Handoff>,
    /// A coroutine function that returns the next event of a stream. To await it costs less than an awaitable of Rust, which has to
    /// raise.
    pub(crate) next_event: Py<PyAny>,
}

/// A class and its fields.
pub(crate) struct Shape {
    class: Py<PyType>,
    /// `__new__` of the class.
    new: Py<PyAny>,
    /// In the order in which they are serialized.
    keys: Vec<Key>,
    /// Values of the fields that may be absent.
    defaults: Py<PyDict>,
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
        let (mut keys, defaults) = (Vec::new(), PyDict::new(py));
        for key in class.getattr(intern!(py, "_keys"))?.extract::<String>()?.split_whitespace() {
            let (name, nested) = key.split_once(':').map_or((key, None), |(name, class)| (name, Some(class)));
            let nested = nested.map(|class| Self::read(module.getattr(class)?.cast()?)).transpose()?;
            // `from` is a keyword.
            let attribute = PyString::intern(py, if name == "from" { "sender" } else { name });
            if let Some(default) = class.getattr_opt(&attribute)? {
                defaults.set_item(&attribute, default)?;
            }
            keys.push(Key { name: name.to_owned(), attribute: attribute.unbind(), nested });
        }
        let new = class.getattr(intern!(py, "__new__"))?.unbind();
        Ok(Arc::new(Self { class: class.clone().unbind(), new, keys, defaults: defaults.unbind() }))
    }

    /// Makes an instance of the class without calling its `__init__`. Returns it with its `__dict__`.
    fn instance<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let object = self.new.bind(py).call1((self.class.bind(py),))?;
        let fields = object.getattr(intern!(py, "__dict__"))?.cast_into()?;
        Ok((object, fields))
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
            for (name, read) in EVENT_FIELDS {
                LazyField::install(&module.getattr("Event")?, name, Some(*read))?;
            }
            let variant: ReadField = |it, py| it.variant.as_ref().map(ServerText::as_str).into_py_any(py);
            LazyField::install(&module.getattr("Position")?, "variant", Some(variant))?;
            for (kind, class) in module.getattr("KINDS")?.extract::<HashMap<String, Bound<'_, PyType>>>()? {
                let shape = Shape::read(&class)?;
                for key in &shape.keys {
                    let read = if kind == "position" { board_field(&key.name) } else { None };
                    LazyField::install(&class, key.attribute.to_str(py)?, read)?;
                }
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
            let next_event = py.import("kibitzer_ics._base")?.getattr("_next_event")?.unbind();
            Ok(Self { kinds, named, other, handoff: Py::new(py, Handoff)?, next_event })
        })
    }

    /// Makes the object of an event.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn event<'py>(&self, py: Python<'py>, source: EventSource) -> PyResult<Object<'py>> {
        let shape = self.kinds.get(&source.event.kind());
        let unknown = shape.is_none().then(|| source.event.clone());
        let Shape { class, new, .. } = &**shape.unwrap_or(&self.other);
        // The allocation of the arguments may run finalizers, which may make events.
        let outer = HANDED_OVER.replace(Some(source));
        let object = new.bind(py).call1((class, &self.handoff));
        HANDED_OVER.set(outer);
        let object = object?;
        if let Some(event) = unknown {
            let fields = object.getattr(intern!(py, "__dict__"))?;
            fields.set_item(intern!(py, "event"), event.kind().as_str())?;
            fields.set_item(intern!(py, "fields"), event.serialize(self.value(py, None))?)?;
        }
        Ok(object)
    }

    /// Puts all fields of a received event into the `__dict__` of its object, which it returns. Those that are there stay.
    fn read_all<'py>(&self, object: &Bound<'py, PyAny>, event: &Event) -> PyResult<Bound<'py, PyDict>> {
        let py = object.py();
        let fields = object.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
        let shape = self.kinds.get(&event.kind()).unwrap_or(&self.other);
        let made = event.serialize(self.value(py, Some(shape)))?;
        fields.update_if_missing(made.getattr(intern!(py, "__dict__"))?.cast()?)?;
        fields.update_if_missing(shape.defaults.bind(py).as_mapping())?;
        Ok(fields)
    }

    /// Makes the object of a value. One with named fields becomes an instance of the class with this name, or a `dict` if neither the
    /// events nor the answers have such a class.
    ///
    /// # Errors
    ///
    /// As [`event`](Self::event).
    pub(crate) fn object<'py>(&self, py: Python<'py>, class: &str, value: &impl Serialize) -> PyResult<Object<'py>> {
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

    /// Records the variant that an event reports, or that it is not known. Returns that of the game whose board the event brings.
    pub(crate) fn record(&mut self, event: &Event) -> Option<ServerText> {
        if let Event::Connected = event {
            self.0.clear();
        }
        let (game, kind) = match event.message()? {
            Message::GameInfo(info) => (info.game, info.game_kind()),
            Message::GameCreated(created) => (created.game, created.game_kind()),
            _ => return self.0.get(&event.board()?.game()).cloned(),
        };
        // The number may be that of an earlier game.
        self.0.remove(&game);
        let variant = kind.variant?;
        if self.0.len() >= Self::MAX_GAMES {
            self.0.clear();
        }
        self.0.insert(game, variant);
        None
    }
}

/// An event, with what else its object has.
pub(crate) struct EventSource {
    pub(crate) event: Event,
    pub(crate) stamp: Option<Stamp>,
    /// Number of events that were lost just before it.
    pub(crate) missed: u64,
    /// Variant of the game of its board.
    pub(crate) variant: Option<ServerText>,
}

impl EventSource {
    /// Returns an event after which none was lost, and without a variant.
    pub(crate) fn new(event: &Event, stamp: Option<Stamp>) -> Self {
        Self { event: event.clone(), stamp, missed: 0, variant: None }
    }
}

thread_local! {
    /// The event of the object that this thread makes: only a call of its class makes it, which has arguments of Python.
    static HANDED_OVER: Cell<Option<EventSource>> = const { Cell::new(None) };
}

/// The argument of a class's `__new__` that stands for [`HANDED_OVER`].
#[pyclass(frozen)]
struct Handoff;

/// Native base class of the classes of events. It holds the event; `None` in an object that Python code has made.
#[pyclass(frozen, subclass, module = "kibitzer_ics._native")]
pub(crate) struct NativeEvent(Option<EventSource>);

#[pymethods]
impl NativeEvent {
    #[new]
    #[pyo3(signature = (handoff=None, /, *_arguments, **_fields))]
    fn new(
        handoff: Option<&Bound<'_, PyAny>>,
        _arguments: &Bound<'_, PyTuple>,
        _fields: Option<&Bound<'_, PyDict>>,
    ) -> Self {
        Self(handoff.filter(|it| it.is_instance_of::<Handoff>()).and_then(|_| HANDED_OVER.take()))
    }

    /// Returns the received line without its line end, undecoded; empty for events of the session itself.
    fn _line<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_ref().map_or(b"", |source| source.event.raw()))
    }

    /// Returns the event as the line of JSON that `kibitzer decode` prints; `None` for one that was made in Python.
    fn _json(&self) -> Option<String> {
        let EventSource { event, stamp, .. } = self.0.as_ref()?;
        let mut line = Vec::new();
        event.write_json(&stamp.as_ref().map(Stamp::json_members).unwrap_or_default(), &mut line);
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    /// Returns the event as text for people, with control characters as the server sent them; `None` as for `_json`.
    fn _text(&self) -> Option<String> {
        Some(self.0.as_ref()?.event.to_string())
    }
}

/// Reads a field of an event without the others.
pub(crate) type ReadField = fn(&EventSource, Python<'_>) -> PyResult<Py<PyAny>>;

/// A descriptor of a field, in the class of an event. Python calls it if the object's `__dict__` has no such key: if the event was
/// received, and its fields were not read yet.
#[pyclass(frozen)]
struct LazyField {
    name: Py<PyString>,
    /// Value of the class's attribute; `None` without one.
    default: Option<Py<PyAny>>,
    read: Option<ReadField>,
}

impl LazyField {
    /// Puts a descriptor in place of an attribute of a class.
    fn install(class: &Bound<'_, PyAny>, name: &str, read: Option<ReadField>) -> PyResult<()> {
        let default = class.getattr_opt(name)?.map(Bound::unbind);
        class.setattr(name, Self { name: PyString::intern(class.py(), name).unbind(), default, read })
    }
}

#[pymethods]
impl LazyField {
    fn __get__<'py>(
        &self,
        py: Python<'py>,
        object: Option<&Bound<'py, PyAny>>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Object<'py>> {
        let event = object.and_then(|object| Some((object, object.cast::<NativeEvent>().ok()?.get().0.as_ref()?)));
        let value = match (event, self.read) {
            (None, _) => None,
            (Some((_, source)), Some(read)) => return Ok(read(source, py)?.into_bound(py)),
            (Some((object, source)), None) => {
                Classes::get(py)?.read_all(object, &source.event)?.get_item(&self.name)?
            }
        };
        let value = value.or_else(|| self.default.as_ref().map(|default| default.bind(py).clone()));
        value.ok_or_else(|| PyAttributeError::new_err(self.name.to_string()))
    }
}

/// Fields of every event, with the functions that read them.
const EVENT_FIELDS: &[(&str, ReadField)] = &[
    ("offset", |it, py| it.event.offset().into_py_any(py)),
    ("t", |it, py| it.stamp.map(seconds).into_py_any(py)),
    ("utc", |it, py| it.stamp.and_then(|stamp| stamp.utc).map(|utc| utc.to_string()).into_py_any(py)),
    ("request", |it, py| it.event.attribution().request().map(RequestId::number).into_py_any(py)),
    ("requested_by", |it, py| it.event.attribution().origin().map(<&str>::from).into_py_any(py)),
    ("inferred", |it, py| it.event.attribution().is_inferred().into_py_any(py)),
    ("own", |it, py| it.event.attribution().is_own_game().into_py_any(py)),
    ("missed", |it, py| it.missed.into_py_any(py)),
];

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
        serialize_unit_struct(&'static str) -> Self::Ok;
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

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<Self::Ok> {
        self.serialize_str(name)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<Self::Ok> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized>(self, _: &str, _: u32, _: &str, _: &T) -> Result<Self::Ok> {
        unsupported()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ListBuilder<'a, 'py>> {
        Ok(ListBuilder { serializer: self, items: Vec::new() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectBuilder<'a, 'py>> {
        let (object, fields) = match self.shape {
            Some(shape) => shape.instance(self.py).map(|(object, fields)| (Some(object), fields))?,
            None => (None, PyDict::new(self.py)),
        };
        Ok(ObjectBuilder { serializer: self, object, fields, next: 0, key: None })
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
    /// The key of the next value.
    key: Option<Object<'py>>,
}

impl ObjectBuilder<'_, '_> {
    fn put<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        let ValueSerializer { classes, py, shape, .. } = self.serializer;
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

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = Some(key.serialize(self.serializer)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let Some(key) = self.key.take() else { return unsupported() };
        self.put(key.extract::<&str>()?, value)
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
