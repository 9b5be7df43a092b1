//! Recordings: their events, and their games as PGN.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;

use kibitzer::internal::recorded::{PieceDecoder, RecordedReader, Stamp, StreamPiece};
use kibitzer::pgn::{PgnCollector, PgnOrigin};
use kibitzer::track::{GameKey, TrackedChangeKind, TrackedGame};
use kibitzer::{Event, EventReader};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::objects::{Classes, EventSource, Variants, seconds};
use crate::runtime::lock;

/// An iterator of the events of a recording.
#[pyclass(frozen, module = "kibitzer_ics._native")]
pub(crate) struct Decoder(Mutex<DecoderState>);

struct DecoderState {
    input: Recording,
    /// Events that were decoded and not returned yet.
    events: VecDeque<EventSource>,
    variants: Variants,
    /// Number of the line inside of which the recording ends, with its time, before the event `cut` is returned.
    cut: Option<(u64, Option<Stamp>)>,
}

/// A log or recording, and the decoder of its pieces.
struct Recording {
    path: PathBuf,
    reader: RecordedReader<File>,
    decoder: PieceDecoder,
    /// Time of the last piece that had one.
    stamp: Option<Stamp>,
    is_over: bool,
}

impl Recording {
    fn open(path: PathBuf) -> PyResult<Self> {
        let reader = RecordedReader::detect(File::open(&path)?)?;
        Ok(Self { path, reader, decoder: PieceDecoder::new(EventReader::default), stamp: None, is_over: false })
    }

    /// Reads and decodes the next piece, and passes its events to `visit`. Returns the piece; `None` at the end.
    fn decode_piece(&mut self, mut visit: impl FnMut(&Event, Option<Stamp>)) -> PyResult<Option<StreamPiece>> {
        if self.is_over {
            return Ok(None);
        }
        let unread = |error| PyOSError::new_err(format!("cannot read {}: {error}", self.path.display()));
        let (piece, stamp) = self.reader.next_piece().map_err(unread)?.unzip();
        self.stamp = stamp.flatten().or(self.stamp);
        let pass = |event: &Event| -> Result<(), Infallible> {
            visit(event, self.stamp);
            Ok(())
        };
        let Ok(()) = match &piece {
            Some(piece) => self.decoder.decode(piece, pass),
            None => self.decoder.finish(pass),
        };
        self.is_over = piece.is_none();
        Ok(piece)
    }
}

#[pymethods]
impl Decoder {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let input = Recording::open(path)?;
        Ok(Self(Mutex::new(DecoderState { input, events: VecDeque::new(), variants: Variants::default(), cut: None })))
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // The lock is not held while Python code may run.
        let mut next = lock(&self.0).take_event();
        if next.is_none() {
            next = py.detach(|| lock(&self.0).decode_batch())?;
        }
        if let Some(source) = next {
            return Ok(Some(Classes::get(py)?.event(py, source)?));
        }
        let Some((line, stamp)) = lock(&self.0).cut.take() else { return Ok(None) };
        let fields = PyDict::new(py);
        fields.set_item("t", stamp.map(seconds))?;
        Ok(Some(py.import("kibitzer_ics.events")?.getattr("Cut")?.call((line,), Some(&fields))?))
    }
}

impl DecoderState {
    /// Decodes events. Returns the first one; `None` at the end.
    fn decode_batch(&mut self) -> PyResult<Option<EventSource>> {
        while self.events.is_empty() {
            let events = &mut self.events;
            match self.input.decode_piece(|event, stamp| events.push_back(EventSource::new(event, stamp)))? {
                Some(StreamPiece::Cut(line)) => self.cut = Some((line, self.input.stamp)),
                Some(_) => {}
                None => break,
            }
        }
        Ok(self.take_event())
    }

    /// Takes the next event, and adds the variant of its board's game.
    fn take_event(&mut self) -> Option<EventSource> {
        let mut source = self.events.pop_front()?;
        source.variant = self.variants.record(&source.event);
        Some(source)
    }
}

/// Returns the games of a recording as PGN, in the order in which they ended, then those without an end. `site` is the tag of that name.
///
/// # Errors
///
/// `OSError` if the file cannot be read.
#[pyfunction]
pub(crate) fn games(py: Python<'_>, path: PathBuf, site: &str) -> PyResult<Vec<String>> {
    py.detach(|| {
        let mut recording = Recording::open(path)?;
        let mut collector = PgnCollector::new(PgnOrigin::new(site)).with_observed();
        let mut written = BTreeSet::new();
        let mut games = Vec::new();
        let mut add = |collector: &PgnCollector, game: GameKey| {
            let is_probed = collector.tracker().get(game).is_some_and(TrackedGame::was_only_probed);
            if !is_probed && written.insert(game) {
                games.extend(collector.game(game).map(|pgn| pgn.to_string()));
            }
        };
        loop {
            let piece = recording.decode_piece(|event, stamp| {
                for change in collector.apply(event, stamp.and_then(|stamp| stamp.utc)) {
                    if let TrackedChangeKind::Ended | TrackedChangeKind::Left = change.kind {
                        add(&collector, change.game);
                    }
                }
            })?;
            match piece {
                None => break,
                Some(StreamPiece::Ended) => drop(collector.interrupt_games()),
                Some(_) => {}
            }
        }
        collector.interrupt_games();
        collector.tracker().iter().for_each(|game| add(&collector, game.key()));
        Ok(games)
    })
}
