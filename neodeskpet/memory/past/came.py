"""What came with an import, remembered as it comes: each conversation's part is written in the same
transaction as its messages. An import that ends makes one list of it (`LAST`); of one that was
killed it stays, and is known by that nobody runs it any more.

All of it is rows of `state`, which an older version leaves alone. Functions that change something
are called inside a transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neodeskpet.database.columns import from_column, to_column

LAST = "past.last"
"""The key of what came with the last import that ended."""
_BEGUN = "past.import"
"""Before an import's id: what it is called, who runs it, when it began."""
_CAME = "past.came"
"""Before a conversation's id and an import's: the ids of the messages that came, and the digests of
pictures that were about to come.
"""

Runs = Callable[[str, str], bool]
"""Whether this import is run by this writer still."""


@dataclass(frozen=True, slots=True)
class Came:
    """The messages by conversations. `at`: when it began (unix seconds)."""

    id: str
    name: str
    at: float
    messages: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Part:
    conversation: str
    of: str
    messages: list[str]
    pictures: list[str]

    @property
    def key(self) -> str:
        return f"{_CAME}:{self.conversation}:{self.of}"


def begin(
    connection: sqlite3.Connection, own: Came, writer: str, among: Collection[str], runs: Runs
) -> Came:
    """`own`, or one that was interrupted and of which something is `among` these conversations:
    that goes on under its own id.
    """
    holds = set(among)
    before = unfinished(connection, runs)
    found = next((one for one in before if not holds.isdisjoint(one.messages)), None)
    begun = own if found is None else Came(found.id, own.name, own.at, found.messages)
    told = {"name": begun.name, "writer": writer, "at": begun.at}
    _put(connection, f"{_BEGUN}:{begun.id}", told)
    return begun


def expect(
    connection: sqlite3.Connection, of: str, conversation: str, digests: Sequence[str]
) -> None:
    """These pictures are about to be written, and the messages that show them after that; or, with
    no conversation, to be removed.
    """
    part = _part(connection, conversation, of)
    _keep(connection, _Part(conversation, of, part.messages, list(digests)))


def add(connection: sqlite3.Connection, of: str, conversation: str, ids: Sequence[str]) -> None:
    """These messages have come, with their pictures."""
    here = _part(connection, conversation, of).messages
    _keep(connection, _Part(conversation, of, list(dict.fromkeys([*here, *ids])), []))


def end(connection: sqlite3.Connection, of: str) -> Came | None:
    """It is over, and what came with it is what came last; None where nothing did."""
    ended = next((one for one in _all(connection) if one.id == of), None)
    drop(connection, of)
    if ended is None or not ended.messages:
        return None
    _put(connection, LAST, {"name": ended.name, "messages": ended.messages, "at": ended.at})
    return ended


def begun(connection: sqlite3.Connection) -> bool:
    """Whether there is any that hasn't ended."""
    return any(True for kind in (_BEGUN, _CAME) for _row in _rows(connection, kind))


def unfinished(connection: sqlite3.Connection, runs: Runs) -> list[Came]:
    """Those that were interrupted when something had come, the latest first."""
    writers = _writers(connection)
    dead = (one for one in _all(connection) if not runs(one.id, writers.get(one.id, "")))
    return sorted((one for one in dead if one.messages), key=lambda one: -one.at)


def expected(connection: sqlite3.Connection, runs: Runs) -> set[str]:
    """The digests of pictures that were about to come when an import was interrupted."""
    return {digest for part in _dead(connection, runs) for digest in part.pictures}


def tidy(connection: sqlite3.Connection, runs: Runs) -> None:
    """Expect no pictures of imports that were interrupted, and forget those of which nothing came
    or is left.
    """
    for part in _dead(connection, runs):
        if part.pictures:
            _keep(connection, _Part(part.conversation, part.of, part.messages, []))
    here = {part.of for part in _parts(connection)}
    for one, writer in _writers(connection).items():
        if one not in here and not runs(one, writer):
            drop(connection, one)


def drop(connection: sqlite3.Connection, of: str) -> None:
    """Nothing of this import is to be remembered."""
    keys = [f"{_BEGUN}:{of}", *(part.key for part in _parts(connection) if part.of == of)]
    connection.executemany("DELETE FROM state WHERE key = ?", [(key,) for key in keys])


def forget(connection: sqlite3.Connection, conversations: Iterable[str]) -> None:
    """Nothing of these conversations is to be remembered."""
    bounds = [(f"{_CAME}:{one}:", f"{_CAME}:{one};") for one in conversations]
    connection.executemany("DELETE FROM state WHERE key >= ? AND key < ?", bounds)


# Inside


def _all(connection: sqlite3.Connection) -> list[Came]:
    found: dict[str, Came] = {}
    for key, told in _rows(connection, _BEGUN):
        at = told.get("at")
        name = str(told.get("name", ""))
        found[key] = Came(key, name, float(at) if isinstance(at, int | float) else 0.0)
    for part in _parts(connection):
        if part.messages:
            one = found.setdefault(part.of, Came(part.of, "", 0.0))
            one.messages[part.conversation] = part.messages
    return list(found.values())


def _writers(connection: sqlite3.Connection) -> dict[str, str]:
    return {key: str(told.get("writer", "")) for key, told in _rows(connection, _BEGUN)}


def _dead(connection: sqlite3.Connection, runs: Runs) -> list[_Part]:
    writers = _writers(connection)
    return [one for one in _parts(connection) if not runs(one.of, writers.get(one.of, ""))]


def _parts(connection: sqlite3.Connection) -> Iterator[_Part]:
    for key, told in _rows(connection, _CAME):
        conversation, _, of = key.rpartition(":")
        yield _Part(conversation, of, _texts(told.get("messages")), _texts(told.get("pictures")))


def _part(connection: sqlite3.Connection, conversation: str, of: str) -> _Part:
    empty = _Part(conversation, of, [], [])
    row = connection.execute("SELECT value FROM state WHERE key = ?", (empty.key,)).fetchone()
    told = _read(row[0]) if row else {}
    return _Part(conversation, of, _texts(told.get("messages")), _texts(told.get("pictures")))


def _keep(connection: sqlite3.Connection, part: _Part) -> None:
    if part.messages or part.pictures:
        _put(connection, part.key, {"messages": part.messages, "pictures": part.pictures})
    else:
        connection.execute("DELETE FROM state WHERE key = ?", (part.key,))


def _rows(connection: sqlite3.Connection, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    query = "SELECT key, value FROM state WHERE key >= ? AND key < ? ORDER BY key"
    for key, value in connection.execute(query, (f"{kind}:", f"{kind};")).fetchall():
        yield str(key).removeprefix(f"{kind}:"), _read(value)


def _put(connection: sqlite3.Connection, key: str, told: Mapping[str, object]) -> None:
    connection.execute(
        "INSERT INTO state (key, value) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, to_column(json.dumps(told, ensure_ascii=False))),
    )


def _read(value: str | bytes) -> dict[str, Any]:
    try:
        told = json.loads(from_column(value))
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
