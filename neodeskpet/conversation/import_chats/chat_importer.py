"""Imports chats: previews an archive, imports selected conversations, and undoes an import.

Each imported conversation is recorded as it is stored, so that an import can be undone after a
restart, even if it was interrupted. An interrupted import is continued by the next import of an
archive with some of the same conversations; both are undone as one.
"""

from __future__ import annotations

import asyncio
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from neodeskpet.conversation.import_chats.archive_reader import (
    REFUSAL_REASONS,
    ArchiveReader,
    ArchiveUnreadable,
    ConversationSummary,
    ReadStep,
    SkippedEntry,
)
from neodeskpet.platform.private_files import first_bytes
from neodeskpet.storage.chat_imports import LAST_IMPORT_KEY, ForeignConversation, ImportBatch

_HEAD_BYTES = 4096
_OWN_EXPORT = re.compile(
    rb'\{\s*"(messages"|title"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"(?:messages|created)")'
)
"""The beginning of a conversation that was exported by this program."""
_T = TypeVar("_T")


class ImportStore(Protocol):
    """What is asked of the store. Coroutines raise StoreError."""

    async def known_imported(self, ids: Sequence[str]) -> dict[str, frozenset[str]]: ...

    async def begin_import(self, name: str, among: Sequence[str]) -> ImportBatch: ...

    async def add_imported(self, past: ForeignConversation, of: str) -> list[str]: ...

    async def end_import(self, of: str) -> ImportBatch | None: ...

    async def unfinished_imports(self) -> list[ImportBatch]: ...

    async def undo_import(self, taken: Mapping[str, Sequence[str]], of: str = "") -> None: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


@dataclass(frozen=True, slots=True)
class ImportChoice:
    """A conversation of an archive: `new` of its `count` messages aren't stored yet. `exists`: the
    conversation itself is stored.
    """

    id: str
    title: str
    first: float
    last: float
    count: int
    new: int
    exists: bool
    folder: str


@dataclass(slots=True)
class ImportPreview:
    """The content of an archive, as far as it was read."""

    name: str
    choices: list[ImportChoice] = field(default_factory=list)
    skipped: list[SkippedEntry] = field(default_factory=list)
    unknown: Mapping[str, int] = field(default_factory=dict)
    progress: float = 0.0

    @property
    def messages(self) -> int:
        return sum(one.count for one in self.choices)

    @property
    def time_span(self) -> tuple[float, float] | None:
        """Return the times of the first and the last message; None if there is none."""
        if not self.choices:
            return None
        return min(one.first for one in self.choices), max(one.last for one in self.choices)

    @property
    def new(self) -> list[ImportChoice]:
        return [one for one in self.choices if one.new]


@dataclass(slots=True)
class ImportedMessages:
    """The ids of imported messages by conversation; `progress` is the share of the archive.
    `earlier_count` of these messages were imported before an interruption; `started`: the start of
    the import (unix seconds).
    """

    name: str
    messages: dict[str, list[str]] = field(default_factory=dict)
    progress: float = 0.0
    id: str = ""
    started: float = 0.0
    earlier_count: int = 0

    @property
    def count(self) -> int:
        return sum(map(len, self.messages.values()))


def is_foreign_archive(path: Path) -> bool:
    """Return whether the file comes from another program and isn't a conversation exported here."""
    try:
        head = first_bytes(path, _HEAD_BYTES)  # only regular files are opened
        if zipfile.is_zipfile(path):
            return True
    except OSError:
        return False
    head = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"[") or (head.startswith(b"{") and _OWN_EXPORT.match(head) is None)


