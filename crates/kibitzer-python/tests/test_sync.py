"""The client without asyncio."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import kibitzer_ics as ics

from conftest import takes_less_than


def test_methods_answers_and_exceptions_are_those_of_the_client() -> None:
    before = threading.active_count()
    with ics.sync.serve(games=2) as server, ics.sync.connect(server.profile()) as client:
        assert client.handle and "Guest" in repr(client)
        assert len(client.games()) >= 2 and client.games()[0].white.name
        assert "Whetstone" in client.request("finger whetstone").text
        with pytest.raises(ics.Refused) as refused:
            client.finger("NoSuchPlayer")
        assert refused.value.reason
        game = client.games()[0].game
        client.observe(game)
        assert next(client.watch(game)).game == game
        client.ready()
    assert threading.active_count() == before
    with pytest.raises(ics.Ended):
        client.games()
    client.close()


def test_events_are_a_plain_iterator_with_filter_and_timeout() -> None:
    with ics.sync.serve() as server, ics.sync.connect(server.profile(handle="Newton")) as client:
        events = client.events(timeout=0.3, lossless=10_000)
        for n in range(600):
            client.request(f"tell Newton {n}")
        texts = [event.text for event in events if isinstance(event, ics.Tell)]
        assert texts == [str(n) for n in range(600)]
        began = time.monotonic()
        assert list(client.events(timeout=0.2)) == [] and time.monotonic() - began < 20


def test_events_without_waiting_are_those_that_are_there() -> None:
    with ics.sync.serve() as server, ics.sync.connect(server.profile(handle="Newton")) as client:
        events = client.events("kind:tell", timeout=0, lossless=10_000)
        for n in range(600):
            client.request(f"tell Newton {n}")
        client.request("date")
        assert [event.text for event in events if isinstance(event, ics.Tell)] == [str(n) for n in range(600)]
        assert list(client.events(timeout=0)) == []


def test_faults_and_recordings(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with ics.sync.serve(games=1) as server, ics.sync.record(server.profile(handle="Newton", reconnect_base_ms=50), path) as client:
        game = client.games()[0].game
        client.observe(game)
        events = client.events("kind:lost,restored", timeout=30)
        server.fault("reset", player="Newton")
        assert isinstance(next(events), ics.Lost) and isinstance(next(events), ics.Restored)
        client.ready()
        assert client.who()
        for fault, reason in (("fire", "no fault"), ("split=x", "number"), ("delay=5", "time"), ("refuse=me", "refusal")):
            with pytest.raises(ValueError, match=reason):
                server.fault(fault)
        with pytest.raises(ValueError, match="unknown point"):
            server.fault("cut", at="noon")
        server.fault("delay=10ms", player="Newton")
        server.fault("split=3", at="after=1000000", player="Newton")
        assert client.who()
    kinds = {event.event for event in ics.decode(path)}
    assert {"who_list", "game_list", "position"} <= kinds
    with pytest.raises(ics.ConfigError):
        ics.sync.record("demo", path)


def test_client_is_used_from_several_threads_and_from_a_running_loop() -> None:
    with ics.sync.serve() as server, ics.sync.connect(server.profile()) as client:
        answers: list[int] = []
        threads = [threading.Thread(target=lambda: answers.append(len(client.who()))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [1] * 8

        async def in_loop() -> int:
            return len(client.who())

        assert asyncio.run(in_loop()) == 1


def test_server_that_is_not_there_leaves_no_thread() -> None:
    before = threading.active_count()
    with pytest.raises(ics.Ended) as ended:
        ics.sync.connect("127.0.0.1:1", first_connect="fail")
    assert ended.value.reason == "dial"
    assert threading.active_count() == before


def test_ctrl_c_interrupts_a_call_within_a_second() -> None:
    script = """
        import kibitzer_ics as ics
        serving = ics.sync.serve()
        server = serving.__enter__()
        client = ics.sync.connect(server.profile())
        try:
            print("waiting", flush=True)
            for event in client.events():
                pass
        except KeyboardInterrupt:
            print("interrupted", len(client.who()), flush=True)
        client.close(); serving.__exit__(None, None, None)
    """

    def interrupt() -> float:
        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
        assert process.stdout and process.stdout.readline() == "waiting\n"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[0] == "interrupted 1\n"
        assert process.returncode == 0
        return time.monotonic() - began

    takes_less_than(1.0, interrupt)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_client_after_a_fork_raises() -> None:
    with ics.sync.serve() as server, ics.sync.connect(server.profile()) as client:
        child = os.fork()
        if child == 0:
            try:
                client.who()
            except RuntimeError as error:
                os._exit(7 if "fork" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert len(client.who()) == 1
