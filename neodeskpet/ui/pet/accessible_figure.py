"""The window of a figure for screen readers.

Qt makes an interface only for windows of widgets. It asks every other window for its
`QWindow.accessibleRoot`, which is then listed among the windows of the application.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleInterface,
    QAccessibleObject,
    QGuiApplication,
    QWindow,
)

from neodeskpet.language import tr
from neodeskpet.ui.widgets.accessible import NO_INTERFACE, cast_result


@dataclass(frozen=True, slots=True)
class FigureParts:
    """`rect` returns the rectangle of the figure on the desktop."""

    rect: Callable[[], QRect]
    open_chat: Callable[[], None]
    open_menu: Callable[[], None]


_figures: dict[QWindow, FigureParts] = {}
_installed: list[object] = []


def figure_interface(window: QWindow, parts: FigureParts) -> QAccessibleInterface:
    """Return the interface of a figure's window; Qt keeps it until the window is deleted."""
    if not _installed:
        _installed.append(_create_interface)
        QAccessible.installFactory(_create_interface)
    if window not in _figures:
        window.destroyed.connect(partial(_figures.pop, window, None))
    _figures[window] = parts
    return QAccessible.queryAccessibleInterface(window)


def _create_interface(_name: str, thing: QObject) -> QAccessibleInterface | None:
    if isinstance(thing, QWindow) and (parts := _figures.get(thing)) is not None:
        return _FigureInterface(thing, parts)
    return None


class _FigureInterface(QAccessibleObject):
    """Its name is the title of the window: the name of the companion."""

    def __init__(self, window: QWindow, parts: FigureParts) -> None:
        super().__init__(window)
        self._window = window
        self._parts = parts
        self._actions = _FigureActions(parts)

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Window

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        if not self._window.isVisible():
            state.invisible = 1
        return state

    def text(self, kind: QAccessible.Text) -> str:
        match kind:
            case QAccessible.Text.Name:
                return self._window.title()
            case QAccessible.Text.Description:
                return tr("The figure on the desktop")
            case _:
                return ""

    def rect(self) -> QRect:
        return self._parts.rect()

    def window(self) -> QWindow:
        return self._window

    def parent(self) -> QAccessibleInterface:
        application = QGuiApplication.instance()
        assert application is not None
        return QAccessible.queryAccessibleInterface(application)

    def childCount(self) -> int:
        return 0

    def child(self, _index: int) -> QAccessibleInterface:
        return NO_INTERFACE

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def interface_cast(self, kind: QAccessible.InterfaceType) -> int:
        wanted = QAccessible.InterfaceType.ActionInterface
        return cast_result(self._actions if kind == wanted else None)


class _FigureActions(QAccessibleActionInterface):
    """Pressing opens the chat, as a double click does; the menu is that of the right button."""

    def __init__(self, parts: FigureParts) -> None:
        super().__init__()
        self._parts = parts

    def actionNames(self) -> list[str]:
        return [
            QAccessibleActionInterface.pressAction(),
            QAccessibleActionInterface.showMenuAction(),
        ]

    def doAction(self, name: str) -> None:
        if name == QAccessibleActionInterface.pressAction():
            self._parts.open_chat()
        elif name == QAccessibleActionInterface.showMenuAction():
            self._parts.open_menu()

    def keyBindingsForAction(self, _name: str) -> list[str]:
        return []
