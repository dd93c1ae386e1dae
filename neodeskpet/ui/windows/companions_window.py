"""The window of all companions: figures on the desktop, and figures that can be added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.entry_list import EntryList, ListEntry
from neodeskpet.ui.windows.side_window import RefreshOnShow, SideWindowLayout, muted_label
from neodeskpet.ui.windows.window_geometry import bring_to_front


@dataclass(frozen=True, slots=True)
class CompanionCandidate:
    """A figure. `path` is its value in the settings, "" for the bundled one; `is_present`: it is a
    further companion on the desktop. `problem` tells why it can't be added, "" if there is no known
    reason.
    """

    path: str
    name: str
    is_present: bool = False
    problem: str = ""


class CompanionsPort(Protocol):
    """The companions. Coroutines raise KnownError. A figure is a candidate's path."""

    @property
    def is_full(self) -> bool:
        """Whether no more companions can be added."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when a companion was added or removed; return a function that
        unsubscribes.
        """
        ...

    async def candidates(self) -> Sequence[CompanionCandidate]: ...

    async def face(self, figure: str) -> QPixmap:
        """Return its face; null if it can't be drawn."""
        ...

    async def invite(self, figure: str) -> None:
        """Add the companion, which greets and has its own conversation."""
        ...

    async def open(self, figure: str) -> None:
        """Open its conversation in the chat."""
        ...

    async def dismiss(self, figure: str) -> None:
        """Remove the companion, which says goodbye; its conversation is kept."""
        ...


