"""Asks for a newer version once a day where the person switched that on, and when they press the
button; tells of each new one once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from neodeskpet import __version__
from neodeskpet.core.errors import KnownError
from neodeskpet.engine import Engine
from neodeskpet.language import language, tr
from neodeskpet.observers import Observers
from neodeskpet.ui.pet.companion import Companion
from neodeskpet.ui.work import Work
from neodeskpet.updates.asking import ask
from neodeskpet.updates.release import Release
from neodeskpet.updates.source import ADDRESS, KEY, Source
from neodeskpet.web.fetcher import Fetcher

_ASKED = "updates.asked"
_TOLD = "updates.told"
_KEY = "update"
_DAY = 24 * 3600.0
_HOUR_MS = 3600 * 1000


class UpdateTalk(QObject):
    """A `ui.settings.ports.UpdatesPort`. `page_requested()`: they want to see what is new."""

    page_requested = Signal()

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        parent: QObject | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._now = now
        self.found: Release | None = None
        self._heard: Observers[[]] = Observers()
        self._work = Work("updates", failed=lambda _error: None)  # nobody asked just now
        self._end = engine.settings.observe(self._settled)
        companion.answered.connect(self._answered)
        self._hourly = QTimer(self, interval=_HOUR_MS)  # the app may run for weeks
        self._hourly.timeout.connect(self.begin)
        self._hourly.start()

    @property
    def version(self) -> str:
        return __version__

    @property
    def language(self) -> str:
        return language()

    async def look(self) -> Release | None:
        """The newest release, if it is newer than this one. Raises KnownError."""
        chosen = self._engine.settings.settings.updates
        source = Source(chosen.address or ADDRESS, chosen.key or KEY)
        # The person, or who publishes this copy, named that computer: one of their own network too.
        fetcher = Fetcher(lambda _ip: True)
        self.found = await ask(source, fetcher.fetch, __version__)
        self._heard.tell()
        return self.found

    def observe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Have it called whenever `found` was looked for; returns what ends that."""
        return self._heard.add(observer)

    def begin(self) -> None:
        """The windows are there."""
        if self._engine.settings.settings.updates.look:
            self._work.start_once("look", self._look_daily)

    async def close(self) -> None:
        self._hourly.stop()
        self._end()
        await self._work.close()

    def _settled(self, section: str, name: str, value: object) -> None:
        if (section, name) == ("updates", "look") and value:
            self.begin()

    async def _look_daily(self) -> None:
        store = self._engine.store
        before = float(await store.get_state(_ASKED) or 0)
        if 0 <= self._now() - before < _DAY:
            return
        await store.set_state(_ASKED, str(self._now()))
        try:
            release = await self.look()
        except KnownError:
            return  # the page says it when it is asked there
        if release is None or await store.get_state(_TOLD) == release.version:
            return
        await store.set_state(_TOLD, release.version)
        words = tr("NeoDeskPet {version} is there.", version=release.version)
        choices = (("show", tr("What is new?")), ("later", tr("Later")))
        self._companion.ask(_KEY, words, choices, sign="info")

    def _answered(self, key: str, choice: str) -> None:
        if key == _KEY:
            self._companion.settle(_KEY)
            if choice == "show":
                self.page_requested.emit()
