"""Creates all activities. A further activity is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from neodeskpet.app.activities.album import AlbumActivity
from neodeskpet.app.activities.desktop_reactions import (
    ActivityContext,
    MusicDance,
    SmallReactions,
    TypingAlong,
)
from neodeskpet.app.activities.games import HideAndSeek, SnackActivity
from neodeskpet.app.activities.holidays import HolidayActivity
from neodeskpet.app.activities.pomodoro import PomodoroActivity
from neodeskpet.app.activities.wardrobe import Wardrobe
from neodeskpet.figure.behaviour.ground import VisibleWindow
from neodeskpet.ui.desktop.keystrokes import create_click_counter, create_keystroke_counter
from neodeskpet.ui.desktop.music_players import MprisMusicDetector

ACTIVITIES_SECTION = "pastimes"


class ActivitiesController(QObject):
    """Runs the activities according to the settings, between `start` and `aclose`. `offer` shows or
    hides an entry of the menu. `windows` returns the visible windows, topmost first.
    """

    def __init__(
        self,
        company: ActivityContext,
        offer: Callable[[str, bool], None],
        windows: Callable[[], Sequence[VisibleWindow]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._offer = offer
        self.holidays = HolidayActivity(company, self)
        self.music = MusicDance(company, MprisMusicDetector(), self)
        platform = QGuiApplication.platformName()
        self.wardrobe = Wardrobe(company, lambda: self.music.playing, self)
        self.music.playing_changed.connect(self.wardrobe.apply)
        self.holidays.day_changed.connect(self.wardrobe.apply)
        self.typing_along = TypingAlong(company, create_keystroke_counter(platform), self)
        self.small_reactions = SmallReactions(
            company, create_click_counter(platform), windows, self
        )
        self.album = AlbumActivity(company, self.holidays.season_settings, self)
        self.pomodoro = PomodoroActivity(company, self)
        self.snacks = SnackActivity(company, self)
        self.hide_and_seek = HideAndSeek(company, self)
        self._all = (
            self.holidays,
            self.music,
            self.wardrobe,
            self.typing_along,
            self.small_reactions,
            self.album,
            self.pomodoro,
            self.snacks,
            self.hide_and_seek,
        )
        self._plays: Mapping[str, Callable[[], None]] = {
            "spans": self.pomodoro.start_session,
            "snacks": self.snacks.offer_snack,
            "seek": self.hide_and_seek.start_round,
        }
        self._end = company.engine.settings.subscribe(self._on_setting_changed)

    def start(self) -> None:
        """Start the activities; the windows exist by then."""
        self._show_offers()
        for one in self._all:
            one.start()

    async def aclose(self) -> None:
        self._end()
        for one in self._all:
            await one.aclose()

    def on_menu_choice(self, entry: str) -> bool:
        """Start the activity of this menu entry; False if the entry belongs to another part."""
        play = self._plays.get(entry)
        if play is not None:
            play()
        return play is not None

    def _on_setting_changed(self, section: str, _name: str, _value: object) -> None:
        if section == ACTIVITIES_SECTION:
            self._show_offers()
            for one in self._all:
                one.apply()
        elif section == "companion":
            self.small_reactions.apply()
            self.wardrobe.apply()

    def _show_offers(self) -> None:
        wanted = self._company.settings
        for name in self._plays:
            self._offer(name, bool(getattr(wanted, name)))
