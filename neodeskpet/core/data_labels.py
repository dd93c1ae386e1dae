"""Labels of data: where a text comes from, and what kind of data was read.

`untrusted` text was written by somebody other than the user and may contain instructions of an
attacker. `private` data must not leave the computer without a question. Labels follow the data:
what a tool stores while untrusted text is being read keeps the label in storage.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class SourceKind(StrEnum):
    """What was read. The values are stored. EARLIER: a tool result from before labels existed.
    SYNC: text from the sync server. OTHER: anything else.
    """

    PAGE = "page"
    SEARCH = "search"
    FILE = "file"
    KNOWLEDGE = "knowledge"
    NOTE = "note"
    MEMORY = "memory"
    TODO = "todo"
    CALENDAR = "calendar"
    CLIPBOARD = "clipboard"
    SCREEN = "screen"
    SERVER = "server"
    PROGRAM = "program"
    PICTURE = "picture"
    ARCHIVE = "archive"
    WORLD_BOOK = "world_book"
    SYNC = "sync"
    EARLIER = "earlier"
    OTHER = "other"


_PUBLIC = frozenset(
    {SourceKind.PAGE, SourceKind.SEARCH, SourceKind.WORLD_BOOK, SourceKind.SYNC, SourceKind.OTHER}
)
"""These sources contain no private data."""
_KEPT = frozenset(
    {SourceKind.NOTE, SourceKind.MEMORY, SourceKind.TODO, SourceKind.CALENDAR, SourceKind.OTHER}
)
"""These sources are the user's own text, unless an entry is stored with the label untrusted."""


@dataclass(frozen=True, slots=True)
class DataSource:
    """One source that was read. `name` is the name of the tool source for SERVER, otherwise ""."""

    material: SourceKind
    name: str = ""

    @property
    def is_private(self) -> bool:
        return self.material not in _PUBLIC

    @property
    def is_untrusted(self) -> bool:
        return self.material not in _KEPT


@dataclass(frozen=True, slots=True)
class Labels:
    """The sources of the untrusted text and of the private data that a text contains."""

    untrusted: tuple[DataSource, ...] = ()
    private: tuple[DataSource, ...] = ()

    def __or__(self, other: Labels) -> Labels:
        return join_labels((self, other))

    def __bool__(self) -> bool:
        return bool(self.untrusted or self.private)


NO_LABELS = Labels()
"""For the user's own text and the app's own text."""


def join_labels(labels: Iterable[Labels]) -> Labels:
    """Return the labels of a text that is composed of several texts."""
    untrusted: dict[DataSource, None] = {}
    private: dict[DataSource, None] = {}
    for one in labels:
        untrusted.update(dict.fromkeys(one.untrusted))
        private.update(dict.fromkeys(one.private))
    return Labels(tuple(untrusted), tuple(private))


def labels_of(source: DataSource, *, untrusted: bool) -> Labels:
    """Return the labels of data that was read from `source`."""
    return Labels((source,) if untrusted else (), (source,) if source.is_private else ())


def write_sources(sources: Iterable[DataSource]) -> str:
    """Return the sources in their stored form; "" for none."""
    pairs = [[one.material.value, one.name] for one in sources]
    return json.dumps(pairs, ensure_ascii=False) if pairs else ""


def read_sources(stored: object) -> tuple[DataSource, ...]:
    """Read stored sources. A source that can't be read counts as untrusted."""
    if not isinstance(stored, str) or not stored:
        return ()
    try:
        return tuple(
            DataSource(SourceKind(material), str(name)) for material, name in json.loads(stored)
        )
    except (ValueError, TypeError):
        return (DataSource(SourceKind.OTHER),)


def add_sources(before: Iterable[DataSource], more: Iterable[DataSource]) -> tuple[DataSource, ...]:
    """Return `before` and `more` without duplicates."""
    return tuple(dict.fromkeys((*before, *more)))


EARLIER_LABELS = labels_of(DataSource(SourceKind.EARLIER), untrusted=True)
"""The labels of a tool result that was stored before labels existed."""
IMPORTED_LABELS = labels_of(DataSource(SourceKind.ARCHIVE), untrusted=True)
"""The labels of an imported conversation."""


class FlowCause(StrEnum):
    """Why a call asks because of what was read. The values are stored.

    COMPOSED: the model composed the address. FOUND: the address was found in text that was read,
    and private data was read too. MANY: too many found addresses in one reply. SERVER: the
    arguments go to a foreign tool. CLIPBOARD: the text goes to the clipboard. LATER: a model acts
    on the text later. PROGRAM: a program runs.
    """

    COMPOSED = "composed"
    FOUND = "found"
    MANY = "many"
    SERVER = "server"
    CLIPBOARD = "clipboard"
    LATER = "later"
    PROGRAM = "program"


@dataclass(frozen=True, slots=True)
class FlowQuestion:
    """Why a call asks although its risk alone would not ask: it could pass on data that was read.
    `read` are the untrusted sources, `private` the private ones. `to` is the host or the tool
    source that would receive `carried`: the pieces of the arguments that occur in the private data.
    """

    cause: FlowCause
    read: tuple[DataSource, ...] = ()
    private: tuple[DataSource, ...] = ()
    to: str = ""
    carried: tuple[str, ...] = ()
