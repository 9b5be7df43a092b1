#!/usr/bin/env python3
"""Writes the generated files from the schema of events, its documentation, the descriptor of boards and the list of commands.

In kibitzer_ics: events.py, _commands.py and _sync_commands.py. In src: objects/board_fields.rs and commands/list.rs.

Without an argument it writes the files; with --check it fails if they are out of date.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LIBRARY = HERE.parent / "kibitzer"
PACKAGE = HERE / "python" / "kibitzer_ics"
PAGE = (LIBRARY / "docs" / "events.md").read_text()
SCHEMA: dict[str, Any] = json.loads((LIBRARY / "schema" / "events.json").read_text())["$defs"]

# Members of every event, which the base class has.
COMMON = {"event", "offset", "t", "utc", "request", "requested_by", "inferred", "own"}
# Lines of `kibitzer connect` and `bot` with --json that are no events here: methods return or raise their content.
NOT_EVENTS = {"reply", "failed", "subscribed", "metrics", "statistics"}
# Exceptions and the bot have the plain names.
RENAMED = {"refused": "RefusedEvent", "ended": "EndedEvent", "bot": "BotAction"}
# Names of the objects inside of events, by their place.
NESTED = {
    "holding.passed": "PassedPiece",
    "position.last_move": "LastMove",
    "channel_list.channels": "ChannelRow",
    "finger.presence": "Presence",
    "finger.game": "FingerGame",
    "finger.ratings": "FingerRating",
    "finger.notes": "Note",
    "game_list.games": "GameRow",
    "game_list.count": "RowCount",
    "game_list.games.terms": "Terms",
    "history.games": "HistoryRow",
    "stored_games.games": "StoredRow",
    "stored_games.games.details": "StoredDetails",
    "move_list.moves": "ListedMove",
    "who_list.players": "WhoRow",
    "arrived.ratings": "PlayerRatings",
    "pending_to.terms": "OfferedGame",
    "pending_from.terms": "OfferedGame",
    "bughouse_list.games": "GameRow",
    "bughouse_list.games.terms": "Terms",
    "bughouse_list.unpartnered": "WhoRow",
    "bughouse_list.partnerships": "WhoRow",
    "journal.games": "JournalRow",
    "name_lists.lists": "NameList",
    "observer_lists.games": "ObserverRow",
    "restored.games": "RestoredGame",
    "restored.settings": "RestoredCommand",
}
# The field with the rows of a listing.
ROWS = {
    "channel_list": "channels", "game_list": "games", "history": "games", "move_list": "moves", "sought_list": "seeks",
    "stored_games": "games", "who_list": "players", "journal": "games", "name_lists": "lists", "observer_lists": "games", "variables": "values",
}


def class_name(kind: str) -> str:
    return RENAMED.get(kind) or "".join(part.capitalize() for part in kind.split("_"))


def descriptions() -> dict[str, tuple[list[str], str]]:
    """Returns the keys of each kind, in the order of the JSON, and its description."""
    found: dict[str, tuple[list[str], str]] = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| `") or len(cells) not in (2, 3):
            continue
        for kind in re.findall(r"`(\w+)`", cells[0]):
            if kind in SCHEMA:
                keys = list(dict.fromkeys(re.findall(r"`(\w+)`", cells[1])))
                text = cells[2] if len(cells) == 3 else cells[1]
                if kind not in found:
                    found[kind] = (keys, text)
    return found


DESCRIPTIONS = descriptions()


def plain_text(text: str) -> str:
    """Returns text of the page for a docstring: links become their words, `null` is `None`, `from` is `sender`."""
    text = re.sub(r"\[([^\]]+)\](\([^)]*\)|\[[^\]]*\])?", r"\1", text)
    text = text.replace("see below", "docs/events.md describes its fields")
    text = text.replace("`null`", "`None`").replace("null", "None").replace("`from`", "`sender`").replace("\\|", "|")
    return text[:1].upper() + text[1:]


class Writer:
    """Collects the classes, nested ones before those that contain them."""

    def __init__(self) -> None:
        self.classes: list[str] = []
        self.names: list[str] = []
        self.by_keys: dict[frozenset[str], str] = {frozenset(SCHEMA["seek"]["properties"]) - COMMON: "Seek"}

    def order(self, keys: set[str]) -> list[str]:
        """Returns keys in the order of the JSON, which is that of the line of the page that names them all."""
        lines = [list(dict.fromkeys(re.findall(r"[`\"](\w+)[`\"]", line))) for line in PAGE.splitlines()]
        fitting = [words for words in lines if keys <= set(words)]
        best = min(fitting, key=len, default=sorted(keys))
        return sorted(keys, key=best.index)

    def type_of(self, place: str, schema: dict[str, Any]) -> tuple[str, str | None]:
        """Returns the annotation of a value, and the class of objects in it."""
        if "const" in schema:
            return "bool", None
        if "enum" in schema:
            words = ", ".join(json.dumps(word) for word in schema["enum"] if word is not None)
            return f"Literal[{words}]" + (" | None" if None in schema["enum"] else ""), None
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        none = " | None" if "null" in kinds else ""
        kind = next(kind for kind in kinds if kind != "null")
        if kind == "array":
            item, nested = self.type_of(place, schema["items"])
            return f"tuple[{item}, ...]{none}", nested
        if kind == "object":
            name = self.nested(place, schema)
            return name + none, name
        return {"integer": "int", "string": "str", "boolean": "bool", "number": "float"}[kind] + none, None

    def nested(self, place: str, schema: dict[str, Any]) -> str:
        keys = frozenset(schema["properties"])
        if keys in self.by_keys:
            return self.by_keys[keys]
        name = {frozenset({"name", "rating", "titles"}): "ListedPlayer", frozenset({"name", "value"}): "NamedValue"}.get(keys)
        name = self.by_keys[keys] = name or NESTED[place]
        self.add(name, place, schema, self.order(set(keys)), f"Part of `{place}`.", "Row", None)
        return name

    def add(self, name: str, place: str, schema: dict[str, Any], keys: list[str], text: str, bases: str, kind: str | None) -> None:
        lines, pairs = [], []
        required = set(schema["required"])
        for key in sorted(keys, key=lambda key: key not in required):
            annotation, nested = self.type_of(f"{place}.{key}", schema["properties"][key])
            if key not in required:
                annotation = annotation.removesuffix(" | None") + " | None = None"
            lines.append(f"    {'sender' if key == 'from' else key}: {annotation}")
        for key in keys:
            nested = self.type_of(f"{place}.{key}", schema["properties"][key])[1]
            pairs.append(f"{key}:{nested}" if nested else key)
        head = f"@dataclass(frozen=True)\nclass {name}({bases}):\n"
        doc = textwrap.indent('"""' + "\n".join(textwrap.wrap(text, 112)) + '"""', "    ")
        constants = [f'    event: ClassVar[str] = "{kind}"'] if kind else []
        if kind in ROWS:
            constants.append(f'    _rows: ClassVar[str] = "{ROWS[kind]}"')
        wrapped = textwrap.wrap(" ".join(pairs), 100, break_long_words=False, break_on_hyphens=False)
        if len(wrapped) > 1:
            parts = [f'        "{line} "\n' for line in wrapped]
            keys_of = f"    _keys: ClassVar[str] = (\n{''.join(parts)}    )"
        else:
            keys_of = f'    _keys: ClassVar[str] = "{" ".join(pairs)}"'
        self.classes.append(head + doc + "\n\n" + "\n".join([*constants, *lines, keys_of]) + "\n")
        self.names.append(name)

    def add_event(self, kind: str) -> None:
        schema = SCHEMA[kind]
        keys = set(schema["properties"]) - COMMON
        listed, text = DESCRIPTIONS.get(kind, (self.order(keys), ""))
        listed = [key for key in listed if key in keys] + sorted(keys - set(listed))
        bases = ["Event"]
        if kind in ROWS:
            rows = schema["properties"][ROWS[kind]]["items"]
            bases.insert(0, f"Listing[{self.nested(f'{kind}.{ROWS[kind]}', rows)}]")
        if kind == "position":
            bases.insert(0, "Board")
        text = f"Event `{kind}`: {plain_text(text)}" if text else f"Event `{kind}`."
        self.add(class_name(kind), kind, schema, listed, text.rstrip(".") + ".", ", ".join(bases), kind)


def events() -> str:
    writer = Writer()
    kinds = [kind for kind in SCHEMA if kind not in NOT_EVENTS]
    # The rows of a list of seeks are objects of the event `seek`.
    for kind in sorted(kinds, key=lambda kind: kind != "seek"):
        writer.add_event(kind)
    table = "".join(f'    "{kind}": {class_name(kind)},\n' for kind in kinds)
    names = "".join(f'    "{name}",\n' for name in sorted([*writer.names, "Event", "Other", "KINDS"]))
    return (
        '"""Events: a frozen dataclass for each kind. Generated by gen.py; names, values and units are those of docs/events.md.\n\n'
        "The key `from` is the attribute `sender`; arrays are tuples. A kind that this version does not know is an `Other`.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom dataclasses import dataclass\nfrom typing import ClassVar, Literal\n\n'
        "from ._base import Board, Event, Listing, Other, Row\n\n"
        f"__all__ = [\n{names}]\n\n\n" + "\n\n".join(writer.classes) + "\n\n"
        f"KINDS: dict[str, type[Event]] = {{\n{table}}}\n"
        '"""Class of each kind, by the name of the kind."""\n'
    )


