"""The list of timers: the next first, with the remaining time and the actions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet.language import tr
from neodeskpet.notebook.timers import MOST_TIMERS, Repeat, Timer, TimerService
from neodeskpet.ui.formatting import format_due_time, format_remaining, format_repeat
from neodeskpet.ui.notebook.entry_forms import TimerForm
from neodeskpet.ui.notebook.item_marks import TIMER, ItemMarks
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar

SNOOZE_SECONDS = 300.0
_ACTIONS = (("done", "check"), ("later", "later"), ("edit", "edit"), ("cancel", "trash"))


class TimersPanel(QObject):
    """Shows and changes `timers`."""

    action_done = Signal(str, str)
    """An action of the user and its object."""

    def __init__(
        self,
        theme: Theme,
        timers: TimerService,
        work: TaskRunner,
        undo: UndoBar,
        marks: ItemMarks,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._store = timers
        self._work = work
        self._undo = undo
        self._marks = marks
        self._timers: list[Timer] = []
        self.form = TimerForm(theme)
        self.pane = ListPane(theme, _ACTIONS, self.form)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self.show_entries)
        self.pane.add_requested.connect(lambda: self._write(None))
        self.pane.action_requested.connect(self.act)
        self.pane.list.opened.connect(partial(self.act, "edit"))
        self.pane.list.delete_requested.connect(partial(self.act, "cancel"))
        self.pane.list.chosen.connect(self._offer)
        self.form.sheet.saved.connect(self._save)
        self.form.sheet.cancelled.connect(self.pane.close_form)

    async def reload(self) -> None:
        """Read and show the timers. Raises StoreError."""
        self._timers = await self._store.timers()
        self.show_entries()

    def set_ticking(self, on: bool) -> None:
        """Start or stop the countdown of the seconds."""
        if on:
            self._tick.start()
        else:
            self._tick.stop()

    def show_entries(self) -> None:
        now = self._store.now()
        self.pane.show_entries(
            self._marks.marked([_entry(timer, now) for timer in self._timers], TIMER),
            tr("No timers. Say “remind me in 10 minutes to stretch” in the chat, or press Add."),
        )
        self._offer()

    def retranslate(self) -> None:
        self.form.retranslate()
        self.pane.set_empty_button(tr("New timer"))
        words = {
            "done": tr("Done"),
            "later": tr("5 minutes later"),
            "edit": tr("Edit"),
            "cancel": tr("Cancel the timer"),
        }
        self.pane.set_texts(tr("Timers"), words)
        self.show_entries()

    def _offer(self) -> None:
        """Enable "done" for a ringing timer only."""
        timer = self._chosen(self.pane.list.current_id())
        rings = timer is not None and timer.due <= self._store.now()
        self.pane.actions_of["done"].setEnabled(rings)

    def _chosen(self, timer_id: str) -> Timer | None:
        return next((timer for timer in self._timers if timer.id == timer_id), None)

    def act(self, action: str, timer_id: str) -> None:
        """Do one of the actions ("done", "later", "edit", "cancel") with a timer."""
        timer = self._chosen(timer_id)
        if timer is None:
            return
        if action == "edit":
            self._write(timer)
            return
        work = {"done": self._store.answer, "later": self._put_off, "cancel": self._cancel}[action]
        self._work.start(action, partial(work, timer))

    async def _put_off(self, timer: Timer) -> None:
        if timer.due <= self._store.now():
            await self._store.snooze(timer, SNOOZE_SECONDS)
            return
        due = timer.due + SNOOZE_SECONDS
        await self._store.update(timer.id, due=due, label=timer.label, repeat=timer.repeat)
        self.action_done.emit("set", _title(timer))

    async def _cancel(self, timer: Timer) -> None:
        if await self._store.cancel(timer.id) is None:
            return
        self.action_done.emit("cancel", _title(timer))
        said = tr("“{label}” was cancelled.", label=_title(timer))
        self._undo.show_undo(said, lambda: self._work.start("undo", partial(self._restore, timer)))

    async def _restore(self, timer: Timer) -> None:
        if not await self._store.restore(timer):
            self._undo.show_text(tr("Its time has passed."))

    def _write(self, timer: Timer | None) -> None:
        if timer is None and len(self._timers) >= MOST_TIMERS:
            self._undo.show_text(tr("There are {count} timers already.", count=str(MOST_TIMERS)))
            return
        self.pane.open_form()
        self.form.edit(timer)

    def _save(self) -> None:
        found = self.form.parse(self._store.now())
        if found is not None:
            self._work.start_once("save", partial(self._keep, self.form.timer, *found))

    async def _keep(self, timer: Timer | None, due: float, label: str, repeat: Repeat) -> None:
        number, kept = self.pane.opened, None
        if timer is not None:
            kept = await self._store.update(timer.id, due=due, label=label, repeat=repeat)
        if kept is None:
            kept = await self._store.add(due, label, repeat)
        self.action_done.emit("set", _title(kept))
        await self.reload()
        self.pane.list.select(kept.id)
        self.pane.finish_form(number)


def timer_ring(timer: Timer, now: float) -> float:
    """The part of its time that is left, 0 when it rings."""
    whole = timer.due - timer.set_at
    return min(1.0, max(0.0, (timer.due - now) / whole)) if whole > 0 else 0.0


def _title(timer: Timer) -> str:
    return timer.label or tr("Timer")


def _entry(timer: Timer, now: float) -> ListEntry:
    rings = timer.due <= now
    detail = format_due_time(timer.due, now)
    if timer.repeat is not Repeat.ONCE:
        detail = f"{detail} · {format_repeat(timer.repeat)}"
    return ListEntry(
        timer.id,
        " ".join(_title(timer).split()),
        detail,
        trailing=tr("rings") if rings else format_remaining(timer.due - now),
        tooltip=timer.label,
        needs_attention=rings,
        ring=timer_ring(timer, now),
    )
