"""The tab "Calendar": a month or a week with the selected day beside it, and a list of all
appointments with the form and the history of runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime, time
from functools import partial
from itertools import islice

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.due import Due
from neodeskpet.core.schedule.parsing.time_parser import AmbiguousTime, ParsedTime
from neodeskpet.core.schedule.recurrence import short_months_left_out
from neodeskpet.core.schedule.rule import Once, runs_after
from neodeskpet.language import format_error, tr
from neodeskpet.notebook.appointment import (
    Appointment,
    AppointmentRun,
    Maker,
    RunOutcome,
    find_zone,
)
from neodeskpet.notebook.appointments import MOST_APPOINTMENTS, AppointmentService
from neodeskpet.notebook.todos import Todo, TodoStore
from neodeskpet.ui.formatting import format_day, format_due_time, format_time
from neodeskpet.ui.icons import icon
from neodeskpet.ui.notebook.appointment_form import AppointmentForm, ToolChoice
from neodeskpet.ui.notebook.day_agenda import (
    Agenda,
    DayItem,
    items_by_day,
    maker_text,
    outcome_text,
)
from neodeskpet.ui.notebook.item_marks import APPOINTMENT, ItemMarks
from neodeskpet.ui.notebook.month_view import CELL, MonthView
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.controls import SegmentedControl
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip
from neodeskpet.ui.widgets.list_pane import TWO_PANES, ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar

_LOW = 360
"""A narrow page below this height has no space for the day below the month."""
_LEAST_DAY = 68
"""Height of the list of the day in a narrow page."""
_SHOWN_RUNS = 300
_NEXT_RUNS = 4
_READ_MS = 250
_TICK_MS = 30_000
_ACTIONS = (("pause", "pause"), ("now", "play"), ("edit", "edit"), ("cancel", "trash"))
_SHORT_MONTH = 340
"""The width in pixels below which the name of the month is abbreviated."""
_HEADING_AND_STEPS = 260
"""The width below which the buttons for other months are below the name of the month."""
_LISTS = "list"


class CalendarPage(QWidget):
    """Shows and changes `appointments`. `choices` are the tools that an appointment may be allowed
    to use, `name` is the companion's. `action_done` reports an action of the user and its object.
    """

    action_done = Signal(str, str)

    def __init__(
        self,
        theme: Theme,
        appointments: AppointmentService,
        todos: TodoStore,
        undo: UndoBar,
        marks: ItemMarks,
        choices: Callable[[], Sequence[ToolChoice]] = tuple,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._appointments = appointments
        self._todo_store = todos
        self._name = name
        self._agenda = Agenda()
        self._days: Mapping[date, Sequence[DayItem]] = {}
        self._work = TaskRunner("calendar", failed=self._fail)
        self.undo = undo
        self.marks = marks
        self.form = AppointmentForm(choices)
        self.list_pane = ListPane(theme, _ACTIONS, self.form)
        self.history_pane = ListPane(theme, (), QWidget())
        self.history_pane.add.hide()
        self.list_pane.update_action_labels()
        self.month = MonthView(theme)
        self.day_pane = ListPane(theme, (("edit", "edit"), ("cancel", "trash")), QWidget())
        self.day_pane.update_action_labels()
        self.views = SegmentedControl([("month", ""), ("week", ""), (_LISTS, "")], may_tighten=True)
        self.heading = PlainLabel()
        self.heading.setProperty("heading", True)
        self.heading.setWordWrap(True)
        self.back, self.today, self.forth = QToolButton(), QPushButton(), QToolButton()
        self._pages = QStackedWidget()
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._later = QTimer(self, singleShot=True, interval=_READ_MS)
        self._later.timeout.connect(lambda: self._work.replace("words", self._preview))
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show)
        self._connect()
        self._unlisten = (appointments.subscribe(self.refresh), todos.subscribe(self.refresh))
        self._lay_out()
        self.views.set_value("month")
        self.set_theme(theme)
        self.retranslate()

    def _connect(self) -> None:
        self.list_pane.add_requested.connect(lambda: self._write(None))
        self.list_pane.action_requested.connect(self._act)
        self.list_pane.list.opened.connect(partial(self._act, "edit"))
        self.list_pane.list.delete_requested.connect(partial(self._act, "cancel"))
        self.list_pane.list.chosen.connect(self._offer)
        self.day_pane.add_requested.connect(self._add_on_day)
        self.day_pane.action_requested.connect(self._act)
        self.day_pane.list.opened.connect(partial(self._act, "edit"))
        self.day_pane.list.delete_requested.connect(partial(self._act, "cancel"))
        self.day_pane.list.chosen.connect(self._offer_on_day)
        self.month.chosen.connect(lambda _day: self._show())
        self.day_pane.list.setDragEnabled(True)
        self.day_pane.list.setMinimumHeight(_LEAST_DAY)
        self.month.moved.connect(self.move_entry)
        self.month.opened.connect(lambda _day: self._open_day())
        self.views.chosen.connect(self.show_view)
        self.back.clicked.connect(lambda: self.month.step(-1))
        self.forth.clicked.connect(lambda: self.month.step(1))
        self.today.clicked.connect(lambda: self.month.go_to(self._today()))
        self.form.time_edited.connect(self._later.start)
        self.form.sheet.saved.connect(self._save)
        self.form.sheet.cancelled.connect(self.list_pane.close_form)

    async def aclose(self) -> None:
        """Call before the window is deleted."""
        for end in self._unlisten:
            end()
        self._later.stop()
        self._tick.stop()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for pane in (self.list_pane, self.history_pane, self.day_pane):
            pane.set_theme(theme)
        self.form.tools.set_theme(theme)
        self.month.set_theme(theme)
        side = scale_to_font(16, theme)
        for button, sign in ((self.back, "chevron-left"), (self.forth, "chevron-right")):
            button.setIcon(icon(sign, QColor(theme.text), side))
            button.setIconSize(QSize(side, side))
        self._arrange()

    def retranslate(self) -> None:
        self.views.set_options([("month", tr("Month")), ("week", tr("Week")), (_LISTS, tr("List"))])
        self.views.set_name(tr("View of the calendar"))
        self.today.setText(tr("Today"))
        self._name_arrows()
        self.form.retranslate()
        self.month.retranslate()
        self.history_pane.set_texts(tr("History"), {})
        for pane in (self.list_pane, self.day_pane):
            pane.set_empty_button(tr("New appointment"))
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self._show_heading()

    def _name_arrows(self) -> None:
        if self.views.value() == "week":
            names = (tr("Previous week"), tr("Next week"))
        else:
            names = (tr("Previous month"), tr("Next month"))
        for button, name in zip((self.back, self.forth), names, strict=True):
            button.setAccessibleName(name)
            set_tooltip(button, name)

    def show_view(self, view: str) -> None:
        """Show "month", "week" or "list"."""
        self.views.set_value(view)
        self.month.set_week(view == "week")
        self._name_arrows()
        self._pages.setCurrentIndex(1 if view == _LISTS else 0)
        self._arrange()
        self._show()

    def take_focus(self) -> None:
        """Give the focus to the month or the list, whichever is shown."""
        is_list = self._pages.currentIndex() == 1
        (self.list_pane.list if is_list else self.month).setFocus()

    def leave_form(self) -> bool:
        """Close the form; whether one was open."""
        return self.list_pane.cancel_form()

    def add(self) -> None:
        """Open the form for a new appointment."""
        self.show_view(_LISTS)
        self._write(None)

    def select(self, appointment_id: str) -> None:
        """Show this appointment in the list."""
        self.show_view(_LISTS)
        self.list_pane.list.select(appointment_id)

    def _open_day(self) -> None:
        if self.day_pane.isHidden():
            self.show_view(_LISTS)
            self.list_pane.list.setFocus()
        else:
            self.day_pane.list.setFocus()

    def delete(self, appointment_id: str) -> None:
        """Delete an appointment; the undo bar offers to restore it."""
        self._act("cancel", appointment_id)

    def _lay_out(self) -> None:
        steps = QHBoxLayout()
        for widget in (self.back, self.today, self.forth):
            steps.addWidget(widget)
        steps.addStretch()
        self._head.setSpacing(6)
        self._head.addWidget(self.heading, 1)
        self._head.addLayout(steps)
        for button in (self.back, self.forth):
            button.setProperty("quiet", True)
        days, lists = QWidget(), QWidget()
        self._both.setContentsMargins(0, 0, 0, 0)
        self._both.setSpacing(16)
        self._both.addWidget(self.month, 3)
        self._both.addWidget(self.day_pane, 2)
        days.setLayout(self._both)
        both = QHBoxLayout(lists)
        both.setContentsMargins(0, 0, 0, 0)
        both.setSpacing(16)
        both.addWidget(self.list_pane, 3)
        both.addWidget(self.history_pane, 2)
        self._pages.addWidget(days)
        self._pages.addWidget(lists)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addLayout(self._head)
        box.addWidget(self.views)
        box.addWidget(self._pages, 1)

    def _arrange(self) -> None:
        """Arrange the parts. In a narrow window the day is below the month if it fits, and the list
        has no history.
        """
        wide = self.width() >= scale_to_font(TWO_PANES, self._theme)
        self.day_pane.setVisible(wide or self.height() >= scale_to_font(_LOW, self._theme))
        self.history_pane.setVisible(wide)
        directions = QBoxLayout.Direction
        self._both.setDirection(directions.LeftToRight if wide else directions.TopToBottom)
        self._both.setStretch(0, 3 if wide else 5)
        beside = self.width() >= scale_to_font(_HEADING_AND_STEPS, self._theme)
        self._head.setDirection(directions.LeftToRight if beside else directions.TopToBottom)
        cells = scale_to_font(CELL[0] * 7, self._theme)
        self.month.setMinimumWidth(cells if wide else 0)
        for widget in (self.back, self.today, self.forth):
            widget.setVisible(self._pages.currentIndex() == 0)

    # Contents

    def come(self) -> None:
        """Read the data when the page is shown."""
        self._tick.start()
        self.refresh()

    def leave(self) -> None:
        """Stop updates when another page is shown."""
        self._tick.stop()

    def show_marks(self) -> None:
        """Another entry is marked."""
        self._show()

    def refresh(self) -> None:
        if self.isVisible():  # otherwise it is read when it is shown
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        self._agenda = Agenda(
            await self._appointments.appointments(),
            await self._todo_store.todos(),
            await self._appointments.runs(limit=_SHOWN_RUNS),
        )
        self._show()

    def _today(self) -> date:
        return datetime.fromtimestamp(self._appointments.now()).date()

    def _show(self) -> None:
        now = self._appointments.now()
        self.list_pane.show_entries(
            self.marks.marked(
                (_entry(one, now, self._name()) for one in self._agenda.appointments), APPOINTMENT
            ),
            tr("No appointments yet. You can also write “dentist Tue 4pm” below."),
        )
        self.history_pane.show_entries(
            [_run_entry(run, now) for run in self._agenda.runs], tr("Nothing yet.")
        )
        self._show_days()
        self._offer()

    def _show_heading(self) -> None:
        in_list = self._pages.currentIndex() == 1
        short = self.width() < scale_to_font(_SHORT_MONTH, self._theme)
        self.heading.setText(tr("All appointments") if in_list else self.month.heading(short=short))

    def _show_days(self) -> None:
        month, now = self.month, self._appointments.now()
        self._show_heading()
        self._show_day()
        self._work.replace("days", partial(self._read_days, month.first, month.last, now))

    async def _read_days(self, first: date, last: date, now: float) -> None:
        """Read the days. Evaluating rules may take long, so it runs outside the window's thread."""
        self._days = await asyncio.to_thread(
            items_by_day, self._agenda, first, last, now, self._name()
        )
        self._show_day()

    def _show_day(self) -> None:
        lines = {day: [one.line for one in items] for day, items in self._days.items()}
        self.month.show_lines(lines, self._today())
        day = self.month.day
        shown = self.marks.marked((one.entry() for one in self._days.get(day, ())), APPOINTMENT)
        self.day_pane.show_entries(shown, tr("Nothing on this day."))
        title = format_day(datetime.combine(day, time()).timestamp(), self._appointments.now())
        self.day_pane.set_texts(title, {"edit": tr("Edit"), "cancel": tr("Delete")})
        self._offer_on_day()

    def _offer_on_day(self) -> None:
        """Only an appointment can be edited here; a to-do is edited in its tab."""
        one = self._chosen(self.day_pane.list.current_id())
        for button in self.day_pane.actions_of.values():
            button.setEnabled(one is not None)

    def _add_on_day(self) -> None:
        self.add()
        self.form.when.setText(f"{self.month.day}")

    def _offer(self) -> None:
        one = self._chosen(self.list_pane.list.current_id())
        paused = one is not None and one.paused
        words = {
            "pause": tr("Go on") if paused else tr("Pause"),
            "now": tr("Run now"),
            "edit": tr("Edit"),
            "cancel": tr("Delete"),
        }
        self.list_pane.set_texts(tr("Appointments"), words)
        self.list_pane.note.setVisible(one is not None)
        if one is not None:
            self.list_pane.note.setText(_next_words(_next_runs(one), self._appointments.now()))

    def _chosen(self, appointment_id: str) -> Appointment | None:
        return next((one for one in self._agenda.appointments if one.id == appointment_id), None)

    # Actions of the user

    def _act(self, action: str, appointment_id: str) -> None:
        one = self._chosen(appointment_id)
        if one is None:
            return
        if action == "edit":
            self.select(one.id)
            self._write(one)
            return
        work = {"pause": self._pause, "now": self._run_now, "cancel": self._cancel}[action]
        self._work.start(f"{action} {one.id}", partial(work, one))

    async def _pause(self, one: Appointment) -> None:
        await self._appointments.update(one.id, paused=not one.paused)
        self.action_done.emit("update", one.title)

    async def _run_now(self, one: Appointment) -> None:
        await self._appointments.run_now(one.id)

    async def _cancel(self, one: Appointment) -> None:
        if await self._appointments.cancel(one.id) is None:
            return
        self.action_done.emit("cancel", one.title)
        said = tr("“{label}” was deleted.", label=one.title)
        self.undo.show_undo(said, lambda: self._work.start("undo", partial(self._restore, one)))

    async def _restore(self, one: Appointment) -> None:
        await self._appointments.restore(one.id)

    def move_entry(self, row: str, day: date) -> None:
        """Move a to-do or a single appointment to another day at the same time."""
        one = self._chosen(row)
        if one is not None and isinstance(one.rule, Once):
            self._work.start(f"move {row}", partial(self._move_appointment, one, one.rule, day))
        elif row.startswith("todo "):
            number = row.removeprefix("todo ")
            todo = next((t for t in self._agenda.todos if str(t.id) == number), None)
            if todo is not None:
                self._work.start(f"move {row}", partial(self._move_todo, todo, day))
        else:
            self.undo.show_text(tr("Only single entries can be moved; edit the others."))

    async def _move_todo(self, todo: Todo, day: date) -> None:
        due = Due(day, todo.due.clock if todo.due is not None else None)
        update = self._todo_store.update
        if await update(todo.id, todo.text, due) is not None:
            self._show_moved(todo.text, day, partial(update, todo.id, todo.text, todo.due))

    async def _move_appointment(self, one: Appointment, rule: Once, day: date) -> None:
        zone = find_zone(one.zone)
        clock = datetime.fromtimestamp(rule.at, zone).time()
        at = datetime.combine(day, clock, zone).timestamp()
        if at <= self._appointments.now():
            self.undo.show_text(tr("This time is in the past."))
            return
        when = (f"{day} {clock:%H:%M}", ParsedTime(Once(at)), one.zone)
        if await self._appointments.update(one.id, when=when) is not None:
            self.action_done.emit("update", one.title)
            self._show_moved(one.title, day, partial(self._appointments.restore_previous, one))

    def _show_moved(self, text: str, day: date, back: Callable[[], Awaitable[object]]) -> None:
        async def move_back() -> None:
            await back()

        shown = format_day(datetime.combine(day, time()).timestamp(), self._appointments.now())
        said = tr("“{text}” was moved to {day}.", text=text[:60], day=shown)
        self.undo.show_undo(said, lambda: self._work.start("undo", move_back))

    def _write(self, one: Appointment | None) -> None:
        if one is None and len(self._agenda.appointments) >= MOST_APPOINTMENTS:
            self.undo.show_text(
                tr("There are {count} appointments already.", count=str(MOST_APPOINTMENTS))
            )
            return
        self.list_pane.open_form()
        self.form.edit(one)
        if one is not None:
            self.form.next.setText(_next_words(_next_runs(one), self._appointments.now()))

    async def _preview(self) -> None:
        """Show while the user writes how the text is understood."""
        self.form.sheet.error_label.hide()
        self.form.show_readings((), lambda _number: None)
        words = ""
        if self.form.when.text().strip():
            try:
                found = await self._understand()
                if isinstance(found, ParsedTime):
                    words = _next_words(self._next_of(found), self._appointments.now())
                    day = short_months_left_out(found.rule)
                    if day is not None:
                        words += " " + tr("Months without a day {day} are left out.", day=str(day))
            except InvalidValue:
                pass  # the text may be unfinished; "Save" shows the error
        self.form.next.setText(words)

    async def _understand(self) -> ParsedTime | AmbiguousTime:
        """Parse the text outside the window's thread, because a rule may cover years. Raises
        InvalidValue.
        """
        one, when = self.form.appointment, self.form.when.text()
        before = None if one is None else ParsedTime(one.rule, one.until)
        text = when if self.form.has_changed_times() else ""
        zone, until = (one.zone if one else ""), self.form.until.text()
        return await asyncio.to_thread(self._appointments.parse_rule, text, zone, until, before)

    def _save(self) -> None:
        if not self.form.title.text().strip():
            self.form.sheet.show_error(tr("Enter a title."), self.form.title)
        elif not self._work.busy("put"):
            self._later.stop()  # the preview would hide the question
            self._work.cancel_task("words")
            self._work.replace("save", self._keep)

    async def _keep(self) -> None:
        try:
            found = await self._understand()
        except InvalidValue as error:
            self.form.sheet.show_error(tr(error.text, **error.params), self.form.when)
            return
        if not self.list_pane.is_editing():
            return
        self.form.sheet.error_label.hide()
        if isinstance(found, ParsedTime):
            self._work.start_once("put", partial(self._put, found))
            return
        readings = found.readings
        self.form.next.setText(tr("When do you mean?"))
        now = self._appointments.now()
        words = [_times(self._next_of(one), now) for one in readings]
        self.form.show_readings(words, partial(self._pick, readings))

    def _pick(self, readings: Sequence[ParsedTime], number: int) -> None:
        self._work.start_once("put", partial(self._put, readings[number]))

    async def _put(self, meant: ParsedTime) -> None:
        form, one, number = self.form, self.form.appointment, self.list_pane.opened
        title = " ".join(form.title.text().split())
        said, prompt = form.when.text().strip(), form.prompt.text().strip()
        tools = form.tools.checked_tools() if prompt else ()
        if one is None:
            kept: Appointment | None = await self._appointments.add(
                title, said, meant, prompt=prompt, zone="", maker=Maker.PERSON, tools=tools
            )
        else:
            same = meant == ParsedTime(one.rule, one.until)
            when = None if same else (said, meant, one.zone)
            kept = await self._appointments.update(
                one.id, title=title, prompt=prompt, when=when, tools=tools
            )
            self.undo.show_undo(
                tr("“{label}” was changed.", label=one.title),
                lambda: self._work.start("undo", partial(self._appointments.restore_previous, one)),
            )
        self.action_done.emit("add" if one is None else "update", title)
        await self._read()
        if kept is not None:
            self.list_pane.list.select(kept.id)
        self.list_pane.finish_form(number)

    def _next_of(self, meant: ParsedTime) -> list[float]:
        zone = find_zone(self.form.appointment.zone if self.form.appointment else "")
        return list(
            islice(runs_after(meant.rule, self._appointments.now(), zone, meant.until), _NEXT_RUNS)
        )

    def _fail(self, error: KnownError) -> None:
        self.undo.show_text(format_error(error))


