"""The message view for screen readers: messages as children, with their cards, buttons, links and
open forms in them.

Qt requests the interface of a QObject and keeps it until that object is deleted; so each child is a
small QObject (`MessageNode`, `RegionNode`) owned by the view and created on demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleEvent,
    QAccessibleInterface,
    QAccessibleObject,
)
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from neodeskpet.language import tr
from neodeskpet.ui.chat.items.item import HitRegion, Item, ItemAction
from neodeskpet.ui.chat.view.message_column import RowPosition
from neodeskpet.ui.chat.view.message_entry import MessageEntry
from neodeskpet.ui.chat.view.view_interface import ChatViewInterface
from neodeskpet.ui.widgets.accessible import (
    NO_INTERFACE,
    announce,
    cast_result,
    install_roles,
)

if TYPE_CHECKING:
    from neodeskpet.ui.chat.view.accessibility_events import AccessibilityEvents

_NAME = 120
_FORM = "form_of_message"
"""The property of a form's widget: the id of its message."""


class ViewAccessibility(QObject):
    """The nodes of one view. Signal: `announced(words)` for each announcement to a screen
    reader.
    """

    announced = Signal(str)

    def __init__(self, widget: QWidget, view: ChatViewInterface) -> None:
        super().__init__(widget)
        self.widget = widget
        """The widget of the view; `view` is its content."""
        self.view = view
        self._nodes: dict[str, MessageNode] = {}
        self._forms: dict[QWidget, str] = {}
        self._events: AccessibilityEvents | None = None

    def install_interface(self) -> None:
        """Drop the interface that Qt may have created before the view was complete."""
        if QAccessible.isActive():
            early = QAccessible.queryAccessibleInterface(self.widget)
            QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(early))

    def messages(self) -> list[MessageNode]:
        """Return the nodes of the loaded messages, in order."""
        loaded = [entry for entry in self.view.column.entries if entry is not None]
        here = {entry.id for entry in loaded}
        for gone in [one for one in self._nodes if one not in here]:
            self._nodes.pop(gone).deleteLater()
        return [self.message(entry.id) for entry in loaded]

    def message(self, message_id: str) -> MessageNode:
        node = self._nodes.get(message_id)
        if node is None:
            node = self._nodes[message_id] = MessageNode(self, message_id)
        return node

    @property
    def events(self) -> AccessibilityEvents:
        """The reports of changes. Their code is loaded with the first screen reader."""
        if self._events is None:
            from neodeskpet.ui.chat.view.accessibility_events import AccessibilityEvents

            self._events = AccessibilityEvents(self, self)
        return self._events

    def update_children(self) -> None:
        """Report the messages that were added or removed."""
        if QAccessible.isActive():
            self.events.update_children()

    def attach_form(self, form: QWidget, message_id: str) -> None:
        """Show a form as a child of its message until `detach_form`."""
        if form in self._forms:
            return
        self._forms[form] = message_id
        form.setProperty(_FORM, message_id)
        if QAccessible.isActive():
            # Drop the interface that Qt may have created as a child of the viewport.
            early = QAccessible.queryAccessibleInterface(form)
            if not isinstance(early, _FormInterface):
                QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(early))
            self._report_form(form, QAccessible.Event.ObjectCreated)

    def detach_form(self, form: QWidget) -> None:
        if self._forms.pop(form, None) is not None and QAccessible.isActive():
            self._report_form(form, QAccessible.Event.ObjectDestroyed)

    def forms(self, message_id: str) -> list[QWidget]:
        """Return the open forms of a message."""
        return [form for form, owner in self._forms.items() if owner == message_id]

    def _report_form(self, form: QWidget, kind: QAccessible.Event) -> None:
        QAccessible.updateAccessibility(QAccessibleEvent(form, kind))

    def focus(self, place: RowPosition, part: HitRegion | None) -> None:
        """Report a move of the keyboard focus."""
        if not QAccessible.isActive():
            return
        node: QObject = self.message(self.view.column.heads[place.message].id)
        item = self.view.column.item(place)
        if part is not None and item is not None and isinstance(node, MessageNode):
            node = node.region(item, part.key)
        QAccessible.updateAccessibility(QAccessibleEvent(node, QAccessible.Event.Focus))

    def announce(self, words: str, *, urgent: bool = False) -> None:
        """Announce a text if a screen reader is running."""
        if announce(self.widget, words, urgent=urgent):
            self.announced.emit(words)


