"""The day it is: what the companion does leans towards it, and a feast has a word, once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from random import Random

from PySide6.QtCore import QObject, QTimer, Slot

from neodeskpet.app.pastimes.company import Company
from neodeskpet.core.errors import StoreError
from neodeskpet.core.initiative.moment import Sense
from neodeskpet.core.schedule.anniversary import read_day
from neodeskpet.core.schedule.words.named_days import spans_in
from neodeskpet.core.wording import N_
from neodeskpet.language import tr
from neodeskpet.live2d.life.almanac import Day, Feast, Hemisphere, Part, Ways, day_at
from neodeskpet.live2d.life.turning import Turning
from neodeskpet.memory.facts.fact import Fact
from neodeskpet.ui.work import Work

LOOK_MS = 60_000
_THERE = 120.0
"""Seconds. Who did nothing for longer may not be there to hear it."""
_TOLD = "feast.told"
_WISH = "feast"
_LUNAR = ("农历", "阴历")
WISHES: Mapping[Feast, str] = {
    Feast.BIRTHDAY: N_("Happy birthday! Today is your day."),
    Feast.NEW_YEAR: N_("Happy New Year! A whole new one, and not a scratch on it yet."),
    Feast.SPRING_FESTIVAL: N_("Happy Spring Festival! May the year be good to you."),
    Feast.MID_AUTUMN: N_("Happy Mid-Autumn Festival! Look out for the moon tonight."),
    Feast.CHRISTMAS: N_("Merry Christmas!"),
}


class Days(QObject):
    """`moment` is the person's own time, `random` chance."""

    def __init__(
        self,
        company: Company,
        parent: QObject | None = None,
        *,
        moment: Callable[[], datetime] = datetime.now,
        random: Random | None = None,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._moment = moment
        self._turning = Turning(random or Random(), time.monotonic())
        self._remembered: tuple[int, int] | None = None
        self._work = Work("days", failed=lambda error: None)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._end = company.engine.memory.facts.observe(self._recall_soon)
        self._wished: Feast | None = None  # stands in the bubble, and wasn't clicked yet
        company.companion.answered.connect(self._answered)

    def begin(self) -> None:
        """The windows are there."""
        self._recall_soon()
        self._timer.start()
        self.look()

    async def close(self) -> None:
        self._timer.stop()
        self._end()
        self._company.companion.answered.disconnect(self._answered)
        await self._work.close()

    async def settled(self) -> None:
        """Until nothing is under way."""
        await self._work.settled()

    def apply(self) -> None:
        """The settings are others."""
        self.look()

    @Slot()
    def look(self) -> None:
        """What day is it?"""
        settings, pet = self._company.settings, self._company.pet
        day = day_at(self._moment(), self.ways())
        shown = day if settings.days else Day()
        pet.set_day(shown)
        feat = self._turning.due(shown, time.monotonic())
        if feat is not None:
            pet.do(feat)
        if self._wished is not None and day.feast is not self._wished:
            self._take_back()
        if day.feast is not None and day.part is not Part.NIGHT:
            feast = day.feast
            self._work.start_once("feast", lambda: self._wish(feast))

    def ways(self) -> Ways:
        """What the person said of themselves."""
        settings = self._company.settings
        birthday = read_day(settings.birthday) or self._remembered
        return Ways(Hemisphere(settings.hemisphere), settings.feasts, birthday)

    async def _wish(self, feast: Feast) -> None:
        """Once a year, when somebody is there and nothing else is asked. It stays until it is
        clicked: not before that it counts as told.
        """
        store, companion = self._company.engine.store, self._company.companion
        if self._wished is not None or await store.get_state(_TOLD) == self._once(feast):
            return
        if companion.asks or not self._company.may_speak():
            return
        noticed = await self._company.attention.notice()
        busy = Sense.YES in (noticed.fullscreen, noticed.call, noticed.shared)
        if busy or (noticed.idle is not None and noticed.idle > _THERE):
            return
        self._wished = feast
        companion.introduce(_WISH, tr(WISHES[feast]), (("thanks", tr("Thank you")),))

    def _once(self, feast: Feast) -> str:
        return f"{feast} {self._moment().year}"

    def _answered(self, key: str, _choice: str) -> None:
        feast = self._wished
        if key == _WISH and feast is not None:
            self._take_back()
            once = self._once(feast)
            self._work.start("told", lambda: self._company.engine.store.set_state(_TOLD, once))

    def _take_back(self) -> None:
        self._wished = None
        self._company.companion.settle(_WISH)

    def _recall_soon(self) -> None:
        self._work.replace("recall", self._recall)

    async def _recall(self) -> None:
        with suppress(StoreError):  # then it isn't known
            facts = await self._company.engine.memory.facts.all()
            found = (birthday_in(fact, self._moment()) for fact in facts)
            self._remembered = next((day for day in found if day is not None), None)
            self.look()


def birthday_in(fact: Fact, now: datetime) -> tuple[int, int] | None:
    """Month and day of the person's birthday, if this is one that they wrote or pinned. A day of
    the lunar calendar is another each year: it isn't read.
    """
    claim = fact.claim
    sure = (fact.own or fact.pinned) and not fact.rival
    if claim.topic != "birthday" or not sure or any(word in claim.value for word in _LUNAR):
        return None
    found = (span.first for span in spans_in(claim.value, now) if span.days == 1)
    return next(((day.month, day.day) for day in found), None)
