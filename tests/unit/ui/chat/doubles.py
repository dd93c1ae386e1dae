"""Messages to show, a view for them, and functions that use the mouse and the keyboard."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from neodeskpet.core.blocks import (
    Block,
    Message,
    MessageHead,
    MessageState,
    Role,
    Text,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.turn.turn_events import BlockStarted, TextAppended, TurnEvent, TurnStarted
from neodeskpet.ui.chat.items.item import HitRegion, Item
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.chat.view.message_column import RowPosition
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.theme import LIGHT

NOW = 1_000.0


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def person(name: str, text: str, *more: Block) -> Message:
    return Message(name, Role.USER, (Text(0, 0, text), *more), MessageState.DONE, NOW)


def companion(
    name: str, *blocks: Block, state: MessageState = MessageState.DONE, rounds: int = 1
) -> Message:
    ended = None if state is MessageState.RUNNING else NOW + 5.6
    return Message(name, Role.ASSISTANT, blocks, state, NOW, ended, Usage(1000, 284), rounds)


def said(name: str, text: str) -> Message:
    return companion(name, Text(0, 0, text))


def call(
    index: int,
    status: ToolStatus = ToolStatus.SUCCESS,
    name: str = "web.search",
    arguments: Mapping[str, object] | None = None,
    **more: object,
) -> ToolUse:
    arguments = {"query": "rain"} if arguments is None else arguments
    timed = status.ended or status is ToolStatus.RUNNING
    values: dict[str, object] = {
        "raw_arguments": json.dumps(arguments),
        "arguments": arguments,
        "output": "It rains." if status is ToolStatus.SUCCESS else "",
        "error": "No network." if status is ToolStatus.ERROR else "",
        "started": NOW if timed else None,
        "ended": NOW + 0.8 if status.ended else None,
    }
    return ToolUse(index, 0, f"c{index}", name, status=status, **(values | more))  # type: ignore[arg-type]


def open_view(qtbot: QtBot, *messages: Message, size: tuple[int, int] = (480, 500)) -> ChatView:
    view = ChatView(LIGHT, clock=Clock())
    qtbot.addWidget(view)
    view.resize(*size)
    with qtbot.waitExposed(view):
        view.show()
    for message in messages:
        view.add_message(message)
    return view


def serve(view: ChatView, messages: Sequence[Message]) -> list[list[str]]:
    """Answer the requests of the view; return the list of them."""
    asked: list[list[str]] = []
    by_id = {message.id: message for message in messages}

    def provide(ids: list[str]) -> None:
        asked.append(ids)
        view.add_loaded_messages([by_id[one] for one in ids])

    view.messages_wanted.connect(provide)
    view.open_conversation([head_of(message) for message in messages])
    return asked


def head_of(message: Message) -> MessageHead:
    return MessageHead(message.id, str(message.role), len(message.text), len(message.blocks))


def stream(view: ChatView, name: str, *pieces: str) -> None:
    events: list[TurnEvent] = []
    if not view.message_text(name):
        events += [TurnStarted(name), BlockStarted(Text(0, 0, ""))]
    events += [TextAppended(0, piece) for piece in pieces]
    for event in events:
        view.apply([(name, event)])


def entry(view: ChatView, name: str) -> MessageEntry:
    found = view.access.message(name).entry
    assert found is not None
    return found


def find(view: ChatView, name: str, kind: type[Item], number: int = 0) -> tuple[RowPosition, Item]:
    """Return the `number`th item of this kind in a message, and its place."""
    rows = [row for row in enumerate(entry(view, name).items) if isinstance(row[1], kind)]
    row, item = rows[number]
    loaded = [message.message_id for message in view.access.messages()]
    return RowPosition(loaded.index(name), row), item


def part(view: ChatView, item: Item, key: str) -> HitRegion:
    return next(part for part in item.hit_regions(view.scene) if part.key == key)


def spot(view: ChatView, place: RowPosition, x: float, y: float) -> QPoint:
    """Return a point of an item in the viewport."""
    return (QPointF(view.scroller.row_rect(place).topLeft()) + QPointF(x, y)).toPoint()


def click(view: ChatView, place: RowPosition, key: str) -> None:
    """Press a part with the mouse."""
    nodes = view.access.messages()[place.message].regions()
    node = next(node for node in nodes if node.key == key and node.place == place)
    where = view.viewport().mapFromGlobal(node.rect.center())
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where
    )


def drag(view: ChatView, start: QPoint, end: QPoint) -> None:
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(view.viewport(), left, Qt.KeyboardModifier.NoModifier, start)
    move(view, start + QPoint(5, 0), held=True)
    move(view, end, held=True)
    QTest.mouseRelease(view.viewport(), left, Qt.KeyboardModifier.NoModifier, end)


def move(view: ChatView, where: QPoint, *, held: bool = False) -> None:
    """Move the mouse. QTest's mouseMove uses the real pointer, which a busy X server delays."""
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtGui import QMouseEvent

    buttons = Qt.MouseButton.LeftButton if held else Qt.MouseButton.NoButton
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(where),
        QPointF(view.viewport().mapToGlobal(where)),
        Qt.MouseButton.NoButton,
        buttons,
        Qt.KeyboardModifier.NoModifier,
    )
    QCoreApplication.sendEvent(view.viewport(), event)
