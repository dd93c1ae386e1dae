"""What the companion was asked to do without anybody talking to it, in a window: what waits, what
runs, and what came of the others. What failed did so silently; here it stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from neodeskpet.conversation.errands.errand import Run
from neodeskpet.core.wording import N_
from neodeskpet.language import say_code, sentences, titled, tr
from neodeskpet.ui.chat.items.wording import duration, one_line, printable, time_words
from neodeskpet.ui.notebook.entries import Entry, EntryList
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.windows.frame import Frame, muted
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence

TITLE = N_("Errands")
LEAST = (320, 320)
_NAMES = {
    "reminder": N_("Reminder"),
    "title": N_("Title of a conversation"),
    "summary": N_("Summary of a conversation"),
    "facts": N_("Facts about you"),
}


class ErrandsPort(Protocol):
    """The errands there are (`conversation.errands.errand.Errands`)."""

    @property
    def listed(self) -> Sequence[Run]: ...

    def observe(self, hear: Callable[[Run], object]) -> Callable[[], None]: ...


class ErrandsWindow(QWidget):
    """`opened(words)`: the person wants these in the chat. `title(tool)` is the title of a tool."""

    opened = Signal(str)

    def __init__(
        self,
        theme: Theme,
        errands: ErrandsPort,
        title: Callable[[str], str] = str,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._errands = errands
        self._title = title
        self._now = now
        self._frame = Frame(self, "errands", TITLE, LEAST)
        self.about = muted()
        self.list = EntryList(theme)
        self.empty = muted(centred=True)
        self.shown = QPlainTextEdit(readOnly=True)
        self.open = QPushButton()
        self._unobserve = errands.observe(lambda _run: self._show())
        self.list.chosen.connect(self._show_chosen)
        self.open.clicked.connect(lambda: self.opened.emit(_words(self._chosen())))
        self._lay_out()
        Presence(self, read=self._show)
        self.set_theme(theme)
        self.retranslate()
        self.resize(520, 480)

    def present(self) -> None:
        bring_forward(self)

    async def finish(self) -> None:
        """Before the window goes."""
        self._unobserve()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr(TITLE))
        self.shown.setAccessibleName(tr("What came of it"))
        self.empty.setText(tr("Nothing yet."))
        self.open.setText(tr("Open in chat"))
        self.about.setText(
            tr(
                "What I do without our talking: reminders, titles, summaries. One at a time, and "
                "only while we don't talk. What fails is told here alone; the list is of this run."
            )
        )
        self._show()

    def _lay_out(self) -> None:
        self._frame.add(self.about)
        self._frame.add(self.list, 3)
        self._frame.add(self.empty, 3)
        self._frame.add(self.shown, 2)
        self._frame.row(self.open, None)

    def _show(self) -> None:
        if not self.isVisible():
            return  # it is read when it is shown
        self.list.show_or_say([self._entry(run) for run in self._errands.listed], self.empty)
        self._show_chosen()

    def _show_chosen(self) -> None:
        run = self._chosen()
        for part in (self.shown, self.open):
            part.setVisible(run is not None)
        fault = _fault(run, self._title)
        self.shown.setPlainText(fault or printable(_words(run)))
        self.open.setEnabled(bool(_words(run)) and not fault)

    def _chosen(self) -> Run | None:
        wanted = self.list.current_id()
        return next((run for run in self._errands.listed if run.id == wanted), None)

    def _entry(self, run: Run) -> Entry:
        name = run.errand.name
        begun = time_words(run.began, self._now())
        told = one_line(run.errand.told, 200)
        sign, state = _state(run)
        return Entry(
            run.id,
            tr(_NAMES[name]) if name in _NAMES else name,
            f"{begun} · {told}" if told else begun,
            end=state,
            sign=sign,
            loud=run.stage == "ended" and bool(run.fault),
        )


def _state(run: Run) -> tuple[str, str]:
    """Its sign, and in words."""
    if run.stage == "waiting":
        return "later", tr("waits")
    if run.stage == "running":
        return "play", tr("running")
    took = duration(max(0.0, run.ended - run.began))
    if run.fault:
        return "warning", f"{tr('failed')} · {took}"
    return "check", f"{tr('done')} · {took}"


def _words(run: Run | None) -> str:
    """What it said to the person."""
    if run is None or run.outcome is None or not run.errand.told:
        return ""
    return run.outcome.text.strip()


def _fault(run: Run | None, title: Callable[[str], str]) -> str:
    """Why it failed."""
    if run is None or not run.fault:
        return ""
    notice = run.outcome.error if run.outcome is not None else None
    if notice is not None:
        return sentences(*say_code(notice.code, titled(notice.params, title))).strip()
    return tr("It took too long.") if run.fault == "TimeoutError" else run.fault
