"""What Qt doesn't report to screen readers by itself: roles, states, descriptions, announcements.

Qt reports a window of a plain widget as "filler", a button that folds something as a check box, and
choices side by side as check boxes.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
    QAccessibleStateChangeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAccessibleWidget,
    QButtonGroup,
    QFrame,
    QScrollArea,
    QWidget,
)
from shiboken6 import Shiboken

# Qt's "no such child", which its type stubs lack.
NO_INTERFACE = cast(QAccessibleInterface, None)
_ROLE = "accessible_role"
_BUTTON = "accessible_button"
_DESCRIBED = "accessible_described"
_PLAIN = (QWidget, QFrame, QScrollArea)
_DIALOG_TYPES = (Qt.WindowType.Dialog, Qt.WindowType.Popup, Qt.WindowType.Tool)


def cast_result(interface: object | None) -> int:
    """Return what `interface_cast` must return to Qt: a pointer to `interface`, or null for None.
    Shiboken would pass the address of a returned None (or int) itself, and Qt would crash.
    """
    null = Shiboken.VoidPtr(0, 0)  # type: ignore[call-arg]  # the stubs know no arguments
    return cast(int, null if interface is None else interface)


def set_accessible_role(widget: QWidget, role: QAccessible.Role) -> None:
    """Report this role for a widget that Qt has no own interface for. Call it first: the role of a
    widget that Qt was asked for can't be changed.
    """
    widget.setProperty(_ROLE, role.value)


def mark_as_fold(button: QAbstractButton) -> None:
    """Report a checkable button as one that shows and hides something: expanded while it is
    checked. Call it before the button gets a name.
    """
    button.setProperty(_BUTTON, _FoldInterface.__name__)
    button.toggled.connect(lambda _: _report_fold(button))


def mark_as_tabs(group: QButtonGroup) -> None:
    """Report the checkable buttons of a group as tabs, before they get names. The Tab key stops at
    the checked one.
    """
    for button in group.buttons():
        button.setProperty(_BUTTON, _TabInterface.__name__)
    _stop_at_checked(group)


def mark_as_choice(button: QAbstractButton) -> None:
    """Report a checkable button without a group as a radio button, before it gets a name."""
    button.setProperty(_BUTTON, _ChoiceInterface.__name__)


def mark_as_choices(group: QButtonGroup) -> None:
    """Report the checkable buttons of an exclusive group as radio buttons. The Tab key stops at the
    checked one.
    """
    for button in group.buttons():
        button.setAutoExclusive(True)
    _stop_at_checked(group)


def _stop_at_checked(group: QButtonGroup) -> None:
    """Let the Tab key stop only at the checked button, or at the first one if none is checked. Qt
    does this only after one of the buttons had the focus.
    """

    def choose_stop() -> None:
        buttons = group.buttons()
        stop = group.checkedButton() or next(iter(buttons), None)
        for button in buttons:
            policies = Qt.FocusPolicy
            button.setFocusPolicy(policies.StrongFocus if button is stop else policies.ClickFocus)

    group.buttonToggled.connect(lambda _button, _checked: choose_stop())
    choose_stop()


def describe(control: QWidget, text: str) -> None:
    """Set the description of every part of `control` that takes the focus. A part that has another
    description keeps it.
    """
    for part in (control, *control.findChildren(QWidget)):
        reached = part.focusPolicy() != Qt.FocusPolicy.NoFocus
        own = part.accessibleDescription() != (part.property(_DESCRIBED) or "")
        if reached and not own:
            part.setProperty(_DESCRIBED, text)
            part.setAccessibleDescription(text)


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> bool:
    """Let a running screen reader say `text`; an urgent text interrupts what it says. Return False
    if none is running.
    """
    if not text or not QAccessible.isActive():
        return False
    event = QAccessibleAnnouncementEvent(widget, text)
    levels = QAccessible.AnnouncementPoliteness
    event.setPoliteness(levels.Assertive if urgent else levels.Polite)
    QAccessible.updateAccessibility(event)
    return True


def _report_fold(button: QAbstractButton) -> None:
    if QAccessible.isActive():
        state = QAccessible.State()
        _set(state, "expanded")
        QAccessible.updateAccessibility(QAccessibleStateChangeEvent(button, state))


class _WindowInterface(QAccessibleWidget):
    """A window of a plain widget; a widget may get its parent later."""

    def role(self) -> QAccessible.Role:
        widget = self.widget()
        if not widget.isWindow():
            return super().role()
        is_dialog = widget.windowType() in _DIALOG_TYPES
        return QAccessible.Role.Dialog if is_dialog else QAccessible.Role.Window


class _ButtonInterface(QAccessibleWidget):
    def __init__(self, button: QAbstractButton, role: QAccessible.Role) -> None:
        super().__init__(button, role)
        self._button = button

    def text(self, kind: QAccessible.Text) -> str:
        words = super().text(kind)
        if kind == QAccessible.Text.Name and not words:
            return self._button.text().replace("&&", "&")
        return words

    def actionNames(self) -> list[str]:
        return [
            QAccessibleActionInterface.pressAction(),
            QAccessibleActionInterface.setFocusAction(),
        ]

    def doAction(self, name: str) -> None:
        if name == QAccessibleActionInterface.pressAction():
            self._button.click()
        else:
            super().doAction(name)


class _FoldInterface(_ButtonInterface):
    def __init__(self, button: QAbstractButton) -> None:
        super().__init__(button, QAccessible.Role.Button)

    def state(self) -> QAccessible.State:
        state = super().state()
        _set(state, "expandable", "expanded" if self._button.isChecked() else "collapsed")
        return state


class _TabInterface(_ButtonInterface):
    def __init__(self, button: QAbstractButton) -> None:
        super().__init__(button, QAccessible.Role.PageTab)

    def state(self) -> QAccessible.State:
        state = super().state()
        _set(state, "selectable", *(["selected"] if self._button.isChecked() else []))
        return state


class _ChoiceInterface(_ButtonInterface):
    def __init__(self, button: QAbstractButton) -> None:
        super().__init__(button, QAccessible.Role.RadioButton)

    def state(self) -> QAccessible.State:
        state = super().state()
        _set(state, "checkable", *(["checked"] if self._button.isChecked() else []))
        return state


_BUTTONS = {one.__name__: one for one in (_FoldInterface, _TabInterface, _ChoiceInterface)}


def _set(state: QAccessible.State, *names: str) -> None:
    for name in names:
        setattr(state, name, 1)


def _is_plain(widget: QWidget) -> bool:
    """Whether Qt has no own interface for the widget, and it is of a class of ours."""
    of_qt = next(one for one in type(widget).__mro__ if one.__module__.startswith("PySide6"))
    return of_qt is not type(widget) and of_qt in _PLAIN


def _create_interface(_name: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, QWidget):
        return None
    role = thing.property(_ROLE)
    if role is not None:
        return QAccessibleWidget(thing, QAccessible.Role(role))
    kind = thing.property(_BUTTON)
    if kind is not None and isinstance(thing, QAbstractButton):
        return _BUTTONS[kind](thing)
    if thing.isWindow() and _is_plain(thing):
        return _WindowInterface(thing)
    return None


_installed: list[object] = []


def install_roles() -> None:
    """Register the roles with Qt, once."""
    if not _installed:
        _installed.append(_create_interface)
        QAccessible.installFactory(_create_interface)