class ChatImporter:
    """Imports one archive; `close` ends it. Coroutines raise ArchiveUnreadable and StoreError, and
    end at once when cancelled.
    """

    def __init__(self, store: ImportStore, path: Path) -> None:
        self._store = store
        self._reader = ArchiveReader(path)
        self.preview = ImportPreview(path.name)
        self.imported = ImportedMessages(path.name)

    async def preview_archive(
        self, report: Callable[[ImportPreview], object] = lambda _preview: None
    ) -> ImportPreview:
        """Read the whole archive; `report` receives the progress."""
        await self._ask(self._reader.open)
        ended = False
        places: dict[str, int] = {}
        while not ended:
            step = await self._ask(self._reader.survey)
            await self._compare(step, places)
            ended = step.ended
            report(self.preview)
        if not self.preview.choices and all(
            one.reason == "item_foreign" for one in self.preview.skipped
        ):
            raise ArchiveUnreadable(name=self.preview.name, reason=REFUSAL_REASONS["foreign"])
        return self.preview

    async def import_conversations(
        self, ids: Sequence[str], report: Callable[[ImportedMessages], object] = lambda _taken: None
    ) -> ImportedMessages:
        """Import these conversations. `taken` lists what was imported before a cancellation or an
        error, so that it can be undone.
        """
        holds = [one.id for one in self.preview.choices]
        begun = await self._store.begin_import(self.preview.name, holds)
        self.imported = _to_imported(begun)
        self.imported.earlier_count = self.imported.count
        try:
            await self._ask(lambda: self._reader.fetch(ids))
            ended = False
            while not ended:
                step, found = await self._ask(self._reader.read)
                for past in found:
                    added = await self._store.add_imported(past, begun.id)
                    if added:
                        self.imported.messages.setdefault(past.id, []).extend(added)
                self.imported.progress, ended = step.progress, step.ended
                report(self.imported)
        finally:
            whole = await asyncio.shield(self._store.end_import(begun.id))
            self.imported.messages = {} if whole is None else whole.messages
        return self.imported

    async def aclose(self) -> None:
        self._reader.stop()
        await asyncio.shield(asyncio.to_thread(self._reader.close))

    async def _compare(self, step: ReadStep, places: dict[str, int]) -> None:
        known = await self._store.known_imported([one.id for one in step.found])
        for one in step.found:
            choice = _to_choice(one, known.get(one.id))
            if one.id in places:  # it occurs twice in the archive
                before = self.preview.choices[places[one.id]]
                choice = choice if choice.count > before.count else before
                self.preview.choices[places[one.id]] = choice
            else:
                places[one.id] = len(self.preview.choices)
                self.preview.choices.append(choice)
        self.preview.skipped.extend(step.skipped)
        self.preview.unknown = step.unknown or {}
        self.preview.progress = step.progress

    async def _ask(self, ask: Callable[[], _T]) -> _T:
        """Run `ask` on a thread, which has ended when this returns."""
        asked = asyncio.get_running_loop().run_in_executor(None, ask)
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            self._reader.stop()
            await asyncio.wait([asked])
            if not asked.cancelled():
                asked.exception()
            raise


async def last_import(store: ImportStore) -> ImportedMessages | None:
    """Return the last import, None if it was undone. Raises StoreError."""
    kept = await store.get_state(LAST_IMPORT_KEY)
    if kept is None:
        return None
    try:
        read = json.loads(kept)
        messages = {str(one): [str(two) for two in ids] for one, ids in read["messages"].items()}
        return ImportedMessages(str(read["name"]), messages, started=float(read.get("at", 0.0)))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


async def interrupted_imports(store: ImportStore) -> list[ImportedMessages]:
    """Return the imports that were interrupted by a crash, latest first. Raises StoreError."""
    return [_to_imported(one) for one in await store.unfinished_imports()]


async def keep_interrupted_import(store: ImportStore, taken: ImportedMessages) -> None:
    """Record an interrupted import as complete; it becomes the last import. Raises StoreError."""
    await store.end_import(taken.id)


async def undo_import(store: ImportStore, taken: ImportedMessages) -> None:
    """Delete the imported messages permanently. Messages that the user added since then stay.
    Raises StoreError.
    """
    await store.undo_import(taken.messages, taken.id)
    last = await last_import(store)
    if last is not None and last.messages == taken.messages:
        await store.set_state(LAST_IMPORT_KEY, None)


def _to_choice(one: ConversationSummary, known: frozenset[str] | None) -> ImportChoice:
    new = (
        len(one.message_marks) if known is None else sum(m not in known for m in one.message_marks)
    )
    here = known is not None
    return ImportChoice(
        one.id, one.title, one.first, one.last, len(one.message_marks), new, here, one.folder
    )


def _to_imported(one: ImportBatch) -> ImportedMessages:
    messages = {conversation: [*ids] for conversation, ids in one.messages.items()}
    return ImportedMessages(one.name, messages, id=one.id, started=one.started)
