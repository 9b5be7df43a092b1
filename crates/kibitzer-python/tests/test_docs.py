"""Runs every program of the pages and the examples against an embedded server."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitzer_ics as ics

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "crates/kibitzer-python/README.md", ROOT / "docs/python.md"]

# What a program prints, by a part of its text. Programs that are not listed print nothing in particular.
PRINTS = {
    "NoSuchPlayer": r"logged in as Guest\w+\n(\d+ \w+ \w+ (None|-?\d+)\n)+no_such_player\n",
    'handle="MyBot", password_from': r"<Profile MyBot at 127",
    '"legal moves"': r"(?s)([.\w] ){7}[.\w]\n.* legal moves\n.*(1-0|0-1|1/2-1/2|\*) \w+\n",
    "kind:tell,say": r"",
    "next_game": r"^results (1-0|0-1|1/2-1/2) (1-0|0-1|1/2-1/2)\n$",
    "ics.ChallengeUpdate": r"^challenged\nWhetstone accepted\ngame \d+ \w+ \w+\n$",
    "variants=[\"crazyhouse\"]": r"Newton MyBot 0-1 resign\n",
    'Bot("bot.toml")': r"(?s)connection  the session is ready.*moved .*said Newton Newton: .*Newton MyBot 0-1 resign",
    "accept={": r"<Bot server, accept, pgn>",
    "ics.sync.connect": r"\w+\n\S+ [wb] ",
}


def blocks() -> list[Any]:
    found = []
    for page in PAGES:
        text = page.read_text()
        for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
            line = text.count("\n", 0, match.start()) + 1
            found.append(pytest.param(match[1], id=f"{page.name}:{line}"))
    return found


def local(text: str, port: int) -> str:
    """Replaces the addresses of a program by that of a server on this machine."""
    text = text.replace('"fics"', f'"127.0.0.1:{port}"').replace('"host": "freechess.org"', f'"host": "127.0.0.1", "ports": [{port}]')
    return text.replace('host = "freechess.org"', f'host = "127.0.0.1"\nports = [{port}]')


async def run(folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    environment = os.environ | {"FICS_PASSWORD": "secret", "PYTHONUNBUFFERED": "1"}
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=folder, env=environment, stdout=pipe, stderr=pipe
    )


async def output(process: asyncio.subprocess.Process) -> str | None:
    """Waits for the end of a process that succeeds, and returns what it printed; `None` if a game ended before it was observed."""
    out, err = await asyncio.wait_for(process.communicate(), 60)
    if b"no_such_game" in err:
        return None
    assert process.returncode == 0, err.decode() + out.decode()
    return out.decode()


async def play_against_bot(server: ics.Server, process: asyncio.subprocess.Process) -> None:
    """Challenges the bot, asks for its score, resigns, and interrupts the bot."""
    async with ics.connect(server.profile(handle="Newton")) as newton:
        while not any(row.name == "MyBot" for row in await newton.who()):
            await asyncio.sleep(0.05)
        events = newton.events()
        await newton.challenge("MyBot", time=(5, 0), rated=False, color="white", variant="crazyhouse")
        async for event in events:
            match event:
                case ics.Position(own=True, move_number=1, relation=1):
                    await newton.make_move("e4")
                case ics.Position(own=True, move_number=2, relation=1):
                    await newton.tell("MyBot", "!eval")
                case ics.Tell(sender="MyBot"):
                    process.send_signal(signal.SIGINT)
                    await newton.resign()
                    return


async def talk_to_guest(server: ics.Server, process: asyncio.subprocess.Process) -> None:
    """Says something to the program, waits for its answer, and interrupts it."""
    async with ics.connect(server.profile(handle="Newton")) as newton:
        events = newton.events("kind:tell")
        guest = None
        while guest is None:
            names = [row.name for row in await newton.who()]
            guest = next((name for name in names if name.startswith("Guest")), None)
        answered = False
        while not answered:
            await newton.tell(guest, "hello")
            try:
                answered = (await asyncio.wait_for(anext(events), 0.5)).text == "you said: hello"  # type: ignore[attr-defined]
            except asyncio.TimeoutError:
                pass
        process.send_signal(signal.SIGINT)


@pytest.mark.parametrize("program", blocks())
async def test_program_of_a_page(program: str, tmp_path: Path) -> None:
    async with ics.serve(games=3, speed=200) as server:
        if "def test_" in program:
            (tmp_path / "test_page.py").write_text(program)
            assert "1 passed" in (await output(await run(tmp_path, "-m", "pytest", "-q", "test_page.py")) or "")
            return
        for page in PAGES:
            for toml in re.findall(r"^```toml\n(.*?)^```", page.read_text(), re.M | re.S):
                (tmp_path / "bot.toml").write_text(local(toml, server.port))
        if "import asyncio" not in program and "import kibitzer_ics" not in program:
            program = "import kibitzer_ics as ics\n" + program
        process = await run(tmp_path, "-c", local(program, server.port))
        if "bot.run()" in program:
            await play_against_bot(server, process)
        elif "you said" in program:
            await talk_to_guest(server, process)
            _, err = await asyncio.wait_for(process.communicate(), 30)
            assert err.decode().strip().endswith("KeyboardInterrupt"), err.decode()
            return
        while (printed := await output(process)) is None:
            process = await run(tmp_path, "-c", local(program, server.port))
        wanted = next((pattern for part, pattern in PRINTS.items() if part in program), "")
        assert re.search(wanted, printed), printed


async def test_example_beside_the_one_without_the_package() -> None:
    example = ROOT / "crates/kibitzer/examples/python/play_ics.py"
    async with ics.serve(games=0, speed=50) as server:
        printed = await output(await run(ROOT, str(example), f"127.0.0.1:{server.port}"))
    assert printed and re.search(r"Guest\w+ Whetstone (1-0|0-1|1/2-1/2) \w+|Whetstone Guest\w+", printed), printed
