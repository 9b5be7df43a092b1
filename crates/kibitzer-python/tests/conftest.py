"""Fixtures: a server of this process, and a guest on it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest_asyncio

import kibitzer_ics as ics

ROOT = Path(__file__).parents[3]
TRANSCRIPTS = sorted((ROOT / "tests" / "transcripts").glob("*.jsonl"))


def takes_less_than(seconds: float, measure: Callable[[], float]) -> None:
    """Asserts that one of five measured times is less: another program may delay the others."""
    times: list[float] = []
    while not times or times[-1] >= seconds:
        assert len(times) < 5, times
        times.append(measure())


async def observe_any(client: ics.Client) -> int:
    """Observes a game that is still played when the command is executed."""
    while True:
        for row in await client.games():
            with contextlib.suppress(ics.Refused):
                return (await client.observe(row.game)).game


@pytest_asyncio.fixture
async def server() -> AsyncIterator[ics.Server]:
    """A server with simulated players, fifty times as fast as people."""
    async with ics.serve(games=3, speed=50) as server:
        yield server


@pytest_asyncio.fixture
async def client(server: ics.Server) -> AsyncIterator[ics.Client]:
    """A guest on `server`."""
    async with ics.connect(server.profile()) as client:
        yield client
