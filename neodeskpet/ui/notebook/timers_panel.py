"""The tab "Timers": the next timer as a large ring, and all timers with their actions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet.language import tr
from neodeskpet.notebook.timers import MOST_TIMERS, Repeat, Timer, TimerService
from neodeskpet.ui.formatting import format_remaining
from neodeskpet.ui.notebook.entry_forms import TimerForm
from neodeskpet.ui.notebook.item_marks import TIMER, ItemMarks
from neodeskpet.ui.notebook.next_timer import (
    EXTEND,
    PAUSE,
    NextTimer,
    timer_detail,
    timer_ring,
    timer_title,
)
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar

SNOOZE_SECONDS = 300.0
_MINUTE = 60.0
_RING = 52
"""Size of the rings in the list."""
_ACTIONS = (
    ("done", "check"),
    (PAUSE, "pause"),
    ("later", "later"),
    ("edit", "edit"),
    ("cancel", "trash"),
)


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
        self.next = NextTimer(theme)
        self.pane.set_header(self.next)
        self.next.action_requested.connect(self.act)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self.show_entries)
        self.pane.add_requested.connect(lambda: self._write(None))
        self.pane.action_requested.connect(self.act)
        self.pane.list.opened.connect(partial(self.act, "edit"))
        self.pane.list.toggled.connect(partial(self.act, PAUSE))
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
        self.next.show_timer(self._timers[0] if self._timers else None, now)
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
            PAUSE: tr("Pause"),
            "later": tr("5 minutes later"),
            "edit": tr("Edit"),
            "cancel": tr("Cancel the timer"),
        }
        self.pane.set_texts(tr("Timers"), words)
        self.show_entries()

    def set_theme(self, theme: Theme) -> None:
        self.pane.set_theme(theme)
        self.next.set_theme(theme)
        self.form.repeat.set_theme(theme)

    def _offer(self) -> None:
        """Enable the actions that the selected timer allows."""
        timer, now = self._chosen(self.pane.list.current_id()), self._store.now()
        paused = timer is not None and timer.is_paused
        self.pane.set_texts(tr("Timers"), {PAUSE: tr("Resume") if paused else tr("Pause")})
        self.pane.actions_of["done"].setEnabled(timer is not None and timer.rings(now))
        can_pause = timer is not None and timer.can_be_paused(now)
        self.pane.actions_of[PAUSE].setEnabled(paused or can_pause)

    def _chosen(self, timer_id: str) -> Timer | None:
        return next((timer for timer in self._timers if timer.id == timer_id), None)

    def act(self, action: str, timer_id: str) -> None:
        """Do one of the actions "done", "pause", "extend", "later", "edit", "cancel" with a timer.
        "pause" resumes a paused timer and ends the ringing of one that rings.
        """
        timer = self._chosen(timer_id)
        if timer is None:
            return
        if action == "edit":
            self._write(timer)
            return
        rings = timer.rings(self._store.now())
        work = {
            "done": self._store.answer,
            PAUSE: self._store.answer if rings else self._pause,
            EXTEND: self._put_off if rings else partial(self._extend, seconds=_MINUTE),
            "later": self._put_off,
            "cancel": self._cancel,
        }[action]
        self._work.start(f"{action} {timer.id}", partial(work, timer))

    async def _put_off(self, timer: Timer) -> None:
        await self._extend(timer, SNOOZE_SECONDS)

    async def _extend(self, timer: Timer, seconds: float) -> None:
        if await self._store.extend(timer.id, seconds) is not None:
            self.action_done.emit("set", timer_title(timer))

    async def _pause(self, timer: Timer) -> None:
        if timer.is_paused:
            changed, action = await self._store.resume(timer.id), "resume"
        else:
            changed, action = await self._store.pause(timer.id), "pause"
        if changed is not None:
            self.action_done.emit(action, timer_title(timer))

    async def _cancel(self, timer: Timer) -> None:
        if await self._store.cancel(timer.id) is None:
            return
        self.action_done.emit("cancel", timer_title(timer))
        said = tr("“{label}” was cancelled.", label=timer_title(timer))
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
        self.action_done.emit("set", timer_title(kept))
        await self.reload()
        self.pane.list.select(kept.id)
        self.pane.finish_form(number)


def _entry(timer: Timer, now: float) -> ListEntry:
    rings = timer.rings(now)
    trailing = format_remaining(timer.seconds_left(now))
    if rings:
        trailing = tr("rings")
    elif timer.is_paused:
        trailing = ""
    return ListEntry(
        timer.id,
        timer_title(timer),
        timer_detail(timer, now),
        trailing=trailing,
        tooltip=timer.label,
        needs_attention=rings,
        ring=timer_ring(timer, now, _RING),
    )
