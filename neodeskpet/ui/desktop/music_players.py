"""Detects whether a music player is playing, with MPRIS over the session bus. Program and title are
not read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from jeepney.io.asyncio import DBusRouter


class MusicDetector(Protocol):
    """Detects music while `watch` runs. Program and title are not read."""

    async def watch(self, tell: Callable[[bool], None]) -> None:
        """Call `tell` when music starts or stops, until cancelled. Returns when there are no more
        reports (no session bus, or it ended).
        """
        ...


_log = logging.getLogger(__name__)

_PLAYER = "org.mpris.MediaPlayer2"
_PATH = "/org/mpris/MediaPlayer2"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_PROXY = f"{_PLAYER}.playerctld"
"""A proxy for another player, which is queried itself."""
_MAX_PLAYERS = 16
_TIMEOUT, _OPENING = 2.0, 10.0
_AGAIN = 60.0
"""Seconds after which all players are queried again, which also detects a closed bus."""


class MprisMusicDetector:
    """A `MusicDetector` on the session bus, or on the bus at `address`."""

    def __init__(self, address: str = "SESSION") -> None:
        self._address = address

    async def watch(self, tell: Callable[[bool], None]) -> None:
        try:
            await self._follow(tell)
        except Exception as error:  # noqa: BLE001 - no bus, a strange answer, it is gone
            _log.info("Music players can't be queried: %r", error)

    async def _follow(self, tell: Callable[[bool], None]) -> None:
        from jeepney.io.asyncio import (  # only available on Linux
            DBusRouter,
            open_dbus_connection,
        )

        async with asyncio.timeout(_OPENING):
            connection = await open_dbus_connection(self._address)
        try:
            async with DBusRouter(connection) as router:
                await _watch_signals(router, tell)
        finally:
            await connection.close()


async def _watch_signals(router: DBusRouter, tell: Callable[[bool], None]) -> None:
    from jeepney import MatchRule, message_bus

    changed = MatchRule(
        type="signal", interface=_PROPERTIES, member="PropertiesChanged", path=_PATH
    )
    bus = "org.freedesktop.DBus"
    owners = MatchRule(type="signal", sender=bus, interface=bus, member="NameOwnerChanged")
    owners.add_arg_condition(0, _PLAYER, kind="namespace")
    heard: asyncio.Queue[object] = asyncio.Queue(1)  # one pending query is enough
    same = MatchRule(type="signal", interface=bus, member="NameOwnerChanged")
    with router.filter(changed, queue=heard), router.filter(same, queue=heard):
        async with asyncio.timeout(_OPENING):
            for rule in (changed, owners):
                await router.send_and_get_reply(message_bus.AddMatch(rule))
        last = False
        while True:
            playing = await _any_plays(router)
            if playing != last:
                last = playing
                tell(playing)
            try:
                async with asyncio.timeout(_AGAIN):
                    await heard.get()
            except TimeoutError:
                continue


async def _any_plays(router: DBusRouter) -> bool:
    from jeepney import message_bus

    async with asyncio.timeout(_TIMEOUT):
        reply = await router.send_and_get_reply(message_bus.ListNames())
    names = [name for name in reply.body[0] if name.startswith(f"{_PLAYER}.") and name != _PROXY]
    for name in names[:_MAX_PLAYERS]:
        if await _plays(router, name):
            return True
    return False


async def _plays(router: DBusRouter, name: str) -> bool:
    """Whether this player is playing; a missing or invalid answer counts as no."""
    from jeepney import DBusAddress, MessageType, new_method_call

    place = DBusAddress(_PATH, bus_name=name, interface=_PROPERTIES)
    call = new_method_call(place, "Get", "ss", (f"{_PLAYER}.Player", "PlaybackStatus"))
    try:
        async with asyncio.timeout(_TIMEOUT):
            reply = await router.send_and_get_reply(call)
    except TimeoutError:
        return False
    if reply.header.message_type is not MessageType.method_return or not reply.body:
        return False
    return bool(reply.body[0] == ("s", "Playing"))


class ScriptedMusicDetector:
    """A `MusicDetector`. `begun` and `ended` count its watchers."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self._tell: Callable[[bool], None] | None = None
        self._over = asyncio.Event()

    async def watch(self, tell: Callable[[bool], None]) -> None:
        self.begun += 1
        self._tell = tell
        self._over.clear()
        try:
            await self._over.wait()
        finally:
            self.ended += 1
            self._tell = None

    def play(self, playing: bool) -> None:
        """Simulate that music starts or stops."""
        if self._tell is not None:
            self._tell(playing)

    def end(self) -> None:
        """Simulate the end of the bus."""
        self._over.set()