class CompanionDialoguePort(Protocol):
    """Dialogue of the first companion with another one. Coroutines raise KnownError."""

    @property
    def is_enabled(self) -> bool:
        """Whether companions may talk with each other."""
        ...

    @property
    def is_running(self) -> bool: ...

    def status(self) -> str:
        """The state of the dialogue, or how the last one ended; "" before the first."""
        ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` when the state changes; return a function that unsubscribes."""
        ...

    async def start(self, figure: str, topic: str) -> None:
        """Start a dialogue about `topic`, "" for a free one."""
        ...

    def stop(self) -> None:
        """End the dialogue at once."""
        ...


TITLE = N_("Companions")
MIN_SIZE = (360, 500)


class CompanionsWindow(QWidget):
    """Invites and dismisses further figures. `settings_requested()`: the user wants to add one."""

    settings_requested = Signal()

    def __init__(self, theme: Theme, port: CompanionsPort, talk: CompanionDialoguePort) -> None:
        super().__init__()
        self._port = port
        self._talk = talk
        self._found: Sequence[CompanionCandidate] = ()
        self._faces: dict[str, QPixmap] = {}
        self._work = TaskRunner("companions", failed=self._fail)
        self._frame = SideWindowLayout(self, "guests", TITLE, MIN_SIZE)
        self.about, self.error_label, self.empty = (
            muted_label(),
            muted_label(),
            muted_label(centred=True),
        )
        self.add_button = QPushButton()
        self.add_button.clicked.connect(self.settings_requested)
        self.error_label.hide()
        self.list = EntryList(theme)
        self.invite_button, self.open_button, self.dismiss_button = (
            QPushButton(),
            QPushButton(),
            QPushButton(),
        )
        self.invite_button.clicked.connect(lambda: self._do("invite"))
        self.open_button.clicked.connect(lambda: self._do("open"))
        self.dismiss_button.clicked.connect(lambda: self._do("dismiss"))
        self.topic = QLineEdit()
        self.talk_button, self.stop_button = QPushButton(), QPushButton()
        self.status_label = muted_label()
        self.topic.returnPressed.connect(self._begin_talk)
        self.talk_button.clicked.connect(self._begin_talk)
        self.stop_button.clicked.connect(talk.stop)
        self.list.chosen.connect(self._show_chosen)
        self.list.opened.connect(lambda _id: self._do_usual())
        self._ends = (port.subscribe(self._read_soon), talk.subscribe(self._show_chosen))
        self._lay_out()
        RefreshOnShow(self, read=self._read_soon)
        self.set_theme(theme)
        self.retranslate()
        self.resize(480, 440)

    def present(self) -> None:
        """Show the window in front."""
        bring_to_front(self)

    async def aclose(self) -> None:
        """Stop the window's tasks and subscriptions."""
        for end in self._ends:
            end()
        await self._work.aclose()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr("Installed figures"))
        self.about.setText(
            tr(
                "Up to three more figures can be on the desktop, each with its own "
                "persona and conversation. A Live2D figure needs about 70 MB of memory, "
                "more if it is large, and as much processor time as the first; a figure "
                "made of pictures needs up to 250 MB of memory."
            )
        )
        self.empty.setText(
            tr(
                "No other figure yet. Add one in the settings under “Companion” (a Live2D model, a "
                "pet of Codex or Petdex, a Shimeji pack, a picture), or drop one on me."
            )
        )
        self.add_button.setText(tr("Add a figure…"))
        self.invite_button.setText(tr("Invite"))
        self.open_button.setText(tr("Open chat"))
        self.dismiss_button.setText(tr("Say goodbye"))
        self.topic.setPlaceholderText(tr("Topic (optional)"))
        self.topic.setAccessibleName(tr("Topic"))
        self.talk_button.setText(tr("Let them talk"))
        self.stop_button.setText(tr("Stop"))
        self.list.show_entries(self._entries())
        self._show_chosen()

    def _lay_out(self) -> None:
        frame = self._frame
        frame.add(self.about)
        frame.add(self.list, 1)
        self._empty_state = frame.add_empty_state(self.empty, self.add_button)
        self._empty_state.hide()
        frame.add(self.error_label)
        frame.row(self.invite_button, self.open_button, self.dismiss_button, None)
        frame.row(self.topic, self.talk_button, self.stop_button, wide=self.topic)
        frame.add(self.status_label)

    def _read_soon(self) -> None:
        if self.isVisible():
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        self._found = await self._port.candidates()
        self.list.show_entries_or_text(self._entries(), self._empty_state)
        self._show_chosen()
        for one in self._found:
            if one.path not in self._faces and not one.problem:
                self._faces[one.path] = await self._port.face(one.path)
                self.list.show_entries(self._entries())

    def _entries(self) -> list[ListEntry]:
        return [_entry(one, self._faces.get(one.path)) for one in self._found]

    def _show_chosen(self) -> None:
        chosen = self._chosen()
        here = chosen is not None and chosen.is_present
        may_come = chosen is not None and not here and not chosen.problem and not self._port.is_full
        self.invite_button.setEnabled(may_come)
        self.open_button.setEnabled(here)
        self.dismiss_button.setEnabled(here)
        running = self._talk.is_running
        may_talk = here and self._talk.is_enabled and not running
        self.topic.setEnabled(may_talk)
        self.talk_button.setEnabled(may_talk)
        self.talk_button.setVisible(not running)
        self.stop_button.setVisible(running)
        off = tr(
            "Conversations between companions can be allowed in the settings under "
            "“Other companions”."
        )
        self.status_label.setText(self._talk.status() if self._talk.is_enabled else off)
        self.status_label.setVisible(bool(self.status_label.text()))

    def _chosen(self) -> CompanionCandidate | None:
        wanted = self.list.current_id()
        return next((one for one in self._found if f"figure {one.path}" == wanted), None)

    def _do_usual(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._do("open" if chosen.is_present else "invite")

    def _do(self, action: str) -> None:
        chosen = self._chosen()
        button = {
            "invite": self.invite_button,
            "open": self.open_button,
            "dismiss": self.dismiss_button,
        }[action]
        if chosen is not None and button.isEnabled():
            self.error_label.hide()
            self._work.start(action, partial(getattr(self._port, action), chosen.path))

    def _begin_talk(self) -> None:
        chosen = self._chosen()
        if chosen is not None and self.talk_button.isEnabled():
            self.error_label.hide()
            topic = self.topic.text()
            self.topic.clear()
            self._work.start("talk", partial(self._talk.start, chosen.path, topic))

    def _fail(self, error: KnownError) -> None:
        self.error_label.setText(format_error(error).strip())
        self.error_label.show()


def _entry(one: CompanionCandidate, face: QPixmap | None) -> ListEntry:
    detail = one.problem or (
        tr("on the desktop, with its own conversation") if one.is_present else ""
    )
    sign = "warning" if one.problem else "check" if one.is_present else "companion"
    shown = face if face is not None and not face.isNull() else None
    if shown is not None and not one.is_present:
        sign = ""  # the face is shown instead
    words = detail or tr("can be invited")
    return ListEntry(f"figure {one.path}", one.name, words, icon=sign, picture=shown)
