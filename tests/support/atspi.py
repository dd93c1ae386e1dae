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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self, cast

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    Properties,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import DBusErrorResponse, unwrap_msg

_OBJECTS = "/org/a11y/atspi/accessible"
_ROOT = f"{_OBJECTS}/root"
_NULL = "/org/a11y/atspi/null"
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_TEXT = "org.a11y.atspi.Text"
_ACTION = "org.a11y.atspi.Action"
_COMPONENT = "org.a11y.atspi.Component"
# Numbers of AtspiStateType
_BUSY = 3
_EXPANDABLE, _EXPANDED = 9, 10
_FOCUSABLE, _FOCUSED, _VISIBLE = 11, 12, 30
_SELECTABLE, _SENSITIVE, _CHECKABLE = 22, 24, 41
_SCREEN = 0  # of AtspiCoordType
_EVENTS = "org.a11y.atspi.Event.Object"
ASSERTIVE = 2
"""The politeness of an announcement that interrupts (AtspiLive)."""
_LABELLED_BY = 2  # of AtspiRelationType
_TIMEOUT = 60.0  # seconds for one answer
_STARTING = 60.0  # seconds


@contextmanager
def private_bus() -> Iterator[dict[str, str]]:
    """A session bus; yields the environment of a process that uses it, with Qt's
    accessibility on.
    """
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
    """The properties of an object that a screen reader reads. `content` is the text of its text
    interface.
    """

    reference: tuple[str, str]
    name: str
    role: str
    states: int
    interfaces: list[str]
    content: str = ""
    actions: list[str] = field(default_factory=list)
    depth: int = 0

    @property
    def is_expanded(self) -> bool:
        return bool(self.states >> _EXPANDED & 1)

    @property
    def is_visible(self) -> bool:
        return bool(self.states >> _VISIBLE & 1)

    @property
    def is_busy(self) -> bool:
        return bool(self.states >> _BUSY & 1)

    @property
    def is_focused(self) -> bool:
        return bool(self.states >> _FOCUSED & 1)


@dataclass(frozen=True, slots=True)
class Event:
    """An event of an object: "ChildrenChanged", "TextChanged", "StateChanged" or "Announcement"
    with its detail ("add", "insert", "busy"), two numbers and a value.
    """

    source: tuple[str, str]
    kind: str
    detail: str
    numbers: tuple[int, int]
    value: Any


@dataclass(frozen=True, slots=True)
class Part:
    """A visible object in a window. `labels` are the names of its labels."""

    name: str
    description: str
    role: str
    states: int
    depth: int
    labels: tuple[str, ...] = ()

    @property
    def is_expandable(self) -> bool:
        return bool(self.states >> _EXPANDABLE & 1)

    @property
    def is_focusable(self) -> bool:
        return bool(self.states >> _FOCUSABLE & 1)

    @property
    def is_selectable(self) -> bool:
        return bool(self.states >> _SELECTABLE & 1)

    @property
    def is_checkable(self) -> bool:
        return bool(self.states >> _CHECKABLE & 1)

    @property
    def is_sensitive(self) -> bool:
        """Whether it reacts to input."""
        return bool(self.states >> _SENSITIVE & 1)


def _bus_address(environment: dict[str, str]) -> str:
    with open_dbus_connection(environment["DBUS_SESSION_BUS_ADDRESS"]) as session:
        bus = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
        reply = session.send_and_get_reply(new_method_call(bus, "GetAddress"))
        (address,) = unwrap_msg(reply)
    return str(address)


