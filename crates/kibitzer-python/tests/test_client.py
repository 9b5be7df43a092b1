"""Live sessions against the embedded server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import uvloop

import kibitzer_ics as ics

from conftest import observe_any, takes_less_than


def n_threads() -> int:
    """Returns the number of threads of the runtime."""
    return sum(path.read_text() == "kibitzer\n" for path in Path("/proc/self/task").glob("*/comm"))


def sockets() -> list[str]:
    links = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{fd}"))
        except OSError:
            pass
    return sorted(link for link in links if link.startswith("socket:"))


async def test_an_observer_with_boards(client: ics.Client) -> None:
    games = await client.games()
    events = client.events()
    assert len(games) == len(games.games) and games[0] in list(games)
    observed = await client.observe(games[0].game)
    assert observed.game == games[0].game and observed.board and observed.board.board()
    async for event in events:
        if isinstance(event, ics.Position):
            assert event.board().fen() and event.t is not None and event.utc and not event.own
            break
    with pytest.raises(ics.Refused) as refused:
        await client.observe(999)
    assert refused.value.reason == "no_such_game" and refused.value.text
    async for game in client.watch(games[0].game):
        assert game.game == games[0].game and isinstance(game.moves, tuple)
        break


async def test_typed_commands(client: ics.Client) -> None:
    assert (await client.who()).players
    assert (await client.finger(client.handle or "")).player.name == client.handle
    assert (await client.date()).local
    assert await client.tell(client.handle or "", "hello") == (1,)
    # No simulated player seeks a game of this time, which would begin at once.
    posted = await client.seek(time=(7, 3), rated=False, color="white")
    assert posted.outcome == "posted" and posted.index
    await client.unseek_all()
    board = await client.examine_scratch()
    assert isinstance(board, ics.Position)
    moved = await client.make_move("e2e4")
    assert moved.board and moved.board.last_move and moved.board.last_move.san == "e4"
    assert (await client.backward(1)).board
    await client.unexamine()
    reply = await client.request("uptime")
    assert reply.text and all(isinstance(event, ics.Event) for event in reply)
    for name, arguments in [("finger", ("a b",)), ("make_move", ("xyz",)), ("request", ("date\nquit",))]:
        with pytest.raises(ics.InvalidRequest):
            await getattr(client, name)(*arguments)
    with pytest.raises(ics.RequestFailed) as over:
        await client.make_move("e2e4", during=77)
    assert over.value.reason == "game_over"
    with pytest.raises(ics.TimedOut) as expired:
        await client.request("date", expires=0.0)
    assert expired.value.reason == "expired"


@pytest.mark.parametrize("value", [180, (0.5, 0), (3,), "3+0"])
async def test_time_that_is_no_pair_of_numbers_is_named(client: ics.Client, value: Any) -> None:
    with pytest.raises(TypeError, match=r"^time is a pair of whole numbers, minutes and seconds per move such as \(3, 0\), not "):
        await client.challenge("Whetstone", time=value)
    with pytest.raises(TypeError, match="^ratings is a pair"):
        await client.seek(ratings=value)


async def test_every_command_has_its_method_in_rust(client: ics.Client) -> None:
    import inspect

    from kibitzer_ics._commands import Commands

    values: dict[str, Any] = {"int": 1, "str": "Foo", "int | str": 1, "int | str | None": None, "object": "e2e4"}
    for name, method in vars(Commands).items():
        if name.startswith("_") or not inspect.iscoroutinefunction(method):
            continue
        parameters = list(inspect.signature(method).parameters.values())[1:]
        required = [it for it in parameters if it.kind is it.POSITIONAL_OR_KEYWORD]
        arguments = ["ms" if "ivar" in it.name else values[it.annotation] for it in required]
        try:
            await getattr(client, name)(*arguments)
        except ics.IcsError as error:
            assert not isinstance(error, ics.InvalidRequest), (name, error)


async def test_a_game_between_two_clients(server: ics.Server) -> None:
    async with ics.connect(server.profile(handle="Anderssen")) as one, ics.connect(server.profile(handle="Kieseritzky")) as two:
        events = two.events(lossless=64)
        assert (await one.challenge("Kieseritzky", time=(5, 0), rated=False, color="white")).outcome == "challenged"
        started = await two.accept()
        assert started.outcome == "started" and started.started
        game = started.started.game
        await one.make_move("e4", during=game)
        await two.make_move("e5")
        with pytest.raises(ics.Refused) as refused:
            await one.make_move("e5")
        assert refused.value.reason in ("illegal_move", "not_your_move")
        assert (await one.draw()).outcome == "sent"
        ended = await two.resign()
        assert ended.result == "1-0" and ended.reason == "resign" and ended.game == game
        own = []
        async for event in events:
            own.append(event)
            if isinstance(event, ics.GameEnded):
                assert event.own and event.result == "1-0"
                break
        assert any(isinstance(event, ics.Offer) for event in own)
        assert any(isinstance(event, ics.Position) and event.variant == "chess" for event in own)


async def test_filters(client: ics.Client) -> None:
    events = client.events("kind:tell,position text:hello")
    await client.request("date")
    await client.tell(client.handle or "", "good bye")
    await client.tell(client.handle or "", "hello")
    event = await anext(aiter(events))
    assert isinstance(event, ics.Tell) and event.text == "hello"
    with pytest.raises(ics.ConfigError, match="did you mean \"tell\""):
        client.events("kind:tel")


async def test_a_slow_reader_learns_what_it_missed(server: ics.Server) -> None:
    async with ics.connect(server.profile(kept_events=16)) as client:
        events = client.events()
        for _ in range(20):
            await client.request("date")
        first = await anext(aiter(events))
        assert first.missed > 0


async def test_a_thousand_requests_with_cancellations(client: ics.Client) -> None:
    dice = random.Random(7)
    answered = canceled = 0
    for _ in range(50):
        tasks = [asyncio.create_task(client.request("date")) for _ in range(20)]
        await asyncio.sleep(dice.random() * 0.004)
        for task in dice.sample(tasks, 8):
            task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, asyncio.CancelledError):
                canceled += 1
            else:
                assert isinstance(result, ics.Reply) and "ime" in result.text, result
                answered += 1
    assert answered + canceled == 1_000 and canceled > 50
    assert (await client.request("date")).text


async def test_cancelled_waits_lose_no_event(server: ics.Server) -> None:
    async with ics.connect(server.profile()) as client, ics.connect(server.profile()) as other:
        events = client.events()
        received: list[str] = []

        async def send() -> None:
            for number in range(60):
                await other.tell(client.handle or "", str(number))

        sending = asyncio.create_task(send())
        while len(received) < 60:
            try:
                event = await asyncio.wait_for(anext(events), 0.002)
            except (TimeoutError, asyncio.TimeoutError):
                continue
            if isinstance(event, ics.Tell) and event.sender == other.handle:
                received.append(event.text)
        await sending
        assert received == [str(number) for number in range(60)]


async def test_the_server_is_killed_and_started_again(server: ics.Server) -> None:
    port = server.port
    async with ics.connect(server.profile(reconnect_base_ms=20, reconnect_cap_ms=100)) as client:
        events = client.events()
        await server.close()
        async for event in events:
            if isinstance(event, ics.Lost):
                break
        with pytest.raises((ics.NotConnected, ics.Ended)):
            await client.request("date")
        async with ics.serve(port=port) as again:
            assert again.port == port
            await asyncio.wait_for(client.ready(), 20)
            async for event in events:
                if isinstance(event, ics.Restored):
                    break
            assert (await client.request("date")).text


SERVING = """
import asyncio, sys, kibitzer_ics as ics

