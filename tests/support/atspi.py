"""A screen reader's view of another process: its accessible objects over D-Bus (AT-SPI 2).

with private_bus() as environment:      # a session bus of the test's own
    ...start the app with `environment`...
    with Reader(environment) as reader:
        for node in reader.walk(reader.application("neodeskpet")): ...
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, cast

from jeepney import DBusAddress, Properties, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import DBusErrorResponse, unwrap_msg

_ROOT = "/org/a11y/atspi/accessible/root"
_NULL = "/org/a11y/atspi/null"
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_TEXT = "org.a11y.atspi.Text"
_ACTION = "org.a11y.atspi.Action"
_COMPONENT = "org.a11y.atspi.Component"
_EXPANDED = 10  # a number of AtspiStateType
_TIMEOUT = 20.0  # seconds for one answer
_STARTING = 60.0  # seconds


@contextmanager
def private_bus() -> Iterator[dict[str, str]]:
    """A session bus; the environment of a process that uses it, with Qt's accessibility on."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        try:
            assert daemon.stdout is not None
            address = daemon.stdout.readline().strip()
            yield {
                **os.environ,
                "DBUS_SESSION_BUS_ADDRESS": address,
                "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            }
        finally:
            daemon.terminate()


@dataclass(frozen=True, slots=True)
class Node:
    """What a screen reader asks of an object. `content` is the text of its text interface."""

    reference: tuple[str, str]
    name: str
    role: str
    states: int
    interfaces: list[str]
    content: str = ""
    actions: list[str] = field(default_factory=list)

    @property
    def is_expanded(self) -> bool:
        return bool(self.states >> _EXPANDED & 1)


class Reader:
    """A connection to the accessibility bus. Calls raise `DBusErrorResponse`, or TimeoutError when
    the app does not answer.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        with open_dbus_connection(environment["DBUS_SESSION_BUS_ADDRESS"]) as session:
            bus = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
            reply = session.send_and_get_reply(new_method_call(bus, "GetAddress"))
            (address,) = unwrap_msg(reply)
        self._bus: DBusConnection = open_dbus_connection(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bus.close()

    def application(self, name: str) -> tuple[str, str]:
        """The root object of the application with this name, as soon as it is registered."""
        registry = ("org.a11y.atspi.Registry", _ROOT)
        end = time.monotonic() + _STARTING
        while time.monotonic() < end:
            for child in self._children(registry):
                if self._name(child) == name:
                    return child
            time.sleep(0.1)
        raise TimeoutError(f"{name} is not on the accessibility bus")

    def _name(self, reference: tuple[str, str]) -> str:
        try:
            return str(self._property(reference, _ACCESSIBLE, "Name"))
        except DBusErrorResponse:  # it ends just now
            return ""

    def walk(self, reference: tuple[str, str]) -> Iterator[Node]:
        """The object and everything below it; an object that ends meanwhile is left out."""
        try:
            node, children = self._node(reference), self._children(reference)
        except DBusErrorResponse:
            return
        yield node
        for child in children:
            if child[1] != _NULL:
                yield from self.walk(child)

    def act(self, node: Node, number: int = 0) -> None:
        self._call(node.reference, _ACTION, "DoAction", "i", number)

    def _node(self, reference: tuple[str, str]) -> Node:
        (low, high) = self._call(reference, _ACCESSIBLE, "GetState")
        interfaces = self._call(reference, _ACCESSIBLE, "GetInterfaces")
        content, actions = "", []
        if _TEXT in interfaces:
            length = self._property(reference, _TEXT, "CharacterCount")
            content = self._call(reference, _TEXT, "GetText", "ii", 0, length)
            self._property(reference, _TEXT, "CaretOffset")
            self._call(reference, _TEXT, "GetNSelections")
            self._call(reference, _TEXT, "GetOffsetAtPoint", "iiu", 1, 1, 0)
            if length:
                self._call(reference, _TEXT, "GetStringAtOffset", "iu", 0, 1)
                self._call(reference, _TEXT, "GetAttributeRun", "ib", 0, True)
                self._call(reference, _TEXT, "GetCharacterExtents", "iu", 0, 0)
        if _ACTION in interfaces:
            actions = [str(one[0]) for one in self._call(reference, _ACTION, "GetActions")]
        if _COMPONENT in interfaces:
            self._call(reference, _COMPONENT, "GetExtents", "u", 0)
        return Node(
            reference,
            self._property(reference, _ACCESSIBLE, "Name"),
            self._call(reference, _ACCESSIBLE, "GetRoleName"),
            low | high << 32,
            interfaces,
            content,
            actions,
        )

    def _children(self, reference: tuple[str, str]) -> list[tuple[str, str]]:
        return cast(list[tuple[str, str]], self._call(reference, _ACCESSIBLE, "GetChildren"))

    def _property(self, reference: tuple[str, str], interface: str, name: str) -> Any:
        address = DBusAddress(reference[1], reference[0], interface)
        message = Properties(address).get(name)
        ((_signature, value),) = unwrap_msg(self._bus.send_and_get_reply(message, timeout=_TIMEOUT))
        return value

    def _call(
        self,
        reference: tuple[str, str],
        interface: str,
        method: str,
        kinds: str = "",
        *args: object,
    ) -> Any:
        address = DBusAddress(reference[1], reference[0], interface)
        message = new_method_call(address, method, kinds or None, args)
        body = unwrap_msg(self._bus.send_and_get_reply(message, timeout=_TIMEOUT))
        return body[0] if len(body) == 1 else body
