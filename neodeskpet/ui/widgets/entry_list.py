"""A list of entries: a title, a smaller line below it, and a text at the end. An entry may have a
checkbox, and there may be headings between entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPainterStateGuard,
    QPen,
    QPixmap,
)
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
ENTRY_MIME = "application/x-neodeskpet-entry"
"""The data of a drag: an entry's id. Dragging is enabled by `setDragEnabled(True)`."""
_PAD = 10
_RING_WIDTH = 5
MARK_SIDE = 18
"""Size of the picture that marks an entry."""
_BOX, _BOX_AREA = 18, 40
"""Size of a checkbox, and of the area in which a click toggles it."""
_NARROW_LETTERS = 14
"""Room for the texts of a row, in text sizes, below which the list is narrow."""


@dataclass(frozen=True, slots=True)
class RingShape:
    """The ring of a timer: the part that is left (0 to 1), and a text inside. `side` is its size in
    pixels at the normal font size.
    """

    left: float
    text: str
    side: int
    paused: bool = False


@dataclass(frozen=True, slots=True)
class ListEntry:
    """`icon` is drawn before the title. An entry that `needs_attention` is bold. With a `progress`
    (0 to 1) a bar is drawn below it. A `picture` is drawn as a circle before the text. An entry
    whose `checked` isn't None has a checkbox. A `heading` can't be selected. A `mark` tells who
    changed the entry; it is drawn as `mark_picture` or a dot at the end of the title's line.
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
    checked: bool | None = None
    heading: bool = False
    mark: str = ""
    mark_picture: QPixmap | None = field(default=None, hash=False, compare=False)
    ring: RingShape | None = None
    """Drawn before the text. Space reports such an entry as `toggled`."""

    @property
    def accessible_text(self) -> str:
        return ", ".join(filter(None, (self.title, self.detail, self.trailing, self.mark)))


class EntryList(QListWidget):
    """Signals: `opened(id)` for Enter or a double click; `toggled(id)` for Space or a click on the
    checkbox, and for Space on an entry with a ring; `delete_requested(id)` for Delete; `chosen()`
    after a change of the current row.
    """

    opened = Signal(str)
    toggled = Signal(str)
    delete_requested = Signal(str)
    chosen = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._entries: tuple[ListEntry, ...] = ()
        self._painter = _EntryDelegate(theme, self)
        self.setItemDelegate(self._painter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.itemDoubleClicked.connect(lambda item: self.opened.emit(_entry_of(item).id))
        self.currentRowChanged.connect(lambda _row: self.chosen.emit())

    def set_theme(self, theme: Theme) -> None:
        self._painter.theme = (
            theme  # set_theme must not create a delegate: the list keeps every old one
        )
        self.doItemsLayout()

    @property
    def row_height(self) -> int:
        """Return the height of an entry that has no ring."""
        return _text_height(self._painter.theme)

    def show_entries(self, entries: Sequence[ListEntry]) -> None:
        """Show these; the current entry stays current, or the one that takes its place."""
        if tuple(entries) == self._entries:
            return
        ids = [entry.id for entry in entries] == [entry.id for entry in self._entries]
        before, row = self.current_id(), self.currentRow()
        self._entries = tuple(entries)
        self.setUniformItemSizes(len({_height_kind(entry) for entry in entries}) < 2)
        if not ids:
            self._make_rows(len(entries))
        for number, entry in enumerate(entries):
            item = self.item(number)
            if item.data(_ENTRY) != entry:
                item.setData(_ENTRY, entry)
                item.setText(entry.title)
                item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(_tooltip(entry)))
                item.setData(Qt.ItemDataRole.AccessibleTextRole, entry.accessible_text)
                item.setFlags(_flags(entry))
                item.setData(Qt.ItemDataRole.CheckStateRole, _check_state(entry))
        if not ids:
            places = [number for number, entry in enumerate(entries) if entry.id == before]
            self.setCurrentRow(places[0] if places else self._nearest_entry(row))
            self.chosen.emit()

    def show_entries_or_text(self, entries: Sequence[ListEntry], empty: QWidget) -> None:
        """Show these, or `empty` in place of the list if there are none."""
        self.show_entries(entries)
        self.setVisible(bool(entries))
        empty.setVisible(not entries)

    def _nearest_entry(self, row: int) -> int:
        """Return the row of the entry that takes the place of this row, -1 if there is none."""
        rows = [number for number, entry in enumerate(self._entries) if not entry.heading]
        later = [number for number in rows if number >= row]
        return later[0] if later else rows[-1] if rows else -1

    def entries(self) -> tuple[ListEntry, ...]:
        """The shown entries without headings, from top to bottom."""
        return tuple(entry for entry in self._entries if not entry.heading)

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
        elif event.key() == Qt.Key.Key_Space and self._is_checkable(current):
            self.toggled.emit(current)
        else:
            super().keyPressEvent(event)

    def mimeTypes(self) -> list[str]:
        return [ENTRY_MIME]

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        """Return the id of the dragged entry."""
        data = QMimeData()
        data.setData(ENTRY_MIME, (_entry_of(items[0]).id if items else "").encode())
        return data

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        item = self.itemAt(event.position().toPoint())
        if item is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        entry, area = _entry_of(item), self.visualItemRect(item)
        if entry.checked is not None and event.position().x() < area.left() + self.box_area:
            self.toggled.emit(entry.id)

    @property
    def box_area(self) -> int:
        """Return the width of the area in which a click toggles the checkbox."""
        return scale_to_font(_BOX_AREA, self._painter.theme)

    def _is_checkable(self, entry_id: str) -> bool:
        return any(
            one.id == entry_id and (one.checked is not None or one.ring is not None)
            for one in self._entries
        )

    def _make_rows(self, count: int) -> None:
        self.blockSignals(True)
        while self.count() > count:
            self.takeItem(self.count() - 1)
        while self.count() < count:
            self.addItem(QListWidgetItem())
        self.blockSignals(False)


def _text_height(theme: Theme) -> int:
    """Return the height of a row with a title and a smaller line."""
    return theme.line_px + round(theme.small_px * 1.4) + 14


def _height_kind(entry: ListEntry) -> tuple[bool, int]:
    """Return what the height of an entry depends on."""
    return entry.heading, 0 if entry.ring is None else entry.ring.side


def _tooltip(entry: ListEntry) -> str:
    return (
        "\n".join(filter(None, (entry.tooltip or entry.title, entry.mark)))
        if entry.mark
        else (entry.tooltip)
    )


def _flags(entry: ListEntry) -> Qt.ItemFlag:
    if entry.heading:
        return Qt.ItemFlag.NoItemFlags
    enabled = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
    enabled |= Qt.ItemFlag.ItemIsDragEnabled
    return enabled if entry.checked is None else enabled | Qt.ItemFlag.ItemIsUserCheckable


def _check_state(entry: ListEntry) -> Qt.CheckState | None:
    """Return the check state for screen readers."""
    if entry.checked is None:
        return None
    return Qt.CheckState.Checked if entry.checked else Qt.CheckState.Unchecked


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
        entry = index.data(_ENTRY)
        if isinstance(entry, ListEntry) and entry.heading:
            return QSize(1, round(t.small_px * 1.4) + 18)
        high = _text_height(t)
        if isinstance(entry, ListEntry) and entry.ring is not None:
            high = max(high, scale_to_font(entry.ring.side + 2 * _PAD, t))
        return QSize(1, high)

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Keep Qt from changing the check state: the list emits `toggled` and shows the new
        entries.
        """
        return False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = self.theme
        entry = index.data(_ENTRY)
        if not isinstance(entry, ListEntry):
            return
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        with QPainterStateGuard(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if entry.heading:
                painter.setFont(ui_font(t, t.small_px, bold=True))
                painter.setPen(QColor(t.muted))
                self._write(painter, rect.adjusted(_PAD, 10, -_PAD, 0), entry.title)
                return
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
            if entry.ring is not None:
                side = scale_to_font(entry.ring.side, t)
                area = QRect(room.left(), box.center().y() - side // 2, side, side)
                self._paint_ring(painter, area, entry.ring, rings=entry.needs_attention)
                room.setLeft(room.left() + side + 10)
                high = t.line_px + round(t.small_px * 1.4) + 4
                room = QRect(room.left(), box.center().y() - high // 2, room.width(), high)
            if entry.checked is not None:
                side = scale_to_font(_BOX, t)
                rim = t.muted if selected else t.control_line
                self._paint_box(painter, room, side, rim, checked=entry.checked)
                room.setLeft(box.left() + scale_to_font(_BOX_AREA, t))
            self._paint_words(painter, room, entry)
            if entry.progress is not None:
                done = round(room.width() * min(1.0, max(0.0, entry.progress)))
                painter.fillRect(room.left(), box.bottom() - 3, room.width(), 2, QColor(t.line))
                painter.fillRect(room.left(), box.bottom() - 3, done, 2, QColor(t.accent))

    def _paint_box(
        self, painter: QPainter, room: QRect, side: int, rim: str, *, checked: bool
    ) -> None:
        t = self.theme
        square = QRect(room.left(), room.center().y() - side // 2, side, side)
        painter.setPen(QPen(QColor(t.accent if checked else rim), 1.5))
        painter.setBrush(QColor(t.accent if checked else t.surface))
        painter.drawRoundedRect(square, 5, 5)
        if checked:
            ratio = painter.device().devicePixelRatioF()
            painter.drawPixmap(
                square.adjusted(2, 2, -2, -2),
                pixmap("check", QColor(t.on_accent), square.width() - 4, ratio),
            )

    def _paint_ring(self, painter: QPainter, area: QRect, ring: RingShape, *, rings: bool) -> None:
        t = self.theme
        paint_ring(painter, area, ring, t, scale_to_font(_RING_WIDTH, t), rings=rings)
        painter.setFont(ui_font(t, t.small_px, bold=True))
        painter.setPen(QColor(t.asks if rings else t.text))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, ring.text)

    def _paint_mark(self, painter: QPainter, line: QRect, entry: ListEntry) -> int:
        """Paint the mark; return its width."""
        side = scale_to_font(MARK_SIDE, self.theme)
        box = QRect(line.right() + 1 - side, line.center().y() - side // 2 + 1, side, side)
        if entry.mark_picture is not None and not entry.mark_picture.isNull():
            _paint_circle(painter, box, entry.mark_picture)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.accent))
            painter.drawEllipse(box.center(), 4, 4)
        return side + 6

    def _paint_words(self, painter: QPainter, room: QRect, entry: ListEntry) -> None:
        t = self.theme
        below = entry.trailing if self._must_stack(room, entry) else ""
        first = t.line_px if entry.detail or below else room.height()
        high = QRect(room.left(), room.top(), room.width(), first)
        low = QRect(room.left(), high.bottom() + 1, room.width(), room.bottom() - high.bottom())
        loud = QColor(t.asks if entry.needs_attention else t.muted)
        small = ui_font(t, t.small_px)
        painter.setFont(small)
        if below:
            painter.setPen(loud)
            self._write(painter, low, below)
            low.setLeft(low.left() + painter.fontMetrics().horizontalAdvance(f"{below}  "))
        elif entry.trailing:
            painter.setPen(loud)
            width = min(
                painter.fontMetrics().horizontalAdvance(entry.trailing) + 2, room.width() // 2
            )
            end = QRect(high.right() + 1 - width, high.top(), width, high.height())
            self._write(painter, end, entry.trailing)
            high.setRight(end.left() - 8)
        if entry.mark:
            high.setRight(high.right() - self._paint_mark(painter, high, entry))
        painter.setPen(QColor(t.muted))
        self._write(painter, low, entry.detail)
        if entry.icon:
            colour = QColor(t.asks if entry.needs_attention else t.accent)
            side = scale_to_font(16, t)
            picture = pixmap(entry.icon, colour, side, painter.device().devicePixelRatioF())
            painter.drawPixmap(high.left(), high.center().y() - side // 2 + 1, picture)
            high.setLeft(high.left() + side + 6)
        font = ui_font(t, bold=entry.needs_attention)
        font.setStrikeOut(entry.checked is True)
        painter.setFont(font)
        painter.setPen(QColor(t.muted if entry.checked else t.text))
        self._write(painter, high, entry.title)

    def _must_stack(self, room: QRect, entry: ListEntry) -> bool:
        """Return whether the text at the end is drawn below the title: there is no room for both
        beside each other, because the list is narrow for its large text.
        """
        t = self.theme
        if not entry.trailing or room.width() >= _NARROW_LETTERS * t.font_px:
            return False
        title = QFontMetrics(ui_font(t, bold=entry.needs_attention)).horizontalAdvance(entry.title)
        end = QFontMetrics(ui_font(t, t.small_px)).horizontalAdvance(entry.trailing)
        return end + 2 > room.width() // 2 or title + 8 + end > room.width()

    @staticmethod
    def _write(painter: QPainter, room: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def paint_ring(
    painter: QPainter, area: QRect, ring: RingShape, theme: Theme, width: int, *, rings: bool
) -> None:
    """Paint the part of a timer that is left, clockwise from the top."""
    half = (width + 1) // 2
    circle = area.adjusted(half, half, -half, -half)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.asks if rings else theme.line), width))
    painter.drawEllipse(circle)
    left = min(1.0, max(0.0, ring.left))
    if left > 0 and not rings:
        pen = QPen(QColor(theme.muted if ring.paused else theme.accent), width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawArc(circle, 90 * 16, round(360 * 16 * left))


def _paint_circle(painter: QPainter, box: QRect, picture: QPixmap) -> None:
    with QPainterStateGuard(painter):
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        circle = QPainterPath()
        circle.addEllipse(box)
        painter.setClipPath(circle, Qt.ClipOperation.IntersectClip)
        painter.drawPixmap(box, picture)
