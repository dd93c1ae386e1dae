"""Checks for a newer version once a day if the setting is on, and when the user presses the button.
Reports each new version once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet import __version__
from neodeskpet.app.engine import Engine
from neodeskpet.app.update_check import fetch_newest_release
from neodeskpet.app.update_source import ADDRESS, KEY, UpdateSource
from neodeskpet.core.errors import KnownError
from neodeskpet.core.release_notes import Release
from neodeskpet.core.speech_bubble import BubbleRank
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.language import language, tr
from neodeskpet.platform.observers import Observers
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.task_runner import TaskRunner

_LAST_CHECK_KEY = "updates.asked"
_LAST_TOLD_KEY = "updates.told"
_UPDATE_NOTICE = "update"
_DAY = 24 * 3600.0
_HOUR_MS = 3600 * 1000


class UpdateNotifier(QObject):
    """A `ui.settings.settings_ports.UpdatesPort`. `page_requested()`: the user opens the list of
    changes.
    """

    page_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        parent: QObject | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._now = now
        self.newer_release: Release | None = None
        self._observers: Observers[[]] = Observers()
        # The user did not request this check.
        self._work = TaskRunner("updates", failed=lambda _error: None)
        self._end = engine.settings.subscribe(self._on_setting_changed)
        companion.answered.connect(self._answered)
        # The app may run for weeks without a restart.
        self._hourly = QTimer(self, interval=_HOUR_MS)
        self._hourly.timeout.connect(self.start)
        self._hourly.start()

    @property
    def version(self) -> str:
        return __version__

    @property
    def language(self) -> str:
        return language()

    async def check(self) -> Release | None:
        """The newest release, if it is newer than this one. Raises KnownError."""
        chosen = self._engine.settings.settings.updates
        source = UpdateSource(chosen.address or ADDRESS, chosen.key or KEY)
        # The user or the publisher set that host, so it may be in the local network, too.
        fetcher = Fetcher(lambda _ip: True)
        self.newer_release = await fetch_newest_release(source, fetcher.fetch, __version__)
        self._observers.notify()
        return self.newer_release

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after each check; return the function that ends the subscription."""
        return self._observers.subscribe(observer)

    def start(self) -> None:
        """Start; the windows exist by then."""
        if self._engine.settings.settings.updates.look:
            self._work.start_once("look", self._check_daily)

    async def close(self) -> None:
        self._hourly.stop()
        self._end()
        await self._work.aclose()

    def _on_setting_changed(self, section: str, name: str, value: object) -> None:
        if (section, name) == ("updates", "look") and value:
            self.start()

    async def _check_daily(self) -> None:
        store = self._engine.storage.store
        before = float(await store.get_state(_LAST_CHECK_KEY) or 0)
        if 0 <= self._now() - before < _DAY:
            return
        await store.set_state(_LAST_CHECK_KEY, str(self._now()))
        try:
            release = await self.check()
        except KnownError:
            return  # the page shows the error after a check there
        if release is None or await store.get_state(_LAST_TOLD_KEY) == release.version:
            return
        await store.set_state(_LAST_TOLD_KEY, release.version)
        words = tr("NeoDeskPet {version} is available.", version=release.version)
        choices = (("show", tr("What is new?")), ("later", tr("Later")))
        self._companion.ask(
            _UPDATE_NOTICE,
            words,
            choices,
            sign="info",
            dismiss_choice="later",
            rank=BubbleRank.NOTICE,
        )

    def _answered(self, key: str, choice: str) -> None:
        if key == _UPDATE_NOTICE:
            self._companion.withdraw(_UPDATE_NOTICE)
            if choice == "show":
                self.page_requested.emit()
