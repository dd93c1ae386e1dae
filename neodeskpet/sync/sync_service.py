"""Runs sync in the background while the settings name a server.

Changes are sent at once; changes of other computers are fetched on notifications of the server, and
both at regular intervals.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from neodeskpet.core.errors import StoreError
from neodeskpet.platform.observers import Observers
from neodeskpet.settings.secrets import Secrets, parse_hosts, read_passphrase, read_password
from neodeskpet.settings.store import SettingsStore
from neodeskpet.sync.conversation_records import AppliedChanges
from neodeskpet.sync.server_connection import ServerAccess, ServerConnection
from neodeskpet.sync.sync_engine import ConnectionThread, Replica, SyncEngine
from neodeskpet.sync.sync_errors import ServerUnreachable, SyncError, SyncStopped


def access_from_settings(settings: SettingsStore, secrets: Secrets, address: str) -> ServerAccess:
    """Return the access to the sync server at this address. May block: a keyring may ask
    the user.
    """
    return ServerAccess(
        read_password(secrets, address),
        read_passphrase(secrets, address),
        parse_hosts(settings.settings.service.plain_hosts),
    )


_log = logging.getLogger(__name__)


class NotifyListener:
    """Listens for notifications until `close`, or until the connection ends. `report` is called on
    its thread. Notifications of the connection `own` are ignored.
    """

    def __init__(
        self,
        connect: Callable[[], ServerConnection],
        report: Callable[[], object],
        own: Callable[[], int],
    ) -> None:
        self.is_listening = False
        self.ended = False
        self._connect = connect
        self._report = report
        self._own = own
        self._end, self._ends = socket.socketpair()
        # A daemon: an attempt to connect does not delay the app's exit.
        threading.Thread(target=self._main, name="sharing-ear", daemon=True).start()

    def close(self) -> None:
        """Stop listening. Idempotent."""
        self.ended = True
        self._end.close()

    def _main(self) -> None:
        try:
            self._listen()
        except StoreError as error:
            _log.info("Notifications can't be received: %s", error)
        finally:
            was_listening, self.is_listening = self.is_listening, False
            if was_listening and not self.ended:
                self.ended = True
                self._report()  # the connection is lost; the next step handles that
            self.ended = True
            self._end.close()
            self._ends.close()

    def _listen(self) -> None:
        server = self._connect()
        try:
            server.listen()
            self.is_listening = True
            self._report()  # there may be earlier changes
            while who := server.wait_for_notification(self._ends):
                if any(one != self._own() for one in who) and not self.ended:
                    self._report()
        finally:
            server.close()


T = TypeVar("T")


SYNC_INTERVAL = 2.0
"""Seconds between two steps."""
_NOTIFIED_FACTOR = 5
"""Factor of the interval while the server sends notifications."""
_BATCH_DELAY = 0.05
"""Seconds during which changes and notifications are collected."""
MAX_PAUSE = 60.0
"""Most seconds between two attempts after failures."""
_MOST_DOUBLINGS = 10
_DELETION_INTERVAL = 60.0
_LISTEN_RETRY = 60.0  # seconds until another attempt to get notifications
_CLOSE_TIMEOUT = 2.0  # seconds that the app's exit waits for changes to be sent


@dataclass(frozen=True, slots=True)
class SyncState:
    """The state of sync. `fault`: why sync fails, since the time `since` (unix seconds); None while
    it works, or before the first attempt has ended (`has_synced`: whether one has succeeded).
    `pending`: the number of changes to send. `set_aside`: the number of records that cannot be read
    here or that the server refused. `sent` and `received`: when changes were last sent and received
    in this run (unix seconds). `remote_replies`: the name of the computer with a running reply, by
    conversation.
    """

    enabled: bool = False
    has_synced: bool = False
    since: float | None = None
    fault: StoreError | None = None
    pending: int = 0
    set_aside: int = 0
    sent: float | None = None
    received: float | None = None
    remote_replies: Mapping[str, str] = field(default_factory=dict)


class SyncService:
    """The sync service; `run` works until it is cancelled. Nothing is done while `address` returns
    "". `access` is called on a thread of its own and may block. `forget_deleted` permanently
    deletes what can no longer be restored; before that, none of it is sent.
    """

    def __init__(
        self,
        sides: Sequence[Replica],
        address: Callable[[], str],
        access: Callable[[str], ServerAccess],
        *,
        name: str,
        forget_deleted: Callable[[], Awaitable[None]],
        every: float = SYNC_INTERVAL,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.state = SyncState()
        self._sides = sides
        self._forget_deleted = forget_deleted
        self._address = address
        self._access = access
        self._name = name
        self._every = every
        self._now = now
        self._changed: Observers[[]] = Observers()
        self._change_observers: Observers[[AppliedChanges]] = Observers()
        self._wake = asyncio.Event()
        self._is_requested = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listener: NotifyListener | None = None
        self._deaf_until = 0.0
        self._link: ConnectionThread | None = None
        self._exchange: SyncEngine | None = None
        self._at = ""
        self._failures = 0
        self._forgot = now()

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` on the loop when `state` changes; returns a function that unsubscribes
        it.
        """
        return self._changed.subscribe(observer)

    def subscribe_changes(self, observer: Callable[[AppliedChanges], object]) -> Callable[[], None]:
        """Call `observer` on the loop with changes of other computers; returns a function that
        unsubscribes it.
        """
        return self._change_observers.subscribe(observer)

    @property
    def is_notified(self) -> bool:
        """Whether the server sends notifications of other computers' changes."""
        return self._listener is not None and self._listener.is_listening

    def sync_now(self) -> None:
        """Sync now, after the address changed or the server became available."""
        self._is_requested = True
        self._wake.set()

    def reconnect(self) -> None:
        """Sync now over a new connection, after the password changed."""
        self._at = ""
        self.sync_now()

    async def run_on_server(self, what: Callable[[ServerConnection], T]) -> T:
        """Run `what` on the connection. Raises StoreError, at once while sync fails."""
        if self._link is None or not self.state.has_synced or self.state.fault is not None:
            raise SyncError
        return await self._link.run(what)

    def remote_computer(self, conversation: str) -> str:
        """Return the name of the computer with a running reply in this conversation, ""
        for none.
        """
        return self.state.remote_replies.get(conversation, "")

    async def run(self) -> None:
        """Sync until cancelled."""
        loop = self._loop = asyncio.get_running_loop()
        for side in self._sides:
            side.subscribe(partial(self._from_thread, self._wake.set))
        due: float | None = loop.time()
        while True:
            if self._is_requested or (due is not None and loop.time() >= due):
                self._is_requested = False
                await self._run_guarded(self._step)
                pause = self._pause()
                due = None if pause is None else loop.time() + pause
            else:
                await self._run_guarded(self._send)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await self._wake.wait()
                    await asyncio.sleep(_BATCH_DELAY)
            self._wake.clear()

    async def _run_guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work`; any failure, also an unexpected one, is put into the state and
        tried again.
        """
        try:
            await work()
        except StoreError as error:
            await self._fail(error)
        except Exception as error:  # noqa: BLE001 - a bug must not stop sync silently
            _log.exception("Sync failed")
            await self._fail(SyncStopped(str(error)))

    def _pause(self) -> float | None:
        """Seconds until the next step."""
        if not self.state.enabled:
            return None
        if self._failures:
            return retry_pause(self._failures, self._every)
        return min(self._every * (_NOTIFIED_FACTOR if self.is_notified else 1), MAX_PAUSE)

    def _from_thread(self, tell: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop was closed
            assert self._loop is not None
            self._loop.call_soon_threadsafe(tell)

    async def aclose(self) -> None:
        """Send changes, if that is quick, and disconnect. Call it after `run` has ended."""
        if self._exchange is not None and self.state.fault is None:
            with suppress(StoreError, TimeoutError):
                async with asyncio.timeout(_CLOSE_TIMEOUT):
                    await self._exchange.sync()
        self._disconnect()

    async def _step(self) -> None:
        address = self._address()
        if address != self._at:
            self._disconnect()
            self._at = address
            self._failures = 0
            self._put(SyncState(enabled=bool(address)))
        if not address:
            return
        await self._count()
        elsewhere = await self._meet(address)
        self._failures = 0
        await self._succeed(replace(self.state, has_synced=True, remote_replies=elsewhere))

    async def _succeed(self, state: SyncState) -> None:
        exchange, now = self._exchange, self._now()
        counts = [await side.counts() for side in self._sides]
        assert exchange is not None
        self._put(
            replace(
                state,
                fault=None,
                since=None,
                pending=sum(waiting for waiting, _ in counts),
                set_aside=sum(aside for _, aside in counts),
                sent=now if exchange.sent else state.sent,
                received=now if exchange.received else state.received,
            )
        )

    async def _count(self) -> None:
        """Update the number of changes before the server answers."""
        self._put(replace(self.state, pending=await self._waiting()))

    async def _meet(self, address: str) -> Mapping[str, str]:
        """Connect to the server. Raises StoreError."""
        if self._exchange is None:
            device, *_ = [await side.start() for side in self._sides]
            self._link = ConnectionThread(lambda: ServerConnection(address, self._access(address)))
            self._exchange = SyncEngine(
                self._sides, self._link, device, self._name, self._change_observers.notify
            )
        if self._now() - self._forgot > _DELETION_INTERVAL:
            self._forgot = self._now()
            await self._forget_deleted()
        elsewhere = await self._exchange.sync()
        self._listen(address)
        return elsewhere

    async def _send(self) -> None:
        """Send what changed on this computer."""
        if self._exchange is None or self.state.fault is not None:
            await self._count()
            return
        await self._count()
        found = await self._exchange.send()
        elsewhere = self.state.remote_replies if found is None else found
        await self._succeed(replace(self.state, remote_replies=elsewhere))

    def _listen(self, address: str) -> None:
        """Start listening for notifications, if possible."""
        link, now = self._link, self._now()
        if link is None or (self._listener is not None and not self._listener.ended):
            return
        if now < self._deaf_until:
            return
        self._deaf_until = now + _LISTEN_RETRY
        self._listener = NotifyListener(
            lambda: ServerConnection(address, self._access(address)),
            partial(self._from_thread, self.sync_now),
            lambda: link.number,
        )

    async def _fail(self, error: StoreError) -> None:
        if self.state.fault is None or type(error) is not type(self.state.fault):
            unreachable = isinstance(error, ServerUnreachable)
            log = _log.info if unreachable else _log.warning
            log("Sync fails: %s", error)
        self._failures += 1
        self._deaf_until = 0.0
        since = self.state.since if self.state.since is not None else self._now()
        waiting = await self._waiting()
        self._put(replace(self.state, fault=error, since=since, pending=waiting, remote_replies={}))

    async def _waiting(self) -> int:
        try:
            return sum([await side.count_pending() for side in self._sides])
        except StoreError:
            return self.state.pending

    def _disconnect(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self._deaf_until = 0.0
        if self._link is not None:
            self._link.close()
        self._link = self._exchange = None

    def _put(self, state: SyncState) -> None:
        if state != self.state:
            self.state = state
            self._changed.notify()


def retry_pause(failures: int, every: float) -> float:
    """Return the seconds until the next attempt after `failures` failures in a row."""
    return min(every * float(2 ** min(failures, _MOST_DOUBLINGS)), MAX_PAUSE)
