"""Walks through a window with the Tab key and finds what is wrong with the stops of the focus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import pairwise

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QFileDialog,
    QLineEdit,
    QMenu,
    QScrollArea,
    QWidget,
)

from neodeskpet.ui.pet.walk_area import WalkAreaWindow

_MOST_PRESSES = 600
_MOST_AT_ONE_STOP = 120
_LAYOUT_ROUNDS = 50
_FREE = WalkAreaWindow
"""Its handles are at the left and right edge of the screen, before its buttons."""


_BY_PAGE_KEYS = ("qt_calendar_prevmonth", "qt_calendar_nextmonth")


def windows_with_focus() -> list[QWidget]:
    """The visible windows that can have the keyboard's focus. Menus have keys of their own."""
    modal = QApplication.activeModalWidget()
    return [
        window
        for window in QApplication.topLevelWidgets()
        if window.isVisible()
        and not isinstance(window, QMenu | QFileDialog)
        and (modal is None or window is modal)
        and window.windowType() is not Qt.WindowType.ToolTip
        and not window.windowFlags() & Qt.WindowType.WindowDoesNotAcceptFocus
    ]


def name_of(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton) else widget.objectName()
    return f"{type(widget).__name__} “{widget.accessibleName() or text}”"


def _takes_tab(widget: QWidget, window: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isVisibleTo(window)
        and widget.isEnabled()
        and widget.focusProxy() is None
        and not widget.size().isEmpty()
        and widget.window() is window
        and not _is_covered(widget, window)
    )


def _is_covered(widget: QWidget, window: QWidget) -> bool:
    """Whether a part of the window, such as an open list of conversations, lies above it."""
    middle = widget.rect().center()
    shown = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
    if not shown.visibleRegion().contains(shown.rect().center()):
        return False  # it is out of view, not covered
    above = window.childAt(widget.mapTo(window, middle))
    return above is not None and above is not widget and not widget.isAncestorOf(above)


def _stands_for(widget: QWidget) -> QWidget:
    """The button of a group of choices at which the Tab key stops, instead of `widget`."""
    if not isinstance(widget, QAbstractButton):
        return widget
    group = widget.group()
    if group is not None and group.exclusive():
        return group.checkedButton() or group.buttons()[0]
    if widget.autoExclusive():
        parent = widget.parentWidget()
        if parent is not None:
            others = parent.findChildren(
                QAbstractButton, options=Qt.FindChildOption.FindDirectChildrenOnly
            )
            return next((one for one in others if one.autoExclusive() and one.isChecked()), widget)
    return widget


def _branches(one: QWidget, other: QWidget) -> tuple[QWidget, QWidget] | None:
    """The two parts of the nearest common parent that contain `one` and `other`; None if one
    contains the other.
    """
    if one.isAncestorOf(other) or other.isAncestorOf(one):
        return None
    above = one
    while (parent := above.parentWidget()) is not None and not parent.isAncestorOf(other):
        above = parent
    beside = other
    while (nearer := beside.parentWidget()) is not parent and nearer is not None:
        beside = nearer
    return above, beside


def _rect_in(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())


def goes_back(one: QWidget, other: QWidget, window: QWidget) -> bool:
    """Whether `other` is read before `one`: it is above, or at the left in the same row."""
    branches = _branches(one, other)
    if branches is None:
        return other.isAncestorOf(one)
    first, second = (_rect_in(branch, window) for branch in branches)
    if first.intersects(second):
        return False  # one covers the other
    shared = min(first.bottom(), second.bottom()) - max(first.top(), second.top())
    if shared > min(first.height(), second.height()) / 2:
        return second.center().x() < first.center().x()
    return second.center().y() < first.center().y()


