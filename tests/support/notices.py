"""A session bus of the test, with a scripted notification service."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import DBusConnection, open_dbus_connection

NAME = "org.freedesktop.Notifications"
PLACE = DBusAddress("/org/freedesktop/Notifications", bus_name=NAME, interface=NAME)


def available() -> bool:
    return shutil.which("dbus-daemon") is not None


@contextmanager
def session_bus() -> Iterator[str]:
    """The address of a bus that exists for the test only."""
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
    finally:
        daemon.terminate()
        daemon.communicate(timeout=20)


class NoticeService:
    """`shown` are the received notifications: title, text and buttons. `closed` their numbers."""

    def __init__(self, connection: DBusConnection, able: list[str]) -> None:
        self.shown: list[tuple[str, str, list[str]]] = []
        self.closed: list[int] = []
        self._connection = connection
        self._able = able
        self._heard = asyncio.Event()

    async def press(self, number: int, choice: str) -> None:
        """The user presses a button of the notification with this number (from 1)."""
        await self.tell("ActionInvoked", "us", (number, choice))

    async def dismiss(self, number: int) -> None:
        await self.tell("NotificationClosed", "uu", (number, 2))

    async def tell(self, member: str, signature: str, body: tuple[object, ...]) -> None:
        await self._connection.send(new_signal(PLACE, member, signature, body))

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until its requests make `true()` hold."""
        while not true():
            self._heard.clear()
            await self._heard.wait()

    async def serve(self) -> None:
        while True:
            asked = await self._connection.receive()
            if asked.header.message_type is MessageType.method_call:
                await self._connection.send(self._reply(asked))
                self._heard.set()

    def _reply(self, asked: Message) -> Message:
        body: Any = asked.body
        match asked.header.fields.get(HeaderFields.member):
            case "GetCapabilities":
                return new_method_return(asked, "as", (self._able,))
            case "Notify":
                self.shown.append((body[3], body[4], list(body[5])))
                return new_method_return(asked, "u", (len(self.shown),))
            case "CloseNotification":
                self.closed.append(body[0])
                return new_method_return(asked)
            case _:
                return new_error(asked, f"{NAME}.Error")


@asynccontextmanager
async def notice_service(address: str, *able: str) -> AsyncIterator[NoticeService]:
    """A service on the bus at `address` with the capabilities `able`."""
    connection = await open_dbus_connection(address)
    await connection.send(message_bus.RequestName(NAME))
    service = NoticeService(connection, list(able))
    serving = asyncio.ensure_future(service.serve())  # noqa: TID251 - ended below
    try:
        yield service
    finally:
        serving.cancel()
        await asyncio.wait({serving})
        await connection.close()
