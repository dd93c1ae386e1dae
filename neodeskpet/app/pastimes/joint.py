"""All pastimes, joined with the app: one is a line here."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from neodeskpet.app.pastimes.company import Company
from neodeskpet.app.pastimes.days import Days
from neodeskpet.app.pastimes.music import MusicDance
from neodeskpet.app.pastimes.typing import TypingPaws
from neodeskpet.ui.desktop.music.mpris import MprisMusic
from neodeskpet.ui.desktop.typing.here import find_keystrokes

SECTION = "pastimes"


class Pastimes(QObject):
    """Between `begin` and `close` they follow the settings."""

    def __init__(self, company: Company, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._company = company
        self.days = Days(company, self)
        self.music = MusicDance(company, MprisMusic(), self)
        keystrokes = find_keystrokes(QGuiApplication.platformName())
        self.typing = TypingPaws(company, keystrokes, self)
        self._all = (self.days, self.music, self.typing)
        self._end = company.engine.settings.observe(self._settled)

    def begin(self) -> None:
        """The windows are there."""
        for one in self._all:
            one.begin()

    async def close(self) -> None:
        self._end()
        for one in self._all:
            await one.close()

    def _settled(self, section: str, _name: str, _value: object) -> None:
        if section == SECTION:
            for one in self._all:
                one.apply()
