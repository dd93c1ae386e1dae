"""The appointments in a window: when each comes next, what became of those that came, and what can
be done with them. What the companion does with them is shown at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_, InvalidValue
from neodeskpet.core.schedule.parsing.time_parser import AmbiguousTime, ParsedTime
from neodeskpet.core.schedule.recurrence import short_months_left_out
from neodeskpet.core.schedule.rule import runs_after
from neodeskpet.language import format_error, tr
from neodeskpet.notebook.appointment import (
    Appointment,
    AppointmentRun,
    Maker,
    RunOutcome,
    find_zone,
)
from neodeskpet.notebook.appointments import MOST_APPOINTMENTS, AppointmentService
from neodeskpet.ui.commands import Command, bind_shortcuts
from neodeskpet.ui.formatting import format_due_time, format_time
from neodeskpet.ui.notebook.appointment_form import AppointmentForm, ToolChoice
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.side_window import RefreshOnShow
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("Calendar")
MIN_SIZE = (340, 420)
_NARROW = 640
_SHOWN_RUNS = 100
_NEXT_RUNS = 4
_READ_MS = 250
_TICK_MS = 30_000
_ACTIONS = (("pause", "pause"), ("now", "play"), ("edit", "edit"), ("cancel", "trash"))

COMMANDS = (Command("new", N_("New appointment"), keys=("Ctrl+N",), hidden_in_palette=True),)


class CalendarWindow(QWidget):
    """Shows and changes `book`; `choices` are the tools that an appointment may be allowed, `name`
    is what the companion is called. `done` tells what the person did: an action, and about what.
    """

    action_done = Signal(str, str)

    def __init__(
        self,
        theme: Theme,
        book: AppointmentService,
        choices: Callable[[], Sequence[ToolChoice]] = tuple,
        name: Callable[[], str] = str,
    ) -> None:
        super().__init__()
        self.setObjectName("calendar")
        self.setMinimumSize(*MIN_SIZE)
        self._theme = theme
        self._book = book
        self._name = name
        self._appointments: list[Appointment] = []
        self._runs: list[AppointmentRun] = []
        self._work = TaskRunner("calendar", failed=self._fail)
        self.undo = UndoBar(theme)
        self.form = AppointmentForm(choices)
        self.list_pane = ListPane(theme, _ACTIONS, self.form)
        self.history_pane = ListPane(theme, (), QWidget())
        self.history_pane.add.hide()
        self.list_pane.update_action_labels()
        self._between = QFrame()
        self._between.setFrameShape(QFrame.Shape.VLine)
        self._later = QTimer(self, singleShot=True, interval=_READ_MS)
        self._later.timeout.connect(lambda: self._work.replace("words", self._preview))
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._show)
        self.list_pane.add_requested.connect(lambda: self._write(None))
        self.list_pane.action_requested.connect(self._act)
        self.list_pane.list.opened.connect(partial(self._act, "edit"))
        self.list_pane.list.delete_requested.connect(partial(self._act, "cancel"))
        self.list_pane.list.chosen.connect(self._offer)
        self.form.time_edited.connect(self._later.start)
        self.form.sheet.saved.connect(self._save)
        self.form.sheet.cancelled.connect(self.list_pane.close_form)
        self._unlisten = book.subscribe(self._refresh)
        self._lay_out()
        RefreshOnShow(self, read=self._come, gone=self._go, back=self.list_pane.cancel_form)
        bind_shortcuts(COMMANDS, self, {"new": self.list_pane.add.click})
        self.set_theme(theme)
        self.retranslate()
        self.resize(760, 600)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)

    async def aclose(self) -> None:
        """Before the window goes."""
        self._unlisten()
        self._later.stop()
        self._tick.stop()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        sheet = (
            f"#calendar, #sheet, FormSheet, QStackedWidget {{ background: {theme.window}; }}"
            f"QFrame[frameShape='5'] {{ color: {theme.line}; }}"
        )
        apply_window_theme(self, theme, controls_sheet(theme) + sheet)
        self.undo.set_theme(theme)
        self.list_pane.set_theme(theme)
        self.form.tools.set_theme(theme)
        self.history_pane.set_theme(theme)
        self._arrange()

    def retranslate(self) -> None:
        self.setWindowTitle(tr(TITLE))
        self.undo.retranslate()
        self.form.retranslate()
        self.history_pane.set_texts(tr("History"), {})
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _lay_out(self) -> None:
        both = QHBoxLayout()
        both.setSpacing(16)
        both.addWidget(self.list_pane, 3)
        both.addWidget(self._between)
        both.addWidget(self.history_pane, 2)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 14, 16, 14)
        box.setSpacing(12)
        box.addLayout(both, 1)
        box.addWidget(self.undo)

    def _arrange(self) -> None:
        """A narrow window has no room for what is over."""
        wide = self.width() >= scale_to_font(_NARROW, self._theme)
        self._between.setVisible(wide)
        self.history_pane.setVisible(wide)

    # What is shown

    def _come(self) -> None:
        self._tick.start()
        self._refresh()

    def _go(self) -> None:
        self._tick.stop()
        self.undo.clear()

    def _refresh(self) -> None:
        if self.isVisible():  # else it is read when it is shown
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        self._appointments = await self._book.appointments()
        self._runs = await self._book.runs(limit=_SHOWN_RUNS)
        self._show()

    def _show(self) -> None:
        now = self._book.now()
        self.list_pane.show_entries(
            [_entry(one, now, self._name()) for one in self._appointments],
            tr(
                "No appointments. Say “every Friday at four remind me to water the plants” in the "
                "chat, or press Add."
            ),
        )
        self.history_pane.show_entries(
            [_run_entry(run, now) for run in self._runs], tr("Nothing yet.")
        )
        self._offer()

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
            self.list_pane.note.setText(_next_words(_next_runs(one), self._book.now()))

    def _chosen(self, appointment_id: str) -> Appointment | None:
        return next((one for one in self._appointments if one.id == appointment_id), None)

    # What the person does

    def _act(self, action: str, appointment_id: str) -> None:
        one = self._chosen(appointment_id)
        if one is None:
            return
        if action == "edit":
            self._write(one)
            return
        work = {"pause": self._pause, "now": self._run_now, "cancel": self._cancel}[action]
        self._work.start(f"{action} {one.id}", partial(work, one))

    async def _pause(self, one: Appointment) -> None:
        await self._book.update(one.id, paused=not one.paused)
        self.action_done.emit("update", one.title)

    async def _run_now(self, one: Appointment) -> None:
        await self._book.run_now(one.id)

    async def _cancel(self, one: Appointment) -> None:
        if await self._book.cancel(one.id) is None:
            return
        self.action_done.emit("cancel", one.title)
        said = tr("“{label}” was deleted.", label=one.title)
        self.undo.show_undo(said, lambda: self._work.start("undo", partial(self._restore, one)))

    async def _restore(self, one: Appointment) -> None:
        await self._book.restore(one.id)

    def _write(self, one: Appointment | None) -> None:
        if one is None and len(self._appointments) >= MOST_APPOINTMENTS:
            self.undo.show_text(
                tr("There are {count} appointments already.", count=str(MOST_APPOINTMENTS))
            )
            return
        self.list_pane.open_form()
        self.form.edit(one)
        if one is not None:
            self.form.next.setText(_next_words(_next_runs(one), self._book.now()))

    async def _preview(self) -> None:
        """Say what is written as it is understood, while it is written."""
        self.form.sheet.error_label.hide()
        self.form.show_readings((), lambda _number: None)
        words = ""
        if self.form.when.text().strip():
            try:
                found = await self._understand()
                if isinstance(found, ParsedTime):
                    words = _next_words(self._next_of(found), self._book.now())
                    day = short_months_left_out(found.rule)
                    if day is not None:
                        words += " " + tr("Months without a day {day} are left out.", day=str(day))
            except InvalidValue:
                pass  # it may still be on its way; "Save" says what is wrong
        self.form.next.setText(words)

    async def _understand(self) -> ParsedTime | AmbiguousTime:
        """Raises InvalidValue. A rule may have years to look through: not here."""
        one, when = self.form.appointment, self.form.when.text()
        before = None if one is None else ParsedTime(one.rule, one.until)
        text = when if self.form.has_changed_times() else ""
        zone, until = (one.zone if one else ""), self.form.until.text()
        return await asyncio.to_thread(self._book.parse_rule, text, zone, until, before)

    def _save(self) -> None:
        if not self.form.title.text().strip():
            self.form.sheet.show_error(tr("It needs a few words of what it is."), self.form.title)
        elif not self._work.busy("put"):
            self._later.stop()  # what is read while it is written would hide what is asked
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
        now = self._book.now()
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
            kept: Appointment | None = await self._book.add(
                title, said, meant, prompt=prompt, zone="", maker=Maker.PERSON, tools=tools
            )
        else:
            same = meant == ParsedTime(one.rule, one.until)
            when = None if same else (said, meant, one.zone)
            kept = await self._book.update(
                one.id, title=title, prompt=prompt, when=when, tools=tools
            )
            self.undo.show_undo(
                tr("“{label}” was changed.", label=one.title),
                lambda: self._work.start("undo", partial(self._book.restore_previous, one)),
            )
        self.action_done.emit("add" if one is None else "update", title)
        await self._read()
        if kept is not None:
            self.list_pane.list.select(kept.id)
        self.list_pane.finish_form(number)

    def _next_of(self, meant: ParsedTime) -> list[float]:
        zone = find_zone(self.form.appointment.zone if self.form.appointment else "")
        return list(islice(runs_after(meant.rule, self._book.now(), zone, meant.until), _NEXT_RUNS))

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
    """`ExitAction: tomorrow 09:00 · Fri, Nov 27 09:00 · …`"""
    if not found:
        return tr("It doesn't come now.")
    return tr("Next: {times}", times=_times(found, now))


def _times(found: Sequence[float], now: float) -> str:
    shown = " · ".join(format_due_time(run, now) for run in found[: _NEXT_RUNS - 1])
    return shown + (" · …" if len(found) == _NEXT_RUNS else "")


def _entry(one: Appointment, now: float, name: str) -> ListEntry:
    who = tr("You") if one.maker is Maker.PERSON else name or tr("Companion")
    end = tr("paused") if one.paused or one.due is None else format_due_time(one.due, now)
    detail = " · ".join(filter(None, (one.said, one.zone, who, one.prompt)))
    sign = "pause" if one.paused else "chat" if one.prompt else "bell"
    return ListEntry(
        one.id, one.title, detail, trailing=end, icon=sign, tooltip=one.prompt or one.title
    )


def _run_entry(run: AppointmentRun, now: float) -> ListEntry:
    words = {
        RunOutcome.RANG: tr("rang"),
        RunOutcome.MISSED: tr("missed, told later"),
        RunOutcome.CALLED: tr("the companion is told"),
        RunOutcome.TOLD: tr("the companion was told"),
        RunOutcome.FAILED: tr("came to nothing: see the errands"),
    }
    sign = "warning" if run.outcome in (RunOutcome.MISSED, RunOutcome.FAILED) else ""
    detail = f"{format_time(run.due, now)} · {words[run.outcome]}"
    return ListEntry(str(run.number), run.title, detail, icon=sign)
