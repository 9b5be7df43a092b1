"""An embedded chess server, for tests and for writing a bot without a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from . import _native
from .client import Profile

__all__ = ["Server", "serve"]


class Server:
    """A running server on this machine. `serve` makes it."""

    def __init__(self, native: _native.NativeServer) -> None:
        self._native = native

    @property
    def port(self) -> int:
        """Port on 127.0.0.1."""
        return self._native.port

    def profile(self, *, guest: bool = True, **settings: object) -> Profile:
        """Returns a profile for `connect`, with the settings of `Profile`."""
        return Profile(f"127.0.0.1:{self.port}", guest=guest, **settings)

    async def fault(self, fault: str, *, at: str = "now", player: str | None = None) -> None:
        """Lets something go wrong with the connection of `player`, or without one with the next connection.

        `fault` is `cut` or `reset` (the connection ends in the middle of a line), `stall`, `kick`, `kick-by-admin`, `shutdown`,
        `split=N` or `split-randomly=N` (writes of N bytes, or of 1 to N), `delay=TIME` (`200ms`, `2s`), `garbage=N` or
        `over-long=N` (a line of N bytes in between), or `refuse=WHY` (the login: `bad-name`, `registered`, `in-use`, `banned`, `guests`, `password`,
        `full`, `silence`).

        `at` is the point at which it takes effect: `now` (at the next line), `connect`, `login`, `setup`, `next-board`, `in-block`
        or `after=N` (bytes of the connection).

        Raises:
            ValueError: there is no such fault, point or connection, or the fault cannot take effect at that point.
        """
        await self._native.inject(fault, at, player)

    async def close(self) -> None:
        """Shuts the server down and closes all connections."""
        await self._native.close()

    def __repr__(self) -> str:
        return f"<Server on port {self.port}>"


class Serving:
    """A server that is not started yet: `async with` it."""

    def __init__(self, *options: Any) -> None:
        self._options = options

    async def __aenter__(self) -> Server:
        self._server = Server(await _native.NativeServer.start(*self._options))
        return self._server

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()


def serve(
    *,
    port: int = 0,
    family: Literal["fics", "icc"] = "fics",
    seed: int = 0,
    games: int | None = None,
    speed: float = 1.0,
    accounts: Mapping[str, str] | None = None,
    guests: bool = True,
) -> Serving:
    """Starts a server in this process: `async with ics.serve() as server`, then `ics.connect(server.profile())`.

    - `port`: on 127.0.0.1; 0 is a free one.
    - `family`: whose formats it imitates.
    - `seed`: of its random numbers.
    - `games`: number of games of chess between simulated players, who also play crazyhouse and bughouse; without it, there are
      no simulated players. `speed`: how many times faster than people they think and talk.
    - `accounts`: password by name of registered players. `guests`: whether guests are admitted.
    """
    return Serving(port, family == "icc", seed, games, speed, list((accounts or {}).items()), guests)
