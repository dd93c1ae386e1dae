"""The window of costs: the sums of a month by day, by model and by conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Protocol

from PySide6.QtCore import QDate, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QPushButton,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.costs import CostGroup, MonthlyBudget, MonthlyCosts, month_after
from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, language, tr
from neodeskpet.ui.formatting import (
    UNKNOWN_COST,
    format_budget,
    format_costs,
    format_duration,
    format_number,
    format_sum,
    printable,
    single_line,
)
from neodeskpet.ui.icons import icon
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, ui_font
from neodeskpet.ui.widgets.controls import SegmentedControl, controls_sheet
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip, tooltip_text
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import (
    WIDE_COLUMN_WIDTH,
    CentredColumn,
    LeastSize,
    bring_to_front,
)

TITLE = N_("Tokens and costs")
MIN_SIZE = (460, 360)
VIEWS = (
    ("days", N_("By day")),
    ("models", N_("By model")),
    ("conversations", N_("By conversation")),
)
_COLUMNS = (N_("Requests"), N_("Tokens in"), N_("Tokens out"), N_("Time"), N_("Cost"))
_LEAST_IMPORTANT = (4, 2, 3, 1)
"""The columns that are left out where there is no room, in this order."""
_LEAST_ROWS = 3
"""Rows that the table shows at least, with its header."""
_LEAST_NAME = 6
"""Least width of the first column, in text sizes."""
_PURPOSES = {
    "vision": N_("Descriptions of pictures"),
    "summary": N_("Summaries"),
    "speech": N_("Reading aloud"),
    "hearing": N_("Speech recognition"),
    "title": N_("Titles of conversations"),
    "errand": N_("Background prompts: reminders, facts about you"),
    "chat": N_("Other requests"),
}
_KEY = Qt.ItemDataRole.UserRole


class SpendingSource(Protocol):
    """The recorded costs (`storage.spending_store.SpendingStore`). Coroutines raise StoreError."""

    async def get_month(self, year: int, month: int) -> MonthlyCosts: ...

    def subscribe(self, observer: Callable[[str], object]) -> Callable[[], None]: ...


class _CostTable(QTreeWidget):
    """Leaves out the least important columns where there is no room for all: with large text they
    would have to be scrolled sideways. The tooltips of the rows tell all.
    """

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.choose_columns()

    def choose_columns(self) -> None:
        head, room = self.header(), self.viewport().width()
        for column in _LEAST_IMPORTANT:
            head.setSectionHidden(column, False)
        first = max(head.sectionSizeHint(0), _LEAST_NAME * self.fontMetrics().height())
        widths = {
            column: max(self.sizeHintForColumn(column), head.sectionSizeHint(column))
            for column in range(1, head.count())
        }
        for column in _LEAST_IMPORTANT:
            if first + sum(widths.values()) > room:
                del widths[column]
                head.setSectionHidden(column, True)


class SpendingWindow(QWidget):
    """`budget()` returns the user's budget, None for none.

    Signals: `budget_requested()` to set it; `conversation_requested(id)` to show a conversation.
    """

    budget_requested = Signal()
    conversation_requested = Signal(str)

    def __init__(
        self,
        theme: Theme,
        source: SpendingSource,
        budget: Callable[[], MonthlyBudget | None],
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__()
        self.setObjectName("spending")
        LeastSize(self, MIN_SIZE)
        CentredColumn(self, WIDE_COLUMN_WIDTH)
        self._source = source
        self._budget = budget
        self._today = today
        self._month = MonthlyCosts()
        self._place = self._now()
        self._read_of = (0, 0)
        self._work = TaskRunner("spending", failed=self._fail)
        self.previous_button, self.next_button = QToolButton(), QToolButton()
        self.name = PlainLabel()
        self.name.setProperty("heading", True)
        self.total_label = PlainLabel()
        self.total_label.setWordWrap(True)
        self.budget_bar = QProgressBar()
        self.budget_bar.setTextVisible(False)
        self.budget_label = PlainLabel()
        self.budget_label.setWordWrap(True)
        self.set_budget = QPushButton()
        self.views = SegmentedControl([(key, tr(title)) for key, title in VIEWS])
        self.table = _CostTable()
        self.note_label = PlainLabel()
        for label in (self.budget_label, self.note_label):
            label.setProperty("muted", True)
        self.note_label.setWordWrap(True)
        self._unobserve = source.subscribe(lambda _conversation: self._read())
        self._lay_out()
        self.previous_button.clicked.connect(partial(self._go, -1))
        self.next_button.clicked.connect(partial(self._go, 1))
        self.set_budget.clicked.connect(self.budget_requested)
        self.views.chosen.connect(lambda _view: self._fill())
        self.views.set_value("days")
        self.table.itemActivated.connect(self._open)
        RefreshOnShow(self, read=self._read)
        self.set_theme(theme)
        self.retranslate()
        self.resize(620, 520)

    def present(self) -> None:
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's tasks and subscription."""
        self._unobserve()
        await self._work.aclose()

    def rows(self) -> list[list[str]]:
        """Return the shown rows, from top to bottom."""
        rows = [self.table.topLevelItem(at) for at in range(self.table.topLevelItemCount())]
        columns = range(self.table.columnCount())
        return [[row.text(column) for column in columns] for row in rows if row is not None]

    def set_theme(self, theme: Theme) -> None:
        frame = f"border: 1px solid {theme.line}; border-radius: {theme.control_radius}px;"
        apply_window_theme(
            self,
            theme,
            controls_sheet(theme) + f"#spending {{ background: {theme.window}; }}"
            f"QTreeView {{ background: {theme.surface}; {frame} padding: 4px; }}"
            "QTreeView::item { padding: 4px 6px; }"
            f"QHeaderView::section {{ background: {theme.surface}; color: {theme.muted};"
            f" border: none; border-bottom: 1px solid {theme.line}; padding: 4px 6px; }}"
            f"QProgressBar {{ background: {theme.line}; border: none; border-radius: 3px;"
            " min-height: 6px; max-height: 6px; }"
            f"QProgressBar::chunk {{ background: {theme.accent}; border-radius: 3px; }}",
        )
        muted = QColor(theme.muted)
        for button, sign in (
            (self.previous_button, "chevron-left"),
            (self.next_button, "chevron-right"),
        ):
            button.setIcon(icon(sign, muted))
        self.table.setFont(ui_font(theme, theme.small_px + 1))
        self.table.setMinimumHeight(_LEAST_ROWS * (theme.line_px + 8))
        self.table.choose_columns()
        self.name.setFont(ui_font(theme, theme.heading_px, bold=True))

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        for button, words in (
            (self.previous_button, tr("Previous month")),
            (self.next_button, tr("Next month")),
        ):
            button.setAccessibleName(words)
            set_tooltip(button, words)
        self.views.set_options([(key, tr(title)) for key, title in VIEWS])
        self.views.set_name(tr(TITLE))
        self.table.setAccessibleName(tr(TITLE))
        self.note_label.setText(
            tr(
                "Costs are known where a model's prices are set (Settings › Models › Services); "
                "“≥” means that the price of some requests is unknown. Requests of other programs "
                "aren't counted."
            )
        )
        self._show()

    def _lay_out(self) -> None:
        for button in (self.previous_button, self.next_button):
            button.setProperty("quiet", True)
            button.setIconSize(QSize(18, 18))
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setColumnCount(1 + len(_COLUMNS))
        head = self.table.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        top = QHBoxLayout()
        top.addWidget(self.previous_button)
        top.addWidget(self.name)
        top.addWidget(self.next_button)
        top.addStretch(1)
        top.addWidget(self.views)
        spent = QHBoxLayout()
        spent.addWidget(self.budget_label, 1)
        spent.addWidget(self.set_budget)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(8)
        box.addLayout(top)
        box.addWidget(self.total_label)
        box.addLayout(spent)
        box.addWidget(self.budget_bar)
        box.addWidget(self.table, 1)
        box.addWidget(self.note_label)

    # Month

    def _now(self) -> tuple[int, int]:
        today = self._today()
        return today.year, today.month

    def _go(self, by: int, _checked: bool = False) -> None:
        self._place = month_after(*self._place, by)
        self._read()

    def _read(self) -> None:
        if self.isVisible():
            self._work.replace("month", self._load)

    async def _load(self) -> None:
        place = self._place
        self._month, self._read_of = await self._source.get_month(*place), place
        self._show()

    def _show(self) -> None:
        year, month = self._place
        shown = QLocale(language()).toString(QDate(year, month, 1), tr("MMMM yyyy"))
        self.name.setText(shown)
        self.next_button.setEnabled(self._place < self._now())
        whole = self._month.whole
        self.total_label.setText(
            format_sum(whole) if whole.requests else tr("There were no requests in this month.")
        )
        self._show_budget()
        self._fill()

    def _show_budget(self) -> None:
        budget = self._budget()
        self.budget_bar.setVisible(budget is not None)
        self.set_budget.setText(tr("Budget…"))
        if budget is None:
            self.budget_label.setText(tr("No monthly budget is set."))
            return
        spent = self._month.whole.costs
        cost = sum(cost for name, cost in spent.items() if name.upper() == budget.currency)
        self.budget_label.setText(format_budget(budget, cost))
        self.budget_bar.setValue(min(100, budget.share(cost)))
        self.budget_bar.setAccessibleName(self.budget_label.text())

    def _fill(self) -> None:
        parts: dict[str, tuple[str, Sequence[CostGroup]]] = {
            "days": (tr("Day"), list(reversed(self._month.days))),
            "models": (tr("Model"), self._month.models),
            "conversations": (tr("Conversation"), self._month.conversations),
        }
        first, shown = parts[self.views.value()]
        self.table.setHeaderLabels([first, *map(tr, _COLUMNS)])
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column in range(1, self.table.columnCount()):
            self.table.headerItem().setTextAlignment(column, right)
        self.table.clear()
        for part in shown:
            self.table.addTopLevelItem(self._row(part, right))
        self.table.choose_columns()

    def _row(self, part: CostGroup, right: Qt.AlignmentFlag) -> QTreeWidgetItem:
        total = part.sum
        row = QTreeWidgetItem(
            [
                self._title(part),
                format_number(total.requests),
                format_number(total.input_tokens),
                format_number(total.output_tokens),
                format_duration(total.seconds),
                format_costs(total),
            ]
        )
        for column in range(1, row.columnCount()):
            row.setTextAlignment(column, right)
        row.setData(0, _KEY, part.key if part.title is not None else "")
        whole = format_sum(total)
        row.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.text(0)}, {whole}")
        for column in range(row.columnCount()):
            tooltip = f"{row.text(0)}\n{whole}"
            row.setData(column, Qt.ItemDataRole.ToolTipRole, tooltip_text(tooltip))
        return row

    def _title(self, part: CostGroup) -> str:
        view = self.views.value()
        if view == "days":
            day = date.fromisoformat(part.key)
            shown = QDate(day.year, day.month, day.day)
            return QLocale(language()).toString(shown, QLocale.FormatType.ShortFormat)
        if view == "models":
            return printable(part.key) or UNKNOWN_COST
        if part.purpose:
            return tr(_PURPOSES.get(part.purpose, _PURPOSES["chat"]))
        if part.title is None:
            return tr("(A deleted conversation)")
        return single_line(part.title, 80) or tr("New conversation")

    def _open(self, row: QTreeWidgetItem) -> None:
        if key := row.data(0, _KEY):
            self.conversation_requested.emit(key)

    def _fail(self, error: KnownError) -> None:
        self.total_label.setText(format_error(error))
