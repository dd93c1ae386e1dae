"""The list of messages that the companion held back while the user was not to be disturbed."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.core.proactive import Remark
from neodeskpet.language import format_error, tr
from neodeskpet.ui.formatting import format_time, single_line
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front

TITLE = N_("Missed messages")
MIN_SIZE = (340, 300)


class MissedMessagesPort(Protocol):
    """The missed messages and their actions. Coroutines raise StoreError."""

    def missed_messages(self) -> Sequence[Remark]: ...

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]: ...

    def text(self, remark: Remark) -> str: ...

    def reason(self, remark: Remark) -> str: ...

    def open(self, remark: Remark) -> Coroutine[Any, Any, None]: ...

    def reduce(self, remark: Remark) -> Coroutine[Any, Any, None]: ...

    def reduction_text(self) -> str:
        """Return what "Less of this" does."""
        ...

    def undo_reduction(self) -> Coroutine[Any, Any, None]:
        """Undo the last "Less of this"."""
        ...

    def delete(self, remark: Remark) -> Coroutine[Any, Any, None]: ...


class MissedMessagesWindow(QWidget):
    """Lists messages that came while the user was busy. `settings_requested()`: the user wants to
    see the settings of such messages.
    """

    settings_requested = Signal()

    def __init__(
        self, theme: Theme, port: MissedMessagesPort, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._port = port
        self._now = now
        self._work = TaskRunner("inbox", failed=self._fail)
        self._frame = SideWindowLayout(self, "inbox", TITLE, MIN_SIZE)
        self.list = EntryList(theme)
        self.empty = muted_label(centred=True)
        self.settings_button = QPushButton()
        self.settings_button.clicked.connect(self.settings_requested)
        self.full_text = PlainLabel()
        self.full_text.setWordWrap(True)
        self.reason_label = muted_label()
        self.error_label = muted_label()
        self.error_label.hide()
        self.undo = UndoBar(theme)
        self.open_button, self.less_button, self.delete_button = (
            QPushButton(),
            QPushButton(),
            QPushButton(),
        )
        self.open_button.clicked.connect(partial(self._do, "open"))
        self.less_button.clicked.connect(self._do_less)
        self.delete_button.clicked.connect(partial(self._do, "forget"))
        self.list.chosen.connect(self._show_chosen)
        self.list.opened.connect(lambda _id: self._do("open"))
        self.list.delete_requested.connect(lambda _id: self._do("forget"))
        self._unobserve = port.subscribe(self._show)
        self._lay_out()
        RefreshOnShow(self, read=self._show)
        self.set_theme(theme)
        self.retranslate()
        self.resize(460, 420)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's tasks and subscription."""
        self._unobserve()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)
        self.undo.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr(TITLE))
        self.empty.setText(
            tr(
                "There are no missed messages. Messages of the companion that came while you were "
                "busy appear here if they are still worth reading and “Start conversations” is on "
                "in the settings."
            )
        )
        self.settings_button.setText(tr("When to speak…"))
        self.open_button.setText(tr("Open in chat"))
        self.less_button.setText(tr("Less of this"))
        self.delete_button.setText(tr("Delete"))
        self._show()

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.list, 2)
        self._empty_state = frame.add_empty_state(self.empty, self.settings_button)
        for part in (self.full_text, self.reason_label, self.error_label, self.undo):
            frame.add(part)
        frame.row(self.open_button, self.less_button, self.delete_button, None)

    def _show(self) -> None:
        left = self._port.missed_messages()
        self.list.show_entries_or_text([self._entry(one) for one in left], self._empty_state)
        self._show_chosen()

    def _entry(self, remark: Remark) -> ListEntry:
        words = self._port.text(remark)
        when = format_time(remark.at, self._now())
        return ListEntry(remark.id, single_line(words, 200), when)

    def _show_chosen(self) -> None:
        chosen = self._chosen()
        self.full_text.setText(self._port.text(chosen) if chosen is not None else "")
        self.reason_label.setText(self._port.reason(chosen) if chosen is not None else "")
        for part in (
            self.full_text,
            self.reason_label,
            self.open_button,
            self.less_button,
            self.delete_button,
        ):
            part.setVisible(chosen is not None)

    def _chosen(self) -> Remark | None:
        chosen = self.list.current_id()
        return next((one for one in self._port.missed_messages() if one.id == chosen), None)

    def _do(self, action: str, _checked: bool = False) -> None:
        remark = self._chosen()
        if remark is not None:
            do = {"open": self._port.open, "forget": self._port.delete}
            self._work.start_once("deed", partial(do[action], remark))

    def _do_less(self) -> None:
        remark = self._chosen()
        if remark is not None:
            self._work.start_once("deed", partial(self._less, remark))

    async def _less(self, remark: Remark) -> None:
        await self._port.reduce(remark)
        self.undo.show_undo(
            self._port.reduction_text(),
            lambda: self._work.start_once("deed", self._port.undo_reduction),
        )

    def _fail(self, error: KnownError) -> None:
        self.error_label.setText(format_error(error))
        self.error_label.show()