class MessageNode(QObject):
    """The node of a message."""

    def __init__(self, access: ViewAccessibility, message_id: str) -> None:
        super().__init__(access)
        self.access = access
        self.message_id = message_id
        self._parts: list[RegionNode] = []

    @property
    def entry(self) -> MessageEntry | None:
        return self.access.view.column.entry(self.message_id)

    @property
    def text(self) -> str:
        entry = self.entry
        if entry is None:
            return ""
        return "\n".join(spoken for item in entry.items if (spoken := item.accessible_text))

    @property
    def name(self) -> str:
        entry = self.entry
        who = (
            tr("You")
            if entry is not None and entry.is_user
            else self.access.view.scene.name or tr("Companion")
        )
        words = " ".join(self._beginning.split())
        return f"{who}: {words[:_NAME]}"

    @property
    def _beginning(self) -> str:
        """The beginning of the text; the cost doesn't grow with the message."""
        text, entry = "", self.entry
        for item in entry.items if entry is not None else ():
            text += f"{item.accessible_text}\n"
            if len(text) > 2 * _NAME:
                break
        return text

    @property
    def rect(self) -> QRect:
        view = self.access.view
        number = view.column.number_of(self.message_id)
        if number is None:
            return QRect()
        top = view.column.message_top(number) - view.scroller.top
        height = view.column.height_of(number)
        frame = view.scroller.frame
        return to_screen(view, QRect(frame.left, top, frame.width, height))

    def regions(self) -> list[RegionNode]:
        """Return the nodes of all clickable parts of the message, in order."""
        entry = self.entry
        scene = self.access.view.scene
        wanted = [
            (item, part.key)
            for item in (entry.items if entry is not None else [])
            for part in item.focus_regions(scene)
        ]
        have = {(id(node.item), node.key): node for node in self._parts}
        self._parts = []
        for item, key in wanted:
            node = have.pop((id(item), key), None)
            self._parts.append(node if node is not None else RegionNode(self, item, key))
        for gone in have.values():
            gone.deleteLater()
        return self._parts

    def children_nodes(self) -> list[QObject]:
        """Return the parts of the message, then its open forms."""
        return [*self.regions(), *self.access.forms(self.message_id)]

    def region(self, item: Item, key: str) -> QObject:
        return next((n for n in self.regions() if n.item is item and n.key == key), self)


class RegionNode(QObject):
    """The node of a card, a button or a link."""

    def __init__(self, message: MessageNode, item: Item, key: str) -> None:
        super().__init__(message)
        self.message = message
        self.item = item
        self.key = key

    @property
    def region(self) -> HitRegion | None:
        parts = self.item.focus_regions(self.message.access.view.scene)
        return next((part for part in parts if part.key == self.key), None)

    @property
    def place(self) -> RowPosition | None:
        return self.message.access.view.column.position_of(self.item, self.message.message_id)

    @property
    def rect(self) -> QRect:
        view, part, place = self.message.access.view, self.region, self.place
        if part is None or place is None:
            return QRect()
        corner = view.scroller.row_rect(place).topLeft()
        return to_screen(view, part.rect.toRect().translated(corner))

    def press(self) -> None:
        part, place = self.region, self.place
        if part is not None and place is not None:
            self.message.access.view.press_region(place, self.item, part)


def to_screen(view: ChatViewInterface, rect: QRect) -> QRect:
    return QRect(view.viewport().mapToGlobal(rect.topLeft()), rect.size())


# The interfaces that Qt passes to the platform


class _ViewInterface(QAccessibleWidget):
    def __init__(self, view: QWidget) -> None:
        super().__init__(view, QAccessible.Role.List, tr("Conversation"))
        access = view.findChild(ViewAccessibility)
        assert access is not None
        self._access = access

    def childCount(self) -> int:
        return len(self._access.messages())

    def child(self, index: int) -> QAccessibleInterface:
        nodes = self._access.messages()
        return interface_of(nodes[index]) if 0 <= index < len(nodes) else NO_INTERFACE

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return _index(self._access.messages(), child)

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        return _at(self._access.messages(), x, y)


class _MessageInterface(QAccessibleObject):
    def __init__(self, node: MessageNode) -> None:
        from neodeskpet.ui.chat.view.accessible_text import TextInterface

        super().__init__(node)
        self._node = node
        self._text = TextInterface(node.access.view, node.message_id)

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        view, widget = self._node.access.view, self._node.access.widget
        entry = self._node.entry
        _set(state, "focusable", "readOnly", "multiLine")
        if entry is not None and entry.running:
            _set(state, "busy")
        whole = view.scene.focused_message == self._node.message_id and view.scene.focus is None
        if whole and widget.hasFocus():
            _set(state, "focused")
        if not widget.rect().intersects(
            QRect(widget.mapFromGlobal(self.rect().topLeft()), self.rect().size())
        ):
            _set(state, "offscreen")
        return state

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Name:
            return self._node.name
        return self._node.text if kind == QAccessible.Text.Value else ""

    def rect(self) -> QRect:
        return self._node.rect

    def parent(self) -> QAccessibleInterface:
        return interface_of(self._node.access.widget)

    def childCount(self) -> int:
        return len(self._node.children_nodes())

    def child(self, index: int) -> QAccessibleInterface:
        nodes = self._node.children_nodes()
        return interface_of(nodes[index]) if 0 <= index < len(nodes) else NO_INTERFACE

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return _index(self._node.children_nodes(), child)

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        return _at(self._node.children_nodes(), x, y)

    def interface_cast(self, kind: QAccessible.InterfaceType) -> int:
        wanted = QAccessible.InterfaceType.TextInterface
        return cast_result(self._text if kind == wanted else None)


