"""Bots: a whole game, commands, hooks, failing engines, the end."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import chess
import pytest
import uvloop

import kibitzer_ics as ics

KNIGHTS = ["g8f6", "f6g8"]


async def until(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    """Waits until a condition is met."""
    async with asyncio.timeout(seconds) if sys.version_info >= (3, 11) else _no_limit():
        while not condition():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def _no_limit() -> AsyncIterator[None]:
    yield


class Table:
    """A bot `Botvin`, what it reported, and a human `Alekhin` on the same server."""

    def __init__(self, bot: ics.Bot, server: ics.Server, human: ics.Client, task: asyncio.Task[None]) -> None:
        self.bot, self.server, self.human, self.task = bot, server, human, task
        self.actions: list[ics.BotAction] = []
        self.received: list[ics.Event] = []
        bot.on(ics.BotAction)(self.actions.append)

    async def did(self, action: str, words: str = "", n: int = 1) -> None:
        def count() -> int:
            return sum(it.action == action and words in it.reason for it in self.actions)

        try:
            await until(lambda: count() >= n)
        except TimeoutError:
            raise AssertionError(f"no {action} {words!r} in {self.actions}") from None

    async def begin(self, time: str = "5 0", move: str | None = "e4") -> None:
        """Challenges the bot as White, and plays a move when the game has begun."""
        await self.human.request(f"match Botvin {time} unrated white")
        await self.got(ics.Position, own=True)
        if move:
            await self.human.request(move)

    async def got(self, kind: type[Any], **fields: object) -> Any:
        def find() -> Any:
            fit = (it for it in self.received if isinstance(it, kind))
            return next((it for it in fit if all(getattr(it, key) == value for key, value in fields.items())), None)

        try:
            await until(lambda: find() is not None)
        except TimeoutError:
            raise AssertionError(f"no {kind} {fields} in {self.received}") from None
        return find()


@asynccontextmanager
async def seated(bot: ics.Bot, server: ics.Server) -> AsyncIterator[Table]:
    async with ics.connect(server.profile(handle="Alekhin")) as human:
        table = Table(bot, server, human, asyncio.create_task(bot.run_async()))

        async def receive() -> None:
            async for event in human.events():
                table.received.append(event)

        receiving = asyncio.create_task(receive())
        await table.did("connection", "ready")
        yield table
        receiving.cancel()
        bot.stop(now=True)
        await table.task


def bot_on(server: ics.Server, **tables: Any) -> ics.Bot:
    return ics.Bot(server=server.profile(handle="Botvin"), **tables)


def shuffle(game: ics.BotGame, limits: ics.Limits) -> str:
    """Moves a knight out and back."""
    return KNIGHTS[len(game.moves) // 2 % 2]


async def test_crazyhouse_game_against_a_simulated_player() -> None:
    async with ics.serve(games=0, speed=100) as server:
        bot = bot_on(server)
        boards: list[chess.Board] = []
        ended: list[ics.GameEnded] = []

        @bot.engine(variants=["crazyhouse"])
        async def think(game: ics.BotGame, limits: ics.Limits) -> ics.Move | None:
            board = game.board()
            boards.append(board)
            assert game.my_turn and game.variant == "crazyhouse" and limits.deadline > 0
            # The server marks no promoted pieces.
            assert board.fen().split()[1:3] == game.fen.split()[1:3]
            # Mate: the server is about to end the game.
            if not any(board.legal_moves):
                return None
            moves = sorted(board.legal_moves, key=lambda move: (bool(move.drop), board.is_capture(move), move.uci()))
            return ics.Move(moves[-1].uci(), score=10 * len(boards))

        # A short game may have no drop.
        @bot.on(ics.SessionReady, ics.GameEnded)
        async def begin_or_stop(event: ics.Event) -> None:
            if isinstance(event, ics.GameEnded):
                ended.append(event)
            if any(move.drop for board in boards for move in board.move_stack):
                return bot.stop()
            await bot.clients[0].request("match Whetstone 3 0 unrated crazyhouse")

        await asyncio.wait_for(bot.run_async(), 60)
        assert ended[-1].result in ("1-0", "0-1", "1/2-1/2") and len(boards) > 5


async def test_commands_know_the_game_the_score_and_who_asks() -> None:
    async with ics.serve() as server:
        bot = bot_on(server, talk={"answer_pause": "10m"})
        asked: list[tuple[ics.BotTalk, ics.BotGame | None]] = []

        @bot.engine()
        def think(game: ics.BotGame, limits: ics.Limits) -> ics.Move:
            return ics.Move(shuffle(game, limits), score=35, depth=7, line=["g8f6"])

        @bot.command("!eval")
        async def evaluate(talk: ics.BotTalk, game: ics.BotGame | None) -> str:
            asked.append((talk, game))
            return str(game.last_score) if game else "not playing"

        @bot.command("!fail")
        def fail(talk: ics.BotTalk, game: ics.BotGame | None) -> str:
            raise ValueError("no")

        async with seated(bot, server) as table, ics.connect(server.profile(handle="Smyslov")) as smyslov:
            await smyslov.request("tell Botvin !EVAL now please")
            await table.did("said", "not playing")
            assert (asked[0][0].arguments, asked[0][0].sender, asked[0][1]) == (["now", "please"], "Smyslov", None)
            await table.begin()
            await table.did("moved", "g8f6, score +0.35")
            await table.got(ics.Position, move_number=2)
            await table.human.request("kibitz !eval")
            await table.got(ics.Tell, sender="Botvin", text="+0.35")
            talk, game = asked[1]
            assert (talk.kind, talk.sender) == ("kibitz", "Alekhin")
            assert game and game.opponent == "Alekhin" and game.moves == ("e2e4", "g8f6") and game.color == "black"
            assert game.board().fen() == chess.Board(game.fen).fen()
            await table.human.request("tell Botvin !fail")
            await table.did("suppressed", "10m ago")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("e2e5", "'e2e5', which is not a move"),
        ("hello", "'hello', which is not a move"),
        (None, "returned no move"),
        (7, "TypeError"),
        (RuntimeError("out of ideas"), "RuntimeError: out of ideas"),
    ],
)
async def test_engine_that_fails_is_called_again_and_then_the_game_is_given_up(answer: Any, reason: str) -> None:
    async with ics.serve() as server:
        bot = bot_on(server)
        calls = 0

        @bot.engine()
        async def think(game: ics.BotGame, limits: ics.Limits) -> Any:
            nonlocal calls
            calls += 1
            if isinstance(answer, Exception):
                raise answer
            return answer

        async with seated(bot, server) as table:
            await table.begin()
            ended = await table.got(ics.GameEnded)
            assert calls == 3 and ("aborted" in ended.text or "resigns" in ended.text)
            await table.did("engine_failed", reason.replace("'", '"') if "'" in reason else reason, 3)


async def test_engine_that_never_returns_is_cancelled_and_called_again() -> None:
    async with ics.serve() as server:
        bot = bot_on(server, accept={"initial_min": [0, 5]})
        calls: list[str] = []

        @bot.engine()
        async def think(game: ics.BotGame, limits: ics.Limits) -> str:
            calls.append("begun")
            if len(calls) == 1:
                try:
                    await asyncio.sleep(1000)
                except asyncio.CancelledError:
                    calls.append("cancelled")
                    raise
            return shuffle(game, limits)

        async with seated(bot, server) as table:
            await table.begin("0 3")
            await table.did("engine_failed", "no move")
            await table.did("moved", "g8f6")
            assert calls == ["begun", "cancelled", "begun"]


async def test_moves_are_uci_san_or_those_of_python_chess() -> None:
    async with ics.serve() as server:
        bot = bot_on(server)
        answers = [chess.Move.from_uci("e7e5"), "Nf6", ics.Move("Be7"), "O-O", " d7d5 "]

        @bot.engine()
        def think(game: ics.BotGame, limits: ics.Limits) -> Any:
            return answers[len(game.moves) // 2]

        async with seated(bot, server) as table:
            await table.begin(move=None)
            for n, move in enumerate(["a3", "b3", "c3", "d3", "e3"], 1):
                await table.human.request(move)
                # The bot reports a move before the server has it.
                await table.got(ics.Position, move_number=n + 1)
            await table.did("moved", n=5)
            moved = [it.reason.split(",")[0] for it in table.actions if it.action == "moved"]
            assert moved == ["e7e5", "g8f6", "f8e7", "e8g8", "d7d5"]


async def test_settings_are_a_file_or_arguments_and_mistakes_name_the_place(tmp_path: Any) -> None:
    file = tmp_path / "bot.toml"
    file.write_text('[server]\nhost = "127.0.0.1"\n[accept]\nkind = []\n')
    bot = ics.Bot(file)
    with pytest.raises(ics.ConfigError, match="kind"):
        await bot.run_async()
    file.write_text('[server]\nhost = "127.0.0.1"\n')
    with pytest.raises(ics.ConfigError, match="engine"):
        await ics.Bot(file).run_async()
    with pytest.raises(ics.ConfigError, match="unknown table"):
        await ics.Bot(server={"host": "localhost"}, rules={}).run_async()
    with pytest.raises(TypeError):
        ics.Bot(file, server={"host": "localhost"})
    assert "localhost" not in repr(ics.Bot(server={"host": "localhost"}))


async def test_arguments_have_no_file_and_an_engine_that_is_missing_is_asked_for() -> None:
    missing = "arguments of Bot, line 1: missing field `engine`: `@bot.engine()` or `engine=` gives one"
    with pytest.raises(ics.ConfigError) as raised:
        await ics.Bot(server={"host": "localhost"}).run_async()
    assert str(raised.value) == missing
    with pytest.raises(ics.ConfigError, match="^arguments of Bot, line 2: `accept"):
        await ics.Bot(server={"host": "localhost"}, accept={"kinds": 3}, engine={"command": ["x"]}).run_async()


@pytest.mark.parametrize(
    ("variants", "reason"),
    [
        ("crazyhouse", r"^variants is a list of names, such as \['crazyhouse'\]$"),
        (["zh"], r"^unknown variant 'zh': the variants are atomic, bughouse, .* and wild/NUMBER$"),
        (["chess", "crazyhous"], r"^unknown variant 'crazyhous', did you mean 'crazyhouse'\? the variants are "),
    ],
)
def test_unknown_variants_of_an_engine_are_refused(variants: Any, reason: str) -> None:
    bot = ics.Bot(server={"host": "localhost"})
    with pytest.raises(ics.ConfigError, match=reason):
        bot.engine(variants=variants)
    bot.engine(variants=("chess960", "wild/5"))


async def test_decisions_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "kibitzer_ics")
    async with ics.serve() as server:
        bot = bot_on(server)
        bot.engine()(shuffle)
        async with seated(bot, server) as table:
            await table.begin()
            await until(lambda: "it fits the settings" in caplog.text)


async def test_bot_with_the_engine_of_its_settings_that_does_not_start() -> None:
    async with ics.serve() as server:
        bot = bot_on(server, engine={"command": ["/no/such/engine"]})
        with pytest.raises(ics.IcsError, match="/no/such/engine"):
            await bot.run_async()


BOT = """
import sys, kibitzer_ics as ics
bot = ics.Bot(server={"host": "127.0.0.1", "ports": [int(sys.argv[1])], "handle": "Botvin"})

