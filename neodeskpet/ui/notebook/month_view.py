"""A month or a week as a table of days with their entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from PySide6.QtCore import QLocale, QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPainterStateGuard,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from neodeskpet.language import language, tr
from neodeskpet.ui.theme import Theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.entry_list import ENTRY_MIME
from neodeskpet.ui.widgets.labels import tooltip_text

_DAYS, _WEEKS = 7, 6
_DAY_ROLE = Qt.ItemDataRole.UserRole
CELL = (76, 56)
"""The least size in pixels of a cell with words; a narrower one shows dots."""
_HEADER_PADDING = 6
_DOTS_HEIGHT = 26
_DOT_ROOM, _DOT_STEP = 8, 8
"""Height of a line of dots, and the distance between two dots."""


@dataclass(frozen=True, slots=True)
class DayLine:
    """One entry of a day. `todo`: it is due on that day and has no time."""

    text: str
    clock: str = ""
    todo: bool = False

    @property
    def words(self) -> str:
        return " ".join(filter(None, (self.clock, self.text)))


def first_shown(day: date, *, week: bool) -> date:
    """Return the Monday at the start of the table of this day's month or week."""
    start = day if week else day.replace(day=1)
    return start - timedelta(days=start.weekday())


class MonthView(QTableWidget):
    """The table. `chosen(date)`: another day is selected; `opened(date)`: Enter or a double click.
    The arrow keys move by a day, PgUp and PgDn by a month or a week, T goes to today. `moved(id,
    date)`: an entry was dropped on a day.
    """

    chosen = Signal(object)
    opened = Signal(object)
    moved = Signal(str, object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(_WEEKS, _DAYS)
        self._theme = theme
        self._today = self._day = date.today()
        self._week = False
        self._day_names: list[str] = []
        self._lines: Mapping[date, Sequence[DayLine]] = {}
        self.setItemDelegate(_DayDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setAcceptDrops(True)
        self.setShowGrid(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setMinimumSectionSize(1)
        self.horizontalHeader().setSectionsClickable(False)
        self.horizontalHeader().setHighlightSections(False)
        self.verticalHeader().hide()
        self.currentCellChanged.connect(self._on_cell)
        self.cellDoubleClicked.connect(lambda _row, _column: self.opened.emit(self._day))
        self.set_theme(theme)

    @property
    def theme(self) -> Theme:
        return self._theme

    @property
    def day(self) -> date:
        """The selected day."""
        return self._day

    @property
    def today(self) -> date:
        return self._today

    @property
    def shows_week(self) -> bool:
        return self._week

    @property
    def first(self) -> date:
        return first_shown(self._day, week=self._week)

    @property
    def last(self) -> date:
        return self.first + timedelta(days=_DAYS * self.rowCount() - 1)

    def lines_of(self, day: date) -> Sequence[DayLine]:
        return self._lines.get(day, ())

    def heading(self, *, short: bool = False) -> str:
        """Return "November 2026" (`short`: "Nov 2026"), or the days of the week."""
        locale = QLocale(language())
        if not self._week:
            form = tr("MMM yyyy") if short else tr("MMMM yyyy")
            return locale.toString(self._day, form)  # type: ignore[call-overload, no-any-return]
        first, last = (locale.toString(one, tr("d MMM")) for one in (self.first, self.last))  # type: ignore[call-overload]
        return f"{first} – {last}"

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(
            f"MonthView {{ background: {theme.window}; border: none; }}"
            f"MonthView QHeaderView::section {{ background: {theme.window}; border: none;"
            f" color: {theme.muted}; font-size: {theme.small_px}px; padding: 2px; }}"
        )
        self._set_least_height()
        self._name_days()
        self.viewport().update()

    def shows_words(self) -> bool:
        """Return whether the cells are wide enough for words."""
        return self.viewport().width() // _DAYS >= scale_to_font(CELL[0], self._theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_least_height()
        self._name_days()

    def _set_least_height(self) -> None:
        cell = scale_to_font(CELL[1] if self.shows_words() else _DOTS_HEIGHT, self._theme)
        high = cell * (1 if self._week else _WEEKS) + self.horizontalHeader().height()
        if high != self.minimumHeight():
            self.setMinimumHeight(high)

    def retranslate(self) -> None:
        self._name_days()
        self._fill()

    def _name_days(self) -> None:
        """Show the names of the days, as long as the columns allow."""
        locale = QLocale(language())
        room = self.viewport().width() // _DAYS - _HEADER_PADDING
        metrics = QFontMetrics(ui_font(self._theme, self._theme.small_px))
        days = range(1, _DAYS + 1)
        names = [locale.dayName(day, _SHORT) for day in days]
        if any(metrics.horizontalAdvance(name) > room for name in names):
            names = [locale.dayName(day, QLocale.FormatType.NarrowFormat) for day in days]
        if names != self._day_names:
            self._day_names = names
            self.setHorizontalHeaderLabels(names)

    def show_lines(self, lines: Mapping[date, Sequence[DayLine]], today: date) -> None:
        self._lines, self._today = lines, today
        self._fill()

    def set_week(self, week: bool) -> None:
        """Show the week of the selected day, or its month."""
        if week != self._week:
            self._week = week
            blocked = self.blockSignals(True)  # a removed row would select another day
            self.setRowCount(1 if week else _WEEKS)
            self.blockSignals(blocked)
            self.set_theme(self._theme)
            self._fill()

    def go_to(self, day: date) -> None:
        """Select this day, and show its month or week."""
        if day == self._day:
            return
        self._day = day
        self._fill()
        self.chosen.emit(day)

    def step(self, count: int) -> None:
        """Move by this many months or weeks."""
        if self._week:
            self.go_to(self._day + timedelta(days=_DAYS * count))
            return
        months = self._day.year * 12 + self._day.month - 1 + count
        first = date(months // 12, months % 12 + 1, 1)
        after = (first + timedelta(days=31)).replace(day=1)
        last_day = (after - timedelta(days=1)).day
        self.go_to(first.replace(day=min(self._day.day, last_day)))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(event.mimeData().hasFormat(ENTRY_MIME))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.setAccepted(self._day_at(event.position().toPoint()) is not None)

    def dropEvent(self, event: QDropEvent) -> None:
        day = self._day_at(event.position().toPoint())
        if day is None or not event.mimeData().hasFormat(ENTRY_MIME):
            event.ignore()
            return
        event.acceptProposedAction()
        self.moved.emit(bytes(event.mimeData().data(ENTRY_MIME).data()).decode(), day)

    def _day_at(self, place: QPoint) -> date | None:
        item = self.itemAt(place)
        day = item.data(_DAY_ROLE) if item is not None else None
        return day if isinstance(day, date) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -_DAYS,
            Qt.Key.Key_Down: _DAYS,
        }
        key = Qt.Key(event.key())
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif key in moves:
            self.go_to(self._day + timedelta(days=moves[key]))
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.step(1 if key is Qt.Key.Key_PageDown else -1)
        elif key is Qt.Key.Key_T:
            self.go_to(self._today)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self._day)
        else:
            super().keyPressEvent(event)

    def _fill(self) -> None:
        self.blockSignals(True)
        first, locale = self.first, QLocale(language())
        for number in range(self.rowCount() * _DAYS):
            day = first + timedelta(days=number)
            words = "\n".join(line.words for line in self.lines_of(day))
            item = self.item(number // _DAYS, number % _DAYS)
            if item is None:
                item = QTableWidgetItem()
                self.setItem(number // _DAYS, number % _DAYS, item)
            item.setData(_DAY_ROLE, day)
            named = locale.toString(day, QLocale.FormatType.LongFormat)  # type: ignore[call-overload]
            text = ", ".join(filter(None, (named, words.replace("\n", ", "))))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
            item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(words) if words else None)
        at = (self._day - first).days
        self.setCurrentCell(at // _DAYS, at % _DAYS)
        self.blockSignals(False)
        self.setAccessibleName(self.heading())
        self.viewport().update()

    def _on_cell(self, row: int, column: int, _row: int, _column: int) -> None:
        item = self.item(row, column)
        day = item.data(_DAY_ROLE) if item is not None else None
        if isinstance(day, date):
            self.go_to(day)


_SHORT = QLocale.FormatType.ShortFormat


class _DayDelegate(QStyledItemDelegate):
    def __init__(self, view: MonthView) -> None:
        super().__init__(view)
        self._view = view

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        view, t = self._view, self._view.theme
        day = index.data(_DAY_ROLE)
        if not isinstance(day, date):
            return
        cell: QRect = option.rect
        state: QStyle.StateFlag = option.state
        with QPainterStateGuard(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            chosen = day == view.day
            inside = view.shows_week or day.month == view.day.month
            painter.fillRect(
                cell, QColor(t.person if chosen else t.surface if inside else t.window)
            )
            painter.setPen(QColor(t.line))
            painter.drawRect(cell.adjusted(0, 0, -1, -1))
            if chosen and state & QStyle.StateFlag.State_HasFocus:
                painter.setPen(QPen(QColor(t.accent), t.focus_width))
                painter.drawRect(cell.adjusted(1, 1, -2, -2))
            self._paint_day(painter, cell, day, inside=inside)

    def _paint_day(self, painter: QPainter, cell: QRect, day: date, *, inside: bool) -> None:
        view, t = self._view, self._view.theme
        today = day == view.today
        painter.setFont(ui_font(t, t.small_px, bold=today))
        line = painter.fontMetrics().height()
        number = QRect(cell.left() + 4, cell.top() + 3, line + 8, line + 2)
        if today:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.accent))
            painter.drawRoundedRect(number, number.height() / 2, number.height() / 2)
        painter.setPen(QColor(t.on_accent if today else t.text if inside else t.muted))
        painter.drawText(number, Qt.AlignmentFlag.AlignCenter, str(day.day))
        lines = view.lines_of(day)
        room = QRect(cell.left() + 5, number.bottom() + 1, cell.width() - 8, cell.height())
        room.setBottom(cell.bottom() - 1)
        painter.setFont(ui_font(t, t.small_px))
        if not view.shows_words() or room.height() < line:
            if room.height() < _DOT_ROOM:  # beside the number
                middle = number.center().y() - _DOT_ROOM // 2
                room = QRect(number.right(), middle, cell.right() - number.right(), _DOT_ROOM)
            self._paint_dots(painter, room, lines)
            return
        fit = max(1, room.height() // line)
        shown = lines if len(lines) <= fit else lines[: fit - 1]
        for place, one in enumerate(shown):
            at = QRect(room.left(), room.top() + place * line, room.width(), line)
            self._dot(painter, at.left() + 2, at.center().y(), one)
            at.setLeft(at.left() + 10)
            painter.setPen(QColor(t.text))
            words = painter.fontMetrics().elidedText(
                one.words, Qt.TextElideMode.ElideRight, at.width()
            )
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, words)
        if len(shown) < len(lines):
            at = QRect(room.left(), room.top() + len(shown) * line, room.width(), line)
            painter.setPen(QColor(t.muted))
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, f"+{len(lines) - len(shown)}")

    def _paint_dots(self, painter: QPainter, room: QRect, lines: Sequence[DayLine]) -> None:
        most = max(1, min(3, (room.width() - 2) // _DOT_STEP))
        for place, one in enumerate(lines[:most]):
            left = room.left() + 4 + place * _DOT_STEP
            self._dot(painter, left, min(room.top() + 4, room.bottom()), one)

    def _dot(self, painter: QPainter, x: int, y: int, line: DayLine) -> None:
        t = self._view.theme
        painter.setPen(QPen(QColor(t.asks if line.todo else t.accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush if line.todo else QColor(t.accent))
        painter.drawEllipse(x, y - 2, 5, 5)
