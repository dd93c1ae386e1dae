"""All companions, in a window: who is there, and who may come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.wording import N_
from neodeskpet.language import explain, tr
from neodeskpet.ui.guests.port import Candidate, GuestsPort, TalkPort
from neodeskpet.ui.notebook.entries import Entry, EntryList
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.windows.frame import Frame, muted
from neodeskpet.ui.windows.place import bring_forward
from neodeskpet.ui.windows.presence import Presence
from neodeskpet.ui.work import Work

TITLE = N_("Companions")
LEAST = (360, 420)


class GuestsWindow(QWidget):
    def __init__(self, theme: Theme, port: GuestsPort, talk: TalkPort) -> None:
        super().__init__()
        self._port = port
        self._talk = talk
        self._found: Sequence[Candidate] = ()
        self._faces: dict[str, QPixmap] = {}
        self._work = Work("companions", failed=self._fail)
        self._frame = Frame(self, "guests", TITLE, LEAST)
        self.about, self.trouble, self.empty = muted(), muted(), muted(centred=True)
        self.empty.hide()
        self.trouble.hide()
        self.list = EntryList(theme)
        self.invite, self.open, self.part = QPushButton(), QPushButton(), QPushButton()
        self.invite.clicked.connect(lambda: self._do("invite"))
        self.open.clicked.connect(lambda: self._do("open"))
        self.part.clicked.connect(lambda: self._do("part"))
        self.topic = QLineEdit()
        self.talk, self.stop = QPushButton(), QPushButton()
        self.told = muted()
        self.topic.returnPressed.connect(self._begin_talk)
        self.talk.clicked.connect(self._begin_talk)
        self.stop.clicked.connect(talk.stop)
        self.list.chosen.connect(self._show_chosen)
        self.list.opened.connect(lambda _id: self._do_usual())
        self._ends = (port.observe(self._read_soon), talk.observe(self._show_chosen))
        self._lay_out()
        Presence(self, read=self._read_soon)
        self.set_theme(theme)
        self.retranslate()
        self.resize(480, 440)

    def present(self) -> None:
        """Show the window in front."""
        bring_forward(self)

    async def finish(self) -> None:
        """Before the window goes."""
        for end in self._ends:
            end()
        await self._work.close()

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.list.set_theme(theme)

    def retranslate(self) -> None:
        self._frame.retranslate()
        self.list.setAccessibleName(tr("Figures that are installed"))
        self.about.setText(
            tr(
                "Up to three figures may stand beside the first, each with its own persona and its "
                "own conversation. A Live2D figure takes some 70 MB of memory, more where it is "
                "large, and as much of the processor as the first; one made of pictures takes up "
                "to 250 MB of memory."
            )
        )
        self.empty.setText(
            tr(
                "There is nobody to invite yet: add a figure in Settings › Companion (a Live2D "
                "model, a pet of Codex or Petdex, a Shimeji pack, a picture), or drop one on me."
            )
        )
        self.invite.setText(tr("Invite"))
        self.open.setText(tr("Open chat"))
        self.part.setText(tr("Say goodbye"))
        self.topic.setPlaceholderText(tr("What they talk about (may stay empty)"))
        self.topic.setAccessibleName(tr("What they talk about"))
        self.talk.setText(tr("Let them talk"))
        self.stop.setText(tr("Stop"))
        self.list.show_entries(self._entries())
        self._show_chosen()

    def _lay_out(self) -> None:
        frame = self._frame
        for part in (self.about, self.list, self.empty, self.trouble):
            frame.add(part, 1 if part in (self.list, self.empty) else 0)
        frame.row(self.invite, self.open, self.part, None)
        frame.row(self.topic, self.talk, self.stop, wide=self.topic)
        frame.add(self.told)

    def _read_soon(self) -> None:
        if self.isVisible():
            self._work.replace("read", self._read)

    async def _read(self) -> None:
        self._found = await self._port.candidates()
        self.list.show_or_say(self._entries(), self.empty)
        self._show_chosen()
        for one in self._found:
            if one.path not in self._faces and not one.wrong:
                self._faces[one.path] = await self._port.face(one.path)
                self.list.show_entries(self._entries())

    def _entries(self) -> list[Entry]:
        return [_entry(one, self._faces.get(one.path)) for one in self._found]

    def _show_chosen(self) -> None:
        chosen = self._chosen()
        here = chosen is not None and chosen.here
        may_come = chosen is not None and not here and not chosen.wrong and not self._port.full
        self.invite.setEnabled(may_come)
        self.open.setEnabled(here)
        self.part.setEnabled(here)
        running = self._talk.running
        may_talk = here and self._talk.wanted and not running
        self.topic.setEnabled(may_talk)
        self.talk.setEnabled(may_talk)
        self.talk.setVisible(not running)
        self.stop.setVisible(running)
        off = tr("Whether they may talk with each other is set in Settings › More companions.")
        self.told.setText(self._talk.told() if self._talk.wanted else off)
        self.told.setVisible(bool(self.told.text()))

    def _chosen(self) -> Candidate | None:
        wanted = self.list.current_id()
        return next((one for one in self._found if f"figure {one.path}" == wanted), None)

    def _do_usual(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self._do("open" if chosen.here else "invite")

    def _do(self, deed: str) -> None:
        chosen = self._chosen()
        button = {"invite": self.invite, "open": self.open, "part": self.part}[deed]
        if chosen is not None and button.isEnabled():
            self.trouble.hide()
            self._work.start(deed, partial(getattr(self._port, deed), chosen.path))

    def _begin_talk(self) -> None:
        chosen = self._chosen()
        if chosen is not None and self.talk.isEnabled():
            self.trouble.hide()
            topic = self.topic.text()
            self.topic.clear()
            self._work.start("talk", partial(self._talk.begin, chosen.path, topic))

    def _fail(self, error: KnownError) -> None:
        self.trouble.setText(explain(error).strip())
        self.trouble.show()


def _entry(one: Candidate, face: QPixmap | None) -> Entry:
    detail = one.wrong or (tr("is here, with a conversation of its own") if one.here else "")
    sign = "warning" if one.wrong else "check" if one.here else "companion"
    shown = face if face is not None and not face.isNull() else None
    if shown is not None and not one.here:
        sign = ""  # the face says the same
    words = detail or tr("may be invited")
    return Entry(f"figure {one.path}", one.name, words, sign=sign, picture=shown)