async def main():
    async with ics.serve(port=int(sys.argv[1]), games=1) as server:
        print(server.port, flush=True)
        await asyncio.sleep(3600)

asyncio.run(main())
"""


@contextlib.asynccontextmanager
async def killed_server(port: int) -> AsyncIterator[int]:
    """Runs a server in a process of its own, which is killed at the end: it says nothing, and closes nothing."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVING, str(port), stdout=subprocess.PIPE)
    try:
        assert process.stdout
        yield int(await process.stdout.readline())
    finally:
        process.kill()
        await process.wait()


async def test_the_process_of_the_server_is_killed_and_started_again() -> None:
    async with contextlib.AsyncExitStack() as stack:
        async with killed_server(0) as port:
            settings: dict[str, Any] = {"reconnect_base_ms": 20, "reconnect_cap_ms": 100}
            client = await stack.enter_async_context(ics.connect(f"127.0.0.1:{port}", guest=True, **settings))
            events = client.events("kind:lost,session_ready,restored")
            game = (await client.games())[0].game
            await client.observe(game)
            positions = client.events("kind:position")
            asking = [asyncio.create_task(client.request("date")) for _ in range(20)]
        # Each request is answered or fails, and none waits for its timeout.
        for answer in await asyncio.wait_for(asyncio.gather(*asking, return_exceptions=True), 20):
            assert isinstance(answer, (ics.Reply, ics.NotConnected)), answer
        assert isinstance(await anext(events), ics.Lost)
        async with killed_server(port):
            await asyncio.wait_for(client.ready(), 30)
            async for event in events:
                if isinstance(event, ics.Restored):
                    break
            assert isinstance(event, ics.Restored)
            # The new server may have the same players, so that their game was restored.
            with contextlib.suppress(ics.Refused):
                await client.observe((await client.games())[0].game)
            assert isinstance(await asyncio.wait_for(anext(positions), 30), ics.Position)
            assert (await client.request("date")).text
        async for event in events:
            if isinstance(event, ics.Lost):
                break


