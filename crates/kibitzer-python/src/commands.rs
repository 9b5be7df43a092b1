//! The typed commands: their arguments from Python, and their answers for it.
//!
//! `_commands.py` has a method for each of them, which is generated from `kibitzer/src/command/list.rs`.

use kibitzer::chess::Color;
use kibitzer::command::{
    ExamineStep, GameRef, GameTerms, IntoGameRef, MoveMade, MoveText, ObservedGame, OfferOutcome, OfferRef, Request,
    ServerClocks, TalkCommand,
};
use kibitzer::internal::recorded::Stamp;
use kibitzer::message::listing::{
    ChannelList, Finger, GameList, History, MoveList, SoughtList, StoredGames, Variables, WhoList,
};
use kibitzer::message::{GameEnded, Ivar, OfferKind, PlayerText};
use kibitzer::{Client, Event, GameId, Message, Reply, RequestError, RequestOptions, Style12};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

use crate::client::{OpenSession, Session, request_options};
use crate::errors::{exception, request_error};
use crate::objects::Classes;

/// An argument of a command.
trait Argument: Sized {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

macro_rules! plain_arguments {
    ($($kind:ty),+) => {$(
        impl Argument for $kind {
            fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
                value.extract()
            }
        }
    )+};
}
plain_arguments!(String, u8, u16, u32);

impl Argument for GameRef {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let game = match value.extract::<i32>() {
            Ok(number) => GameId(number).into_game_ref(),
            Err(_) => value.extract::<String>()?.into_game_ref(),
        };
        game.map_err(|error| request_error(value.py(), &error.into()))
    }
}

impl Argument for OfferRef {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::Only);
        }
        if let Ok(number) = value.extract() {
            return Ok(Self::Number(number));
        }
        let text: String = value.extract()?;
        if let Some(kind) = OfferKind::ALL.iter().find(|kind| kind.as_str() == text) {
            return Ok(Self::Kind(*kind));
        }
        let player = text.parse().map_err(|_| invalid(value, "neither a kind of offer nor a player"))?;
        Ok(Self::Player(player))
    }
}

impl Argument for Ivar {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        value.extract::<String>()?.parse().map_err(|_| invalid(value, "not an interface variable"))
    }
}

impl Argument for MoveText {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        // A `chess.Move` of python-chess displays as the notation of engines.
        Self::new(&value.str()?.to_cow()?).map_err(|_| invalid(value, "not a move"))
    }
}

impl Argument for GameTerms {
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut terms = Self::new();
        for (key, value) in value.cast::<PyDict>()?.iter().filter(|(_, value)| !value.is_none()) {
            terms = match &*key.extract::<String>()? {
                "time" => {
                    let (initial_min, increment_s) = value.extract()?;
                    terms.time(initial_min, increment_s)
                }
                "rated" if value.is_truthy()? => terms.rated(),
                "rated" => terms.unrated(),
                "color" => match &*value.extract::<String>()? {
                    "white" => terms.color(Color::White),
                    "black" => terms.color(Color::Black),
                    _ => return Err(invalid(&value, "not a color")),
                },
                "variant" => terms.variant(value.extract::<String>()?),
                "manual" if value.is_truthy()? => terms.manual(),
                "formula" if value.is_truthy()? => terms.formula(),
                "ratings" => {
                    let (lowest, highest) = value.extract()?;
                    terms.ratings(lowest..=highest)
                }
                _ => terms,
            };
        }
        Ok(terms)
    }
}

fn invalid(value: &Bound<'_, PyAny>, why: &str) -> PyErr {
    exception(value.py(), "InvalidRequest", ("argument", format!("{value} is {why}")))
}

/// What the answers of a session are made with.
struct AnswerContext<'a, 'py> {
    py: Python<'py>,
    reply: &'a Reply,
    stamp: Stamp,
}

type Object<'py> = Bound<'py, PyAny>;

