"""Recorded sessions: their events and their games."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from . import _native
from .client import Connecting, Profile
from .events import Event

__all__ = ["decode", "games", "record"]


def decode(path: str | os.PathLike[str]) -> Iterator[Event]:
    """Returns an iterator of the events of a recording (JSON Lines, as `record` writes it) or of a raw log of the server's output.

    They are the events that `kibitzer decode` prints. If a recording ends inside a line, as after a crash, the last event is a
    `Cut`. Raises `OSError` if the file cannot be read, or is not a recording.
    """
    return _native.Decoder(os.fspath(path))


def games(path: str | os.PathLike[str], *, site: str = "") -> list[str]:
    """Returns the games of a recording as PGN, those without an end last. `site` is the tag of that name: the host of the server.

    `chess.pgn.read_game(io.StringIO(pgn))` parses one with python-chess. Raises `OSError` if the file cannot be read.
    """
    return _native.games(os.fspath(path), site)


def record(server: str | os.PathLike[str] | Profile, path: str | os.PathLike[str], **settings: Any) -> Connecting:
    """Connects as `connect` does, and records the session from its beginning into a new file, which must not exist.

    Passwords are not recorded. `Client.record` starts a recording later. Raises `ConfigError` if the file cannot be created.
    """
    profile = server if isinstance(server, Profile) else Profile(server, **settings)
    return Connecting(Profile._of(profile._native.recorded(os.fspath(path))))
