"""Bots: programs that play on a server. `Bot` runs one; `BotGame`, `Limits`, `Move` and `BotTalk` are what its functions get and return."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import inspect
import json
import logging
import os
import signal
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union

from ._native import VARIANTS, NativeBot
from .client import Client, Profile
from .errors import ConfigError
from .events import Analysis, BotAction, Event

if TYPE_CHECKING:
    import chess

    from ._native import EventStream, Job, NativeProfile, Session

__all__ = ["Bot", "BotGame", "BotTalk", "Limits", "Move", "Score"]

_log = logging.getLogger("kibitzer_ics.bot")
# Unread reports of the bot, beyond which new ones are dropped.
_MAX_REPORTS = 1024
# Seconds in which the functions of `on` may handle the last events.
_LAST_HOOKS = 2.0
_E = TypeVar("_E", bound=Event)


@dataclass(frozen=True)
class Score:
    """Evaluation of a position from the bot's point of view: either `cp` or `mate` is set.

    `str()` gives `+0.35`, `mate in 3` or `mated in 2`.
    """

    cp: int | None = None
    """Hundredths of a pawn."""
    mate: int | None = None
    """Moves to mate; negative if the bot is mated."""

    def __str__(self) -> str:
        if self.mate is None:
            return f"{(self.cp or 0) / 100:+.2f}"
        return f"mate in {self.mate}" if self.mate > 0 else f"mated in {-self.mate}"


@dataclass(frozen=True)
class Move:
    """The move that an engine returns.

    `text` is the move in UCI (`e2e4`, `e7e8q`, `e1g1`; `P@e4` for a drop) or in short algebraic notation (`Nf3`, `O-O`).
    """

    text: str
    score: Score | int | None = None
    """Evaluation from the bot's point of view; an `int` counts hundredths of a pawn. The rules for draws and
    resignation use it, and it becomes `BotGame.last_score`."""
    depth: int | None = None
    """Depth of the search in plies."""
    line: Sequence[str] = ()
    """Expected moves in UCI, this one first."""
    draw: bool = False
    """Offers a draw with the move."""
    resign: bool = False
    """Resigns in place of the move."""


@dataclass(frozen=True)
class Limits:
    """Time for a move, in seconds. The measured lag and `move_overhead_ms` of the settings are deducted already."""

    clocks: tuple[float, float] | None
    """Remaining times of White and Black; `None` in an untimed game."""
    increments: tuple[float, float]
    """Time added for White and Black after each move."""
    move_time: float | None
    """Fixed time for this move, as in an untimed game and with less than a second left; otherwise `None`."""
    nodes: int | None
    """Maximum number of nodes by the settings; `None` for no limit."""
    depth: int | None
    """Maximum depth in plies by the settings; `None` for no limit."""
    deadline: float
    """Longest time for this move, about a third of the remaining time. A function that takes longer is cancelled, and
    counts as an engine that failed."""


@dataclass(frozen=True)
class BotGame:
    """A game of the bot as it was when a function was called. It does not change."""

    game: int
    """Number of the game on the server."""
    variant: str
    """Variant by its UCI name: `chess`, `chess960`, `crazyhouse`, `atomic`."""
    color: Literal["white", "black"] | None
    """The bot's color."""
    opponent: str | None
    """The opponent's name."""
    opponent_rating: int | None
    """The opponent's rating; `None` for a guest."""
    fen: str
    """The position in FEN, with both reserves in brackets in crazyhouse: `...RNBQKBNR[Pn] w KQkq - 0 9`."""
    start_fen: str | None
    """The position before `moves`; `None` for the usual start."""
    moves: tuple[str, ...]
    """Moves since `start_fen` in UCI. In chess960 castling is king takes rook."""
    clocks: tuple[float | None, float | None]
    """Clocks of White and Black on the last board, in seconds; `None` if the server hides them."""
    time_control: tuple[int, int]
    """Initial time and increment in seconds; `(0, 0)` in an untimed game."""
    my_turn: bool
    """Whether it is the bot's turn."""
    last_score: Score | None
    """The last evaluation of the engine in this game; `None` before the first one."""

    def board(self) -> chess.Board:
        """Returns the game as a board of python-chess of the right variant, with its moves on the stack.

        If a move is not legal by the rules that python-chess knows, the board has the position only.

        Needs the package `chess`: `pip install "kibitzer-ics[chess]"`.

        Raises:
            ImportError: `chess` is not installed.
            ValueError: the FEN is not valid.
        """
        from ._chess import board_of

        try:
            board = board_of(self.variant, self.start_fen)
            for move in self.moves:
                board.push_uci(move)
        except ValueError:
            return board_of(self.variant, self.fen)
        return board


