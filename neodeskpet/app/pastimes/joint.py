"""All pastimes, joined with the app: one is a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from neodeskpet.app.pastimes.company import Company
from neodeskpet.app.pastimes.days import Days
from neodeskpet.app.pastimes.music import MusicDance
from neodeskpet.app.pastimes.seek import HideAndSeek
from neodeskpet.app.pastimes.snack import Snacks
from neodeskpet.app.pastimes.spans import WorkBeside
from neodeskpet.app.pastimes.typing import TypingPaws
from neodeskpet.ui.desktop.music.mpris import MprisMusic
from neodeskpet.ui.desktop.typing.here import find_keystrokes

SECTION = "pastimes"


class Pastimes(QObject):
    """Between `begin` and `close` they follow the settings. `offer` shows an entry of the menu, or
    takes it away.
    """

    def __init__(
        self,
        company: Company,
        offer: Callable[[str, bool], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._offer = offer
        self.days = Days(company, self)
        self.music = MusicDance(company, MprisMusic(), self)
        keystrokes = find_keystrokes(QGuiApplication.platformName())
        self.typing = TypingPaws(company, keystrokes, self)
        self.spans = WorkBeside(company, self)
        self.snacks = Snacks(company, self)
        self.seek = HideAndSeek(company, self)
        self._all = (self.days, self.music, self.typing, self.spans, self.snacks, self.seek)
        self._plays: Mapping[str, Callable[[], None]] = {
            "spans": self.spans.start,
            "snacks": self.snacks.bring,
            "seek": self.seek.start,
        }
        self._end = company.engine.settings.observe(self._settled)

    def begin(self) -> None:
        """The windows are there."""
        self._show_offers()
        for one in self._all:
            one.begin()

    async def close(self) -> None:
        self._end()
        for one in self._all:
            await one.close()

    def choose(self, entry: str) -> bool:
        """Do what this entry of the menu says; False for another's."""
        play = self._plays.get(entry)
        if play is not None:
            play()
        return play is not None

    def _settled(self, section: str, _name: str, _value: object) -> None:
        if section == SECTION:
            self._show_offers()
            for one in self._all:
                one.apply()

    def _show_offers(self) -> None:
        wanted = self._company.settings
        for name in self._plays:
            self._offer(name, bool(getattr(wanted, name)))
