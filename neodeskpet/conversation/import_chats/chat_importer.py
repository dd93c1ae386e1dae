"""Brings a past in: looks at an archive, takes in what was chosen of it, takes all of that back.

What was taken in is remembered as it comes, so that it can be taken back after a restart too, also
where that came in its middle: one that was interrupted goes on with the next import of an archive
that holds something of it, and both are taken back as one.
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
"""How a conversation begins that was exported here."""
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
    """A conversation of an archive: `new` of its `count` messages aren't here yet. `here`: the
    conversation is.
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
    """What an archive holds, as far as it was looked at."""

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
        """When the first and the last thing was said; None for nothing."""
        if not self.choices:
            return None
        return min(one.first for one in self.choices), max(one.last for one in self.choices)

    @property
    def new(self) -> list[ImportChoice]:
        return [one for one in self.choices if one.new]


@dataclass(slots=True)
class ImportedMessages:
    """The ids of what was taken in, by conversations; `done` is the share of the archive. `before`
    of these messages came before it was interrupted; `at`: when it began (unix seconds).
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
    """Whether it comes from elsewhere, and is no conversation that was exported here."""
    try:
        head = first_bytes(path, _HEAD_BYTES)  # nothing but a regular file is opened
        if zipfile.is_zipfile(path):
            return True
    except OSError:
        return False
    head = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"[") or (head.startswith(b"{") and _OWN_EXPORT.match(head) is None)


class ChatImporter:
    """One archive; `close` ends it. Coroutines raise ArchiveUnreadable and StoreError, and end at
    once when they are cancelled.
    """

    def __init__(self, store: ImportStore, path: Path) -> None:
        self._store = store
        self._reader = ArchiveReader(path)
        self.preview = ImportPreview(path.name)
        self.imported = ImportedMessages(path.name)

    async def preview_archive(
        self, told: Callable[[ImportPreview], object] = lambda _preview: None
    ) -> ImportPreview:
        """Look through all of it; `told` hears how far it is."""
        await self._ask(self._reader.open)
        ended = False
        places: dict[str, int] = {}
        while not ended:
            step = await self._ask(self._reader.survey)
            await self._compare(step, places)
            ended = step.ended
            told(self.preview)
        if not self.preview.choices and all(
            one.reason == "item_foreign" for one in self.preview.skipped
        ):
            raise ArchiveUnreadable(name=self.preview.name, reason=REFUSAL_REASONS["foreign"])
        return self.preview

    async def import_conversations(
        self, ids: Sequence[str], told: Callable[[ImportedMessages], object] = lambda _taken: None
    ) -> ImportedMessages:
        """Take these in. What was taken in before it was cancelled, or failed, stands in `taken`,
        and can be taken back.
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
                told(self.imported)
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
            if one.id in places:  # it stands in the archive twice
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
        """In a thread, which has ended when this has."""
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
    """What was taken in last, unless it was taken back. Raises StoreError."""
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
    """What came with imports that were killed in their middle, the latest first. Raises
    StoreError.
    """
    return [_to_imported(one) for one in await store.unfinished_imports()]


async def keep_interrupted_import(store: ImportStore, taken: ImportedMessages) -> None:
    """Let it be as if it had ended so: it is what came last. Raises StoreError."""
    await store.end_import(taken.id)


async def undo_import(store: ImportStore, taken: ImportedMessages) -> None:
    """Delete for good what was taken in. What the person said there since then stays. Raises
    StoreError.
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
