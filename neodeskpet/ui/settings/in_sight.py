"""What has just appeared is scrolled into sight."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QScrollArea, QWidget

_AIR = 16


def scroll_into_view(widget: QWidget) -> None:
    """Scroll the area that `widget` lies in so that its end is seen, once it is laid out."""
    QTimer.singleShot(0, widget, lambda: _scroll(widget))


def _scroll(widget: QWidget) -> None:
    area = widget.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if area is None or not widget.isVisible():
        return
    # What grew is known to the widgets around it one after another, by events of Qt's.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    page = area.widget()
    if page is not None:
        end = widget.mapTo(page, widget.rect().bottomLeft())
        area.ensureVisible(0, end.y(), 0, _AIR)
