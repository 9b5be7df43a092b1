"""A live session on a chess server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Generator
from types import TracebackType
from typing import Any

from . import _native
from ._commands import Commands
from .answers import Game, Reply
from .events import Event

__all__ = ["Client", "Profile", "connect"]


class Profile:
    """The server of a session, its login and its settings.

    `server` is `"fics"`, `"fics-web"` (over WebSocket), `"icc"` or `"demo"` (`kibitzer serve` on this machine); the path of a
    TOML file (`"my.toml"`); a URL (`"wss://www.freechess.org:5001"`); or a host (`"chess.example"`, `"127.0.0.1:5000"`).

    The keyword arguments are the settings of such a file, with its units: docs/settings.md lists them. Some of them:

    - `handle="Newton"`: name of the account; without a password, of the guest. Without it, the server names the guest.
    - `password_from={"env": "FICS_PASSWORD"}`, `{"file": "~/.fics"}` (mode 0600) or `{"command": ["pass", "show", "fics"]}`.
      A password itself is never an argument.
    - `connect_timeout_ms=10_000`, `request_timeout_ms=30_000`, `reconnect_attempts=0` (never reconnect).
    - `variables={"open": 0}`: variables of the server, set after every login.

    `guest=True` ignores a password in the file.

    Raises:
        ConfigError: the server or a setting is not valid.
        TypeError: there is no such setting.
    """

    def __init__(self, server: str | os.PathLike[str], *, guest: bool = False, **settings: Any) -> None:
        self._native = _native.NativeProfile(os.fspath(server), guest, settings)

    @classmethod
    def _of(cls, native: _native.NativeProfile) -> Profile:
        profile = cls.__new__(cls)
        profile._native = native
        return profile

    @property
    def host(self) -> str:
        """Host name or address."""
        return self._native.host

    @property
    def handle(self) -> str | None:
        """Name of the account or guest; `None` if the server chooses it."""
        return self._native.handle

    def to_toml(self) -> str:
        """Returns all settings as a commented file. It contains the source of a password, never a password."""
        return self._native.to_toml()

    def __repr__(self) -> str:
        return f"<Profile {self.handle or 'guest'} at {self.host}>"


class Connecting:
    """A session that is not connected yet: `async with` it, or `await` it and call `Client.close` later."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._client: Client | None = None

    async def _connect(self) -> Client:
        return Client(await _native.Session.connect(self._profile._native), self._profile)

    def __await__(self) -> Generator[Any, None, Client]:
        return self._connect().__await__()

    async def __aenter__(self) -> Client:
        self._client = await self._connect()
        return self._client

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._client:
            await self._client.close(politely=kind is None)


def connect(server: str | os.PathLike[str] | Profile, *, guest: bool = False, **settings: Any) -> Connecting:
    """Connects, logs in and sets up a session, which reconnects after a loss.

    The arguments are those of `Profile`, or a `Profile`. Use the result as `async with ics.connect(..) as client`: at its end the
    session sends `quit` and is closed; after an exception, or if the task is cancelled, it is closed at once.

    Raises:
        Ended: no connection was made (`reason` is `dial`), or the login failed (`login`).
        ConfigError: an argument is not valid, or the password could not be fetched.
    """
    if isinstance(server, Profile):
        return Connecting(server)
    return Connecting(Profile(server, guest=guest, **settings))


class Client(Commands):
    """A live session. `connect` makes it.

    Every method that sends a command has two conditions: with `expires`, in seconds, the command is not sent later than that;
    with `during`, it is sent only while the game of this number is in progress. Cancelling the task discards the reply; the
    command may have been sent.

    All of them raise `Refused`, `NotConnected`, `TimedOut`, `Ended`, `InvalidRequest` or `RequestFailed`.
    """

    def __init__(self, session: _native.Session, profile: Profile) -> None:
        self._session = session
        self._profile = profile

    @property
    def handle(self) -> str | None:
        """Name of this login as the server spells it; `None` if it is not known."""
        return self._session.handle

    async def request(self, line: str, *, expires: float | None = None, during: int | None = None) -> Reply:
        """Sends any line, and returns the whole reply."""
        return Reply(*await self._session.request(line, expires, during))

    async def _command(self, name: str, arguments: tuple[Any, ...], expires: float | None, during: int | None) -> Any:
        return await self._session.command(name, arguments, expires, during)

    def events(self, filter: str | None = None, *, lossless: int | None = None) -> AsyncIterator[Event]:
        """Returns an iterator of the events from now on, which ends with the session.

        `filter` is an expression that selects events, such as `"kind:tell,say -from:RoboTD"`, `"kind:position mine"` or
        `"mine and clock<10s"`: the language of `kibitzer connect --filter`, which docs/events.md describes. An invalid one
        raises `ConfigError` with its position.

        A slow program does not delay the session: beyond 1,024 unread events (setting `kept_events`) the oldest are dropped, and
        the next one says in `missed` how many. With `lossless=n` nothing is dropped: the session reads nothing more while `n`
        events are unread, so a reply must not be awaited in the task that reads the events. An iterator takes up to 256 events at a
        time, which are not counted there. Events dropped at the end of the session are not reported.

        A canceled wait for an event loses none. Use an iterator in one task: each task needs its own.
        """
        return self._session.events(filter, lossless)

    def watch(self, game: int) -> AsyncIterator[Game]:
        """Returns an iterator of the newest state of a game. A slow program skips states in between."""
        return self._session.watch(game)

    async def ready(self) -> None:
        """Waits until requests can be sent, for example after a lost connection. Raises `Ended` if the session is over."""
        await self._session.ready()

    async def record(self, path: str | os.PathLike[str]) -> None:
        """Records the session from now on into a new file, without passwords. Raises `OSError` if it cannot be created."""
        await self._session.record(os.fspath(path))

    async def close(self, *, politely: bool = True) -> None:
        """Ends the session and frees its socket: with the command `quit`, or at once. Further calls do nothing."""
        await self._session.close(politely)

    def __repr__(self) -> str:
        state = "closed" if self._session.is_closed else self.handle or "guest"
        return f"<Client {state} at {self._profile.host}>"
