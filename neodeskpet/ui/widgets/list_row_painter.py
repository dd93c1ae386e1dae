"""Paints a row of the palette and of the list of models: an icon, the title, and at the right its
kind and its keys.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterStateGuard
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, ui_font

Index = QModelIndex | QPersistentModelIndex
ICON_ROLE = Qt.ItemDataRole.UserRole
KIND_ROLE = Qt.ItemDataRole.UserRole + 1
KEYS_ROLE = Qt.ItemDataRole.UserRole + 2
_GAP = 10


def row_height(theme: Theme) -> int:
    return theme.line_px + 10


def draw_row_background(painter: QPainter, option: QStyleOptionViewItem, theme: Theme) -> None:
    """Draw the background of a row that is selected or below the pointer."""
    state: QStyle.StateFlag = option.state
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    current = state & QStyle.StateFlag.State_Selected
    if current or state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.person if current else theme.hover))
        painter.drawRoundedRect(option.rect, theme.control_radius, theme.control_radius)


class ListRowDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, row_height(self.theme))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self.theme
        rect: QRect = option.rect
        with QPainterStateGuard(painter):
            draw_row_background(painter, option, theme)
            inner = rect.adjusted(8, 0, -8, 0)
            self._draw_sign(painter, inner, str(index.data(ICON_ROLE) or ""))
            inner.setLeft(inner.left() + 16 + _GAP)
            for words in (str(index.data(KEYS_ROLE) or ""), str(index.data(KIND_ROLE) or "")):
                inner = self._draw_beside(painter, inner, words)
            painter.setFont(ui_font(theme))
            painter.setPen(QColor(theme.text))
            name = str(index.data(Qt.ItemDataRole.DisplayRole))
            elide = Qt.TextElideMode.ElideRight
            name = painter.fontMetrics().elidedText(name, elide, inner.width())
            painter.drawText(inner, _LEFT, name)

    def _draw_sign(self, painter: QPainter, room: QRect, name: str) -> None:
        if name:
            ratio = painter.device().devicePixelRatioF()
            sign = pixmap(name, QColor(self.theme.muted), 16, ratio)
            painter.drawPixmap(room.left(), room.center().y() - 7, sign)

    def _draw_beside(self, painter: QPainter, room: QRect, words: str) -> QRect:
        """Draw a small text at the right; return the remaining area."""
        if not words:
            return room
        theme = self.theme
        painter.setFont(ui_font(theme, theme.small_px))
        painter.setPen(QColor(theme.muted))
        metrics = painter.fontMetrics()
        width = min(metrics.horizontalAdvance(words) + 2, room.width() // 3)
        at = QRect(room.right() + 1 - width, room.top(), width, room.height())
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width)
        painter.drawText(at, _LEFT, words)
        return room.adjusted(0, 0, -width - _GAP, 0)


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