class _RegionInterface(QAccessibleObject):
    def __init__(self, node: RegionNode) -> None:
        super().__init__(node)
        self._node = node
        self._action = _ActionInterface(node)

    def role(self) -> QAccessible.Role:
        part = self._node.region
        if part is not None and part.action is ItemAction.LINK:
            return QAccessible.Role.Link
        menu = part is not None and part.choices
        return QAccessible.Role.ButtonMenu if menu else QAccessible.Role.Button

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        part = self._node.region
        access = self._node.message.access
        _set(state, "focusable")
        if part is None:
            _set(state, "invisible")
            return state
        if part.action is ItemAction.TOGGLE:
            _set(state, "expandable", "expanded" if part.opened else "collapsed")
        if part.choices:
            _set(state, "hasPopup")
        if part.action is ItemAction.LINK:
            _set(state, "linked")
        focused = access.view.scene.is_focused(self._node.item, self._node.key)
        if focused and access.widget.hasFocus():
            _set(state, "focused")
        return state

    def text(self, kind: QAccessible.Text) -> str:
        part = self._node.region
        if part is None:
            return ""
        is_address = kind == QAccessible.Text.Description and part.action is ItemAction.LINK
        if is_address and part.value != part.name:
            return part.value
        return part.name if kind == QAccessible.Text.Name else ""

    def rect(self) -> QRect:
        return self._node.rect

    def parent(self) -> QAccessibleInterface:
        return interface_of(self._node.message)

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface:
        return NO_INTERFACE

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def interface_cast(self, kind: QAccessible.InterfaceType) -> int:
        wanted = QAccessible.InterfaceType.ActionInterface
        return cast_result(self._action if kind == wanted else None)


class _FormInterface(QAccessibleWidget):
    """A form in a message: a widget of the viewport, but a child of the message."""

    def __init__(self, form: QWidget, access: ViewAccessibility) -> None:
        super().__init__(form, QAccessible.Role.Form)
        self._form = form
        self._access = access

    def parent(self) -> QAccessibleInterface:
        return interface_of(self._access.message(str(self._form.property(_FORM))))


class _ActionInterface(QAccessibleActionInterface):
    """The press action of a part."""

    def __init__(self, node: RegionNode) -> None:
        super().__init__()
        self._node = node

    def actionNames(self) -> list[str]:
        return [QAccessibleActionInterface.pressAction()]

    def doAction(self, name: str) -> None:
        if name == QAccessibleActionInterface.pressAction():
            self._node.press()

    def keyBindingsForAction(self, _name: str) -> list[str]:
        return ["Return"]


def _set(state: QAccessible.State, *names: str) -> None:
    for name in names:
        setattr(state, name, 1)


def interface_of(thing: QObject) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(thing)


def _index(nodes: Sequence[QObject], child: QAccessibleInterface) -> int:
    wanted = child.object()
    return next((number for number, node in enumerate(nodes) if node is wanted), -1)


def _at(nodes: Sequence[QObject], x: int, y: int) -> QAccessibleInterface:
    """Return the last node at a point of the screen: a form covers the parts."""
    found = (face for face in map(interface_of, reversed(nodes)) if face.rect().contains(x, y))
    return next(found, NO_INTERFACE)


def _access_of(form: QWidget) -> ViewAccessibility | None:
    """Return the nodes of the view that a form is in."""
    widget: QWidget | None = form
    while widget is not None:
        access = getattr(widget, "access", None)
        if isinstance(access, ViewAccessibility):
            return access
        widget = widget.parentWidget()
    return None


def create_interface(_name: str, thing: QObject) -> QAccessibleInterface | None:
    """Return the interface of our own objects for Qt's factory, None for all others."""
    if isinstance(thing, MessageNode):
        return _MessageInterface(thing)
    if isinstance(thing, RegionNode):
        return _RegionInterface(thing)
    if isinstance(thing, QWidget) and thing.property(_FORM) is not None:
        access = _access_of(thing)
        return _FormInterface(thing, access) if access is not None else None
    if isinstance(getattr(thing, "access", None), ViewAccessibility):
        return _ViewInterface(thing)  # type: ignore[arg-type]  # only the view has it
    return None


_installed: list[object] = []


def install() -> None:
    """Register the factory with Qt, once for all views."""
    install_roles()
    if not _installed:
        _installed.append(create_interface)
        QAccessible.installFactory(create_interface)