@dataclass(frozen=True)
class BotTalk:
    """A message to the bot that begins with a command."""

    command: str
    """The command as it was registered: `!eval`."""
    sender: str
    """Name of the player who asks."""
    kind: Literal["tell", "say", "kibitz"]
    """How the player asked. The answer is a tell in any case."""
    text: str
    """The whole message."""

    @property
    def arguments(self) -> list[str]:
        """The words after the command."""
        return self.text.split()[1:]


if TYPE_CHECKING:
    Answer = Union[Move, str, "chess.Move", None]
    Think = Callable[[BotGame, Limits], Union[Answer, Awaitable[Answer]]]
    Evaluate = Callable[[BotTalk, Union[BotGame, None]], Union[str, None, Awaitable[Union[str, None]]]]
    _Think = TypeVar("_Think", bound=Think)
    _Evaluate = TypeVar("_Evaluate", bound=Evaluate)
    _Hook = TypeVar("_Hook", bound=Callable[..., object])


class Bot:
    """A bot: plays the games of one or more accounts with an engine, by the settings of one file.

    The file is that of `kibitzer bot` (`config/bot.toml` describes it). In place of a file, the tables are keyword
    arguments: `Bot(server={"host": "freechess.org", "handle": "MyBot"}, accept={"rated": False})`; `server` may also be a
    `Profile`.

    Without the list `account`, `server` is one account. With it those play, each with an engine of its own, and `server` has
    defaults for their keys: `account=[{"handle": "MyBot"}, {"handle": "MyOtherBot"}]`. The failure of one account is a
    `BotAction` with its name, and the others play on. `accept` decides who is played (`computers`, `prefer`,
    `rating_difference`, `terms` ...), `login` has the commands after each login, and `state` the folder that keeps the
    games and refusals of the last day.

    Functions for `engine`, `command` and `on` are coroutines, or plain functions, which run in a thread of their own so
    that they may block.

    Raises:
        ConfigError: `run` and `run_async`, if the file or an argument is not valid.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, **tables: Mapping[str, object] | Sequence[Mapping[str, object]] | Profile) -> None:
        if path and tables:
            raise TypeError("the settings are a file or keyword arguments, not both")
        self._path = path
        self._tables = tables
        self._engine: tuple[Think, str, list[str]] | None = None
        self._commands: dict[str, Evaluate] = {}
        self._hooks: list[tuple[type[Event], Callable[[Any], object]]] = []
        self._native: NativeBot | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._searches: dict[Job, asyncio.Task[None]] = {}
        self._clients: list[Client] = []
        self._reports: asyncio.Queue[Event | None] = asyncio.Queue()

    def __repr__(self) -> str:
        return f"<Bot {os.fspath(self._path) if self._path else ', '.join(self._tables)}>"

    @property
    def clients(self) -> tuple[Client, ...]:
        """The clients of the accounts that have begun their sessions, to send commands of your own."""
        return tuple(self._clients)

    def engine(self, variants: Sequence[str] = ("chess",), name: str | None = None) -> Callable[[_Think], _Think]:
        """Decorates the function that finds the moves, in place of `[engine]` of the settings.

        It gets a `BotGame` and `Limits`, and returns a `Move`, a text in UCI or short algebraic notation, or a `Move` of
        python-chess; `None` if there is no legal move. If it raises, returns an illegal move, or takes longer than
        `limits.deadline`, it counts as an engine that failed: it is called again, and the game is resigned (aborted in
        the first moves) after `restarts_per_game` failures. A plain function cannot be cancelled: its result is dropped.

        Args:
            variants: Variants that it plays, by their UCI names: `chess`, `chess960`, `crazyhouse`, `bughouse`, `atomic`, `losers`,
                `suicide`, `wild/5`. Challenges to them are accepted in addition to chess at its usual speeds, unless
                `[accept]` lists `kinds`.
            name: Name of the engine for `{engine}` in greetings; that of the function by default.

        Raises:
            ConfigError: one of `variants` is not known, or they are not a list.
        """
        if isinstance(variants, str):
            raise ConfigError(f"variants is a list of names, such as [{variants!r}]")
        for unknown in (name for name in variants if name not in VARIANTS and not name.startswith("wild/")):
            nearest = "".join(f", did you mean {name!r}?" for name in difflib.get_close_matches(unknown, VARIANTS, 1))
            raise ConfigError(f"unknown variant {unknown!r}{nearest or ':'} the variants are {', '.join(VARIANTS)} and wild/NUMBER")

        def decorate(function: _Think) -> _Think:
            self._engine = (function, name or function.__name__, list(variants))
            return function

        return decorate

    def command(self, word: str) -> Callable[[_Evaluate], _Evaluate]:
        """Decorates the function that answers messages which begin with `word`, such as `!eval`: tells, says and kibitzes.

        It gets a `BotTalk` and a `BotGame`: the game that the message names, otherwise the game against the sender,
        otherwise any game; `None` while the bot does not play. It returns the answer, which is sent as a tell, or `None`
        for none. A player gets at most one answer in 10 s (`answer_pause` of the settings), none after a minute.
        """

        def decorate(function: _Evaluate) -> _Evaluate:
            self._commands[word] = function
            return function

        return decorate

    def on(self, *kinds: type[_E]) -> Callable[[_Hook], _Hook]:
        """Decorates a function that gets every event of these classes, of all accounts.

        Besides the events of the session there are those of the bot: `BotAction` for each decision with its reason, and
        `Analysis`. An exception in the function is logged.
        """

        def decorate(function: _Hook) -> _Hook:
            self._hooks.extend((kind, function) for kind in kinds)
            return function

        return decorate

    def stop(self, *, now: bool = False) -> None:
        """Stops the bot after the game in progress, within `finish_game_within` of the settings; at the second call, or with
        `now`, at once. May be called in any thread."""
        if self._native:
            self._native.stop(now)

    def run(self) -> None:
        """Plays until it is stopped: by Ctrl-C, SIGTERM or `stop`. The game in progress is finished first, as `[shutdown]` of
        the settings says; a second Ctrl-C ends at once.

        Raises:
            ConfigError: the settings are not valid.
            Ended: a session ended for another reason.
            IcsError: the engine of the settings does not start.
            RuntimeError: a loop runs already, as in a notebook: `await bot.run_async()` there.
        """
        if asyncio._get_running_loop():
            raise RuntimeError("a loop runs already, as in a notebook: use `await bot.run_async()`")

        async def play() -> None:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                # Windows; not the main thread.
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, self.stop)
            await self.run_async()

        asyncio.run(play())

    async def run_async(self) -> None:
        """Plays as `run` does, in a loop that runs already, as in a notebook. Signals are left to the program: call `stop`.

        If the task is cancelled, the accounts are disconnected at once.
        """
        engine, name, variants = self._engine or (None, "", None)
        self._native = self._load(engine is not None)
        self._clients.clear()
        self._reports = asyncio.Queue()
        self._start(None, self._pass_reports())
        try:
            await self._native.run(self, name, variants, list(self._commands))
            # The hooks of the last events.
            self._reports.put_nowait(None)
            await asyncio.wait(self._tasks, timeout=_LAST_HOOKS)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, *(client.close(politely=False) for client in self._clients), return_exceptions=True)

    def _load(self, has_engine: bool) -> NativeBot:
        if self._path:
            return NativeBot(self._path, has_engine, [])
        profiles = [table._native for table in self._tables.values() if isinstance(table, Profile)]
        tables = {name: {"host": table.host} if isinstance(table, Profile) else table for name, table in self._tables.items()}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "arguments of Bot")
            path.write_text("".join(f"{name} = {_toml(table)}\n" for name, table in tables.items()), encoding="utf-8")
            return NativeBot(path, has_engine, profiles)

    # Called by the native part, in the loop's thread.

    def _search(self, job: Job, game: dict[str, Any], limits: tuple[Any, ...]) -> None:
        assert self._engine
        function = self._engine[0]

        async def think() -> None:
            try:
                job.move(_move_fields(await _call(function, _game(game), Limits(*limits))))
            except Exception as error:
                _log.exception("the engine failed in game %s", game["game"])
                job.fail(f"{type(error).__name__}: {error}")

        self._start(job, think())

    def _reply(self, job: Job, talk: tuple[Any, ...], game: dict[str, Any] | None) -> None:
        async def answer() -> None:
            text = None
            try:
                text = await _call(self._commands[talk[0]], BotTalk(*talk), _game(game) if game else None)
            except Exception:
                _log.exception("the command %s failed", talk[0])
            job.reply(None if text is None else str(text))

        self._start(job, answer())

    def _cancel(self, job: Job) -> None:
        if task := self._searches.get(job):
            task.cancel()

    def _client(self, session: Session, profile: NativeProfile, events: EventStream) -> None:
        client = Client(session, Profile._of(profile))
        self._clients.append(client)
        if any(not issubclass(kind, (BotAction, Analysis)) for kind, _ in self._hooks):

            async def follow() -> None:
                async for event in events:
                    if event.missed:
                        _log.warning("the functions of `on` were too slow: %d events are missing", event.missed)
                    await self._pass_to_hooks(event)

            self._start(None, follow())

    def _report(self, fields: dict[str, Any]) -> None:
        kind = Analysis if fields.pop("event") == "analysis" else BotAction
        if any(kind is wanted for wanted, _ in self._hooks) and self._reports.qsize() < _MAX_REPORTS:
            self._reports.put_nowait(kind(**fields))

    async def _pass_reports(self) -> None:
        while event := await self._reports.get():
            await self._pass_to_hooks(event)

    async def _pass_to_hooks(self, event: Event) -> None:
        for kind, function in self._hooks:
            if isinstance(event, kind):
                try:
                    await _call(function, event)
                except Exception:
                    _log.exception("the function for %s failed", kind.__name__)

    def _start(self, job: Job | None, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if job is not None:
            self._searches[job] = task
            task.add_done_callback(lambda _: self._searches.pop(job, None))


async def _call(function: Callable[..., Any], *arguments: object) -> Any:
    """Calls a coroutine function in the loop, and another one in a thread, where it may block. The thread ends with the program."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):
        return await function(*arguments)
    loop = asyncio.get_running_loop()
    called: asyncio.Future[Any] = loop.create_future()

    def finish(result: Any, error: BaseException | None) -> None:
        if not called.done():
            called.set_exception(error) if error else called.set_result(result)

    def work() -> None:
        result, error = None, None  # type: Any, BaseException | None
        try:
            result = function(*arguments)
        except StopIteration as raised:  # A future cannot have it.
            error = RuntimeError(repr(raised))
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # The loop is closed.
            loop.call_soon_threadsafe(finish, result, error)

    threading.Thread(target=work, name=getattr(function, "__name__", "kibitzer_ics"), daemon=True).start()
    result = await called
    return await result if inspect.isawaitable(result) else result


def _game(fields: dict[str, Any]) -> BotGame:
    cp, mate, moves = fields.pop("score_cp"), fields.pop("mate"), tuple(fields.pop("moves"))
    return BotGame(**fields, moves=moves, last_score=None if cp is None and mate is None else Score(cp, mate))


def _move_fields(move: Any) -> dict[str, Any]:
    if not isinstance(move, Move):
        uci = getattr(move, "uci", None)
        move = Move(uci() if uci else move)
    if not isinstance(move.text, (str, type(None))):
        raise TypeError(f"{move.text!r} is not a move")
    score = Score(cp=move.score) if isinstance(move.score, int) else move.score or Score()
    fields = {"text": move.text, "score_cp": score.cp, "mate": score.mate, "depth": move.depth, "line": list(move.line)}
    return {**fields, "draw": move.draw, "resign": move.resign}


def _toml(value: object) -> str:
    """Writes a value as one line of TOML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items() if item is not None) + "}"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(os.fspath(value) if isinstance(value, os.PathLike) else value, ensure_ascii=False)
