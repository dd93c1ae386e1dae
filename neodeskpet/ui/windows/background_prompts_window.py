"""The window of background prompts: waiting, running, and finished ones with their results. Their
failures are only shown here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from neodeskpet.conversation.background_prompts import PromptRun
from neodeskpet.core.i18n import N_
from neodeskpet.language import join_sentences, tr, translate_code, with_tool_title
from neodeskpet.ui.formatting import format_duration, format_time, printable, single_line
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("Background prompts")
MIN_SIZE = (320, 320)
_NAMES = {
    "reminder": N_("Reminder"),
    "title": N_("Title of a conversation"),
    "summary": N_("Summary of a conversation"),
    "facts": N_("Facts about you"),
}


class BackgroundPromptsPort(Protocol):
    """The background prompts (`conversation.background_prompts.BackgroundPrompts`)."""

    @property
    def all_runs(self) -> Sequence[PromptRun]: ...

    def subscribe(self, observer: Callable[[PromptRun], object]) -> Callable[[], None]: ...


class BackgroundPromptsWindow(QWidget):
    """`opened(words)`: the user wants to see the reply in the chat. `title(tool)` returns the title
    of a tool.
    """

    opened = Signal(str)

    def __init__(
        self,
        theme: Theme,
        prompts: BackgroundPromptsPort,
        title: Callable[[str], str] = str,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._prompts = prompts
        self._title = title
        self._now = now
        self._frame = SideWindowLayout(self, "errands", TITLE, MIN_SIZE)
        self.about = muted_label()
        self.list = EntryList(theme)
        self.empty = muted_label(centred=True)
        self.reply_text = QPlainTextEdit(readOnly=True)
        self.open_button = QPushButton()
        self._unobserve = prompts.subscribe(lambda _run: self._show())
        self.list.chosen.connect(self._show_chosen)
        self.open_button.clicked.connect(lambda: self.opened.emit(_reply_text(self._chosen())))
        self._lay_out()
        RefreshOnShow(self, read=self._show)
        self.set_theme(theme)
        self.retranslate()
        self.resize(520, 480)

    def present(self) -> None:
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's subscription."""
        self._unobserve()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr(TITLE))
        self.reply_text.setAccessibleName(tr("Result"))
        self.empty.setText(tr("Nothing yet."))
        self.open_button.setText(tr("Open in chat"))
        self.about.setText(
            tr(
                "What I do in the background: reminders, titles, summaries. One at a "
                "time, and only while we aren't chatting. Failures are only shown here. "
                "The list begins with the start of the app."
            )
        )
        self._show()

    def _lay_out(self) -> None:
        self._frame.add(self.about)
        self._frame.add(self.list, 3)
        self._frame.add(self.empty, 3)
        self._frame.add(self.reply_text, 2)
        self._frame.row(self.open_button, None)

    def _show(self) -> None:
        if not self.isVisible():
            return  # it is loaded when it is shown
        self.list.show_entries_or_text(
            [self._entry(run) for run in self._prompts.all_runs], self.empty
        )
        self._show_chosen()

    def _show_chosen(self) -> None:
        run = self._chosen()
        for part in (self.reply_text, self.open_button):
            part.setVisible(run is not None)
        fault = _failure_text(run, self._title)
        self.reply_text.setPlainText(fault or printable(_reply_text(run)))
        self.open_button.setEnabled(bool(_reply_text(run)) and not fault)

    def _chosen(self) -> PromptRun | None:
        wanted = self.list.current_id()
        return next((run for run in self._prompts.all_runs if run.id == wanted), None)

    def _entry(self, run: PromptRun) -> ListEntry:
        name = run.prompt.name
        begun = format_time(run.started, self._now())
        text = single_line(run.prompt.instructions_note, 200)
        sign, state = _state(run)
        return ListEntry(
            run.id,
            tr(_NAMES[name]) if name in _NAMES else name,
            f"{begun} · {text}" if text else begun,
            trailing=state,
            icon=sign,
            needs_attention=run.stage == "ended" and bool(run.failure),
        )


def _state(run: PromptRun) -> tuple[str, str]:
    """Return icon and text of the state."""
    if run.stage == "waiting":
        return "later", tr("waits")
    if run.stage == "running":
        return "play", tr("running")
    took = format_duration(max(0.0, run.ended - run.started))
    if run.failure:
        return "warning", f"{tr('failed')} · {took}"
    return "check", f"{tr('done')} · {took}"


def _reply_text(run: PromptRun | None) -> str:
    """Return its reply to the user."""
    if run is None or run.outcome is None or not run.prompt.instructions_note:
        return ""
    return run.outcome.text.strip()


def _failure_text(run: PromptRun | None, title: Callable[[str], str]) -> str:
    """Return why it failed."""
    if run is None or not run.failure:
        return ""
    notice = run.outcome.error if run.outcome is not None else None
    if notice is not None:
        return join_sentences(
            *translate_code(notice.code, with_tool_title(notice.params, title))
        ).strip()
    return tr("It took too long.") if run.failure == "TimeoutError" else run.failure
