"""Keeps this computer in step with the others, behind everything else, for as long as the person
names a server: what is written here goes at once, what others write comes as soon as the server
says so (`ear.py`), and the clock is looked at for what neither has told.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.memory.shared.ear import Ear
from neodeskpet.memory.shared.exchange import Exchange, Link, Side
from neodeskpet.memory.shared.faults import ServerUnreachable, SharingFault
from neodeskpet.memory.shared.rows import Applied
from neodeskpet.memory.shared.server import Server
from neodeskpet.observers import Observers

T = TypeVar("T")

_log = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds between two looks at what is new, here and there."""
_HEARS = 5
"""So many times less often where the server says by itself when there is something new."""
_BREATH = 0.1
"""Seconds in which what is written, or said by others, is taken together."""
LONGEST = 60.0
"""Seconds between two tries while the server can't be used, at most."""
_FORGETS = 60.0
_DEAF = 60.0  # seconds until it is tried again to hear others at once
_LAST_WORDS = 2.0  # seconds that the end waits for what wasn't sent yet


@dataclass(frozen=True, slots=True)
class State:
    """How it stands. `fault`: why the server can't be used, and `since` when (unix seconds), None
    while it can, or nobody knows yet (`met` says whether it ever could in this run). `waiting`:
    changes that are to be sent. `elsewhere`: by conversation, the name of the computer that answers
    there just now.
    """

    on: bool = False
    met: bool = False
    since: float | None = None
    fault: StoreError | None = None
    waiting: int = 0
    elsewhere: Mapping[str, str] = field(default_factory=dict)


class Sharing:
    """`run` works until it is cancelled; `state` is how it stands. Nothing is done while `address`
    gives "". `forget_deleted` deletes for good what could be brought back long enough: till then
    nothing of it is sent. `password` is asked on a thread of its own, and may block there.
    """

    def __init__(
        self,
        sides: Sequence[Side],
        address: Callable[[], str],
        password: Callable[[str], str],
        *,
        name: str,
        forget_deleted: Callable[[], Awaitable[None]],
        every: float = EVERY,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.state = State()
        self._sides = sides
        self._forget_deleted = forget_deleted
        self._address = address
        self._password = password
        self._name = name
        self._every = every
        self._now = now
        self._changed: Observers[[]] = Observers()
        self._heard: Observers[[Applied]] = Observers()
        self._wake = asyncio.Event()
        self._told = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ear: Ear | None = None
        self._deaf_until = 0.0
        self._link: Link | None = None
        self._exchange: Exchange | None = None
        self._at = ""
        self._failures = 0
        self._forgot = now()

    def observe(self, hear: Callable[[], object]) -> Callable[[], None]:
        """Have `hear` called on the loop whenever `state` is otherwise; returns what ends it."""
        return self._changed.add(hear)

    def listen(self, hear: Callable[[Applied], object]) -> Callable[[], None]:
        """Have `hear` told on the loop what others said; returns what ends it."""
        return self._heard.add(hear)

    @property
    def hears(self) -> bool:
        """Whether the server says by itself when others have written."""
        return self._ear is not None and self._ear.there

    def look(self) -> None:
        """Look now: the address may be another, or the server be there again."""
        self._told = True
        self._wake.set()

    async def ask(self, what: Callable[[Server], T]) -> T:
        """Ask the server something else. Raises StoreError, at once while it isn't in step."""
        if self._link is None or not self.state.met or self.state.fault is not None:
            raise SharingFault
        return await self._link.ask(what)

    def elsewhere(self, conversation: str) -> str:
        """The name of the computer that answers in this conversation just now, "" for none."""
        return self.state.elsewhere.get(conversation, "")

    async def run(self) -> None:
        """Ends only when it is cancelled."""
        loop = self._loop = asyncio.get_running_loop()
        for side in self._sides:
            side.follow(partial(self._from_thread, self._wake.set))
        due: float | None = loop.time()
        while True:
            if self._told or (due is not None and loop.time() >= due):
                self._told = False
                await self._step()
                pause = self._pause()
                due = None if pause is None else loop.time() + pause
            else:
                await self._send()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await self._wake.wait()
                    await asyncio.sleep(_BREATH)
            self._wake.clear()

    def _pause(self) -> float | None:
        """Seconds until the next look at all."""
        if not self.state.on:
            return None
        return min(self._every * (_HEARS if self.hears else 2**self._failures), LONGEST)

    def _from_thread(self, tell: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            assert self._loop is not None
            self._loop.call_soon_threadsafe(tell)

    async def close(self) -> None:
        """Send what waits, if that is quick, and let the server go. Nothing runs any more."""
        if self._exchange is not None and self.state.fault is None:
            with suppress(StoreError, TimeoutError):
                async with asyncio.timeout(_LAST_WORDS):
                    await self._exchange.step()
        self._leave()

    async def _step(self) -> None:
        address = self._address()
        if address != self._at:
            self._leave()
            self._at = address
            self._failures = 0
            self._put(State(on=bool(address)))
        if not address:
            return
        try:
            elsewhere = await self._meet(address)
        except StoreError as error:
            await self._fail(error)
            return
        self._failures = 0
        waiting = await self._waiting()
        self._put(State(on=True, met=True, waiting=waiting, elsewhere=elsewhere))

    async def _meet(self, address: str) -> Mapping[str, str]:
        """Raises StoreError."""
        if self._exchange is None:
            device, *_ = [await side.begin() for side in self._sides]
            self._link = Link(lambda: Server(address, self._password(address)))
            self._exchange = Exchange(self._sides, self._link, device, self._name, self._heard.tell)
        if self._now() - self._forgot > _FORGETS:
            self._forgot = self._now()
            await self._forget_deleted()
        elsewhere = await self._exchange.step()
        self._listen(address)
        return elsewhere

    async def _send(self) -> None:
        """What was written here goes."""
        if self._exchange is None or self.state.fault is not None:
            return
        try:
            found = await self._exchange.send()
        except StoreError as error:
            await self._fail(error)
            return
        elsewhere = self.state.elsewhere if found is None else found
        self._put(replace(self.state, waiting=await self._waiting(), elsewhere=elsewhere))

    def _listen(self, address: str) -> None:
        """Hear others at once, if that can be had."""
        link, now = self._link, self._now()
        if link is None or (self._ear is not None and not self._ear.ended):
            return
        if now < self._deaf_until:
            return
        self._deaf_until = now + _DEAF
        self._ear = Ear(
            lambda: Server(address, self._password(address)),
            partial(self._from_thread, self.look),
            lambda: link.number,
        )

    async def _fail(self, error: StoreError) -> None:
        if self.state.fault is None or type(error) is not type(self.state.fault):
            unreachable = isinstance(error, ServerUnreachable)
            log = _log.info if unreachable else _log.warning
            log("Not in step with the other computers: %s", error)
        self._failures += 1
        self._deaf_until = 0.0
        since = self.state.since if self.state.since is not None else self._now()
        waiting = await self._waiting()
        self._put(replace(self.state, fault=error, since=since, waiting=waiting, elsewhere={}))

    async def _waiting(self) -> int:
        try:
            return sum([await side.waiting() for side in self._sides])
        except StoreError:
            return self.state.waiting

    def _leave(self) -> None:
        if self._ear is not None:
            self._ear.close()
            self._ear = None
        self._deaf_until = 0.0
        if self._link is not None:
            self._link.close()
        self._link = self._exchange = None

    def _put(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._changed.tell()