async def test_a_fault_of_the_server_and_the_log_of_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "kibitzer_ics")
    async with ics.serve(games=2, speed=50) as server:
        async with ics.connect(server.profile(handle="Morphy", reconnect_base_ms=10)) as client:
            events = client.events("kind:lost,restored")
            await server.fault("cut", at="next-board", player="Morphy")
            # The board in the reply may be the one that is cut.
            with contextlib.suppress(ics.NotConnected):
                await observe_any(client)
            assert isinstance(await anext(aiter(events)), ics.Lost)
            assert isinstance(await anext(aiter(events)), ics.Restored)
        for fault, at in [("cuts", "now"), ("cut", "noon"), ("split=x", "now")]:
            with pytest.raises(ValueError, match="no fault|unknown point|number"):
                await server.fault(fault, at=at)
    assert any(record.name == "kibitzer_ics" for record in caplog.records), caplog.text


async def test_failures_to_connect(server: ics.Server) -> None:
    with pytest.raises(ics.Ended) as dial:
        async with ics.connect("127.0.0.1:1", connect_timeout_ms=500):
            pass
    assert dial.value.reason == "dial"
    with pytest.raises(ics.ConfigError):
        ics.connect("wss://")
    with pytest.raises(TypeError, match="conect"):
        ics.Profile("fics", conect_timeout_ms=1)
    with pytest.raises(ics.ConfigError, match="connect_timeout_ms"):
        ics.Profile("fics", connect_timeout_ms="soon")
    async with ics.connect(server.profile()) as client:
        pass
    with pytest.raises(ics.Ended):
        await client.request("date")
    await client.close()


async def test_passwords_stay_secret(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    secret = tmp_path / "password"
    secret.write_text("apple-pie\n")
    secret.chmod(0o600)
    caplog.set_level(logging.DEBUG, "kibitzer_ics")
    with pytest.raises(TypeError):
        ics.Profile("fics", handle="Newton", password="apple-pie")
    async with ics.serve(accounts={"Newton": "apple-pie"}, guests=False) as server:
        profile = server.profile(guest=False, handle="Newton", password_from={"file": str(secret)})
        async with ics.record(profile, tmp_path / "session.jsonl") as client:
            assert client.handle == "Newton"
            shown = repr(profile) + repr(client) + repr(server) + profile.to_toml() + caplog.text
    assert "apple-pie" not in shown
    assert "apple-pie" not in json.dumps([event.to_dict() for event in ics.decode(tmp_path / "session.jsonl")])
    assert b"apple-pie".hex() not in (tmp_path / "session.jsonl").read_text()


def test_nothing_is_left_behind() -> None:
    async def main() -> None:
        async with ics.serve() as server, ics.connect(server.profile()) as client:
            await client.who()
            assert n_threads()
        with pytest.raises(ValueError):
            async with ics.serve() as server, ics.connect(server.profile()):
                raise ValueError

    def wait_for_the_end(n_kept: int) -> None:
        deadline = time.monotonic() + 30
        while n_threads() > n_kept and time.monotonic() < deadline:
            time.sleep(0.01)

    # The first runtime of a process makes the pair of sockets with which tokio waits for signals. The traceback of a failed test may
    # keep a session.
    asyncio.run(main())
    wait_for_the_end(0)
    kept, before = n_threads(), sockets()
    for _ in range(3):
        asyncio.run(main())
    wait_for_the_end(kept)
    assert n_threads() <= kept and sockets() == before


def test_with_uvloop() -> None:
    async def main() -> int:
        async with ics.serve(games=2, speed=50) as server, ics.connect(server.profile()) as client:
            await observe_any(client)
            n = 0
            async for _ in client.events():
                n += 1
                if n > 10:
                    break
            return n

    loop = uvloop.new_event_loop()
    try:
        assert loop.run_until_complete(main()) == 11
    finally:
        loop.close()


async def test_a_canceled_wait_loses_no_event(client: ics.Client) -> None:
    """Also one that was not started, and one at the end of a batch, whose event is there already."""
    events = client.events("kind:tell", lossless=100_000)
    for n in range(1_100):
        await client.request(f"tell {client.handle} {n}")
    texts: list[str] = []
    n_canceled = 0
    while len(texts) < 1_100:
        unstarted = asyncio.ensure_future(anext(events))
        unstarted.cancel()
        with pytest.raises(asyncio.CancelledError):
            await unstarted
        following = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        if following.cancel():
            n_canceled += 1
            following = asyncio.ensure_future(anext(events))
        event = await following
        assert isinstance(event, ics.Tell)
        # Simulated players talk, too.
        if event.sender == client.handle:
            texts.append(event.text)
    assert texts == [str(n) for n in range(1_100)] and n_canceled >= 4


async def test_a_wait_that_is_canceled_as_its_event_arrives_loses_none(client: ics.Client) -> None:
    loop = asyncio.get_running_loop()
    events = client.events("kind:tell text:hello")
    following: Any = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)

    def cancel_before_it_runs() -> None:
        # The future that the task waits for has its result, and the task runs next.
        if following._fut_waiter.done():
            following.cancel()
        else:
            loop.call_soon(cancel_before_it_runs)

    cancel_before_it_runs()
    await client.tell(client.handle or "", "hello")
    with pytest.raises(asyncio.CancelledError):
        await following
    event = await asyncio.wait_for(anext(events), 30)
    assert isinstance(event, ics.Tell) and event.text == "hello"


