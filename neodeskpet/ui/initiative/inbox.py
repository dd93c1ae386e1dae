"""What the companion wanted to say while nobody was to be disturbed: a small list."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol

from PySide6.QtWidgets import QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.initiative.moment import Remark
from neodeskpet.core.wording import N_
from neodeskpet.language import explain, tr
from neodeskpet.ui.chat.items.wording import one_line, time_words
from neodeskpet.ui.notebook.entries import Entry, EntryList
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.label import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar
from neodeskpet.ui.windows.frame import Frame, muted
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence
from neodeskpet.ui.work import Work

TITLE = N_("What I wanted to say")
LEAST = (340, 300)


class InboxPort(Protocol):
    """What lies there, and what may be done with it. Coroutines raise StoreError."""

    def inbox(self) -> Sequence[Remark]: ...

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]: ...

    def words(self, remark: Remark) -> str: ...

    def why(self, remark: Remark) -> str: ...

    def open(self, remark: Remark) -> Coroutine[Any, Any, None]: ...

    def less(self, remark: Remark) -> Coroutine[Any, Any, None]: ...

    def promise(self) -> str:
        """What "less" leads to."""
        ...

    def undo_less(self) -> Coroutine[Any, Any, None]:
        """Take the last "less" back."""
        ...

    def forget(self, remark: Remark) -> Coroutine[Any, Any, None]: ...


class InboxWindow(QWidget):
    def __init__(self, theme: Theme, port: InboxPort, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._port = port
        self._now = now
        self._work = Work("inbox", failed=self._fail)
        self._frame = Frame(self, "inbox", TITLE, LEAST)
        self.list = EntryList(theme)
        self.empty = muted(centred=True)
        self.whole = PlainLabel()
        self.whole.setWordWrap(True)
        self.why = muted()
        self.trouble = muted()
        self.trouble.hide()
        self.undo = UndoBar(theme)
        self.open, self.less, self.delete = QPushButton(), QPushButton(), QPushButton()
        self.open.clicked.connect(partial(self._do, "open"))
        self.less.clicked.connect(self._do_less)
        self.delete.clicked.connect(partial(self._do, "forget"))
        self.list.chosen.connect(self._show_chosen)
        self.list.opened.connect(lambda _id: self._do("open"))
        self.list.dropped.connect(lambda _id: self._do("forget"))
        self._unobserve = port.observe(self._show)
        self._lay_out()
        Presence(self, read=self._show)
        self.set_theme(theme)
        self.retranslate()
        self.resize(460, 420)

    def present(self) -> None:
        """Show the window in front."""
        bring_forward(self)

    async def finish(self) -> None:
        """Before the window goes."""
        self._unobserve()
        await self._work.close()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)
        self.undo.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr(TITLE))
        self.empty.setText(
            tr(
                "Nothing is left. What I wanted to say while you were busy and what is still worth "
                "reading comes here, if speaking by itself is on in the settings."
            )
        )
        self.open.setText(tr("Open in chat"))
        self.less.setText(tr("Less of this"))
        self.delete.setText(tr("Delete"))
        self._show()

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.list, 2)
        frame.add(self.empty, 1)
        for part in (self.whole, self.why, self.trouble, self.undo):
            frame.add(part)
        frame.row(self.open, self.less, self.delete, None)

    def _show(self) -> None:
        left = self._port.inbox()
        self.list.show_or_say([self._entry(one) for one in left], self.empty)
        self._show_chosen()

    def _entry(self, remark: Remark) -> Entry:
        words = self._port.words(remark)
        when = time_words(remark.at, self._now())
        return Entry(remark.id, one_line(words, 200), when)

    def _show_chosen(self) -> None:
        chosen = self._chosen()
        self.whole.setText(self._port.words(chosen) if chosen is not None else "")
        self.why.setText(self._port.why(chosen) if chosen is not None else "")
        for part in (self.whole, self.why, self.open, self.less, self.delete):
            part.setVisible(chosen is not None)

    def _chosen(self) -> Remark | None:
        chosen = self.list.current_id()
        return next((one for one in self._port.inbox() if one.id == chosen), None)

    def _do(self, deed: str, _checked: bool = False) -> None:
        remark = self._chosen()
        if remark is not None:
            do = {"open": self._port.open, "forget": self._port.forget}
            self._work.start_once("deed", partial(do[deed], remark))

    def _do_less(self) -> None:
        remark = self._chosen()
        if remark is not None:
            self._work.start_once("deed", partial(self._less, remark))

    async def _less(self, remark: Remark) -> None:
        await self._port.less(remark)
        self.undo.offer(
            self._port.promise(), lambda: self._work.start_once("deed", self._port.undo_less)
        )

    def _fail(self, error: KnownError) -> None:
        self.trouble.setText(explain(error))
        self.trouble.show()