ARGUMENTS = {
    "impl IntoGameRef": "int | str", "impl IntoHandle": "str", "u8": "int", "u16": "int", "u32": "int", "&str": "str",
    "Ivar": "str", "OfferRef": "int | str | None = None",
}
TERMS = [
    "time: tuple[int, int] | None = None", "rated: bool | None = None",
    'color: Literal["white", "black"] | None = None', "variant: str | None = None",
]
SEEK_TERMS = [*TERMS, "manual: bool = False", "formula: bool = False", "ratings: tuple[int, int] | None = None"]
ANSWERS = {
    "Vec<GameId>": "tuple[int, ...]", "Arc<Style12>": "Position", "()": "None", "PlayerText": "str",
    "Vec<OfferOutcome>": "tuple[OfferOutcome, ...]",
}
# Functions of src/commands.rs that read an argument.
READERS = {
    "impl IntoGameRef": "game_ref", "impl IntoHandle": "text", "&str": "text", "u8": "number", "u16": "number", "u32": "number",
    "Ivar": "ivar", "OfferRef": "offer_ref", "GameTerms": "game_terms",
}
ARGUMENT_DOCS = {
    "game": "`game` is its number, or a player in it.",
    "offer": "`offer` is its number, the player it is from or to, or its kind; it may be left out if there is only one.",
    "terms": "`time` is minutes at the start and seconds per move; `variant` is the server's name for it, such as `crazyhouse`. "
    "What is left out, the server chooses.",
}


