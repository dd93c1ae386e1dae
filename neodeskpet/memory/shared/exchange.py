"""What is new is fetched from the server, and what waits is sent to it.

One thread asks the server, the database's own thread does the rows: the loop, which may be the
window's, only passes on. A death at any point loses nothing: what is sent twice changes nothing,
and what was fetched is remembered in the transaction that writes it.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from neodeskpet.memory.shared.faults import SharingFault
from neodeskpet.memory.shared.ledger import MOST
from neodeskpet.memory.shared.record import Record
from neodeskpet.memory.shared.rows import Applied
from neodeskpet.memory.shared.server import Fetched, Server

T = TypeVar("T")
Key = tuple[str, str]
"""The kind and the id of a record."""

_MUCH = 2000
"""Records from which a new computer begins with the latest conversations."""


class Side(Protocol):
    """Rows of this computer, of these kinds. Coroutines raise StoreError."""

    @property
    def kinds(self) -> Sequence[str]: ...

    async def begin(self) -> str: ...

    async def meet(self, server: str, last: int) -> int: ...

    async def gather(self) -> list[Record]: ...

    async def sent(self, records: Sequence[Record]) -> None: ...

    async def waiting(self) -> int: ...

    async def writing(self) -> list[str]: ...

    async def picture(self, digest: str) -> bytes | None: ...

    async def keep_picture(self, digest: str, data: bytes) -> None: ...

    async def apply(
        self, records: Sequence[Record], cursor: int, *, more: bool = False
    ) -> Applied: ...

    def tell(self, ids: Sequence[str]) -> object: ...

    def follow(self, tell: Callable[[], object]) -> None: ...

    async def sums(self) -> dict[Key, str]: ...

    async def look_again(self) -> None: ...


class Link:
    """The connection to the server, and the one thread that uses it. It is a daemon: a server that
    says nothing doesn't hold up the app's end.
    """

    def __init__(self, connect: Callable[[], Server]) -> None:
        self._connect = connect
        self._server: Server | None = None
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]
        self._jobs = queue.SimpleQueue()
        threading.Thread(target=self._main, name="sharing", daemon=True).start()

    async def ask(self, what: Callable[[Server], T]) -> T:
        """Raises SharingFault; then the next question connects anew."""
        future: Future[T] = Future()
        self._jobs.put((lambda: self._ask(what), future))
        return await asyncio.wrap_future(future)

    @property
    def number(self) -> int:
        """The server's number of the connection, 0 while there is none."""
        server = self._server
        return 0 if server is None else server.number

    def close(self) -> None:
        """What is being asked is waited for by nobody."""
        self._jobs.put(None)

    def _main(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever awaits
                future.set_exception(error)
        self._drop()

    def _ask(self, what: Callable[[Server], T]) -> T:
        if self._server is None:
            self._server = self._connect()
        try:
            return what(self._server)
        except SharingFault:
            self._drop()
            raise

    def _drop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Records that are here, there, and the same in both."""

    here: int
    there: int
    same: int

    @property
    def well(self) -> bool:
        return self.here == self.there == self.same


def _standing(sums: Mapping[Key, str]) -> dict[Key, str]:
    """Without where messages stood that are gone, and what was chosen there: each computer keeps
    of that what it needs, and the server drops it with its conversation.
    """

    def stands(kind: str, one: str) -> bool:
        if kind == "place":
            return ("message", one) in sums
        return kind != "choice" or ("message", one) in sums or ("conversation", one) in sums

    return {key: digest for key, digest in sums.items() if stands(*key)}


class Exchange:
    """One look after the other at what is new, here and there."""

    def __init__(
        self,
        sides: Sequence[Side],
        link: Link,
        device: str,
        name: str,
        heard: Callable[[Applied], object] = lambda applied: None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        """`sides` in the order in which they go: what refers to another comes after it. `device` is
        this computer's id among others, `name` what people call it; `heard` is told of what others
        said, `progress` how many records of how many were fetched, then sent.
        """
        self._sides = sides
        self._link = link
        self._device = device
        self._name = name
        self._heard = heard
        self._progress = progress
        self._writing: list[str] | None = None

    async def step(self) -> dict[str, str]:
        """Fetch and send all there is; where others answer just now. Raises StoreError."""
        for side in self._sides:
            await self.pull(side)
        for side in self._sides:
            await self.push(side)
        return await self._say(await self._list_writing())

    async def look_again(self) -> None:
        """Fetch and send all there is as if nothing was known of it: what stands here and there
        differs, whatever the reason. Raises StoreError.
        """
        for side in self._sides:
            await side.look_again()
        await self.step()

    async def send(self) -> dict[str, str] | None:
        """Send what waits, and ask the server nothing if there is none of that; where others answer
        just now, None if that wasn't asked. Raises StoreError.
        """
        for side in self._sides:
            await self.push(side)
        writing = await self._list_writing()
        return None if writing == self._writing else await self._say(writing)

    async def _list_writing(self) -> list[str]:
        return [one for side in self._sides for one in await side.writing()]

    async def _say(self, writing: list[str]) -> dict[str, str]:
        found = await self._link.ask(lambda server: server.say(self._device, self._name, writing))
        self._writing = writing
        return found

    async def pull(self, side: Side) -> int:
        """Fetch what is new; how many records were. What follows the messages hears of it when all
        of it is there: the middle of a change is nobody's affair.
        """
        server, last = await self._link.ask(lambda server: (server.id, server.last()))
        cursor = await side.meet(server, last)
        count = 0
        if not cursor and last > _MUCH:
            latest = await self._link.ask(lambda server: server.latest(side.kinds))
            count = await self._take(side, latest, 0)
        total = Applied()
        try:
            while cursor < last:
                found = await self._fetch(cursor, side.kinds)
                await self._keep_pictures(side, found.records)
                total.add(await side.apply(found.records, found.cursor, more=found.more))
                cursor = found.cursor if found.more else last
                if self._progress is not None:
                    self._progress(cursor, last)
        finally:
            self._tell(side, total)
        return count + total.count

    async def _take(self, side: Side, records: Sequence[Record], cursor: int) -> int:
        """What a new computer is asked for first: all else may take minutes."""
        total = Applied()
        for start in range(0, len(records), MOST):
            batch = records[start : start + MOST]
            await self._keep_pictures(side, batch)
            more = start + MOST < len(records)
            total.add(await side.apply(batch, cursor, more=more))
        self._tell(side, total)
        return total.count

    def _tell(self, side: Side, total: Applied) -> None:
        if total.count:
            side.tell(list(total.changed | total.gone))
            self._heard(total)

    async def _fetch(self, cursor: int, kinds: Sequence[str]) -> Fetched:
        return await self._link.ask(lambda server: server.pull(cursor, MOST, kinds))

    async def push(self, side: Side) -> int:
        """Send what waits; how many records it was."""
        count = 0
        total = await side.waiting() if self._progress is not None else 0
        while records := await side.gather():
            named = sorted({digest for one in records for digest in one.pictures})
            missing = await self._link.ask(lambda server, named=named: server.lacks(named))  # type: ignore[misc]
            pictures = {digest: await side.picture(digest) for digest in missing}
            there = {digest: data for digest, data in pictures.items() if data is not None}
            await self._link.ask(lambda server, r=records, p=there: server.push(r, p))  # type: ignore[misc]
            await side.sent(records)
            count += len(records)
            if self._progress is not None:
                self._progress(count, max(count, total))
        return count

    async def compare(self) -> Comparison:
        """Whether what stands here and there is the same, by its hash. What waits isn't asked."""
        there = await self._link.ask(lambda server: server.sums())
        here: dict[Key, str] = {}
        for side in self._sides:
            here |= await side.sums()
        kinds = {kind for side in self._sides for kind in side.kinds}
        there = _standing({key: digest for key, digest in there.items() if key[0] in kinds})
        here = _standing(here)
        same = sum(there.get(key) == digest for key, digest in here.items())
        return Comparison(len(here), len(there), same)

    async def _keep_pictures(self, side: Side, records: Sequence[Record]) -> None:
        for digest in sorted({digest for one in records for digest in one.pictures}):
            if await side.picture(digest) is None:
                data = await self._link.ask(lambda server, d=digest: server.picture(d))  # type: ignore[misc]
                if data is not None:
                    await side.keep_picture(digest, data)
