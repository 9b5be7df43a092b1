//! The typed commands: their arguments from Python, and their answers for it.
//!
//! `_commands.py` has a method for each of them, and `list` an arm: both are generated from `kibitzer/src/command/list.rs`.

#[rustfmt::skip]
mod list;

use kibitzer::chess::Color;
use kibitzer::command::{
    self, ExamineStep, GameRef, GameTerms, IntoGameRef, MoveMade, MoveText, ObservedGame, OfferOutcome, OfferRef,
    Request, ServerClocks, TalkCommand,
};
use kibitzer::internal::recorded::Stamp;
use kibitzer::message::listing::{
    ChannelList, Finger, GameList, History, MoveList, SoughtList, StoredGames, Variables, WhoList,
};
use kibitzer::message::{GameCreated, GameEnded, Ivar, OfferKind, PlayerText};
use kibitzer::{Client, Event, GameId, Message, Reply, RequestError, RequestOptions, Style12};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyTupleMethods};
use std::sync::Arc;

use crate::client::{OpenSession, Session, request_options};
use crate::errors::{exception, request_error};
use crate::objects::{Classes, EventSource, Object};

fn text(value: &Object<'_>) -> PyResult<String> {
    value.extract()
}

fn number<'a, 'py, T: FromPyObject<'a, 'py, Error = PyErr>>(value: &'a Object<'py>) -> PyResult<T> {
    value.extract()
}

/// Reads a game: its number, or a player in it.
fn game_ref(value: &Object<'_>) -> PyResult<GameRef> {
    let game = match value.extract::<i32>() {
        Ok(number) => GameId(number).into_game_ref(),
        Err(_) => text(value)?.into_game_ref(),
    };
    game.map_err(|error| request_error(value.py(), &error.into()))
}

fn offer_ref(value: &Object<'_>) -> PyResult<OfferRef> {
    if value.is_none() {
        return Ok(OfferRef::Only);
    }
    if let Ok(number) = value.extract() {
        return Ok(OfferRef::Number(number));
    }
    let text = text(value)?;
    if let Some(kind) = OfferKind::ALL.iter().find(|kind| kind.as_str() == text) {
        return Ok(OfferRef::Kind(*kind));
    }
    let player = text.parse().map_err(|_| invalid(value, "neither a kind of offer nor a player"))?;
    Ok(OfferRef::Player(player))
}

fn ivar(value: &Object<'_>) -> PyResult<Ivar> {
    text(value)?.parse().map_err(|_| invalid(value, "not an interface variable"))
}

fn move_text(value: &Object<'_>) -> PyResult<MoveText> {
    // A `chess.Move` of python-chess displays as the notation of engines.
    MoveText::new(&value.str()?.to_cow()?).map_err(|_| invalid(value, "not a move"))
}

fn game_terms(value: &Object<'_>) -> PyResult<GameTerms> {
    let mut terms = GameTerms::new();
    for (key, value) in value.cast::<PyDict>()?.iter().filter(|(_, value)| !value.is_none()) {
        let not_a_pair = |form| PyTypeError::new_err(format!("{key} is a pair of whole numbers, {form}, not {value}"));
        terms = match &*text(&key)? {
            "time" => {
                let (initial_min, increment_s) =
                    value.extract().map_err(|_: PyErr| not_a_pair("minutes and seconds per move such as (3, 0)"))?;
                terms.time(initial_min, increment_s)
            }
            "rated" if value.is_truthy()? => terms.rated(),
            "rated" => terms.unrated(),
            "color" => match &*text(&value)? {
                "white" => terms.color(Color::White),
                "black" => terms.color(Color::Black),
                _ => return Err(invalid(&value, "not a color")),
            },
            "variant" => terms.variant(text(&value)?),
            "manual" if value.is_truthy()? => terms.manual(),
            "formula" if value.is_truthy()? => terms.formula(),
            "ratings" => {
                let (lowest, highest) =
                    value.extract().map_err(|_: PyErr| not_a_pair("the lowest and the highest rating"))?;
                terms.ratings(lowest..=highest)
            }
            _ => terms,
        };
    }
    Ok(terms)
}

fn invalid(value: &Object<'_>, why: &str) -> PyErr {
    exception(value.py(), "InvalidRequest", ("argument", format!("{value} is {why}")))
}

/// What the answers of a session are made with.
struct AnswerContext<'a, 'py> {
    py: Python<'py>,
    reply: &'a Reply,
    stamp: Stamp,
}

impl<'py> AnswerContext<'_, 'py> {
    /// Makes the object of the first event of the reply that meets a condition; `None` if none does.
    fn event(&self, meets: impl Fn(&Event) -> bool) -> PyResult<Option<Object<'py>>> {
        let event = self.reply.events.iter().find(|event| meets(event));
        let source = event.map(|event| EventSource::new(event, Some(self.stamp)));
        source.map(|source| Classes::get(self.py)?.event(self.py, source)).transpose()
    }

    fn board(&self, board: Option<&Arc<Style12>>) -> PyResult<Option<Object<'py>>> {
        board.map_or(Ok(None), |board| self.event(|event| event.board().is_some_and(|known| Arc::ptr_eq(known, board))))
    }

    fn game_end(&self, ended: Option<&GameEnded>) -> PyResult<Option<Object<'py>>> {
        ended.map_or(Ok(None), |ended| self.event(|event| event.game_ended() == Some(ended)))
    }

    /// Makes an instance of a class of `kibitzer_ics.answers`.
    fn make(&self, class: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyResult<Object<'py>> {
        self.py.import("kibitzer_ics.answers")?.getattr(class)?.call1(arguments)
    }
}