impl<'py> AnswerContext<'_, 'py> {
    /// Makes the object of the first event of the reply that meets a condition; `None` if none does.
    fn event(&self, meets: impl Fn(&Event) -> bool) -> PyResult<Option<Object<'py>>> {
        let event = self.reply.events.iter().find(|event| meets(event));
        event.map(|event| Classes::get(self.py)?.event(self.py, event, Some(self.stamp), 0, None)).transpose()
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
    let started = match outcome {
        OfferOutcome::Started(created) => {
            context.event(|event| matches!(event.message(), Some(Message::GameCreated(it)) if **it == **created))?
        }
        _ => None,
    };
    let ended = match outcome {
        OfferOutcome::Ended(ended) => context.game_end(Some(ended))?,
        _ => None,
    };
    let board = match outcome {
        OfferOutcome::Changed { board, .. } => context.board(board.as_ref())?,
        _ => None,
    };
    let fields = Classes::get(context.py)?.object(context.py, "dict", outcome)?;
    let fields = fields.cast::<PyDict>()?;
    let [name, index, seen_by, player] = ["outcome", "index", "seen_by", "name"].map(|key| fields.get_item(key));
    context.make("OfferOutcome", (name?, started, ended, board, index?, seen_by?, player?))
}

/// Sends a command with its conditions, and parses the reply. Returns the answer and the reply.
async fn ask<R: Request>(
    client: Client,
    command: R,
    options: RequestOptions,
) -> Result<(R::Answer, Reply), RequestError> {
    let reply = client.request_with(command.command()?, options).await?;
    Ok((command.parse_reply(reply.clone())?, reply))
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

/// The commands of [`kibitzer::command`], all of them with owned arguments.
mod owned {
    use kibitzer::command;
    pub(super) use kibitzer::command::*;
    use kibitzer::message::PlayerText;

    pub(super) fn set(name: String, value: String) -> TypedCommand<PlayerText> {
        command::set(&name, &value)
    }

    pub(super) fn unset(name: String) -> TypedCommand<PlayerText> {
        command::unset(&name)
    }
}

/// Declares the commands: `typed` those of [`kibitzer::command`], `talk` those of [`TalkCommand`], with the types of their arguments.
macro_rules! commands {
    (typed: $($name:ident($($argument:ident: $kind:ty),*),)+ ; talk: $($talk:ident($($recipient:ident: $of:ty)?),)+) => {
        /// Starts the command with this name; returns an asyncio future of its answer.
        fn start_named<'py>(
            py: Python<'py>,
            session: &OpenSession,
            name: &str,
            arguments: &Bound<'py, PyTuple>,
            options: RequestOptions,
        ) -> PyResult<Object<'py>> {
            let mut arguments = arguments.iter();
            let mut next = || arguments.next().ok_or_else(|| exception(py, "InvalidRequest", ("argument", "is missing")));
            match name {
                $(stringify!($name) => {
                    $(let $argument = <$kind as Argument>::read(&next()?)?;)*
                    start(py, session, ask(session.client.clone(), owned::$name($($argument),*), options))
                })+
                $(stringify!($talk) => {
                    $(let $recipient = <$of as Argument>::read(&next()?)?;)?
                    let command = TalkCommand::$talk($($recipient,)? String::read(&next()?)?);
                    start(py, session, talk(session.client.clone(), command, options))
                })+
                _ => {
                    let command = MoveText::read(&next()?)?;
                    start(py, session, ask(session.client.clone(), command, options))
                }
            }
        }
    };
}

commands! {
    typed:
    games(), games_of(game: GameRef), who(), sought(), suitable_seeks(), moves(game: GameRef), own_moves(),
    finger(player: String), own_finger(), history(player: String), own_history(), stored(player: String), own_stored(),
    variables(player: String), own_variables(), interface_variables(), in_channel(channel: u16), date(),
    observe(game: GameRef), unobserve(game: GameRef), unobserve_all(), examine_scratch(),
    examine(player: String, index: u32), forward(plies: u32), backward(plies: u32), revert(), unexamine(),
    unseek(index: u32), unseek_all(), play(index: u32), play_seek_of(player: String), resume(opponent: String), resume_all(),
    rematch(), accept(offer: OfferRef), decline(offer: OfferRef), withdraw(offer: OfferRef), partner(player: String),
    end_partnership(), draw(), abort(), adjourn(), takeback(plies: u32), resign(), flag(), set(name: String, value: String),
    unset(name: String), style(number: u8), enable_ivar(ivar: Ivar), disable_ivar(ivar: Ivar), seek(terms: GameTerms),
    challenge(opponent: String, terms: GameTerms),
    ;
    talk:
    tell(player: String), channel_tell(channel: u16), say(), partner_tell(), kibitz(), whisper(), shout(), c_shout(),
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
        start_named(py, &self.open(py)?, name, arguments, request_options(expires, during)?)
    }
}
