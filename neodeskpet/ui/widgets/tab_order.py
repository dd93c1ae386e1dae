"""The order in which the Tab key goes through a window.

Qt appends a new widget at the end of the order. A window with parts that are created later puts the
order right when the key is pressed (`order_tabs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import cast

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QCalendarWidget,
    QComboBox,
    QGridLayout,
    QKeySequenceEdit,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

_WITHOUT_PARTS = (
    QAbstractItemView,
    QAbstractSpinBox,
    QCalendarWidget,
    QComboBox,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
)
"""Qt orders the widgets inside these itself."""
_LAYOUT_MS = 500
_MARGIN = 12


def order_tabs(window: QWidget) -> None:
    """Let the Tab key go through the visible widgets in the order in which they are read: that of
    the layouts.
    """
    for one, other in pairwise(tab_stops(window)):
        QWidget.setTabOrder(one, other)


class ReadingOrderWindow(QWidget):
    """A window in which the Tab key follows the reading order, also after parts were created or
    moved.
    """

    def focusNextPrevChild(self, forwards: bool) -> bool:
        order_tabs(self)
        return super().focusNextPrevChild(forwards)


def cycle_focus(part: QWidget, *, forwards: bool) -> bool:
    """Move the focus to the next stop in `part`, from the last one to the first; return False if
    there is none.
    """
    stops = [stop for stop in tab_stops(part) if stop.isEnabled()]
    if not stops:
        return False
    focused = part.window().focusWidget()
    here = stops.index(focused) if focused in stops else -1 if forwards else 0
    stop = stops[(here + (1 if forwards else -1)) % len(stops)]
    stop.setFocus(Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason)
    return True


def tab_stops(widget: QWidget) -> Iterator[QWidget]:
    """Yield the visible stops of the Tab key in `widget`, in reading order."""
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget
    if not isinstance(widget, _WITHOUT_PARTS):
        for child in _children(widget):
            yield from tab_stops(child)


def _children(widget: QWidget) -> list[QWidget]:
    """Return the visible children in reading order. One outside of the layout comes before those
    that it covers.
    """
    visible = [
        child
        for child in widget.children()
        if isinstance(child, QWidget) and not child.isWindow() and not child.isHidden()
    ]
    layout = widget.layout()
    if layout is None:
        return sorted(visible, key=_place)
    order = [child for child in _laid_out(layout) if child in visible]
    for child in sorted((one for one in visible if one not in order), key=_place):
        covered = (
            at for at, one in enumerate(order) if one.geometry().intersects(child.geometry())
        )
        order.insert(next(covered, len(order)), child)
    return order


def _place(widget: QWidget) -> tuple[int, int]:
    area: QRect = widget.geometry()
    return area.top(), area.left()


def _laid_out(layout: QLayout) -> Iterator[QWidget]:
    numbers = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        # The stubs of PySide don't tell that it returns the row, the column and the spans.
        numbers.sort(key=lambda number: cast(tuple[int, ...], layout.getItemPosition(number)))
    for number in numbers:
        item = layout.itemAt(number)
        if item is None:
            continue
        widget, inside = item.widget(), item.layout()
        if widget is not None:
            yield widget
        elif inside is not None:
            yield from _laid_out(inside)


class FocusReveal(QObject):
    """Scrolls the widget that gets the focus by a key into view, and again while the area is being
    laid out. Qt does it only if the focus was in the same area before.
    """

    def __init__(self, app: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ends: Callable[[], object] = lambda: None
        self._settled = QTimer(self, singleShot=True, interval=_LAYOUT_MS)
        self._settled.timeout.connect(self._stop_following)
        app.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        self._stop_following()
        if now is None or QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            return
        area = now.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None:
            _reveal(area, now)
            # A layout that is still to be done moves the widget.
            QTimer.singleShot(0, now, partial(_reveal, area, now))
            bar = area.verticalScrollBar()
            connection = bar.rangeChanged.connect(lambda *_range: _reveal(area, now))
            self._ends = partial(QObject.disconnect, connection)
            self._settled.start()

    @Slot()
    def _stop_following(self) -> None:
        self._settled.stop()
        ends, self._ends = self._ends, lambda: None
        ends()


def _reveal(area: QScrollArea, widget: QWidget) -> None:
    if isValid(widget) and isValid(area):
        area.ensureWidgetVisible(widget, 0, _MARGIN)
