"""Hot keys by the desktop's portal, which is a double on a bus of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
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

from neodeskpet.ui.desktop.hotkeys import HotKeyProblem
from neodeskpet.ui.desktop.hotkeys_portal import PortalHotKeys
from tests.support.notices import available, session_bus

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
SESSION = f"{PATH}/session/1_1/neodeskpet"

pytestmark = pytest.mark.skipif(not available(), reason="no dbus-daemon")


class Portal:
    """`bound` are the requested shortcuts; `closed` is the number of ended sessions."""

    def __init__(self, connection: DBusConnection, *, allows: bool) -> None:
        self.bound: list[tuple[str, str, str]] = []
        self.closed = 0
        self._connection = connection
        self._allows = allows

    async def press(self, name: str, session: str = SESSION) -> None:
        place = DBusAddress(PATH, interface=SHORTCUTS)
        body = (session, name, 1, {})
        await self._connection.send(new_signal(place, "Activated", "osta{sv}", body))

    async def serve(self) -> None:
        while True:
            asked = await self._connection.receive()
            if asked.header.message_type is MessageType.method_call:
                await self._answer(asked)

    async def _answer(self, asked: Message) -> None:
        member, body = asked.header.fields.get(HeaderFields.member), asked.body
        results: dict[str, Any] = {}
        match member:
            case "CreateSession":
                results = {"session_handle": ("s", SESSION)}
            case "BindShortcuts":
                self.bound = [
                    (name, had["description"][1], had["preferred_trigger"][1])
                    for name, had in body[1]
                ]
            case "Close":
                self.closed += 1
                return
            case _:
                await self._connection.send(new_error(asked, f"{NAME}.Error"))
                return
        sender = asked.header.fields[HeaderFields.sender].removeprefix(":").replace(".", "_")
        handle = f"{PATH}/request/{sender}/{body[-1]['handle_token'][1]}"
        await self._connection.send(new_method_return(asked, "o", (handle,)))
        place = DBusAddress(handle, interface="org.freedesktop.portal.Request")
        code = 0 if self._allows or member == "CreateSession" else 1
        await self._connection.send(new_signal(place, "Response", "ua{sv}", (code, results)))


@asynccontextmanager
async def portal(address: str, *, allows: bool = True) -> AsyncIterator[Portal]:
    connection = await open_dbus_connection(address)
    await connection.send(message_bus.RequestName(NAME))
    made = Portal(connection, allows=allows)
    serving = asyncio.ensure_future(made.serve())  # noqa: TID251 - ended below
    try:
        yield made
    finally:
        serving.cancel()
        await asyncio.wait({serving})
        await connection.close()


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - of several things
            await asyncio.sleep(0.005)


WANTED = {"say": ("Ctrl+Alt+Space", "Say something"), "write": ("A", "Not to be had")}


def test_shortcuts_are_requested_and_reported(bus: str) -> None:
    told: list[str] = []
    refused: list[tuple[str, str]] = []

    async def story() -> None:
        async with portal(bus) as desktop:
            keys = PortalHotKeys()
            keys.pressed.connect(told.append)
            keys.rejected.connect(lambda name, why: refused.append((name, why)))
            keys.set_hot_keys(WANTED)
            await until(lambda: desktop.bound)
            assert desktop.bound == [("say", "Say something", "CTRL+ALT+space")]
            await desktop.press("say", f"{PATH}/session/another")
            await desktop.press("unknown")
            await desktop.press("say")
            await until(lambda: told)
            keys.set_hot_keys({})
            await until(lambda: desktop.closed == 1)
            keys.close()
            await keys.wait_until_idle()

    asyncio.run(story())
    assert told == ["say"]
    assert refused == [("write", HotKeyProblem.UNSUPPORTED)]


@pytest.mark.parametrize("there", [True, False], ids=["refuses", "is not there"])
def test_a_portal_that_refuses_or_is_missing(bus: str, there: bool) -> None:
    refused: list[tuple[str, str]] = []

    async def ask() -> None:
        keys = PortalHotKeys()
        keys.rejected.connect(lambda name, why: refused.append((name, why)))
        keys.set_hot_keys({"say": WANTED["say"]})
        await until(lambda: refused)
        await keys.wait_until_idle()

    async def story() -> None:
        if not there:
            await ask()
            return
        async with portal(bus, allows=False) as desktop:
            await ask()
            assert desktop.bound

    asyncio.run(story())
    assert refused == [("say", HotKeyProblem.UNAVAILABLE)]
