"""Hotkeys on Wayland: the desktop's portal (org.freedesktop.portal.GlobalShortcuts) lets the user
choose the keys and reports when they are pressed. Our keys are a suggestion.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from neodeskpet.ui.desktop.hotkeys import HotKeyProblem, parse_hotkey
from neodeskpet.ui.task_runner import TaskRunner

if TYPE_CHECKING:
    from jeepney import Message

_log = logging.getLogger(__name__)
_NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_REQUEST = "org.freedesktop.portal.Request"
_SESSION = "org.freedesktop.portal.Session"
_TIMEOUT = 10.0
"""Seconds until the portal must have created a session; the user may take longer afterwards."""

WantedHotKeys = Mapping[str, tuple[str, str]]


class PortalHotKeys(QObject):
    """A `HotKeys` that uses the portal while any keys are wanted."""

    pressed = Signal(str)
    rejected = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = TaskRunner("hot keys", failed=lambda error: None)

    def set_hot_keys(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        fit = {name: one for name, one in wanted.items() if parse_hotkey(one[0]) is not None}
        for name in wanted.keys() - fit.keys():
            self.rejected.emit(name, HotKeyProblem.UNSUPPORTED)
        self._work.cancel_all()
        if fit:
            self._work.start("listen", partial(self._listen, fit))

    def close(self) -> None:
        self._work.cancel_all()

    async def wait_until_idle(self) -> None:
        """Wait until all sessions have ended."""
        await self._work.wait_until_idle()

    async def _listen(self, wanted: WantedHotKeys) -> None:
        from jeepney.io.asyncio import open_dbus_router  # only available on Linux

        try:
            async with AsyncExitStack() as stack:
                router = await stack.enter_async_context(open_dbus_router(bus="SESSION"))
                await _PortalSession(router, stack).hear(wanted, self.pressed.emit)
        except Exception as error:  # noqa: BLE001 - no bus, no portal, or the user said no
            _log.info("The portal provides no hotkeys: %r", error)
            for name in wanted:
                self.rejected.emit(name, HotKeyProblem.UNAVAILABLE)


class _PortalSession:
    """One session with the portal."""

    def __init__(self, router: Any, stack: AsyncExitStack) -> None:
        self._router = router
        self._stack = stack
        self._count = 0

    async def hear(self, wanted: WantedHotKeys, pressed: Any) -> None:
        """Report pressed keys until cancelled. Raises if there is no portal or the user refuses."""
        async with asyncio.timeout(_TIMEOUT):
            options = {"session_handle_token": ("s", "neodeskpet")}
            made = await self._ask("CreateSession", "", (), options)
            session = str(made["session_handle"][1])
            signals = await self._subscribe(_SHORTCUTS, "Activated", _PATH)
        try:
            shortcuts = [
                (name, {"description": ("s", what), "preferred_trigger": ("s", _trigger(keys))})
                for name, (keys, what) in wanted.items()
            ]
            await self._ask("BindShortcuts", "oa(sa{sv})s", (session, shortcuts, ""), {})
            while True:
                said = await signals.get()
                if said.body[:1] == (session,) and said.body[1] in wanted:
                    pressed(said.body[1])
        finally:
            with suppress(Exception):  # the bus may be closed
                await self._router.send(_call(session, _SESSION, "Close"))

    async def _ask(
        self, method: str, signature: str, body: tuple[object, ...], options: Mapping[str, object]
    ) -> dict[str, Any]:
        """Return the portal's final answer, which comes as a signal at an object path announced in
        its reply.
        """
        self._count += 1
        token = f"neodeskpet{self._count}"
        sender = self._router.unique_name.removeprefix(":").replace(".", "_")
        answers = await self._subscribe(_REQUEST, "Response", f"{_PATH}/request/{sender}/{token}")
        call = _call(
            _PATH,
            _SHORTCUTS,
            method,
            f"{signature}a{{sv}}",
            (*body, {"handle_token": ("s", token), **options}),
        )
        reply = await self._router.send_and_get_reply(call)
        if reply.header.message_type.name != "method_return":
            raise ConnectionError(f"{method}: {reply.body}")
        code, results = (await answers.get()).body
        if code != 0:
            raise PermissionError(method)
        return dict(results)

    async def _subscribe(self, interface: str, member: str, path: str) -> asyncio.Queue[Message]:
        from jeepney import MatchRule, message_bus

        rule = MatchRule(type="signal", sender=_NAME, interface=interface, member=member, path=path)
        await self._router.send_and_get_reply(message_bus.AddMatch(rule))
        heard: asyncio.Queue[Message] = asyncio.Queue()
        # The bus sends the signals of the name's owner; the message itself has its unique name.
        same = MatchRule(type="signal", interface=interface, member=member, path=path)
        self._stack.enter_context(self._router.filter(same, queue=heard))
        return heard


def _trigger(keys: str) -> str:
    found = parse_hotkey(keys)
    return found.trigger if found is not None else ""


def _call(
    path: str, interface: str, method: str, signature: str = "", body: tuple[object, ...] = ()
) -> Message:
    from jeepney import DBusAddress, new_method_call

    return new_method_call(
        DBusAddress(path, bus_name=_NAME, interface=interface), method, signature or None, body
    )