/// An answer of a typed command. Boards and the like in it are events of the reply, with their lines and times.
trait Answer: Send + 'static {
    fn object<'py>(&self, context: &AnswerContext<'_, 'py>) -> PyResult<Object<'py>>;
}

/// Declares the answers that are serialized: objects to instances of the class with their name, lists to tuples.
macro_rules! serialized_answers {
    ($($kind:ty),+) => {$(
        impl Answer for $kind {
            fn object<'py>(&self, context: &AnswerContext<'_, 'py>) -> PyResult<Object<'py>> {
                Classes::get(context.py)?.object(context.py, stringify!($kind), self)
            }
        }
    )+};
}
serialized_answers!((), PlayerText, ServerClocks, Vec<GameId>, Vec<u32>);
serialized_answers!(ChannelList, Finger, GameList, History, MoveList, SoughtList, StoredGames, Variables, WhoList);

/// Declares how answers with events in them become objects: `type: answer, context => object`.
macro_rules! answers {
    ($($kind:ty: $answer:ident, $context:ident => $object:expr;)+) => {$(
        impl Answer for $kind {
            fn object<'py>(&self, $context: &AnswerContext<'_, 'py>) -> PyResult<Object<'py>> {
                let $answer = self;
                $object
            }
        }
    )+};
}
answers! {
    Vec<OfferOutcome>: outcomes, context => {
        let outcomes = outcomes.iter().map(|outcome| outcome.object(context)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(context.py, outcomes)?.into_any())
    };
    ObservedGame: observed, context => {
        context.make("ObservedGame", (observed.game.0, context.board(observed.board.as_ref())?))
    };
    Arc<Style12>: board, context => Ok(context.board(Some(board))?.into_pyobject(context.py)?);
    ExamineStep: step, context => {
        context.make("ExamineStep", (context.board(step.board.as_ref())?, step.is_at_edge))
    };
    GameEnded: ended, context => Ok(context.game_end(Some(ended))?.into_pyobject(context.py)?);
    MoveMade: made, context => {
        let ended = context.game_end(made.ended.as_deref())?;
        context.make("MoveMade", (context.board(made.board.as_ref())?, ended))
    };
    OfferOutcome: outcome, context => offer_outcome(outcome, context);
}

fn offer_outcome<'py>(outcome: &OfferOutcome, context: &AnswerContext<'_, 'py>) -> PyResult<Object<'py>> {
    let is_start =
        |it: &Event, game: &GameCreated| matches!(it.message(), Some(Message::GameCreated(it)) if **it == *game);
    let (started, ended, board) = match outcome {
        OfferOutcome::Started(created) => (context.event(|event| is_start(event, created))?, None, None),
        OfferOutcome::Ended(ended) => (None, context.game_end(Some(ended))?, None),
        OfferOutcome::Changed { board, .. } => (None, None, context.board(board.as_ref())?),
        _ => (None, None, None),
    };
    let fields = Classes::get(context.py)?.object(context.py, "dict", outcome)?;
    let fields = fields.cast::<PyDict>()?;
    let [name, index, seen_by, player] = ["outcome", "index", "seen_by", "name"].map(|key| fields.get_item(key));
    context.make("OfferOutcome", (name?, started, ended, board, index?, seen_by?, player?))
}

/// Sends a command with its conditions; returns an asyncio future of its answer.
fn ask<'py, R>(py: Python<'py>, session: &OpenSession, command: R, options: RequestOptions) -> PyResult<Object<'py>>
where
    R: Request<Answer: Answer> + Send + 'static,
{
    let client = session.client.clone();
    start(py, session, async move {
        let reply = client.request_with(command.command()?, options).await?;
        Ok((command.parse_reply(reply.clone())?, reply))
    })
}

/// Sends each piece of a message. Returns the number of players who received each of them.
async fn talk(client: Client, talk: TalkCommand, options: RequestOptions) -> Result<(Vec<u32>, Reply), RequestError> {
    let mut counts = Vec::new();
    for piece in talk.pieces() {
        counts.push(client.request_with(&piece, options).await?.players);
    }
    Ok((counts, Reply::default()))
}

/// Starts a request; returns an asyncio future of its answer.
fn start<'py, A: Answer>(
    py: Python<'py>,
    session: &OpenSession,
    answer: impl Future<Output = Result<(A, Reply), RequestError>> + Send + 'static,
) -> PyResult<Object<'py>> {
    let stamping = session.clone();
    session.runtime.start(py, answer, move |py, answer| {
        let (answer, reply) = answer.map_err(|error| request_error(py, &error))?;
        Ok(answer.object(&AnswerContext { py, reply: &reply, stamp: stamping.now() })?.unbind())
    })
}

#[pymethods]
impl Session {
    /// Sends the typed command with this name; returns a future of its answer.
    fn command<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        arguments: &Bound<'py, PyTuple>,
        expires: Option<f64>,
        during: Option<i32>,
    ) -> PyResult<Object<'py>> {
        list::start_named(py, &self.open(py)?, name, arguments, request_options(expires, during)?)
    }
}
