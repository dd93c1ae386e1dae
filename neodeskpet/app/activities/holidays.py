"""Activities that depend on the day: seasonal behaviour, and one greeting for each holiday."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from random import Random

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from neodeskpet.app.activities.desktop_reactions import ActivityContext
from neodeskpet.core.errors import StoreError
from neodeskpet.core.i18n import N_
from neodeskpet.core.proactive import Detection
from neodeskpet.core.schedule.parsing.named_days import named_days_in
from neodeskpet.core.schedule.rule import parse_month_day
from neodeskpet.figure.behaviour.seasons import (
    DayContext,
    DayPart,
    Hemisphere,
    Holiday,
    SeasonSettings,
    day_at,
)
from neodeskpet.figure.behaviour.tricks import SeasonalActs
from neodeskpet.language import tr
from neodeskpet.memory.facts.fact import Fact
from neodeskpet.ui.task_runner import TaskRunner

HOLIDAY_CHECK_MS = 60_000
_PRESENT_SECONDS = 120.0
"""Seconds. A user who has been idle for longer may be away and miss the greeting."""
_GREETED_KEY = "feast.told"
_HOLIDAY_NOTICE = "feast"
_LUNAR_WORDS = ("农历", "阴历")
HOLIDAY_GREETINGS: Mapping[Holiday, str] = {
    Holiday.BIRTHDAY: N_("Happy birthday! Today is your day."),
    Holiday.NEW_YEAR: N_("Happy New Year! A whole new one, and not a scratch on it yet."),
    Holiday.SPRING_FESTIVAL: N_("Happy Spring Festival! May the year be good to you."),
    Holiday.LANTERN_FESTIVAL: N_("Happy Lantern Festival! I have a lantern for you."),
    Holiday.MID_AUTUMN: N_("Happy Mid-Autumn Festival! Look out for the moon tonight."),
    Holiday.HALLOWEEN: N_("Happy Halloween! No tricks from me today."),
    Holiday.CHRISTMAS: N_("Merry Christmas!"),
}


class HolidayActivity(QObject):
    """Greets the user on holidays. `moment` returns the user's local time."""

    day_changed = Signal()
    """The day is another one for the figure (`PetWindow.day`)."""

    def __init__(
        self,
        company: ActivityContext,
        parent: QObject | None = None,
        *,
        moment: Callable[[], datetime] = datetime.now,
        random: Random | None = None,
    ) -> None:
        super().__init__(parent)
        self._company = company
        self._moment = moment
        self._turning = SeasonalActs(random or Random(), time.monotonic())
        self._remembered: tuple[int, int] | None = None
        self._work = TaskRunner("days", failed=lambda error: None)
        self._timer = QTimer(self, interval=HOLIDAY_CHECK_MS)
        self._timer.timeout.connect(self.check)
        self._end = company.engine.memory.store.facts.subscribe(self._recall_soon)
        self._open_greeting: Holiday | None = None  # shown in the bubble and not clicked yet
        self._told = ""  # the last greeting that was clicked
        company.companion.answered.connect(self._answered)

    def start(self) -> None:
        """Start; the windows exist by then."""
        self._recall_soon()
        self._timer.start()
        self.check()

    async def aclose(self) -> None:
        self._timer.stop()
        self._end()
        self._company.companion.answered.disconnect(self._answered)
        await self._work.aclose()

    async def wait_idle(self) -> None:
        """Wait until no task is running."""
        await self._work.wait_until_idle()

    def apply(self) -> None:
        """Apply changed settings."""
        self.check()

    @Slot()
    def check(self) -> None:
        """Apply the current day: seasonal acts and holiday greetings."""
        settings, pet = self._company.settings, self._company.pet
        day = day_at(self._moment(), self.season_settings())
        shown = day if settings.days else DayContext()
        changed = shown != pet.day
        pet.set_day(shown)
        if changed:
            self.day_changed.emit()
        feat = self._turning.due(shown, time.monotonic())
        if feat is not None:
            pet.perform(feat)
        if self._open_greeting is not None and day.holiday is not self._open_greeting:
            self._take_back()
        if day.holiday is not None and day.part is not DayPart.NIGHT:
            holiday = day.holiday
            self._work.start_once("feast", lambda: self._wish(holiday))

    def season_settings(self) -> SeasonSettings:
        """Return hemisphere, holidays and birthday of the user from the settings and facts."""
        settings = self._company.settings
        birthday = parse_month_day(settings.birthday) or self._remembered
        return SeasonSettings(Hemisphere(settings.hemisphere), settings.feasts, birthday)

    async def _wish(self, holiday: Holiday) -> None:
        """Show the greeting of a holiday once a year, while the user is present and no question is
        open. It stays until the user clicks it; only then is it stored as shown.
        """
        store, companion = self._company.engine.storage.store, self._company.companion
        if self._open_greeting is not None or await store.get_state(_GREETED_KEY) == self._once(
            holiday
        ):
            return
        if companion.has_question or not self._company.may_speak():
            return
        noticed = await self._company.attention.read_presence()
        busy = Detection.YES in (noticed.fullscreen, noticed.call, noticed.shared)
        if busy or (noticed.idle is not None and noticed.idle > _PRESENT_SECONDS):
            return
        if self._open_greeting is not None or self._told == self._once(holiday):
            return  # it was shown or answered while this asked for the presence
        self._open_greeting = holiday
        self._company.pet.celebrate()
        companion.greet_with_question(
            _HOLIDAY_NOTICE,
            tr(HOLIDAY_GREETINGS[holiday]),
            (("thanks", tr("Thank you")),),
            dismiss_choice="thanks",
        )

    def _once(self, holiday: Holiday) -> str:
        return f"{holiday} {self._moment().year}"

    def _answered(self, key: str, _choice: str) -> None:
        holiday = self._open_greeting
        if key == _HOLIDAY_NOTICE and holiday is not None:
            self._take_back()
            once = self._told = self._once(holiday)
            self._work.start(
                "told", lambda: self._company.engine.storage.store.set_state(_GREETED_KEY, once)
            )

    def _take_back(self) -> None:
        self._open_greeting = None
        self._company.companion.withdraw(_HOLIDAY_NOTICE)

    def _recall_soon(self) -> None:
        self._work.replace("recall", self._recall)

    async def _recall(self) -> None:
        with suppress(StoreError):  # the birthday stays unknown
            facts = await self._company.engine.memory.store.facts.list_facts()
            found = (birthday_in(fact, self._moment()) for fact in facts)
            self._remembered = next((day for day in found if day is not None), None)
            self.check()


def birthday_in(fact: Fact, now: datetime) -> tuple[int, int] | None:
    """Return month and day of the user's birthday if the user wrote or pinned this fact. Lunar
    dates are ignored because they fall on a different day each year.
    """
    claim = fact.claim
    sure = (fact.by_user or fact.pinned) and not fact.conflicting_id
    if claim.topic != "birthday" or not sure or any(word in claim.value for word in _LUNAR_WORDS):
        return None
    found = (span.first for span in named_days_in(claim.value, now) if span.days == 1)
    return next(((day.month, day.day) for day in found), None)
