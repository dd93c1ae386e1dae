"""Notices through the desktop's service (org.freedesktop.Notifications), with or without a tray.

Qt can't be used for that: what Python hands to its D-Bus never becomes the unsigned number that
the service demands.
"""

from __future__ import annotations

import asyncio
import html
import logging
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jeepney import Message

_log = logging.getLogger(__name__)

_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_PATIENCE = 5.0
"""Seconds. A service that is to be started first takes a moment."""
_AS_DESKTOP_SAYS = -1


async def show_notice(title: str, text: str) -> bool:
    """Show it; False where the desktop has no such service. The texts are plain."""
    if not sys.platform.startswith("linux"):
        return False
    from jeepney.io.asyncio import open_dbus_router  # it is there on Linux only

    try:
        async with asyncio.timeout(_PATIENCE), open_dbus_router(bus="SESSION") as router:
            asked = await router.send_and_get_reply(_call("GetCapabilities"))
            able = asked.body[0] if asked.body else ()
            marked = isinstance(able, list) and "body-markup" in able
            shown = await router.send_and_get_reply(notice_call(title, text, marked=marked))
            return bool(shown.header.message_type.name == "method_return")
    except Exception as error:  # noqa: BLE001 - no bus, a strange address, an impolite service
        _log.info("The desktop shows no notice: %r", error)
        return False


def notice_call(title: str, text: str, *, marked: bool) -> Message:
    """What is sent. `marked`: the service reads marks (bold, links), so that plain text is
    escaped; others would show the escapes.
    """
    body = html.escape(text, quote=False) if marked else text
    hints = {"desktop-entry": ("s", "neodeskpet"), "urgency": ("y", 2)}
    actions: list[str] = []
    return _call(
        "Notify",
        "susssasa{sv}i",
        ("NeoDeskPet", 0, "neodeskpet", title, body, actions, hints, _AS_DESKTOP_SAYS),
    )


def _call(method: str, signature: str = "", arguments: tuple[object, ...] = ()) -> Message:
    from jeepney import DBusAddress, new_method_call

    service = DBusAddress(_PATH, bus_name=_NAME, interface=_NAME)
    return new_method_call(service, method, signature or None, arguments)
