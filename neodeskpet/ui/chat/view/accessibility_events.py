"""Reports changes of the conversation to assistive technology: messages that come and go, text that
grows, and the start and end of a reply.

Announcements aren't enough: some screen readers ignore them. Nothing is done while no assistive
technology is active. The text of a reply is compared a few times a second and only near its end, so
that the cost doesn't grow with the message.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QAccessibleStateChangeEvent,
    QAccessibleTextInsertEvent,
    QAccessibleTextRemoveEvent,
)

from neodeskpet.core.turn.turn_events import TurnEnded, TurnEvent, TurnStarted
from neodeskpet.ui.chat.items.item import Item
from neodeskpet.ui.chat.items.text_items import TextItem
from neodeskpet.ui.chat.view.view_interface import ChatViewInterface
from neodeskpet.ui.rendering.code_spans import utf16_length

_INTERVAL_MS = 400
_TAIL = 12
"""Items at the end of a message whose text may still change; above them only cards change."""


class NodeSource(Protocol):
    """The objects that stand for messages in the accessibility tree."""

    view: ChatViewInterface

    def message(self, message_id: str) -> QObject: ...


@dataclass(frozen=True, slots=True)
class TextChange:
    """`removed` was replaced by `inserted` at `position`, in UTF-16 units."""

    position: int
    removed: str
    inserted: str


@dataclass(frozen=True, slots=True)
class KnownText:
    """The items of a message and their texts, as they were reported last."""

    items: tuple[Item, ...] = ()
    texts: tuple[str, ...] = ()

    def updated(self, items: list[Item]) -> KnownText:
        """Return the present texts. Those of unchanged text far from the end are reused."""
        settled = len(items) - _TAIL
        texts = [
            self.texts[row]
            if row < settled
            and row < len(self.items)
            and self.items[row] is item
            and isinstance(item, TextItem)
            else item.accessible_text
            for row, item in enumerate(items)
        ]
        return KnownText(tuple(items), tuple(texts))


def text_change(before: tuple[str, ...], after: tuple[str, ...]) -> TextChange | None:
    """Return how the text of a message changed; None if it didn't."""
    old, new = [text for text in before if text], [text for text in after if text]
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    position = sum(utf16_length(text) + 1 for text in new[:same])
    removed, inserted = "\n".join(old[same:]), "\n".join(new[same:])
    if removed == inserted:
        return None
    if same and not (removed and inserted):  # the line break before it comes or goes as well
        position -= 1
        removed, inserted = removed and f"\n{removed}", inserted and f"\n{inserted}"
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(removed, inserted, strict=False))
    shared = "".join(first for first, _ in pairs)
    return TextChange(
        position + utf16_length(shared), removed[len(shared) :], inserted[len(shared) :]
    )


class AccessibilityEvents(QObject):
    """The events of one view; `nodes` has its messages."""

    def __init__(self, nodes: NodeSource, parent: QObject) -> None:
        super().__init__(parent)
        self._nodes = nodes
        self._children: dict[str, None] = {}
        self._known: dict[str, KnownText] = {}
        self._changed: set[str] = set()
        self._timer = QTimer(self, singleShot=True, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self.report_texts)

    def update_children(self) -> None:
        """Report the messages that were added or removed since the last call."""
        if not QAccessible.isActive():
            return
        loaded = [one.id for one in self._nodes.view.column.entries if one is not None]
        before, self._children = self._children, dict.fromkeys(loaded)
        for message_id in before:
            if message_id not in self._children:
                self._known.pop(message_id, None)
                self._send(message_id, QAccessible.Event.ObjectDestroyed)
        for message_id in loaded:
            if message_id not in before:
                self._send(message_id, QAccessible.Event.ObjectCreated)

    def follow(self, message_id: str, event: TurnEvent) -> None:
        """Follow an event of a turn, after the view has applied it."""
        if not QAccessible.isActive():
            return
        if isinstance(event, TurnStarted):
            self._known[message_id] = self._present(message_id, KnownText())
            self._report_busy(message_id)
            return
        self._changed.add(message_id)
        if isinstance(event, TurnEnded):
            self.report_texts()
            self._known.pop(message_id, None)
            self._report_busy(message_id)
        elif not self._timer.isActive():
            self._timer.start()

    def report_texts(self) -> None:
        """Report what was added to the texts of running replies."""
        self._timer.stop()
        changed, self._changed = self._changed, set()
        for message_id in changed:
            before = self._known.get(message_id)
            if before is None:
                continue
            after = self._known[message_id] = self._present(message_id, before)
            change = text_change(before.texts, after.texts)
            if change is None:
                continue
            node = self._nodes.message(message_id)
            if change.removed:
                QAccessible.updateAccessibility(
                    QAccessibleTextRemoveEvent(node, change.position, change.removed)
                )
            if change.inserted:
                QAccessible.updateAccessibility(
                    QAccessibleTextInsertEvent(node, change.position, change.inserted)
                )

    def _present(self, message_id: str, before: KnownText) -> KnownText:
        entry = self._nodes.view.column.entry(message_id)
        return before.updated(entry.items) if entry is not None else KnownText()

    def _report_busy(self, message_id: str) -> None:
        """Report the start or the end of a reply. Qt's bridge for Linux doesn't forward the event;
        there the state can only be read.
        """
        state = QAccessible.State()
        state.busy = 1
        node = self._nodes.message(message_id)
        QAccessible.updateAccessibility(QAccessibleStateChangeEvent(node, state))

    def _send(self, message_id: str, kind: QAccessible.Event) -> None:
        QAccessible.updateAccessibility(QAccessibleEvent(self._nodes.message(message_id), kind))
