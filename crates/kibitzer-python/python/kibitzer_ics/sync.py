"""The client without asyncio, for scripts and notebooks: plain methods and iterators.

    import kibitzer_ics as ics

    with ics.sync.connect("fics", guest=True) as client:
        for row in client.games():
            print(row.game, row.white, row.black)

Each client, and each server of `serve`, has an event loop in a thread of its own, which ends with `close`. Methods may be called
in any thread, also while a loop runs in it. Ctrl-C interrupts a call, and discards its reply.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, TypeVar

from . import client as _client
from . import recordings as _recordings
from . import server as _server
from ._sync_commands import Commands
from .answers import Game, Reply
from .client import Profile
from .errors import Ended
from .events import Event

__all__ = ["Client", "Server", "connect", "record", "serve"]

_BATCH = 256
_T = TypeVar("_T")


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="kibitzer_ics.sync", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Runs a coroutine in the loop, and returns its result."""
        if self._pid != os.getpid():
            work.close()
            raise RuntimeError("this client was made before a fork and cannot be used in the child process: connect again there")
        if not self._thread.is_alive():
            work.close()
            raise Ended("shutdown", "the client is closed")
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        finally:
            running.cancel()  # Does nothing unless the caller was interrupted.

    def close(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


async def _next_of(items: AsyncIterator[_T], is_ready: Callable[[], bool], timeout: float | None) -> list[_T]:
    """Returns the items that are there, or waits for one; nothing at the end, or after the timeout."""
    found: list[_T] = []
    try:
        while len(found) < _BATCH and is_ready():
            found.append(await anext(items))
        if not found:
            found.append(await asyncio.wait_for(anext(items), timeout))
    except (StopAsyncIteration, asyncio.TimeoutError):
        pass
    return found


class Client(Commands):
    """A live session without asyncio. `connect` makes it.

    Its methods are those of `kibitzer_ics.Client`, with the same arguments, answers and exceptions.
    """

    def __init__(self, thread: _LoopThread, client: _client.Client) -> None:
        self._thread = thread
        self._client = client

    @property
    def handle(self) -> str | None:
        """Name of this login as the server spells it; `None` if it is not known."""
        return self._client.handle

    def _command(self, name: str, arguments: tuple[Any, ...], expires: float | None, during: int | None) -> Any:
        return self._thread.run(self._client._command(name, arguments, expires, during))

    def request(self, line: str, *, expires: float | None = None, during: int | None = None) -> Reply:
        """Sends any line, and returns the whole reply."""
        return self._thread.run(self._client.request(line, expires=expires, during=during))

    def events(self, filter: str | None = None, *, lossless: int | None = None, timeout: float | None = None) -> Iterator[Event]:
        """Returns an iterator of the events from now on, which ends with the session, or after `timeout` seconds without an event.

        The other arguments are those of `kibitzer_ics.Client.events`. While a `for` loop is slow, events are kept or counted in
        `missed` as there.
        """
        events = self._client._session.events(filter, lossless)
        return self._iterate(events, events._is_ready, timeout)

    def watch(self, game: int, *, timeout: float | None = None) -> Iterator[Game]:
        """Returns an iterator of the newest state of a game, which ends after `timeout` seconds without a new one."""
        return self._iterate(self._client.watch(game), lambda: False, timeout)

    def _iterate(self, items: AsyncIterator[_T], is_ready: Callable[[], bool], timeout: float | None) -> Iterator[_T]:
        while batch := self._thread.run(_next_of(items, is_ready, timeout)):
            yield from batch

    def ready(self) -> None:
        """Waits until requests can be sent, for example after a lost connection. Raises `Ended` if the session is over."""
        self._thread.run(self._client.ready())

    def record(self, path: str | os.PathLike[str]) -> None:
        """Records the session from now on into a new file, without passwords. Raises `OSError` if it cannot be created."""
        self._thread.run(self._client.record(path))

    def close(self, *, politely: bool = True) -> None:
        """Ends the session, its socket and its thread: with the command `quit`, or at once. Further calls do nothing."""
        try:
            self._thread.run(self._client.close(politely=politely))
        except Ended:
            pass
        finally:
            self._thread.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close(politely=kind is None)

    def __repr__(self) -> str:
        return f"<sync.{repr(self._client)[1:]}"


def connect(server: str | os.PathLike[str] | Profile, *, guest: bool = False, **settings: Any) -> Client:
    """Connects, logs in and sets up a session, which reconnects after a loss. The arguments are those of `kibitzer_ics.connect`.

    Use it as `with ics.sync.connect(..) as client`, or call `Client.close` at the end.

    Raises:
        Ended: no connection was made (`reason` is `dial`), or the login failed (`login`).
        ConfigError: an argument is not valid, or the password could not be fetched.
    """
    return _open(_client.connect, server, guest=guest, **settings)


def record(server: str | os.PathLike[str] | Profile, path: str | os.PathLike[str], **settings: Any) -> Client:
    """Connects as `connect` does, and records the session from its beginning. The arguments are those of `kibitzer_ics.record`."""
    return _open(_recordings.record, server, path, **settings)


def _open(make: Callable[..., _client.Connecting], *arguments: Any, **settings: Any) -> Client:
    thread = _LoopThread()
    try:
        return Client(thread, thread.run(make(*arguments, **settings)._connect()))
    except BaseException:
        thread.close()
        raise


class Server(_server.Server):
    """A running server on this machine, without asyncio. `serve` makes it."""

    _thread: _LoopThread

    def fault(self, fault: str, *, at: str = "now", player: str | None = None) -> None:  # type: ignore[override]
        """Lets something go wrong with a connection. The arguments and exceptions are those of `kibitzer_ics.Server.fault`."""
        self._thread.run(super().fault(fault, at=at, player=player))

    def close(self) -> None:  # type: ignore[override]
        """Shuts the server down and closes all connections."""
        self._thread.run(super().close())


@contextlib.contextmanager
def serve(**options: Any) -> Iterator[Server]:
    """Starts a server in this process: `with ics.sync.serve() as server`. The arguments are those of `kibitzer_ics.serve`."""
    thread = _LoopThread()
    try:
        serving = _server.serve(**options)
        server = Server(thread.run(serving.__aenter__())._native)
        server._thread = thread
        try:
            yield server
        finally:
            thread.run(serving.__aexit__())
    finally:
        thread.close()