class Listener:
    """Collects the events of all objects."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.events: list[Event] = []
        self._bus = open_dbus_connection(_bus_address(environment))
        registry = DBusAddress(
            "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry"
        )
        wanted = new_method_call(registry, "RegisterEvent", "sass", ("object:", [], ""))
        unwrap_msg(self._bus.send_and_get_reply(wanted, timeout=_TIMEOUT))
        rule = MatchRule(type="signal", interface=_EVENTS)
        unwrap_msg(self._bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=_TIMEOUT))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._bus.close()

    def until(self, true: Callable[[Event], object]) -> Event:
        """The first event for which it is `true`, new or already collected; raises TimeoutError."""
        found = next(filter(true, self.events), None)
        end = time.monotonic() + _TIMEOUT
        while found is None:
            event = _event_of(self._bus.receive(timeout=max(0.0, end - time.monotonic())))
            if event is not None:
                self.events.append(event)
                found = event if true(event) else None
        return found

    def announcement(self, part: str) -> Event:
        """The announcement with this part of a text."""
        return self.until(lambda one: one.kind == "Announcement" and part in str(one.value))


def _event_of(message: Message) -> Event | None:
    fields = message.header.fields
    if fields.get(HeaderFields.interface) != _EVENTS:
        return None
    detail, first, second, (_signature, value), *_more = message.body
    source = (str(fields[HeaderFields.sender]), str(fields[HeaderFields.path]))
    return Event(source, str(fields[HeaderFields.member]), detail, (first, second), value)


class Reader:
    """A connection to the accessibility bus. Calls raise `DBusErrorResponse`, or TimeoutError when
    the app does not answer.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self._bus: DBusConnection = open_dbus_connection(_bus_address(environment))

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

    def walk(self, reference: tuple[str, str], depth: int = 0) -> Iterator[Node]:
        """The object and everything below it; an object that ends meanwhile is left out."""
        try:
            node, children = self._node(reference), self._children(reference)
        except DBusErrorResponse:
            return
        yield replace(node, depth=depth)
        for child in children:
            if child[1] != _NULL:
                yield from self.walk(child, depth + 1)

    def survey(self, application: tuple[str, str], popups: Sequence[int] = ()) -> list[Part]:
        """Everything visible in the windows of the application and in these popups, level by level;
        faster than `walk`, and without texts and actions. The popups are given by the numbers that
        Qt uses for them.
        """
        found: list[Part] = []
        level, depth = self._many(_ACCESSIBLE, "GetChildren", [application])[0] or [], 0
        level = [*level, *((application[0], f"{_OBJECTS}/{number}") for number in popups)]
        while level:
            level = [one for one in level if one[1] != _NULL]
            states = self._many(_ACCESSIBLE, "GetState", level)
            level = [
                one
                for one, state in zip(level, states, strict=True)
                if state is not None and (state[0] | state[1] << 32) >> _VISIBLE & 1
            ]
            words = [state for state in states if state is not None]
            numbers = [low | high << 32 for low, high in words]
            numbers = [number for number in numbers if number >> _VISIBLE & 1]
            names = self._many_properties(level, "Name")
            about = self._many_properties(level, "Description")
            roles = self._many(_ACCESSIBLE, "GetRoleName", level)
            relations = self._many(_ACCESSIBLE, "GetRelationSet", level)
            for place, number in enumerate(numbers):
                labels = [
                    target
                    for kind, targets in relations[place] or []
                    if kind == _LABELLED_BY
                    for target in targets
                ]
                found.append(
                    Part(
                        str(names[place] or ""),
                        str(about[place] or ""),
                        str(roles[place] or ""),
                        number,
                        depth,
                        tuple(map(str, self._many_properties(labels, "Name"))),
                    )
                )
            children = self._many(_ACCESSIBLE, "GetChildren", level)
            level, depth = [child for some in children for child in some or []], depth + 1
        return found

    def _many_properties(self, references: list[tuple[str, str]], name: str) -> list[Any]:
        asked = [
            Properties(DBusAddress(path, owner, _ACCESSIBLE)).get(name)
            for owner, path in references
        ]
        return [None if one is None else one[1] for one in self._answers(asked)]

    def _many(self, interface: str, method: str, references: list[tuple[str, str]]) -> list[Any]:
        asked = [
            new_method_call(DBusAddress(path, owner, interface), method)
            for owner, path in references
        ]
        return self._answers(asked)

    def _answers(self, asked: list[Message]) -> list[Any]:
        """The answers to all, sent at once; None for an error."""
        serials = [next(self._bus.outgoing_serial) for _ in asked]
        for message, serial in zip(asked, serials, strict=True):
            self._bus.send(message, serial=serial)
        answers: dict[int, Any] = {}
        while len(answers) < len(asked):
            message = self._bus.receive(timeout=_TIMEOUT)
            serial = message.header.fields.get(HeaderFields.reply_serial)
            if serial in serials:
                try:
                    body = unwrap_msg(message)
                    answers[serial] = body[0] if len(body) == 1 else body
                except DBusErrorResponse:
                    answers[serial] = None
        return [answers[serial] for serial in serials]

    def parent(self, node: Node) -> tuple[str, str]:
        owner, path = self._property(node.reference, _ACCESSIBLE, "Parent")
        return str(owner), str(path)

    def description(self, node: Node) -> str:
        return str(self._property(node.reference, _ACCESSIBLE, "Description"))

    def character_rect(self, node: Node, position: int) -> tuple[int, int, int, int]:
        """Left, top, width and height of a character on the screen."""
        found = self._call(node.reference, _TEXT, "GetCharacterExtents", "iu", position, _SCREEN)
        left, top, width, height = found
        return left, top, width, height

    def position_at(self, node: Node, x: int, y: int) -> int:
        """The position of the character at a point of the screen."""
        return int(self._call(node.reference, _TEXT, "GetOffsetAtPoint", "iiu", x, y, _SCREEN))

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
