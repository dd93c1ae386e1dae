"""Asks for a day to go to: typed, or chosen in a calendar that highlights the days with
messages.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, time
from itertools import pairwise

from PySide6.QtCore import QDate, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QFrame, QLineEdit, QToolButton, QVBoxLayout, QWidget

from neodeskpet.language import language, tr
from neodeskpet.ui.icons import icon
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import ErrorLabel


def parse_day(text: str, today: date) -> date | None:
    """Return the day that a text names (`2026-11-03`, `11月3日`, "Nov 3", "last Tuesday"),
    or None.
    """
    typed = text.strip()
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y"):
        try:
            return datetime.strptime(typed, form).date()
        except ValueError:
            continue
    from neodeskpet.core.schedule.parsing.named_days import named_days_in

    found = named_days_in(typed, datetime.combine(today, time(23, 59)))
    return found[0].first if found else None


class DatePopup(QFrame):
    """Emits `chosen(date)` and closes; Esc closes it too."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._theme = theme
        self._styled: Theme | None = None
        self._days: frozenset[date] = frozenset()
        self._unsure = ErrorLabel()
        self.field = QLineEdit()
        self.field.returnPressed.connect(self._take_typed)
        self.field.textChanged.connect(lambda _text: self._unsure.set_error(""))
        self.calendar = QCalendarWidget()
        self.calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.calendar.setGridVisible(False)
        self.calendar.activated.connect(self._take)
        self.calendar.clicked.connect(self._take)
        box = QVBoxLayout(self)
        box.setContentsMargins(8, 8, 8, 8)
        box.setSpacing(6)
        box.addWidget(self.field)
        box.addWidget(self._unsure)
        box.addWidget(self.calendar)
        self.retranslate()

    def open(self, at: QPoint, days: Collection[date], shown: date) -> None:
        """Show the popup with its top right corner at `at` (screen coordinates) and the month of
        `shown`.
        """
        self._update_style()
        self._days = frozenset(days)
        self.field.clear()
        self._unsure.set_error("")
        self.calendar.setSelectedDate(QDate(shown.year, shown.month, shown.day))
        self._paint_days()
        self.adjustSize()
        screen = self.screen().availableGeometry()
        left = max(screen.left(), at.x() - self.width())
        top = min(at.y(), screen.bottom() - self.height())
        self.move(left, top)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Apply the theme at the next opening: a calendar is slow to style and rarely shown."""
        self._theme = theme
        if self.isVisible():
            self._update_style()

    def _update_style(self) -> None:
        t = self._theme
        if self._styled == t:
            return
        self._styled = t
        self.setStyleSheet(
            f"DatePopup {{ background: {t.surface}; border: 1px solid {t.line};"
            f" border-radius: {t.card_radius}px; }}"
            f"QCalendarWidget QWidget {{ background: {t.surface}; color: {t.text};"
            f" alternate-background-color: {t.surface}; }}"
            f"QCalendarWidget QToolButton {{ background: transparent; color: {t.text};"
            " border: none; padding: 2px 8px; }"
            f"QCalendarWidget QToolButton:hover {{ background: {t.hover}; }}"
            f"QCalendarWidget QToolButton:focus {{ background: {t.pressed}; }}"
            f"QCalendarWidget QAbstractItemView {{ background: {t.surface}; color: {t.text};"
            f" selection-background-color: {t.person}; selection-color: {t.text}; outline: none;"
            f" border: 1px solid {t.surface}; }}"
            f"QCalendarWidget QAbstractItemView:focus {{ border-color: {t.accent}; }}"
            f"QCalendarWidget QAbstractItemView:disabled {{ color: {t.muted}; }}"
        )
        plain, head = QTextCharFormat(), QTextCharFormat()
        plain.setForeground(QColor(t.text))
        head.setForeground(QColor(t.muted))
        for day in Qt.DayOfWeek:
            self.calendar.setWeekdayTextFormat(day, plain)
        self.calendar.setHeaderTextFormat(head)
        for name, sign in (("prev", "chevron-left"), ("next", "chevron-right")):
            button = self.calendar.findChild(QToolButton, f"qt_calendar_{name}month")
            if button is not None:
                button.setIcon(icon(sign, QColor(t.muted), 16))

    def retranslate(self) -> None:
        self.calendar.setLocale(QLocale(language()))
        hint = tr("A date, such as 2026-11-03 or yesterday")
        self.field.setPlaceholderText(hint)
        self.field.setAccessibleName(hint)
        days = tr("Days; days with messages are highlighted")
        self.calendar.setAccessibleName(days)
        names = {
            "calendarview": days,
            "prevmonth": tr("Previous month"),
            "nextmonth": tr("Next month"),
        }
        for name, text in names.items():
            part = self.calendar.findChild(QWidget, f"qt_calendar_{name}")
            if part is not None:
                part.setAccessibleName(text)
        # The arrows never show that they have the focus; Page Up and Page Down do the same.
        stops: list[QWidget] = [self.field]
        for name in ("monthbutton", "yearbutton"):
            button = self.calendar.findChild(QToolButton, f"qt_calendar_{name}")
            if button is not None:
                button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                stops.append(button)
        for one, other in pairwise([*stops, self.calendar]):
            QWidget.setTabOrder(one, other)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _paint_days(self) -> None:
        self.calendar.setDateTextFormat(QDate(), QTextCharFormat())  # clear all formats
        said = QTextCharFormat()
        said.setForeground(QColor(self._theme.accent))
        said.setFontWeight(QFont.Weight.Bold)
        for day in self._days:
            self.calendar.setDateTextFormat(QDate(day.year, day.month, day.day), said)

    def _take_typed(self) -> None:
        found = parse_day(self.field.text(), date.today())
        if found is None:
            self._unsure.set_error(tr("This isn't a date that can be read."))
            self.adjustSize()
        else:
            self._leave(found)

    def _take(self, day: QDate) -> None:
        self._leave(date(day.year(), day.month(), day.day()))

    def _leave(self, day: date) -> None:
        self.close()
        self.chosen.emit(day)
