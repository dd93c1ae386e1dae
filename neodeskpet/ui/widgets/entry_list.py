"""A list of entries: a line of text, a small one below it, and something at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPainterStateGuard, QPixmap
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.labels import tooltip_text

Index = QModelIndex | QPersistentModelIndex
_ENTRY = Qt.ItemDataRole.UserRole
_PAD = 10


@dataclass(frozen=True, slots=True)
class ListEntry:
    """`sign` is an icon before the title, `whole` the tip. A `loud` one asks for an answer. With a
    `progress` (0..1) a bar is drawn below it. A `picture` is drawn as a circle before all words.
    """

    id: str
    title: str
    detail: str
    trailing: str = ""
    icon: str = ""
    tooltip: str = ""
    needs_attention: bool = False
    progress: float | None = None
    picture: QPixmap | None = field(default=None, hash=False)

    @property
    def accessible_text(self) -> str:
        return ", ".join(filter(None, (self.title, self.detail, self.trailing)))


class EntryList(QListWidget):
    """`opened(id)`: Enter or a double click; `dropped(id)`: Delete; `chosen()`: another row."""

    opened = Signal(str)
    delete_requested = Signal(str)
    chosen = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._entries: tuple[ListEntry, ...] = ()
        self._painter = _EntryDelegate(theme, self)
        self.setItemDelegate(self._painter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        self.itemDoubleClicked.connect(lambda item: self.opened.emit(_entry_of(item).id))
        self.currentRowChanged.connect(lambda _row: self.chosen.emit())

    def set_theme(self, theme: Theme) -> None:
        self._painter.theme = theme  # a list keeps every delegate that it ever had
        self.doItemsLayout()

    def show_entries(self, entries: Sequence[ListEntry]) -> None:
        """Show these; the chosen one stays chosen, or the one in its place."""
        if tuple(entries) == self._entries:
            return
        ids = [entry.id for entry in entries] == [entry.id for entry in self._entries]
        before, row = self.current_id(), self.currentRow()
        self._entries = tuple(entries)
        if not ids:
            self._make_rows(len(entries))
        for number, entry in enumerate(entries):
            item = self.item(number)
            if item.data(_ENTRY) != entry:
                item.setData(_ENTRY, entry)
                item.setText(entry.title)
                item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(entry.tooltip))
                item.setData(Qt.ItemDataRole.AccessibleTextRole, entry.accessible_text)
        if not ids:
            places = [number for number, entry in enumerate(entries) if entry.id == before]
            self.setCurrentRow(places[0] if places else min(max(row, 0), len(entries) - 1))
            self.chosen.emit()

    def show_entries_or_text(self, entries: Sequence[ListEntry], empty: QWidget) -> None:
        """Show these, or `empty` in the list's place where there are none."""
        self.show_entries(entries)
        self.setVisible(bool(entries))
        empty.setVisible(not entries)

    def entries(self) -> tuple[ListEntry, ...]:
        """What is shown, from top to bottom."""
        return self._entries

    def current_id(self) -> str:
        item = self.currentItem()
        return "" if item is None else _entry_of(item).id

    def select(self, entry_id: str) -> None:
        for number, entry in enumerate(self._entries):
            if entry.id == entry_id:
                self.setCurrentRow(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.current_id()
        if current and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.opened.emit(current)
        elif current and event.key() == Qt.Key.Key_Delete:
            self.delete_requested.emit(current)
        else:
            super().keyPressEvent(event)

    def _make_rows(self, count: int) -> None:
        self.blockSignals(True)
        while self.count() > count:
            self.takeItem(self.count() - 1)
        while self.count() < count:
            self.addItem(QListWidgetItem())
        self.blockSignals(False)


def _entry_of(item: QListWidgetItem) -> ListEntry:
    entry = item.data(_ENTRY)
    assert isinstance(entry, ListEntry)
    return entry


class _EntryDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        t = self.theme
        return QSize(1, t.line_px + round(t.small_px * 1.4) + 14)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = self.theme
        entry = index.data(_ENTRY)
        if not isinstance(entry, ListEntry):
            return
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        with QPainterStateGuard(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            box = rect.adjusted(0, 1, -1, -1)
            selected = state & QStyle.StateFlag.State_Selected
            if selected or state & QStyle.StateFlag.State_MouseOver:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(t.person if selected else t.hover))
                painter.drawRoundedRect(box, t.control_radius, t.control_radius)
            if state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QColor(t.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box, t.control_radius, t.control_radius)
            room = box.adjusted(_PAD, 5, -_PAD, -5)
            if entry.picture is not None:
                side = room.height()
                _paint_circle(painter, QRect(room.left(), room.top(), side, side), entry.picture)
                room.setLeft(room.left() + side + 10)
            self._paint_words(painter, room, entry)
            if entry.progress is not None:
                done = round(room.width() * min(1.0, max(0.0, entry.progress)))
                painter.fillRect(room.left(), box.bottom() - 3, room.width(), 2, QColor(t.line))
                painter.fillRect(room.left(), box.bottom() - 3, done, 2, QColor(t.accent))

    def _paint_words(self, painter: QPainter, room: QRect, entry: ListEntry) -> None:
        t = self.theme
        high = QRect(room.left(), room.top(), room.width(), t.line_px)
        low = QRect(room.left(), high.bottom() + 1, room.width(), room.bottom() - high.bottom())
        loud = QColor(t.asks if entry.needs_attention else t.muted)
        small = ui_font(t, t.small_px)
        painter.setFont(small)
        if entry.trailing:
            painter.setPen(loud)
            width = min(
                painter.fontMetrics().horizontalAdvance(entry.trailing) + 2, room.width() // 2
            )
            end = QRect(high.right() + 1 - width, high.top(), width, high.height())
            self._write(painter, end, entry.trailing)
            high.setRight(end.left() - 8)
        painter.setPen(QColor(t.muted))
        self._write(painter, low, entry.detail)
        if entry.icon:
            colour = QColor(t.asks if entry.needs_attention else t.accent)
            side = scale_to_font(16, t)
            picture = pixmap(entry.icon, colour, side, painter.device().devicePixelRatioF())
            painter.drawPixmap(high.left(), high.center().y() - side // 2 + 1, picture)
            high.setLeft(high.left() + side + 6)
        painter.setFont(ui_font(t, bold=entry.needs_attention))
        painter.setPen(QColor(t.text))
        self._write(painter, high, entry.title)

    @staticmethod
    def _write(painter: QPainter, room: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _paint_circle(painter: QPainter, box: QRect, picture: QPixmap) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        circle = QPainterPath()
        circle.addEllipse(box)
        painter.setClipPath(circle, Qt.ClipOperation.IntersectClip)
        painter.drawPixmap(box, picture)
