"""Players on a real bus, by a few lines: only their playback status is read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jeepney import (
    DBusAddress,
    HeaderFields,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import open_dbus_connection

from neodeskpet.ui.desktop.music_players import MprisMusicDetector
from tests.support.notices import session_bus

PLAYER = "org.mpris.MediaPlayer2"
PROPERTIES = DBusAddress("/org/mpris/MediaPlayer2", interface="org.freedesktop.DBus.Properties")


class Player:
    """`status` is the answer; None for a program that refuses."""

    def __init__(self, status: object) -> None:
        self.status = status


@asynccontextmanager
async def player(address: str, name: str, status: object) -> AsyncIterator[Player]:
    """A player that reports its changed status while it exists."""
    one = Player(status)
    connection = await open_dbus_connection(address)
    await connection.send(message_bus.RequestName(f"{PLAYER}.{name}"))

    async def serve() -> None:
        while True:
            asked = await connection.receive()
            if asked.header.message_type is not MessageType.method_call:
                continue
            if asked.header.fields.get(HeaderFields.member) != "Get" or one.status is None:
                await connection.send(new_error(asked, "org.example.No"))
            else:
                await connection.send(new_method_return(asked, "v", (("s", one.status),)))

    serving = asyncio.ensure_future(serve())  # noqa: TID251 - ended below
    one.say = lambda: connection.send(  # type: ignore[attr-defined]
        new_signal(PROPERTIES, "PropertiesChanged", "sa{sv}as", (f"{PLAYER}.Player", {}, []))
    )
    try:
        yield one
    finally:
        serving.cancel()
        await asyncio.wait({serving})
        await connection.close()


class Ear:
    def __init__(self) -> None:
        self.heard: list[bool] = []
        self._came = asyncio.Event()

    def tell(self, playing: bool) -> None:
        self.heard.append(playing)
        self._came.set()

    async def until(self, *heard: bool) -> None:
        async with asyncio.timeout(20):
            while self.heard != list(heard):
                self._came.clear()
                await self._came.wait()


@asynccontextmanager
async def listening(address: str) -> AsyncIterator[Ear]:
    ear = Ear()
    task = asyncio.ensure_future(MprisMusicDetector(address).watch(ear.tell))  # noqa: TID251
    try:
        yield ear
    finally:
        task.cancel()
        await asyncio.wait({task})


def test_it_notices_players_that_play_pause_and_end() -> None:
    async def story(address: str) -> None:
        async with player(address, "one", "Paused") as one, listening(address) as ear:
            async with player(address, "two", "Playing"):
                await ear.until(True)
            await ear.until(True, False)
            one.status = "Playing"
            await one.say()  # type: ignore[attr-defined]
            await ear.until(True, False, True)
            one.status = 7
            await one.say()  # type: ignore[attr-defined]
            await ear.until(True, False, True, False)

    with session_bus() as address:
        asyncio.run(story(address))


def test_a_proxy_and_a_player_that_refuses_do_not_play() -> None:
    async def story(address: str) -> None:
        async with (
            player(address, "playerctld", "Playing"),
            player(address, "deaf", None),
            player(address, "other", "Stopped") as other,
            listening(address) as ear,
        ):
            other.status = "Playing"
            await other.say()  # type: ignore[attr-defined]
            await ear.until(True)

    with session_bus() as address:
        asyncio.run(story(address))


def test_a_bus_that_ends_or_is_missing_is_no_error() -> None:
    async def end(address: str) -> None:
        await MprisMusicDetector(address).watch(lambda playing: None)

    asyncio.run(end("unix:path=/nowhere/bus"))
    asyncio.run(end("disabled:"))
