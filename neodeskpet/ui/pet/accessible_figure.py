"""The window of a figure for screen readers.

Qt makes an interface only for windows of widgets. It asks every other window for its
`QWindow.accessibleRoot`, which is then listed among the windows of the application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from neodeskpet.ui.pet.pet_window import PetWindow


def figure_interface(pet: PetWindow) -> QAccessibleInterface:
    """Return the interface of a figure; Qt keeps it until the window is deleted."""
    if not _installed:
        _installed.append(_create_interface)
        QAccessible.installFactory(_create_interface)
    return QAccessible.queryAccessibleInterface(pet)


class _FigureInterface(QAccessibleObject):
    """Its name is that of the companion."""

    def __init__(self, pet: PetWindow) -> None:
        super().__init__(pet)
        self._pet = pet
        self._actions = _FigureActions(pet)

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Window

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        if not self._pet.isVisible():
            state.invisible = 1
        return state

    def text(self, kind: QAccessible.Text) -> str:
        match kind:
            case QAccessible.Text.Name:
                return self._pet.title()
            case QAccessible.Text.Description:
                return tr("The figure on the desktop")
            case _:
                return ""

    def rect(self) -> QRect:
        return self._pet.placement.figure_rect()

    def window(self) -> QWindow:
        return self._pet

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

    def __init__(self, pet: PetWindow) -> None:
        super().__init__()
        self._pet = pet

    def actionNames(self) -> list[str]:
        return [
            QAccessibleActionInterface.pressAction(),
            QAccessibleActionInterface.showMenuAction(),
        ]

    def doAction(self, name: str) -> None:
        if name == QAccessibleActionInterface.pressAction():
            self._pet.chat_requested.emit()
        elif name == QAccessibleActionInterface.showMenuAction():
            self._pet.menu_requested.emit(self._pet.placement.figure_rect().center())

    def keyBindingsForAction(self, _name: str) -> list[str]:
        return []


def _create_interface(_name: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, QWindow):
        return None
    from neodeskpet.ui.pet.pet_window import PetWindow

    return _FigureInterface(thing) if isinstance(thing, PetWindow) else None


_installed: list[object] = []