@bot.engine()
async def think(game, limits):
    return ["g8f6", "f6g8"][len(game.moves) // 2 % 2]

@bot.on(ics.BotAction)
def report(event):
    print(event.action, event.reason, flush=True)

bot.run()
print("done", flush=True)
"""


FAILING = """
import sys, kibitzer_ics as ics
bot = ics.Bot(server={"host": "127.0.0.1", "ports": [int(sys.argv[1])], "handle": "Botvin"})

@bot.engine()
async def think(game, limits):
    raise RuntimeError("out of ideas")

@bot.command("!eval")
async def evaluate(talk, game):
    raise ValueError("no idea")

bot.run()
"""


async def test_errors_of_a_bot_are_printed_without_any_logging_configured(tmp_path: Any) -> None:
    errors = tmp_path / "errors"
    with errors.open("wb") as file:
        async with ics.serve() as server, ics.connect(server.profile(handle="Alekhin")) as human:
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", FAILING, str(server.port), stderr=file)
            try:
                while not any(row.name == "Botvin" for row in await human.who()):
                    await asyncio.sleep(0.05)
                await human.tell("Botvin", "!eval")
                await until(lambda: "ValueError: no idea" in errors.read_text())
                events = human.events("kind:position mine")
                await human.request("match Botvin 5 0 unrated white")
                await anext(events)
                await human.request("e4")
                await until(lambda: "RuntimeError: out of ideas" in errors.read_text())
            finally:
                process.kill()
                await process.wait()
    text = errors.read_text()
    assert "the command !eval failed\nTraceback" in text and "the engine failed in game" in text


async def test_each_failed_attempt_to_connect_is_printed(tmp_path: Any) -> None:
    program = FAILING.replace('"ports":', '"reconnect_base_ms": 50, "ports":')
    async with ics.serve() as server:
        port = server.port
    errors = tmp_path / "errors"
    with errors.open("wb") as file:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(port), stderr=file)
        try:
            await until(lambda: len(errors.read_text().splitlines()) >= 2)
        finally:
            process.kill()
            await process.wait()
    assert all("refused" in line for line in errors.read_text().splitlines()), errors.read_text()


class Program:
    """A bot `Botvin` in a process of its own, and a human `Alekhin` on the same server."""

    def __init__(self, process: asyncio.subprocess.Process, human: ics.Client) -> None:
        self.process, self.human, self.events = process, human, human.events()

    async def printed(self, words: str) -> None:
        """Waits for a printed line that contains these words."""
        assert self.process.stdout
        while text := (await asyncio.wait_for(self.process.stdout.readline(), 30)).decode():
            if words in text:
                return
        raise AssertionError(f"no {words!r}")

    async def begin(self) -> None:
        """Challenges the bot as White, and plays a move when the game has begun."""
        await self.printed("the session is ready")
        await self.human.request("match Botvin 5 0 unrated white")
        while not isinstance(await anext(self.events), ics.Position):
            pass
        await self.human.request("e4")

    async def ends(self, seconds: float) -> None:
        """Waits for the end of the process, which succeeds within this time."""
        assert await asyncio.wait_for(self.process.wait(), seconds) == 0


@asynccontextmanager
async def running(program: str) -> AsyncIterator[Program]:
    async with ics.serve() as server, ics.connect(server.profile(handle="Alekhin")) as human:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, str(server.port), stdout=subprocess.PIPE
        )
        try:
            yield Program(process, human)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("prelude", ["", "import uvloop; uvloop.install()"])
async def test_ctrl_c_finishes_the_game_and_a_second_one_ends_at_once(prelude: str, again: bool) -> None:
    async with running(prelude + BOT) as bot:
        await bot.begin()
        await bot.printed("moved")
        bot.process.send_signal(signal.SIGINT)
        await bot.printed("stopping")
        while getattr(await anext(bot.events), "move_number", 0) != 2:
            pass
        await bot.human.request("d4")
        await bot.printed("moved")
        began = time.monotonic()
        if again:
            bot.process.send_signal(signal.SIGINT)
        else:
            await bot.human.request("resign")
        await bot.printed("done")
        assert time.monotonic() - began < 8
        await bot.ends(8)


def test_bot_runs_in_uvloop() -> None:
    async def main() -> None:
        async with ics.serve() as server:
            bot = bot_on(server)
            bot.engine()(shuffle)
            async with seated(bot, server) as table:
                await table.begin()
                await table.did("moved")

    uvloop.run(main())


# Also those about a coroutine that was never awaited.
@pytest.mark.filterwarnings("error")
def test_bot_runs_in_a_loop_that_goes_on_between_two_cells_of_a_notebook() -> None:
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(ics.serve().__aenter__())
    bot = bot_on(server)
    bot.engine()(shuffle)

    async def start() -> asyncio.Task[None]:
        with pytest.raises(RuntimeError, match="run_async"):
            bot.run()
        return asyncio.create_task(bot.run_async())

    task = loop.run_until_complete(start())
    human = loop.run_until_complete(ics.connect(server.profile())._connect())
    while "Botvin" not in loop.run_until_complete(human.request("who")).text:
        loop.run_until_complete(asyncio.sleep(0.05))
    bot.stop()
    loop.run_until_complete(task)
    loop.run_until_complete(human.close())
    loop.run_until_complete(server.close())
    loop.close()


async def test_cancelled_bot_disconnects_at_once() -> None:
    async with ics.serve() as server:
        bot = bot_on(server)
        bot.engine()(shuffle)
        async with ics.connect(server.profile()) as other:
            task = asyncio.create_task(bot.run_async())
            while "Botvin" not in (await other.request("who")).text:
                await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while "Botvin" in (await other.request("who")).text:
                await asyncio.sleep(0.05)


async def test_function_that_blocks_for_ever_does_not_keep_the_program_from_ending() -> None:
    blocking = BOT.replace("async def think", "def think").replace("    return [", "    import time; time.sleep(1000)\n    return [")
    async with running(blocking) as bot:
        await bot.begin()
        await bot.printed("thinking")
        bot.process.send_signal(signal.SIGINT)
        await bot.printed("stopping")
        began = time.monotonic()
        bot.process.send_signal(signal.SIGINT)
        await bot.ends(8)
        assert time.monotonic() - began < 8