class TabWalk:
    """The stops of a window, in the order of the Tab key. `trap` is a stop that the key doesn't
    leave.
    """

    def __init__(self, window: QWidget) -> None:
        self.window = window
        self.stops: list[QWidget] = []
        self.back: list[QWidget] = []
        self.trap: QWidget | None = None
        self._plain: dict[QWidget, QImage] = {}
        self._ringed: dict[QWidget, bool] = {}
        self._focused: dict[QWidget, QImage] = {}
        self.hidden: list[QWidget] = []
        self.lingering: list[QWidget] = []

    async def walk(self) -> None:
        window = self.window
        window.activateWindow()
        for _ in range(400):
            if window.isActiveWindow():
                break
            await asyncio.sleep(0.01)
        self._release_buttons()
        focused = window.focusWidget()
        if focused is not None:
            focused.clearFocus()
        self._plain = {one: _picture(one) for one in self.expected()}
        self.stops = self._circle(Qt.Key.Key_Tab, seen=self._look, left=self._look_back)
        self.back = self._circle(Qt.Key.Key_Backtab)

    def _release_buttons(self) -> None:
        """Release what an earlier test left pressed: while a button is held, a widget that gets the
        focus isn't scrolled into view.
        """
        for button in Qt.MouseButton:
            if QGuiApplication.mouseButtons() & button:
                QTest.mouseRelease(self.window, button, pos=self.window.rect().topRight())

    def expected(self) -> list[QWidget]:
        """What the Tab key has to reach now."""
        widgets = self.window.findChildren(QWidget)
        return [one for one in widgets if _takes_tab(one, self.window)]

    def unreachable(self) -> list[QWidget]:
        """Buttons that no key reaches. The signs inside a field are reached by its own keys."""
        return [
            button
            for button in self.window.findChildren(QAbstractButton)
            if button.isVisibleTo(self.window)
            and button.isEnabled()
            and not button.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not button.size().isEmpty()
            and button.window() is self.window
            and _stands_for(button) not in self.stops
            and not isinstance(button.parentWidget(), QLineEdit)
            and button.objectName() not in _BY_PAGE_KEYS
        ]

    def _look(self, stop: QWidget) -> None:
        """Note whether the stop is visible, and whether it shows that it has the focus."""
        shown = stop.viewport() if isinstance(stop, QAbstractScrollArea) else stop
        for _ in range(_LAYOUT_ROUNDS):
            if not shown.visibleRegion().isEmpty():
                break
            QTest.qWait(10)  # for the layout of a window that was just resized
        if shown.visibleRegion().isEmpty() or not stop.isEnabled():
            self.hidden.append(stop)
        before = self._plain.get(stop)
        self._ringed[stop] = before is None or before != _picture(stop)

    def _look_back(self, stop: QWidget) -> None:
        """Note whether a stop still looks as it did with the focus: only one may show a ring. Stops
        inside it show theirs.
        """
        now = self.window.focusWidget()
        if now is not None and stop.isAncestorOf(now):
            return
        if self._ringed[stop] and self._focused[stop] == _picture(stop):
            self.lingering.append(stop)

    def without_ring(self) -> list[QWidget]:
        return [stop for stop, ringed in self._ringed.items() if not ringed]

    def _circle(
        self,
        key: Qt.Key,
        seen: Callable[[QWidget], object] | None = None,
        left: Callable[[QWidget], object] | None = None,
    ) -> list[QWidget]:
        """Press the key until the first stop has the focus again."""
        stops: list[QWidget] = []
        stays = 0
        for _ in range(_MOST_PRESSES):
            before = self.window.focusWidget()
            if left is not None and before in stops:
                self._focused[before] = _picture(before)
            QTest.keyClick(before or self.window, key)
            now = self.window.focusWidget()
            if now is None:
                break
            if now is before:
                stays += 1
                if stays > _MOST_AT_ONE_STOP:
                    self.trap = now
                    break
                continue
            stays = 0
            if left is not None and before in stops:
                left(before)
            if now in stops:
                break
            stops.append(now)
            if seen is not None:
                seen(now)
        return stops

    def faults(self) -> Iterator[str]:
        """What is wrong, in words."""
        yield from self._missing()
        for stop in self.hidden:
            yield f"Tab stops at the hidden {name_of(stop)}"
        for stop in self.without_ring():
            yield f"no focus is seen at {name_of(stop)}"
        for stop in self.lingering:
            yield f"the focus is still seen at {name_of(stop)} after it left"
        for stop in self.stops:
            if type(stop) is QScrollArea and stop.findChildren(QWidget):
                yield f"Tab stops at a frame: {name_of(stop)}"
        yield from self._order()

    def _missing(self) -> Iterator[str]:
        if self.trap is not None and len(self.expected()) > 1 and len(self.back) < 2:
            yield f"Tab doesn't leave {name_of(self.trap)}"
        for widget in self.expected():
            if not {widget, _stands_for(widget)} & {*self.stops, *self.back}:
                yield f"Tab doesn't reach {name_of(widget)}"
        for button in self.unreachable():
            yield f"no key reaches {name_of(button)}"

    def _order(self) -> Iterator[str]:
        circle = [*self.stops, *self.stops[:1]]
        jumps = [
            f"Tab goes back from {name_of(one)} to {name_of(other)}"
            for one, other in pairwise(circle)
            if goes_back(one, other, self.window)
        ]
        if len(jumps) > 1 and not isinstance(self.window, _FREE):  # one is that to the first stop
            yield from jumps
        odd = set(self.back) ^ set(self.stops)
        if odd and self.trap is None:
            yield f"Shift+Tab has other stops: {', '.join(map(name_of, odd))}"
        elif not odd and self.back and not _is_reverse(self.stops, self.back):
            yield "Shift+Tab has another order"


def _is_reverse(stops: list[QWidget], back: list[QWidget]) -> bool:
    start = back.index(stops[-1])
    return [*back[start:], *back[:start]] == stops[::-1]


def _picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()