def _next_runs(one: Appointment) -> list[float]:
    if one.due is None or one.paused:
        return []
    return [
        one.due,
        *islice(runs_after(one.rule, one.due, find_zone(one.zone), one.until), _NEXT_RUNS - 1),
    ]


def _next_words(found: Sequence[float], now: float) -> str:
    """`Next: tomorrow 09:00 · Fri, Nov 27 09:00 · …`"""
    if not found:
        return tr("It has no next time.")
    return tr("Next: {times}", times=_times(found, now))


def _times(found: Sequence[float], now: float) -> str:
    shown = " · ".join(format_due_time(run, now) for run in found[: _NEXT_RUNS - 1])
    return shown + (" · …" if len(found) == _NEXT_RUNS else "")


def _entry(one: Appointment, now: float, name: str) -> ListEntry:
    who = maker_text(one, name)
    end = tr("paused") if one.paused or one.due is None else format_due_time(one.due, now)
    detail = " · ".join(filter(None, (one.said, one.zone, who, one.prompt)))
    sign = "pause" if one.paused else "chat" if one.prompt else "bell"
    return ListEntry(
        one.id, one.title, detail, trailing=end, icon=sign, tooltip=one.prompt or one.title
    )


def _run_entry(run: AppointmentRun, now: float) -> ListEntry:
    sign = "warning" if run.outcome in (RunOutcome.MISSED, RunOutcome.FAILED) else ""
    detail = f"{format_time(run.due, now)} · {outcome_text(run.outcome)}"
    return ListEntry(str(run.number), run.title, detail, icon=sign)
