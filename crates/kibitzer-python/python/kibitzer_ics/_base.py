"""Base classes of the generated classes in `events`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ._native import NativeEvent

if TYPE_CHECKING:
    import chess

    from ._native import EventStream
    from .events import Position

_T = TypeVar("_T", covariant=True)


async def _next_event(stream: EventStream) -> Event:
    if (waiting := stream._wait()) is not None:
        await waiting
    # The last step: nothing can cancel the coroutine after it.
    return stream._take()


def _plain(value: Any) -> Any:
    if isinstance(value, Row):
        # A row of a list of seeks has the class of an event.
        return Row.to_dict(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


class Row:
    """Base class of all objects with named values: events, rows of listings, answers."""

    # Keys in the order of the JSON; after a colon the class of objects in the value.
    _keys: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """Returns the values as a `dict` with the keys of the JSON, for `json.dumps`."""
        keys = [key.partition(":")[0] for key in self._keys.split()]
        pairs = [(key, "sender" if key == "from" else key) for key in keys]
        # Fields with a default may be left out.
        given = [(key, name) for key, name in pairs if getattr(self, name) is not None or not hasattr(type(self), name)]
        return {key: _plain(getattr(self, name)) for key, name in given}


@dataclass(frozen=True, kw_only=True)
class Event(Row, NativeEvent):
    """Base class of all events. An event is one message of the server, or a report of the session about itself."""

    event: ClassVar[str]
    """Name of the kind, such as `channel_tell`: the key `event` in JSON."""
    offset: int | None = None
    """Position in the received bytes of the connection; `None` for events of the session itself."""
    t: float | None = None
    """Seconds since the session began; `None` in a log without times."""
    utc: str | None = None
    """Time of day, such as `2025-03-01T12:34:56.789Z`; `None` if it is not known."""
    request: int | None = None
    """Number of the request that the event is part of."""
    requested_by: str | None = None
    """Who made that request: `user`, `program`, `set_up`, `restoration` or `probe`."""
    inferred: bool = False
    """Whether `request` is a guess, because the server does not number replies."""
    own: bool = False
    """Whether the event is about a game that this login plays, or an offer to it."""
    missed: int = 0
    """Number of events that this subscription lost just before this one, because the program was slow."""

    @property
    def raw(self) -> bytes:
        """The received line as it came, without its line end; `b""` for events of the session itself."""
        return self._line()

    def json(self) -> str:
        """Returns the event as one line of JSON, the one that `kibitzer decode` prints."""
        return self._json() or json.dumps(self.to_dict())

    def __str__(self) -> str:
        """Returns the event as text for people; it may contain control characters that a player wrote."""
        return repr(self) if (text := self._text()) is None else text

    def to_dict(self) -> dict[str, Any]:
        """Returns the values as a `dict` with the keys of the JSON."""
        times = {"t": self.t, "utc": self.utc} if self.t is not None else {}
        request = {key: getattr(self, key) for key in ("request", "requested_by", "inferred", "own") if getattr(self, key)}
        return {"event": self.event, "offset": self.offset, **times, **request, **super().to_dict()}

    def __getstate__(self) -> dict[str, Any]:
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**state, "variant": self.variant} if isinstance(self, Board) else state


@dataclass(frozen=True)
class Other(Event):
    """An event of a kind that this version of the package does not know."""

    event: str  # type: ignore[misc]
    """Name of the kind."""
    fields: dict[str, Any]
    """All values, by their keys in JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the values as a `dict` with the keys of the JSON."""
        return dict(self.fields)


class Listing(Generic[_T]):
    """A listing is a sequence of its rows."""

    _rows: ClassVar[str]

    def __len__(self) -> int:
        return len(getattr(self, self._rows))

    def __iter__(self) -> Iterator[_T]:
        return iter(getattr(self, self._rows))

    def __getitem__(self, index: int) -> _T:
        row: _T = getattr(self, self._rows)[index]
        return row


class Board:
    """Methods of `Position`."""

    variant: ClassVar[str | None] = None
    """Variant of the game, such as `crazyhouse`. Boards do not contain it: it is known if this iterator received the event
    `game_info` or `game_created` of the game, also one that its filter skipped. So call `Client.events` before
    `Client.observe`; otherwise, and in answers of commands, it is `None`. Copies and pickles keep it, `dataclasses.replace` does
    not: it is no field."""

    def board(self: Position, variant: str | None = None) -> chess.Board:  # type: ignore[misc]
        """Returns the position as a board of python-chess, with both reserves in crazyhouse and bughouse.

        The class is that of the game's variant, or of the argument: `chess.Board`, or `CrazyhouseBoard`, `AtomicBoard`,
        `SuicideBoard` or `GiveawayBoard` of `chess.variant`. In variants that python-chess does not know (losers, most of
        wild), and where the variant is not known, it is a `chess.Board`.

        Needs the package `chess`: `pip install "kibitzer-ics[chess]"`.

        Raises:
            ImportError: `chess` is not installed.
            ValueError: the FEN is not valid.
        """
        from ._chess import board_of_position

        return board_of_position(self, variant)