async def test_variants_of_a_lost_connection_are_forgotten() -> None:
    async with ics.serve(games=0) as server, ics.connect(server.profile(handle="Newton", reconnect_base_ms=20)) as client:
        events = client.events("kind:position")
        async with ics.connect(server.profile(handle="Einstein")) as other:
            await other.challenge("Newton", time=(5, 0), rated=False, variant="crazyhouse")
            await client.accept()
            first = await anext(events)
        await server.close()
        async with ics.serve(games=0, port=server.port):
            await client.ready()
            board = await client.examine_scratch()
            assert isinstance(board, ics.Position) and isinstance(first, ics.Position) and first.variant == "crazyhouse"
            async for event in events:
                if isinstance(event, ics.Position) and event.relation == board.relation:
                    break
            assert isinstance(event, ics.Position) and event.game == first.game and event.variant is None


async def test_a_busy_stream_lets_other_tasks_run(client: ics.Client) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    events = client.events(lossless=100_000)
    for _ in range(300):
        await client.request("date")
    task = asyncio.create_task(tick())
    # All of them are there: nothing but the end of a batch lets the task run.
    for _ in range(800):
        assert not (await anext(events)).missed
    assert ticks >= 3
    task.cancel()


def in_child(client: ics.Client, results: Any) -> None:
    async def use() -> str:
        try:
            await client.request("date")
        except RuntimeError as error:
            return str(error)
        return "no error"

    async def again() -> str:
        async with ics.serve() as server, ics.connect(server.profile()) as fresh:
            return (await fresh.request("date")).text

    results.put((asyncio.run(use()), asyncio.run(again())))


def test_after_a_fork() -> None:
    async def main() -> None:
        async with ics.serve() as server, ics.connect(server.profile()) as client:
            context = multiprocessing.get_context("fork")
            results = context.Queue()
            child = context.Process(target=in_child, args=(client, results))
            child.start()
            error, fresh = await asyncio.to_thread(results.get, True, 30)
            child.join()
            assert "fork" in error and "ime" in fresh
            assert (await client.request("date")).text

    asyncio.run(main())


def test_ctrl_c_ends_within_a_second() -> None:
    program = textwrap.dedent(
        """
        import asyncio, kibitzer_ics as ics
        async def main():
            async with ics.serve(games=2) as server, ics.connect(server.profile()) as client:
                print("ready", flush=True)
                async for event in client.events():
                    pass
        asyncio.run(main())
        """
    )

    def interrupt() -> float:
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout and process.stdout.readline() == "ready\n"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert "KeyboardInterrupt" in errors, errors
        return time.monotonic() - began

    takes_less_than(1.0, interrupt)
