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

from neodeskpet.conversation.past.reader import (
    REASONS,
    Omitted,
    PastReader,
    PastRefused,
    Step,
    Summary,
)
from neodeskpet.files import first_bytes
from neodeskpet.memory.past.came import LAST, Came
from neodeskpet.memory.past.rows import Past

_HEAD = 4096
_OWN = re.compile(rb'\{\s*"(messages"|title"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"(?:messages|created)")')
"""How a conversation begins that was exported here."""
_T = TypeVar("_T")


class PastStore(Protocol):
    """What is asked of the store. Coroutines raise StoreError."""

    async def past_known(self, ids: Sequence[str]) -> dict[str, frozenset[str]]: ...

    async def begin_past(self, name: str, among: Sequence[str]) -> Came: ...

    async def take_past(self, past: Past, of: str) -> list[str]: ...

    async def end_past(self, of: str) -> Came | None: ...

    async def unfinished_pasts(self) -> list[Came]: ...

    async def take_past_back(self, taken: Mapping[str, Sequence[str]], of: str = "") -> None: ...

    async def get_state(self, key: str) -> str | None: ...

    async def set_state(self, key: str, value: str | None) -> None: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """A conversation of an archive: `new` of its `count` messages aren't here yet. `here`: the
    conversation is.
    """

    id: str
    title: str
    first: float
    last: float
    count: int
    new: int
    here: bool
    folder: str


@dataclass(slots=True)
class Preview:
    """What an archive holds, as far as it was looked at."""

    name: str
    choices: list[Choice] = field(default_factory=list)
    omitted: list[Omitted] = field(default_factory=list)
    unknown: Mapping[str, int] = field(default_factory=dict)
    done: float = 0.0

    @property
    def messages(self) -> int:
        return sum(one.count for one in self.choices)

    @property
    def span(self) -> tuple[float, float] | None:
        """When the first and the last thing was said; None for nothing."""
        if not self.choices:
            return None
        return min(one.first for one in self.choices), max(one.last for one in self.choices)

    @property
    def new(self) -> list[Choice]:
        return [one for one in self.choices if one.new]


@dataclass(slots=True)
class Taken:
    """The ids of what was taken in, by conversations; `done` is the share of the archive. `before`
    of these messages came before it was interrupted; `at`: when it began (unix seconds).
    """

    name: str
    messages: dict[str, list[str]] = field(default_factory=dict)
    done: float = 0.0
    id: str = ""
    at: float = 0.0
    before: int = 0

    @property
    def count(self) -> int:
        return sum(map(len, self.messages.values()))


def is_past(path: Path) -> bool:
    """Whether it comes from elsewhere, and is no conversation that was exported here."""
    try:
        head = first_bytes(path, _HEAD)  # nothing but a regular file is opened
        if zipfile.is_zipfile(path):
            return True
    except OSError:
        return False
    head = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"[") or (head.startswith(b"{") and _OWN.match(head) is None)


class Intake:
    """One archive; `close` ends it. Coroutines raise PastRefused and StoreError, and end at once
    when they are cancelled.
    """

    def __init__(self, store: PastStore, path: Path) -> None:
        self._store = store
        self._reader = PastReader(path)
        self.preview = Preview(path.name)
        self.taken = Taken(path.name)

    async def look(self, told: Callable[[Preview], object] = lambda _preview: None) -> Preview:
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
            one.why == "item_foreign" for one in self.preview.omitted
        ):
            raise PastRefused(name=self.preview.name, reason=REASONS["foreign"])
        return self.preview

    async def take(
        self, ids: Sequence[str], told: Callable[[Taken], object] = lambda _taken: None
    ) -> Taken:
        """Take these in. What was taken in before it was cancelled, or failed, stands in `taken`,
        and can be taken back.
        """
        holds = [one.id for one in self.preview.choices]
        begun = await self._store.begin_past(self.preview.name, holds)
        self.taken = _taken(begun)
        self.taken.before = self.taken.count
        try:
            await self._ask(lambda: self._reader.fetch(ids))
            ended = False
            while not ended:
                step, found = await self._ask(self._reader.read)
                for past in found:
                    added = await self._store.take_past(past, begun.id)
                    if added:
                        self.taken.messages.setdefault(past.id, []).extend(added)
                self.taken.done, ended = step.done, step.ended
                told(self.taken)
        finally:
            whole = await asyncio.shield(self._store.end_past(begun.id))
            self.taken.messages = {} if whole is None else whole.messages
        return self.taken

    async def close(self) -> None:
        self._reader.stop()
        await asyncio.shield(asyncio.to_thread(self._reader.close))

    async def _compare(self, step: Step, places: dict[str, int]) -> None:
        known = await self._store.past_known([one.id for one in step.found])
        for one in step.found:
            choice = _choice(one, known.get(one.id))
            if one.id in places:  # it stands in the archive twice
                before = self.preview.choices[places[one.id]]
                choice = choice if choice.count > before.count else before
                self.preview.choices[places[one.id]] = choice
            else:
                places[one.id] = len(self.preview.choices)
                self.preview.choices.append(choice)
        self.preview.omitted.extend(step.omitted)
        self.preview.unknown = step.unknown or {}
        self.preview.done = step.done

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


async def last_taken(store: PastStore) -> Taken | None:
    """What was taken in last, unless it was taken back. Raises StoreError."""
    kept = await store.get_state(LAST)
    if kept is None:
        return None
    try:
        read = json.loads(kept)
        messages = {str(one): [str(two) for two in ids] for one, ids in read["messages"].items()}
        return Taken(str(read["name"]), messages, at=float(read.get("at", 0.0)))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


async def interrupted(store: PastStore) -> list[Taken]:
    """What came with imports that were killed in their middle, the latest first. Raises
    StoreError.
    """
    return [_taken(one) for one in await store.unfinished_pasts()]


async def keep_interrupted(store: PastStore, taken: Taken) -> None:
    """Let it be as if it had ended so: it is what came last. Raises StoreError."""
    await store.end_past(taken.id)


async def take_back(store: PastStore, taken: Taken) -> None:
    """Delete for good what was taken in. What the person said there since then stays. Raises
    StoreError.
    """
    await store.take_past_back(taken.messages, taken.id)
    last = await last_taken(store)
    if last is not None and last.messages == taken.messages:
        await store.set_state(LAST, None)


def _choice(one: Summary, known: frozenset[str] | None) -> Choice:
    new = len(one.marks) if known is None else sum(m not in known for m in one.marks)
    here = known is not None
    return Choice(one.id, one.title, one.first, one.last, len(one.marks), new, here, one.folder)


def _taken(one: Came) -> Taken:
    messages = {conversation: [*ids] for conversation, ids in one.messages.items()}
    return Taken(one.name, messages, id=one.id, at=one.at)
