"""Events as objects: equal to the JSON of the library, for every event of every recording."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess
import chess.variant
import pytest
from conftest import ROOT, TRANSCRIPTS

import kibitzer_ics as ics

FOLDER = Path(__file__).parents[1]


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_generated_files_are_up_to_date() -> None:
    subprocess.run([sys.executable, str(FOLDER / "gen.py"), "--check"], check=True)


def sample_logs(folder: Path) -> list[Path]:
    """Writes each sample of the events that servers send to a raw log."""
    samples = (ROOT / "crates" / "kibitzer-cli" / "tests" / "events.txt").read_text()
    paths = [folder / "over_long.raw"]
    paths[0].write_bytes(b"x" * 100_000 + b"\n\r")
    for number, sample in enumerate(samples.split("\n\n")):
        lines = [line[2:] for line in samples_of(sample)]
        text = re.sub(r"\\(x[0-9a-f]{2}|.)", unescape, "".join(line + "\n\r" for line in lines))
        paths.append(folder / f"{number}.raw")
        paths[-1].write_bytes(text.encode("latin-1"))
    return paths


def samples_of(sample: str) -> list[str]:
    return [line.ljust(2) for line in sample.splitlines() if line.startswith("<")]


def unescape(match: re.Match[str]) -> str:
    return chr(int(match[1][1:], 16)) if len(match[1]) == 3 else match[1]


def test_every_event_equals_its_json(tmp_path: Path) -> None:
    kinds = set()
    for path in [*TRANSCRIPTS, *sample_logs(tmp_path)]:
        for event in ics.decode(path):
            kinds.add(event.event)
            expected = json.loads(event.json())
            shown = as_json(event.to_dict())
            # Without a time of day, the JSON has `null`, as the object has `None`.
            assert shown == expected, event.json()
            assert type(event) is ics.KINDS[event.event]
            names = {field.name for field in dataclasses.fields(event)}
            assert set(vars(event)) <= names
    of_sessions = {
        "adjourned_game", "analysis", "answered", "bot", "connected", "connecting", "cut", "ended", "fault", "lost",
        "restored", "session_ready",
    }
    assert set(ics.KINDS) - kinds <= of_sessions, sorted(set(ics.KINDS) - kinds - of_sessions)


def test_each_field_reads_the_same_alone() -> None:
    """A field is made when it is read first: the numbers of a board without the others, and else all at once."""
    n_alone = 0
    for path in [path for path in TRANSCRIPTS if path.stat().st_size < 30_000]:
        whole = [{field.name: getattr(event, field.name) for field in dataclasses.fields(event)} for event in ics.decode(path)]
        for index in range(max(map(len, whole), default=0)):
            for event, values in zip(ics.decode(path), whole, strict=True):
                name = list(values)[index % len(values)]
                assert not vars(event) and getattr(event, name) == values[name], (event.event, name)
                n_alone += not vars(event)
    assert n_alone > 1_000


def first_of(kind: type[Any]) -> Any:
    return next(event for path in TRANSCRIPTS for event in ics.decode(path) if isinstance(event, kind))


@pytest.mark.parametrize("kind", [ics.Tell, ics.Position, ics.WhoList, ics.SoughtList, ics.Text])
def test_received_events_are_frozen_dataclasses(kind: type[Any]) -> None:
    assert not vars(first_of(kind))
    values = {field.name: getattr(first_of(kind), field.name) for field in dataclasses.fields(kind)}
    by_hand = kind(**values)
    assert by_hand == first_of(kind) and first_of(kind) == by_hand and first_of(kind) == first_of(kind)
    assert dataclasses.asdict(first_of(kind)) == dataclasses.asdict(by_hand)
    assert repr(first_of(kind)) == repr(by_hand)
    assert hash(first_of(kind)) == hash(by_hand)
    changed = dataclasses.replace(first_of(kind), offset=7)
    assert changed.offset == 7 and changed != by_hand and not changed.raw
    for copied in (copy.copy(first_of(kind)), copy.deepcopy(first_of(kind)), pickle.loads(pickle.dumps(first_of(kind)))):
        assert copied == by_hand and type(copied) is kind and json.loads(copied.json()) == as_json(by_hand.to_dict())
    event = first_of(kind)
    for name in ("offset", "text", "new"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(event, name, 1)
    with pytest.raises(AttributeError):
        event.no_such_field
    match first_of(kind):
        case ics.Tell(sender=str(), text=str()) | ics.Position(game=int(), last_move=None | ics.LastMove()) | ics.WhoList(players=tuple()):
            pass
        case ics.SoughtList(seeks=tuple()) | ics.Text(text=str()):
            pass
        case _:
            pytest.fail("no match")


def test_absent_fields_are_read_once() -> None:
    """Neither a request that there is none of, nor an absent field makes the other fields again."""
    boards = (event for path in TRANSCRIPTS for event in ics.decode(path) if isinstance(event, ics.Position))
    board = next(board for board in boards if board.request is None and board.last_move and board.white_reserve is None)
    last_move = board.last_move
    assert last_move is not None and {field.name for field in dataclasses.fields(board)} - set(vars(board)) <= {field.name for field in dataclasses.fields(ics.Event)}
    assert board.white_reserve is None and board.request is None and board.last_move is last_move


def test_requests_read_alone_are_those_of_the_json() -> None:
    n_requests = 0
    for path in TRANSCRIPTS:
        for event in ics.decode(path):
            request = {key: getattr(event, key) for key in ("request", "requested_by")}
            assert not vars(event)
            expected = json.loads(event.json())
            assert request == {key: expected.get(key) for key in request}, event.json()
            n_requests += "requested_by" in expected
    assert n_requests > 0


def test_a_game_of_an_unknown_kind_has_no_variant_of_an_earlier_one(tmp_path: Path) -> None:
    board = (
        "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Newton Einstein 0 2 12 39 39 "
        "120 120 1 none (0:00) none 0 0 0"
    )
    kinds = ["t=atomic", "t=strange", "t=atomic", ""]
    path = tmp_path / "log.raw"
    path.write_text("".join(f"<g1> 7 p=0 {kind}\n\r{board}\n\r" for kind in kinds), newline="")
    assert [event.variant for event in ics.decode(path) if isinstance(event, ics.Position)] == ["atomic", None, "atomic", None]


def test_copies_of_a_board_keep_its_variant() -> None:
    boards = (event for path in TRANSCRIPTS for event in ics.decode(path) if isinstance(event, ics.Position))
    board = next(board for board in boards if board.variant not in (None, "chess", "crazyhouse", "bughouse"))
    for copied in (copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert copied == board and copied.variant == board.variant and type(copied.board()) is type(board.board())
    assert dataclasses.replace(board, offset=7).variant is None


def test_attributes_of_classes() -> None:
    first_of(ics.Position)
    assert ics.Position.offset is None and ics.Position.own is False and ics.Position.missed == 0 and ics.Position.variant is None
    assert not hasattr(ics.Position, "fen") and not hasattr(ics.Tell, "sender")
    board: ics.Position = ics.Position.__new__(ics.Position)
    assert board.offset is None and board.raw == b"" and not hasattr(board, "fen")


def test_a_user_class_of_events() -> None:
    @dataclasses.dataclass(frozen=True)
    class Checked(ics.Tell):
        is_checked: bool = True

    checked = Checked("Newton", (), "hello")
    assert checked.is_checked and checked.sender == "Newton" and checked != ics.Tell("Newton", (), "hello")
    assert isinstance(checked, ics.Event) and dataclasses.replace(checked, text="x").text == "x"


def test_an_unknown_kind_is_other() -> None:
    other = ics.Other("new_kind", {"event": "new_kind", "offset": 1, "x": 2})
    assert other.to_dict()["x"] == 2 and isinstance(other, ics.Event)


def test_events_match_patterns_and_are_values() -> None:
    first = ics.Tell("Newton", (), "hello", offset=3)
    match first:
        case ics.Tell(sender=who, text=text):
            assert (who, text) == ("Newton", "hello")
        case _:
            pytest.fail("no match")
    match first:
        case ics.Tell("Newton", (), "hello"):
            pass
        case _:
            pytest.fail("no match by position")
    assert first == ics.Tell("Newton", (), "hello", offset=3) and hash(first) == hash(copy.copy(first))
    assert json.loads(first.json()) == {"event": "tell", "offset": 3, "from": "Newton", "titles": [], "text": "hello"}
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.text = "x"  # type: ignore[misc]
    decoded = next(event for event in ics.decode(TRANSCRIPTS[0]) if isinstance(event, ics.Text) and event.text)
    assert decoded.raw and not ics.Text("x").raw
    assert pickle.loads(pickle.dumps(decoded)) == decoded
    with pytest.raises(dataclasses.FrozenInstanceError):
        decoded.text = "x"  # type: ignore[misc]


def test_boards_of_python_chess() -> None:
    classes: set[type[chess.Board]] = set()
    for path in TRANSCRIPTS:
        for event in ics.decode(path):
            if isinstance(event, ics.Position) and "pychess" not in path.name:
                board = event.board()
                classes.add(type(board))
                # python-chess drops castling rights and en passant squares that do not fit.
                assert board.fen().split("[")[0].split()[0] == event.fen.split()[0]
                if event.white_reserve and isinstance(board, chess.variant.CrazyhouseBoard):
                    assert sorted(map(chess.Piece.symbol, map(lambda it: chess.Piece(it, True), [
                        piece for piece in chess.PIECE_TYPES for _ in range(board.pockets[chess.WHITE].count(piece))
                    ]))) == sorted(event.white_reserve)
    assert chess.Board in classes and chess.variant.CrazyhouseBoard in classes


def test_games_of_a_recording_are_pgn() -> None:
    import io

    import chess.pgn

    path = next(path for path in TRANSCRIPTS if path.name == "fatics-game-mate-white.jsonl")
    games = ics.games(path, site="freechess.org")
    parsed = [chess.pgn.read_game(io.StringIO(game)) for game in games]
    assert parsed and all(game and game.headers["Site"].endswith("freechess.org") for game in parsed)


def test_a_file_that_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        ics.decode(tmp_path / "none.jsonl")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"x": 1}\n')
    with pytest.raises(OSError):
        list(ics.decode(bad))
    cut = tmp_path / "cut.jsonl"
    cut.write_text('{"t": 0.5, "dir": "rx", "hex": "6c6f67696e3a20"}\n{"t": 0.')
    assert [event.event for event in ics.decode(cut)] == ["login_prompt", "cut"]


def test_memory_is_flat() -> None:
    path = max(TRANSCRIPTS, key=lambda path: path.stat().st_size)
    peaks = []
    for _ in range(6):
        for _ in range(3):
            for event in ics.decode(path):
                event.json()
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert peaks[-1] - peaks[1] < 4_096, peaks
