"""Faults of a window that can be measured: cut texts, overlaps, parts outside, scroll bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QTextEdit,
    QToolButton,
    QTreeWidget,
    QWidget,
)

from neodeskpet.ui.widgets.labels import ElidedLabel, WrappingButton


def shown_in(widget: QWidget) -> Iterator[QWidget]:
    """All visible widgets in `widget`. Hidden ones are skipped with their content."""
    for child in widget.children():
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
            yield child
            yield from shown_in(child)


def words(widget: QWidget) -> str:
    """The text that a widget must show completely."""
    match widget:
        case ElidedLabel():
            # It shortens its text itself and has a tooltip.
            return ""
        case QToolButton() if widget.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly:
            return ""
        case QLabel() | QAbstractButton() | QLineEdit():
            return widget.text()
        case QComboBox():
            return widget.currentText()
        case _:
            return ""


def too_small(widget: QWidget) -> str:
    """Why its text doesn't fit into it, "" if it does. A field is scrolled sideways."""
    line = widget.fontMetrics().height()
    if isinstance(widget, QLabel) and widget.wordWrap():
        wanted = QSize(0, widget.heightForWidth(widget.width()))
    elif isinstance(widget, WrappingButton):
        wanted = QSize(widget.minimumSizeHint().width(), widget.heightForWidth(widget.width()))
    elif isinstance(widget, QLabel | QAbstractButton):
        wanted = widget.sizeHint()
    else:
        wanted = QSize(0, line)
    # Qt rounds the heights of lines of several fonts in its own way; a button's padding, of which
    # the width of its border is taken, is no text.
    slack = 4 if isinstance(widget, QAbstractButton) else 1
    # In a low window a button may lose some of its padding.
    one_line = not isinstance(widget, WrappingButton) or wanted.height() < 2 * line
    padded = isinstance(widget, QPushButton | QToolButton) and one_line
    high = line + 6 if padded else max(line, wanted.height())
    if widget.height() + 1 < high or widget.width() + slack < wanted.width():
        return f"{words(widget)!r}: {widget.size().toTuple()} for {wanted.toTuple()}"
    return ""


def cut_texts(shown: Sequence[QWidget]) -> list[str]:
    """The texts that don't fit into their widgets."""
    return [why for one in shown if words(one) and (why := too_small(one))]


def overlaps(window: QWidget, shown: Sequence[QWidget]) -> list[str]:
    """Pairs of parts of one layout that cover each other."""
    faults = []
    for parent in (window, *shown):
        layout = parent.layout()
        if layout is None:
            continue
        parts = [one for one in _laid_out(layout) if not one.isHidden()]
        for one, other in combinations(parts, 2):
            shared = one.geometry().intersected(other.geometry())
            if shared.width() > 1 and shared.height() > 1:
                faults.append(
                    f"{_name(one)} and {_name(other)} overlap by {shared.size().toTuple()}"
                )
    return faults


def outside(window: QWidget, shown: Sequence[QWidget]) -> list[str]:
    """The texts that stand out of the window and can't be scrolled to."""
    whole = QRect(QPoint(), window.size())
    faults = []
    for one in shown:
        if not words(one) or _is_scrolled(one, window):
            continue
        place = QRect(one.mapTo(window, QPoint()), one.size())
        if not whole.contains(place):
            faults.append(f"{_name(one)} stands out of the window: {place.getRect()}")
    return faults


def cut_pages(shown: Sequence[QWidget]) -> list[str]:
    """The pages that are wider than their view and can't be scrolled sideways."""
    return [
        f"{_name(one)} is {page.width()} px wide in {one.viewport().width()} px"
        for one in shown
        if isinstance(one, QScrollArea)
        and (page := one.widget()) is not None
        and one.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        and page.width() > one.viewport().width() + 1
    ]


def cut_headers(shown: Sequence[QWidget]) -> list[str]:
    """The titles of columns that are wider than their columns."""
    return [
        f"the title {title!r} is wider than its column"
        for table in shown
        if isinstance(table, QTableWidget)
        for column in range(table.columnCount())
        if (item := table.horizontalHeaderItem(column)) is not None
        and (title := item.text())
        and not table.horizontalHeader().isHidden()
        and table.horizontalHeader().fontMetrics().horizontalAdvance(title)
        > table.columnWidth(column)
    ]


def sideways_scrolling(shown: Sequence[QWidget]) -> list[str]:
    """The lists and pages that have to be scrolled sideways; texts of code and tables may be."""
    return [
        f"{_name(one)} is scrolled sideways"
        for one in shown
        if isinstance(one, QAbstractScrollArea)
        and not isinstance(one, QTextEdit | QPlainTextEdit)
        and not (isinstance(one, QTreeWidget) and one.columnCount() > 1)
        and one.horizontalScrollBar().isVisible()
    ]


def too_wide(window: QWidget, most: int) -> list[str]:
    """Fields, and lines of text, of more than `most` pixels."""
    found = []
    for widget in shown_in(window):
        if isinstance(widget, QLabel) and not isinstance(widget, ElidedLabel):
            line = widget.fontMetrics().size(0, widget.text()).width()
            wide = min(widget.width(), line)
        else:
            wide = widget.width() if isinstance(widget, QLineEdit) else 0
        if wide > most:
            found.append(f"{_name(widget)} is {wide} px wide")
    return found


def faults_of(window: QWidget) -> list[str]:
    """All faults of the window as it is now."""
    shown = list(shown_in(window))
    return [
        *cut_texts(shown),
        *overlaps(window, shown),
        *outside(window, shown),
        *cut_pages(shown),
        *cut_headers(shown),
        *sideways_scrolling(shown),
    ]


def _laid_out(layout: QLayout) -> Iterator[QWidget]:
    """The widgets of a layout and of the layouts in it."""
    for at in range(layout.count()):
        item = layout.itemAt(at)
        if item is None:
            continue
        if (widget := item.widget()) is not None:
            yield widget
        elif (inner := item.layout()) is not None:
            yield from _laid_out(inner)


def _is_scrolled(widget: QWidget, window: QWidget) -> bool:
    parent = widget.parentWidget()
    while parent is not None and parent is not window:
        if isinstance(parent, QAbstractScrollArea) and not isinstance(parent, QAbstractItemView):
            return True
        parent = parent.parentWidget()
    return False


def _name(widget: QWidget) -> str:
    text = words(widget) or widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} {text[:40]!r}"