def command_text(text: str) -> str:
    """Returns the documentation of a command for Python."""
    text = re.sub(r"uhlin-fics stops observing it instead, with a text that is in\s+\[`\w+::\w+`\]\.",
                  "uhlin-fics stops observing it instead: `RequestFailed` with its text.", text)
    text = text.replace(", which is [`RequestError::Unexpected`]", ": `RequestFailed`")
    text = re.sub(r"; see \[`[\w:]+`\]", "", text)
    return re.sub(r"\[`(?:\w+::)*(\w+)`\]", r"`\1`", text)


def method(name: str, arguments: list[tuple[str, str]], answer: str, doc: str) -> str:
    """Returns the method of a command."""
    signature = ["self"]
    values = []
    extra = ["*"]
    for argument, kind in arguments:
        if kind == "GameTerms":
            terms = SEEK_TERMS if name == "seek" else TERMS
            signature += ["*", *terms]
            names = [term.split(":")[0] for term in terms]
            values.append("{" + ", ".join(f'"{name}": {name}' for name in names) + "}")
            extra = []
        else:
            signature.append(f"{argument}: {ARGUMENTS.get(kind, kind)}")
            values.append(argument)
        if argument in ARGUMENT_DOCS:
            doc += "\n\n" + ARGUMENT_DOCS[argument]
    signature += [*extra, "expires: float | None = None", "during: int | None = None"]
    doc = "\n\n".join("\n".join(textwrap.wrap(part, 108)) for part in doc.split("\n\n"))
    doc = textwrap.indent(f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""', " " * 8)
    call = f'await self._command("{name}", ({"".join(value + ", " for value in values).strip()}), expires, during)'
    body = call if answer == "None" else f"answer: {answer} = {call}\n        return answer"
    parts = "".join(f"        {part},\n" for part in signature)
    return f"    async def {name}(\n{parts}    ) -> {answer}:\n{doc}\n        {body}\n"


def rust_arm(name: str, arguments: list[tuple[str, str]], is_talk: bool) -> str:
    """Returns the arm that starts a command by its name."""
    values = [f"{READERS[kind]}(&next()?)?" for _, kind in arguments]
    values = ["&" + value if kind == "&str" and not is_talk else value for value, (_, kind) in zip(values, arguments)]
    call = f"{name}({', '.join(values)})"
    if is_talk:
        return f'        "{name}" => start(py, session, talk(session.client.clone(), TalkCommand::{call}, options)),\n'
    return f'        "{name}" => ask(py, session, command::{call}, options),\n'


def commands() -> tuple[str, str]:
    """Returns the module of Python with a method for each command, and that of Rust which starts a command by its name."""
    source = (LIBRARY / "src" / "command" / "list.rs").read_text()
    source = source.split("\ncommands! {")[1]
    entry = re.compile(r"((?:    /// ?.*\n)+)    \"([^\"]+)\" (\w+)\(([^)]*)\) -> (\(\)|[^=]+?)\s*=")
    methods = []
    arms = []
    for doc, line, name, arguments, answer in entry.findall(source):
        text = re.sub(r"\s*///( |(?=\n))", "\n", doc).strip()
        text = "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
        pairs = [tuple(part.split(": ", 1)) for part in arguments.split(", ") if part]
        answer = ANSWERS.get(answer, answer.removeprefix("listing::"))
        methods.append(method(name, pairs, answer, command_text(text) + f" Sends `{line}`."))  # type: ignore[arg-type]
        arms.append(rust_arm(name, pairs, False))  # type: ignore[arg-type]
    source = (LIBRARY / "src" / "command" / "talk.rs").read_text()
    for text, name, recipient in re.findall(r'    "([^"]+)" (\w+)\((?:(\w+: [\w ]+))?\) = ', source):
        pairs = [tuple(recipient.split(": "))] if recipient else []
        doc = f"Sends a message {text}, in as many pieces as needed. Returns the number of players who received each piece."
        methods.append(method(name, [*pairs, ("text", "&str")], "tuple[int, ...]", doc))  # type: ignore[list-item]
        arms.append(rust_arm(name, [*pairs, ("text", "&str")], True))  # type: ignore[list-item]
    methods.append(method("make_move", [("move", "object")], "MoveMade", "Makes a move in the game that this login plays or "
        "examines. An illegal move is `Refused`.\n\n`move` is a text such as `e2e4`, `e7e8q`, `N@f3`, `Nf3` or `O-O`, or a "
        "`chess.Move`. With `during` it is not sent to another game."))
    names = sorted({word for text in methods for word in re.findall(r"\) -> (?:tuple\[)?([A-Z]\w+)", text)} - {"None"})
    listings = [name for name in names if name not in ("ExamineStep", "MoveMade", "ObservedGame", "OfferOutcome", "ServerClocks")]
    answers = [name for name in names if name not in listings]
    module = (
        '"""The typed commands of a client. Generated by gen.py from the list of commands of the library."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Any, Literal\n\n"
        f"from .answers import {', '.join(answers)}\nfrom .events import (\n"
        + "".join(f"    {name},\n" for name in listings) + ")\n\n\n"
        'class Commands:\n    """Methods of `Client`, one for each command."""\n\n'
        "    async def _command(self, name: str, arguments: tuple[Any, ...], expires: float | None, during: int | None) -> Any:\n"
        "        raise NotImplementedError\n\n" + "\n".join(methods)
    )
    rust = (
        "//! The commands by their names. Generated by gen.py from the list of commands of the library.\n\nuse super::{\n"
        "    Bound, Object, OpenSession, PyResult, PyTuple, PyTupleMethods, Python, RequestOptions, TalkCommand, ask, command, exception,\n"
        "    game_ref, game_terms, ivar, move_text, number, offer_ref, start, talk, text,\n};\n\n"
        "/// Starts the command with this name; returns an asyncio future of its answer.\n"
        "pub(super) fn start_named<'py>(\n    py: Python<'py>,\n    session: &OpenSession,\n    name: &str,\n"
        "    arguments: &Bound<'py, PyTuple>,\n    options: RequestOptions,\n) -> PyResult<Object<'py>> {\n"
        "    let mut arguments = arguments.iter();\n"
        '    let mut next = || arguments.next().ok_or_else(|| exception(py, "InvalidRequest", ("argument", "is missing")));\n'
        "    match name {\n" + "".join(arms) + '        "make_move" => ask(py, session, move_text(&next()?)?, options),\n'
        '        _ => Err(exception(py, "InvalidRequest", ("name", format!("there is no command {name:?}")))),\n    }\n}\n'
    )
    return module, rust


def sync_commands(text: str) -> str:
    """Returns the same commands without asyncio, for the module `sync`."""
    return text.replace("async def ", "def ").replace("await ", "").replace("of a client.", "of a client without asyncio.")


def board_fields() -> str:
    """Returns the Rust functions that read one field of a board: of those whose descriptor is a call on the board."""
    source = (HERE.parent / "kibitzer-core" / "src" / "event" / "describe" / "game.rs").read_text()
    source = source.split("ReportedBoard<'_> as it =>")[1].split("],")[0]
    arms = []
    for key, value in re.findall(r"^            (\w+): (.*),$", source, re.MULTILINE):
        kinds = str(SCHEMA["position"]["properties"][key].get("type"))
        value = re.sub(r"Displayed\((.*)\)$", r"\1.to_string()", value)
        if not value.startswith("it.board.") or "|" in value or not (value.endswith("to_string()") or re.search("integer|boolean", kinds)):
            continue
        value = value.removeprefix("it.") + (".0" if key == "game" else "")
        arms.append(f'        "{key}" => |it, py| it.event.board().map(|board| {value}).into_py_any(py),\n')
    return (
        "//! Fields of boards, read without the others. Generated by gen.py from the descriptor of the event `position`.\n\n"
        "use pyo3::IntoPyObjectExt as _;\n\nuse super::ReadField;\n\n"
        "/// Returns the function that reads a field of the event `position`; `None` for one that is made with all others.\n"
        "pub(super) fn board_field(name: &str) -> Option<ReadField> {\n    Some(match name {\n"
        + "".join(arms) + "        _ => return None,\n    })\n}\n"
    )


def main() -> None:
    methods, rust_commands = commands()
    files = {
        PACKAGE / "events.py": events(),
        PACKAGE / "_commands.py": methods,
        PACKAGE / "_sync_commands.py": sync_commands(methods),
        HERE / "src" / "objects" / "board_fields.rs": board_fields(),
        HERE / "src" / "commands" / "list.rs": rust_commands,
    }
    for path, text in files.items():
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path.name} is out of date: run gen.py")


if __name__ == "__main__":
    main()
