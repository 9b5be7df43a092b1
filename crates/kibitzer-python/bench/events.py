#!/usr/bin/env python3
"""Speed of events as Python objects against a regular expression for style 12 alone, and the time that Python adds to a move.

Build with `maturin develop --release`, then run this file. The pairs read the same bytes and the same three numbers of each board:

- live: `client.events()` and asyncio streams, both from a socket. Another process writes to it.
- file: `ics.decode()` and a loop over the lines of a file.

Speeds are by the time of the processor, of all threads of this process, so that other programs on the machine matter little.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import kibitzer_ics as ics

TRANSCRIPTS = Path(__file__).parents[3] / "tests" / "transcripts"
STYLE12 = re.compile(
    rb"^<12> ((?:[-pnbrqkPNBRQK]{8} ){8})([WB]) (-?\d+) (\d) (\d) (\d) (\d) (\d+) (\d+) (\S+) (\S+) (-?\d+) (\d+) (\d+) (\d+) (\d+) "
    rb"(-?\d+) (-?\d+) (\d+) (\S+) \((\S+)\) (\S+) (\d+)"
)
BOARD = (
    b"<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 Newton Einstein 1 2 12 39 39 "
    b"119000 122000 2 K/e1-e2 (0:06.000) Ke2 0 1 0\n\r"
)
N_BOARDS = 200_000
N_TELLS = 3_000
ROUNDS = 3

Feed = Callable[[asyncio.StreamWriter], Awaitable[None]]


async def send_boards(writer: asyncio.StreamWriter) -> None:
    for _ in range(N_BOARDS // 1_000):
        writer.write(BOARD * 1_000)
        await writer.drain()


async def send_tells(writer: asyncio.StreamWriter) -> None:
    """Sends tells one by one, each with the time before the write."""
    for _ in range(N_TELLS):
        await asyncio.sleep(0.001)
        writer.write(b"Newton tells you: %d\n\r" % time.perf_counter_ns())


def serve(ports: Any) -> None:
    """Runs the embedded server behind relays, which add boards or tells when a client sends `date`; and the bare boards."""

    async def start(handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> int:
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def run() -> None:
        async with ics.serve() as server:

            def relay(feed: Feed) -> Any:
                async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                    from_server, to_server = await asyncio.open_connection("127.0.0.1", server.port)

                    async def copy() -> None:
                        while data := await from_server.read(1 << 16):
                            writer.write(data)

                    copying = asyncio.create_task(copy())
                    while data := await reader.read(1 << 16):
                        if b"date" in data:
                            await feed(writer)
                        to_server.write(data)
                    copying.cancel()
                    to_server.close()
                    writer.close()

                return handle

            async def bare(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readline()
                await send_boards(writer)
                writer.close()

            ports.put([await start(relay(send_boards)), await start(relay(send_tells)), await start(bare)])
            await asyncio.Event().wait()

    asyncio.run(run())


def read_events(events: Iterable[ics.Event]) -> int:
    n = 0
    for event in events:
        if isinstance(event, ics.Position):
            event.game, event.white_clock_ms, event.black_clock_ms
            n += 1
    return n


def read_line(line: bytes) -> bool:
    if match := STYLE12.match(line.strip()):
        fields = match.groups()
        int(fields[15]), int(fields[16]), int(fields[17])
    return bool(match)


async def live_events(port: int) -> tuple[int, float]:
    async with ics.connect(f"127.0.0.1:{port}", guest=True, request_timeout_ms=600_000) as client:
        events = client.events("kind:position", lossless=4_096)
        n = 0
        began = time.process_time()
        asking = asyncio.create_task(client.request("date"))
        async for event in events:
            if isinstance(event, ics.Position):
                event.game, event.white_clock_ms, event.black_clock_ms
                n += 1
                if n == N_BOARDS:
                    break
        elapsed = time.process_time() - began
        await asking
        return n, elapsed


async def live_lines(port: int) -> tuple[int, float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    n = 0
    began = time.process_time()
    writer.write(b"date\n")
    while line := await reader.readline():
        n += read_line(line)
    return n, time.process_time() - began


def file_events(path: Path) -> tuple[int, float]:
    began = time.process_time()
    return read_events(ics.decode(path)), time.process_time() - began


def file_lines(path: Path) -> tuple[int, float]:
    began = time.process_time()
    with path.open("rb") as file:
        return sum(map(read_line, file)), time.process_time() - began


def compare(name: str, ours: Callable[[], tuple[int, float]], theirs: Callable[[], tuple[int, float]]) -> None:
    """Prints the best of several rounds, and the ratio."""
    best = [float("inf")] * 2
    for _ in range(ROUNDS):
        for index, run in enumerate((ours, theirs)):
            n, seconds = run()
            assert n == N_BOARDS, n
            best[index] = min(best[index], seconds / n * 1e6)
    print(f"{name}  {best[0]:.2f} us a board, with a regular expression {best[1]:.2f} us: {best[1] / best[0]:.2f} times as fast")


async def added_latency(port: int) -> None:
    """Prints the time from the write of a tell until Python has its event, and the part of it after the library had the event.

    The library stamps an event when it is received, in its own clock. An event that is there already is received by the call for it,
    so such calls show the difference of the clocks.
    """
    async with ics.connect(f"127.0.0.1:{port}", guest=True, request_timeout_ms=600_000) as client:
        offsets = []
        for _ in range(200):
            events = client.events("kind:tell")
            await client.request(f"tell {client.handle} x")
            before = time.perf_counter()
            event = await anext(events)
            offsets.append(before - (event.t or 0.0))
        # A call that was interrupted between the two clocks has a smaller difference.
        offset = statistics.median(offsets)
        events = client.events("kind:tell", lossless=N_TELLS)
        asking = asyncio.create_task(client.request("date"))
        whole, added = [], []
        async for event in events:
            now = time.perf_counter()
            assert isinstance(event, ics.Tell)
            whole.append((now - int(event.text) / 1e9) * 1e6)
            added.append((now - offset - (event.t or 0.0)) * 1e6)
            if len(whole) == N_TELLS:
                break
        await asking
        for name, samples in (("write to Python", whole), ("of it, after the library", added)):
            p50, p90, p99 = (statistics.quantiles(samples, n=100)[percent - 1] for percent in (50, 90, 99))
            print(f"{name:26} p50 {p50:6.0f} us, p90 {p90:6.0f} us, p99 {p99:6.0f} us")


async def request_time() -> float:
    """Returns the median time of a request to the embedded server and its reply, in microseconds."""
    async with ics.serve() as server, ics.connect(server.profile()) as client:
        times = []
        for _ in range(2_000):
            began = time.perf_counter()
            await client.request("date")
            times.append(time.perf_counter() - began)
        return statistics.median(times) * 1e6


def all_recordings() -> float:
    """Returns the number of events of all recordings made a second, without reading a field."""
    recordings = sorted(TRANSCRIPTS.glob("*.jsonl"))
    best = 0.0
    for _ in range(ROUNDS):
        began = time.process_time()
        n = sum(1 for path in recordings for _ in ics.decode(path))
        best = max(best, n / (time.process_time() - began))
    return best


def main() -> None:
    spawn = multiprocessing.get_context("spawn")
    ports = spawn.Queue()
    server = spawn.Process(target=serve, args=(ports,), daemon=True)
    server.start()
    boards, tells, bare = ports.get()
    print(f"all recordings  {all_recordings():,.0f} events/s (budget 300,000)")
    compare("live", lambda: asyncio.run(live_events(boards)), lambda: asyncio.run(live_lines(bare)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "boards.raw")
        path.write_bytes(BOARD * N_BOARDS)
        compare("file", lambda: file_events(path), lambda: file_lines(path))
        print("file, against asyncio streams:")
        compare("    ", lambda: file_events(path), lambda: asyncio.run(live_lines(bare)))
    asyncio.run(added_latency(tells))
    print(f"request and reply {asyncio.run(request_time()):.0f} us")
    server.terminate()


if __name__ == "__main__":
    main()
