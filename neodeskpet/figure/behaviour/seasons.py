"""Describes the current day for the figure: the part of the day, the season if known, a holiday.

Pure: the time is the user's local time.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

from neodeskpet.core.schedule.rule import is_anniversary
from neodeskpet.core.schedule.vocabulary import solar_day


class DayPart(StrEnum):
    MORNING = "morning"
    DAY = "day"
    EVENING = "evening"
    NIGHT = "night"


class Season(StrEnum):
    SPRING = "spring"
    SUMMER = "summer"
    AUTUMN = "autumn"
    WINTER = "winter"


class Holiday(StrEnum):
    BIRTHDAY = "birthday"
    NEW_YEAR = "new_year"
    SPRING_FESTIVAL = "spring_festival"
    LANTERN_FESTIVAL = "lantern_festival"
    MID_AUTUMN = "mid_autumn"
    HALLOWEEN = "halloween"
    CHRISTMAS = "christmas"


class Hemisphere(StrEnum):
    NEITHER = "neither"
    NORTH = "north"
    SOUTH = "south"


@dataclass(frozen=True, slots=True)
class SeasonSettings:
    """The user's settings. `birthday` is month and day. Without a hemisphere there are no seasons:
    the app doesn't guess where the user lives.
    """

    hemisphere: Hemisphere = Hemisphere.NEITHER
    celebrates: bool = False
    birthday: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class DayContext:
    part: DayPart = DayPart.DAY
    season: Season | None = None
    holiday: Holiday | None = None

    def weight(self, named: AbstractSet[str]) -> float:
        """Return the factor of the likelihood of a motion whose name has these words, in lower
        case.
        """
        weight = 1.0
        for what, times in self._leanings():
            if named & what:
                weight *= times
        return weight

    def _leanings(self) -> list[tuple[AbstractSet[str], float]]:
        found = list(_BY_PART[self.part])
        if self.season is not None:
            found += _BY_SEASON[self.season]
        if self.holiday is not None:
            found.append((CHEERFUL_NAMES, 4.0))
        return found


PLAIN_DAY = DayContext()
CHEERFUL_NAMES = frozenset(
    {"dance", "jump", "hop", "cheer", "joy", "happy", "hum", "sing", "跳舞", "开心"}
)
_DROWSY = frozenset({"yawn", "stretch", "哈欠", "懒腰"})
_SNEEZY = frozenset({"sneeze", "cough", "shiver", "喷嚏"})
_LOOKING = frozenset({"look", "glance", "sniff"})
_TIDY = frozenset({"groom", "wash", "lick", "tail"})
_Leanings = tuple[tuple[AbstractSet[str], float], ...]

_BY_PART: dict[DayPart, _Leanings] = {
    DayPart.MORNING: ((_DROWSY, 3.0),),
    DayPart.DAY: (),
    DayPart.EVENING: ((frozenset({"hum", "sing"}), 2.0), (_DROWSY, 1.5)),
    DayPart.NIGHT: ((_DROWSY, 3.0), (frozenset({"dance", "jump", "hop", "跳舞"}), 0.2)),
}
_BY_SEASON: dict[Season, _Leanings] = {
    Season.SPRING: ((_LOOKING, 1.5), (_SNEEZY, 1.5)),
    Season.SUMMER: ((_DROWSY, 1.5), (_SNEEZY, 0.3)),
    Season.AUTUMN: ((_TIDY, 1.7),),
    Season.WINTER: ((_SNEEZY, 2.5),),
}


_NOBODY = SeasonSettings()


def day_at(moment: datetime, settings: SeasonSettings = _NOBODY) -> DayContext:
    """Return the day at `moment`."""
    today = moment.date()
    return DayContext(
        _part(moment.hour), _season(today, settings.hemisphere), _holiday(today, settings)
    )


def _part(hour: int) -> DayPart:
    if 5 <= hour < 10:
        return DayPart.MORNING
    if 10 <= hour < 18:
        return DayPart.DAY
    return DayPart.EVENING if 18 <= hour < 23 else DayPart.NIGHT


def _season(today: date, hemisphere: Hemisphere) -> Season | None:
    """Return the meteorological season: it starts with a month; the northern spring starts in
    March.
    """
    if hemisphere is Hemisphere.NEITHER:
        return None
    months = today.month - 3 if hemisphere is Hemisphere.NORTH else today.month - 9
    return tuple(Season)[months % 12 // 3]


def _holiday(today: date, settings: SeasonSettings) -> Holiday | None:
    if settings.birthday is not None and is_anniversary(today, settings.birthday):
        return Holiday.BIRTHDAY
    if not settings.celebrates:
        return None
    spring, autumn = _lunar(today.year, 1, 1), _lunar(today.year, 8, 15)
    if spring is not None and timedelta(-1) <= today - spring <= timedelta(2):
        return Holiday.SPRING_FESTIVAL  # from New Year's Eve to the third day
    if today == autumn:
        return Holiday.MID_AUTUMN
    if today == _lunar(today.year, 1, 15):
        return Holiday.LANTERN_FESTIVAL
    return _FIXED.get((today.month, today.day))


_FIXED = {
    (1, 1): Holiday.NEW_YEAR,
    (10, 31): Holiday.HALLOWEEN,
    (12, 24): Holiday.CHRISTMAS,
    (12, 25): Holiday.CHRISTMAS,
}


_lunar = lru_cache(maxsize=8)(solar_day)
"""Cached, because it is called every minute."""
