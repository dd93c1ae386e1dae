"""Notifications through the desktop's service (org.freedesktop.Notifications), with or without a
tray; with buttons if the service supports them.

QtDBus can't be used: values from Python never become the unsigned number that the service requires.
"""

from __future__ import annotations

import asyncio
import html
import logging
import sys
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from jeepney import Message

_log = logging.getLogger(__name__)

DEFAULT_ACTION = "default"
"""The answer for a click on the notification itself."""

_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_TIMEOUT = 5.0
"""Seconds. A service that must be started first needs a moment."""
_DEFAULT_EXPIRY = -1


@dataclass(frozen=True, slots=True)
class DesktopNotification:
    """A notification with plain texts. `choices` are buttons: an id and its text. `sticky`: it
    stays until it is answered, even in "do not disturb" mode.
    """

    title: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()
    sticky: bool = True


async def show_notification(notice: DesktopNotification) -> str | None:
    """Show it and wait for an answer: the id of the pressed button, DEFAULT_ACTION, or "" if it was
    closed or can't be answered (no choices, or a service without buttons). None if the desktop has
    no such service. Cancelling removes the notification.
    """
    if not sys.platform.startswith("linux"):
        return None
    from jeepney.io.asyncio import open_dbus_router  # only available on Linux

    shown = False
    try:
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(_TIMEOUT):
                router = await stack.enter_async_context(open_dbus_router(bus="SESSION"))
                asked = await router.send_and_get_reply(_call("GetCapabilities"))
                able = asked.body[0] if asked.body else ()
                able = able if isinstance(able, list) else []
                heard = await _listen(stack, router) if "actions" in able else None
                sent = notification_call(
                    notice, marked="body-markup" in able, actions=heard is not None
                )
                reply = await _send(router, sent)
            if reply.header.message_type.name != "method_return":
                return None
            shown = True
            if heard is None or not notice.choices:
                return ""
            return await _chosen_action(router, heard, reply)
    except Exception as error:  # noqa: BLE001 - no bus, a strange address, an impolite service
        _log.info("The desktop shows no notification: %r", error)
        return "" if shown else None


def notification_call(notice: DesktopNotification, *, marked: bool, actions: bool) -> Message:
    """Return the D-Bus call. `marked`: the service interprets markup (bold, links), so plain text
    is escaped; others would show the escapes. `actions`: it supports buttons.
    """
    body = html.escape(notice.text, quote=False) if marked else notice.text
    hints = {"desktop-entry": ("s", "neodeskpet"), "urgency": ("y", 2 if notice.sticky else 1)}
    pairs = ((DEFAULT_ACTION, notice.title), *notice.choices) if actions and notice.choices else ()
    buttons = [text for pair in pairs for text in pair]
    return _call(
        "Notify",
        "susssasa{sv}i",
        ("NeoDeskPet", 0, "neodeskpet", notice.title, body, buttons, hints, _DEFAULT_EXPIRY),
    )


async def _listen(stack: AsyncExitStack, router: Any) -> asyncio.Queue[Message]:
    """Return a queue of the service's signals from now on."""
    from jeepney import MatchRule, message_bus

    rule = MatchRule(type="signal", interface=_NAME, path=_PATH)
    await router.send_and_get_reply(message_bus.AddMatch(rule))
    heard: asyncio.Queue[Message] = asyncio.Queue()
    stack.enter_context(router.filter(rule, queue=heard))
    return heard


async def _send(router: Any, sent: Message) -> Message:
    """Return the service's reply. If the task is cancelled earlier, the notification is still
    removed.
    """
    asking = asyncio.ensure_future(_reply(router, sent))  # noqa: TID251 - awaited here
    try:
        reply = await asyncio.shield(asking)
    except asyncio.CancelledError:
        await asyncio.wait({asking}, timeout=_TIMEOUT)
        if asking.done() and (late := asking.result()) is not None:
            await _close(router, late)
        asking.cancel()
        raise
    if reply is None:
        raise ConnectionError("the bus went away")
    return reply


async def _reply(router: Any, sent: Message) -> Message | None:
    with suppress(Exception):  # the bus may close, or the answer be invalid
        return cast("Message", await router.send_and_get_reply(sent))
    return None


async def _close(router: Any, reply: Message) -> None:
    with suppress(Exception):  # it, or the bus, may be closed by then
        await router.send(_call("CloseNotification", "u", (reply.body[0],)))


async def _chosen_action(router: Any, heard: asyncio.Queue[Message], reply: Message) -> str:
    """Return the action on the notification of `reply`; only signals of its own service count."""
    from jeepney import HeaderFields

    number, service = reply.body[0], reply.header.fields.get(HeaderFields.sender)
    try:
        while True:
            said = await heard.get()
            fields = said.header.fields
            if fields.get(HeaderFields.sender) != service or said.body[:1] != (number,):
                continue
            match fields.get(HeaderFields.member), said.body[1:]:
                case "ActionInvoked", (str(choice),):
                    return choice
                case "NotificationClosed", _:
                    return ""
                case _:
                    pass
    finally:
        await _close(router, reply)


def _call(method: str, signature: str = "", arguments: tuple[object, ...] = ()) -> Message:
    from jeepney import DBusAddress, new_method_call

    service = DBusAddress(_PATH, bus_name=_NAME, interface=_NAME)
    return new_method_call(service, method, signature or None, arguments)
