"""Fixtures: a server of this process, and a guest on it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

import kibitzer_ics as ics

ROOT = Path(__file__).parents[3]
TRANSCRIPTS = sorted((ROOT / "tests" / "transcripts").glob("*.jsonl"))


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
