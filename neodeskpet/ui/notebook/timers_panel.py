"""The tab "Timers": the next timer as a large ring, and all timers with their actions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.notebook.timers import MOST_TIMERS, RecentTimer, Repeat, Timer, TimerService
from neodeskpet.ui.formatting import format_remaining
from neodeskpet.ui.notebook.entry_forms import TimerForm
from neodeskpet.ui.notebook.item_marks import TIMER, ItemMarks
from neodeskpet.ui.notebook.next_timer import (
    EXTEND,
    PAUSE,
    SNOOZE_SECONDS,
    NextTimer,
    timer_detail,
    timer_ring,
    timer_title,
)
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, scale_to_font
from neodeskpet.ui.widgets.entry_list import ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel, button_text, set_tooltip
from neodeskpet.ui.widgets.list_pane import ListPane
from neodeskpet.ui.widgets.undo_bar import UndoBar

_RING = 52
"""Size of the rings in the list."""
_MOST_RECENT = 4
_CHIP_GAP = 6
_HIGH_PANE = 440
"""The height of the tab from which recent timers are offered."""
_CHIP_EMS = 9
"""The largest width of the text of a button for a recent timer, in heights of its text."""
_ACTIONS = (
    ("done", "check"),
    (PAUSE, "pause"),
    ("later", "later"),
    ("edit", "edit"),
    ("cancel", "trash"),
)


class RecentTimers(QWidget):
    """Buttons that set recent timers again, as many as fit side by side; hidden in a low window.
    `chosen(RecentTimer)`.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.heading = PlainLabel()
        self.heading.setProperty("muted", True)
        self.buttons = [QPushButton() for _ in range(_MOST_RECENT)]
        self._timers: Sequence[RecentTimer] = ()
        self._low = False
        self._line = QHBoxLayout()
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(_CHIP_GAP)
        for number, button in enumerate(self.buttons):
            button.setProperty("pill", True)
            button.clicked.connect(partial(self._choose, number))
            self._line.addWidget(button)
        self._line.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 4, 0, 0)
        box.setSpacing(6)
        box.addWidget(self.heading)
        box.addLayout(self._line)
        self.hide()

    def show_timers(self, timers: Sequence[RecentTimer]) -> None:
        """Show the first of these; none hides the row."""
        self._timers = timers[:_MOST_RECENT]
        for button, timer in zip(self.buttons, self._timers, strict=False):
            words = recent_timer_text(timer)
            metrics, elide = button.fontMetrics(), Qt.TextElideMode.ElideMiddle
            shown = metrics.elidedText(button_text(words), elide, _CHIP_EMS * metrics.height())
            button.setText(shown)
            button.setAccessibleName(tr("Set again: {timer}", timer=words))
            set_tooltip(button, words)
        self._fit()

    def set_low(self, low: bool) -> None:
        """Hide the buttons in a low window."""
        self._low = low
        self._fit()

    def retranslate(self) -> None:
        self.heading.setText(tr("Again"))
        self.show_timers(self._timers)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        # The buttons that don't fit are hidden, so they don't set the width of the window.
        return QSize(1, super().minimumSizeHint().height())

    def _fit(self) -> None:
        self.setVisible(bool(self._timers) and not self._low)
        used = 0
        for number, button in enumerate(self.buttons):
            used += button.sizeHint().width() + (_CHIP_GAP if number else 0)
            button.setVisible(number < len(self._timers) and (not number or used <= self.width()))

    def _choose(self, number: int) -> None:
        if number < len(self._timers):
            self.chosen.emit(self._timers[number])


def recent_timer_text(timer: RecentTimer) -> str:
    """Return `Tea 5 min`."""
    hours, minutes = divmod(timer.seconds // 60, 60)
    parts = (
        " ".join(timer.label.split()),
        tr("{count} h", count=str(hours)) if hours else "",
        tr("{count} min", count=str(minutes)) if minutes else "",
    )
    return " ".join(filter(None, parts))


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
        self._theme = theme
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
        self._recent: Sequence[RecentTimer] = ()
        self.again = RecentTimers()
        self.again.chosen.connect(self._set_again)
        self.pane.set_footer(self.again)
        self.pane.installEventFilter(self)
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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.pane and event.type() is QEvent.Type.Resize:
            self.again.set_low(self.pane.height() < scale_to_font(_HIGH_PANE, self._theme))
        return super().eventFilter(watched, event)

    async def reload(self) -> None:
        """Read and show the timers. Raises StoreError."""
        self._timers = await self._store.timers()
        running = {(one.label, round(one.due - one.set_at)) for one in self._timers}
        recent = await self._store.recent()
        self._recent = [one for one in recent if (one.label, one.seconds) not in running]
        self.again.show_timers(self._recent)
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
        self.again.retranslate()
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
        self._theme = theme
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
            EXTEND: self._extend,
            "later": self._extend,
            "cancel": self._cancel,
        }[action]
        self._work.start(f"{action} {timer.id}", partial(work, timer))

    async def _extend(self, timer: Timer) -> None:
        if await self._store.extend(timer.id, SNOOZE_SECONDS) is not None:
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

    def _set_again(self, recent: RecentTimer) -> None:
        self._work.start_once(f"again {recent}", partial(self._add_again, recent))

    async def _add_again(self, recent: RecentTimer) -> None:
        if self._is_full():
            return
        timer = await self._store.add(self._store.now() + recent.seconds, recent.label)
        self.action_done.emit("set", timer_title(timer))
        cancel = partial(self._store.cancel, timer.id)
        said = tr("Added: {what}", what=recent_timer_text(recent))
        self._undo.show_undo(said, lambda: self._work.start("undo", cancel))

    def _is_full(self) -> bool:
        """Return whether there can't be another timer, after telling the user."""
        full = len(self._timers) >= MOST_TIMERS
        if full:
            self._undo.show_text(tr("There are {count} timers already.", count=str(MOST_TIMERS)))
        return full

    def _write(self, timer: Timer | None) -> None:
        if timer is None and self._is_full():
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
