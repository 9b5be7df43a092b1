"""Answers that are neither an event nor a listing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from ._base import Row
from .events import Event, GameCreated, GameEnded, Position

__all__ = ["ExamineStep", "Game", "MoveMade", "ObservedGame", "OfferOutcome", "PlayedMove", "Reply", "ServerClocks"]


@dataclass(frozen=True)
class Reply:
    """The whole reply to a line."""

    text: str
    """The lines of the server, each with a line feed at its end."""
    events: tuple[Event, ...]
    """The same lines as events. Boards and talk that came in between are among them."""

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)


@dataclass(frozen=True)
class PlayedMove(Row):
    """A move of a `Game`."""

    san: str
    """The move as the server prints it, such as `Nf3`."""
    clock_ms: int | None
    """Remaining time of the player after the move."""
    elapsed_ms: int | None
    """Time that the move took."""

    _keys: ClassVar[str] = "san clock_ms elapsed_ms"


@dataclass(frozen=True)
class Game(Row):
    """State of a game. Values are named as those of the events `position`, `game_info` and `game_ended`."""

    game: int
    kind: str | None
    variant: str | None
    rated: bool | None
    partner_game: int | None
    white: str
    black: str
    relation: int
    initial_s: int
    increment_s: int
    fen: str
    side_to_move: Literal["white", "black"]
    move_number: int
    white_clock_ms: int
    black_clock_ms: int
    moves: tuple[PlayedMove, ...]
    result: str | None
    reason: str | None

    _keys: ClassVar[str] = (
        "game kind variant rated partner_game white black relation initial_s increment_s fen side_to_move move_number "
        "white_clock_ms black_clock_ms moves:PlayedMove result reason"
    )


@dataclass(frozen=True)
class MoveMade:
    """A move that the server accepted."""

    board: Position | None
    """The new board; `None` if the reply has only the end of the game."""
    ended: GameEnded | None
    """The end of the game, if the move ended it."""


@dataclass(frozen=True)
class ObservedGame:
    """A game that is observed from now on."""

    game: int
    board: Position | None
    """The board at that time, if the server sent it."""


@dataclass(frozen=True)
class ExamineStep:
    """A step in an examined game."""

    board: Position | None
    """The new board; `None` if the position is the same, or if the server sends it later."""
    is_at_edge: bool
    """Whether the first or last position of the game stopped the step."""


@dataclass(frozen=True)
class ServerClocks(Row):
    """The times of the server, as it prints them."""

    local: str
    """In the time zone of this login."""
    server: str | None
    """Of the server, otherwise of Greenwich."""

    _keys: ClassVar[str] = "local server"


@dataclass(frozen=True)
class OfferOutcome:
    """The outcome of an offer, a challenge or a seek that was made, accepted, declined or withdrawn."""

    outcome: Literal["sent", "challenged", "posted", "started", "ended", "partner", "closed", "changed", "other"]
    """What happened: the offer or challenge waits for its answer (`sent`, `challenged`), the seek is `posted`, a game
    `started` or `ended`, a bughouse `partner` was found, the offer is `closed` (declined or withdrawn), or the game
    `changed`, for example by a takeback."""
    started: GameCreated | None = None
    ended: GameEnded | None = None
    board: Position | None = None
    """The new board of `changed`, if the reply has one."""
    index: int | None = None
    """Number of the posted seek."""
    seen_by: int | None = None
    """Number of players who were notified of it."""
    player: str | None = None
    """The new partner, or the other player of the closed offer."""
