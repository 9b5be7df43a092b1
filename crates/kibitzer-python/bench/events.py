#!/usr/bin/env python3
"""Speed of events as Python objects, against asyncio streams with a regular expression, and the time of a request.

Build with `maturin develop --release`, then run this file. Speeds are by the time of the processor, so that other programs on the machine matter little.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import tempfile
import time
from pathlib import Path

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


def decoded(path: Path) -> tuple[int, float]:
    began = time.process_time()
    n = sum(1 for _ in ics.decode(path))
    return n, time.process_time() - began


async def streamed(data: bytes) -> tuple[int, float]:
    """Reads style 12 lines with asyncio streams and a regular expression."""
    n = 0
    done = asyncio.Event()

    async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal n
        while line := await reader.readline():
            if match := STYLE12.match(line.strip()):
                fields = match.groups()
                int(fields[7]), int(fields[16]), int(fields[17])
                n += 1
        writer.close()
        done.set()

    server = await asyncio.start_server(read, "127.0.0.1", 0)
    _, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    began = time.process_time()
    for start in range(0, len(data), 1 << 16):
        writer.write(data[start : start + (1 << 16)])
        await writer.drain()
    writer.close()
    await done.wait()
    elapsed = time.process_time() - began
    server.close()
    return n, elapsed


async def request_time() -> float:
    """Returns the median time of a request to the embedded server and its reply, in microseconds."""
    async with ics.serve() as server, ics.connect(server.profile()) as client:
        times = []
        for _ in range(2_000):
            began = time.perf_counter()
            await client.request("date")
            times.append(time.perf_counter() - began)
        return statistics.median(times) * 1e6


def main() -> None:
    recordings = [path for path in sorted(TRANSCRIPTS.glob("*.jsonl"))]
    for path in recordings:
        decoded(path)
    n = seconds = 0.0
    for path in recordings:
        counted, elapsed = decoded(path)
        n, seconds = n + counted, seconds + elapsed
    print(f"all recordings        {n / seconds:10,.0f} events/s (budget 300,000)")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "boards.raw")
        path.write_bytes(BOARD * 200_000)
        counted, elapsed = decoded(path)
        boards = counted / elapsed
        print(f"style 12 boards alone {boards:10,.0f} events/s")
    counted, elapsed = asyncio.run(streamed(BOARD * 200_000))
    print(f"asyncio and a regex   {counted / elapsed:10,.0f} boards/s; ratio {boards / (counted / elapsed):.2f} (budget 5)")
    print(f"request and reply     {asyncio.run(request_time()):10.0f} us")


if __name__ == "__main__":
    main()
