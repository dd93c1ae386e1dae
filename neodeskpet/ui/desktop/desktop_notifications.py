"""Notices through the desktop's service (org.freedesktop.Notifications), with or without a tray;
with buttons where the service has them.

Qt can't be used for that: what Python hands to its D-Bus never becomes the unsigned number that
the service demands.
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
"""The answer of somebody who pressed the notice itself."""

_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_TIMEOUT = 5.0
"""Seconds. A service that is to be started first takes a moment."""
_DEFAULT_EXPIRY = -1


@dataclass(frozen=True, slots=True)
class DesktopNotification:
    """Plain texts. `choices` are buttons: an id and its text. `stays` until it is answered, however
    busy the person is.
    """

    title: str
    text: str
    choices: tuple[tuple[str, str], ...] = ()
    sticky: bool = True


async def show_notification(notice: DesktopNotification) -> str | None:
    """Show it and wait for an answer: the id of the button that was pressed, OPENED, or "" when it
    was closed or can have no answer (no choices, or a service without buttons). None where the
    desktop has no such service. Cancelled, it takes the notice away.
    """
    if not sys.platform.startswith("linux"):
        return None
    from jeepney.io.asyncio import open_dbus_router  # it is there on Linux only

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
        _log.info("The desktop shows no notice: %r", error)
        return "" if shown else None


def notification_call(notice: DesktopNotification, *, marked: bool, actions: bool) -> Message:
    """What is sent. `marked`: the service reads marks (bold, links), so that plain text is
    escaped; others would show the escapes. `actions`: it has buttons.
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
    """What the service says from now on."""
    from jeepney import MatchRule, message_bus

    rule = MatchRule(type="signal", interface=_NAME, path=_PATH)
    await router.send_and_get_reply(message_bus.AddMatch(rule))
    heard: asyncio.Queue[Message] = asyncio.Queue()
    stack.enter_context(router.filter(rule, queue=heard))
    return heard


async def _send(router: Any, sent: Message) -> Message:
    """The service's reply. Who is cancelled before it came still takes the notice away."""
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
    with suppress(Exception):  # a bus that goes away, or an answer that is none
        return cast("Message", await router.send_and_get_reply(sent))
    return None


async def _close(router: Any, reply: Message) -> None:
    with suppress(Exception):  # it may be closed by then, as the bus
        await router.send(_call("CloseNotification", "u", (reply.body[0],)))


async def _chosen_action(router: Any, heard: asyncio.Queue[Message], reply: Message) -> str:
    """What was done with the notice of `reply`; only its own service is believed."""
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
