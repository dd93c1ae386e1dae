"""What day it is to it: the part of the day, the season where that is known, a feast.

Pure: the moment is the person's own, on the clock on their wall.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from neodeskpet.core.schedule.anniversary import is_anniversary

_FIRST_YEAR = 2020
_SPRING_FESTIVAL = (
    "0125 0212 0201 0122 0210 0129 0217 0206 0126 0213 0203 0123 0211 0131 0219 0208 "
    "0128 0215 0204 0124 0212 0201 0122 0210 0130 0217 0206 0126 0214 0202 0123 0211 "
    "0201 0219 0208 0128 0215 0204 0124 0212 0202 0121 0209 0129 0217 0205 0126 0214 "
    "0203 0123 0211 0131 0219 0207 0127 0215 0205 0124 0212 0202 0122 0209 0129 0217"
)
_MID_AUTUMN = (
    "1001 0921 0910 0929 0917 1006 0925 0915 1003 0922 0912 1001 0919 0908 0927 0916 "
    "1004 0924 0913 1002 0920 0910 0928 0917 1005 0925 0915 1004 0922 0911 0930 0919 "
    "0907 0926 0916 1005 0924 0913 1002 0921 0909 0928 0917 1006 0925 0915 1003 0923 "
    "0911 0929 0919 0908 0926 0916 1005 0924 0912 1001 0920 0910 0928 0917 1006 0926"
)
"""Month and day of the lunar feasts, by year from 2020 to 2083: two libraries agree on them."""


class Part(StrEnum):
    MORNING = "morning"
    DAY = "day"
    EVENING = "evening"
    NIGHT = "night"


class Season(StrEnum):
    SPRING = "spring"
    SUMMER = "summer"
    AUTUMN = "autumn"
    WINTER = "winter"


class Feast(StrEnum):
    BIRTHDAY = "birthday"
    NEW_YEAR = "new_year"
    SPRING_FESTIVAL = "spring_festival"
    MID_AUTUMN = "mid_autumn"
    CHRISTMAS = "christmas"


class Hemisphere(StrEnum):
    NEITHER = "neither"
    NORTH = "north"
    SOUTH = "south"


@dataclass(frozen=True, slots=True)
class Ways:
    """What the person said of themselves. `birthday` is month and day. Without a hemisphere there
    are no seasons: the app doesn't guess where they live.
    """

    hemisphere: Hemisphere = Hemisphere.NEITHER
    feasts: bool = False
    birthday: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Day:
    part: Part = Part.DAY
    season: Season | None = None
    feast: Feast | None = None

    def weight(self, named: AbstractSet[str]) -> float:
        """How much more (or less) than usual it does what is called so, in lower-case words."""
        weight = 1.0
        for what, times in self._leanings():
            if named & what:
                weight *= times
        return weight

    def _leanings(self) -> list[tuple[AbstractSet[str], float]]:
        found = list(_BY_PART[self.part])
        if self.season is not None:
            found += _BY_SEASON[self.season]
        if self.feast is not None:
            found.append((JOLLY, 4.0))
        return found


PLAIN = Day()
JOLLY = frozenset({"dance", "jump", "hop", "cheer", "joy", "happy", "hum", "sing", "跳舞", "开心"})
_DROWSY = frozenset({"yawn", "stretch", "哈欠", "懒腰"})
_SNEEZY = frozenset({"sneeze", "cough", "shiver", "喷嚏"})
_LOOKING = frozenset({"look", "glance", "sniff"})
_TIDY = frozenset({"groom", "wash", "lick", "tail"})
_Leanings = tuple[tuple[AbstractSet[str], float], ...]

_BY_PART: dict[Part, _Leanings] = {
    Part.MORNING: ((_DROWSY, 3.0),),
    Part.DAY: (),
    Part.EVENING: ((frozenset({"hum", "sing"}), 2.0), (_DROWSY, 1.5)),
    Part.NIGHT: ((_DROWSY, 3.0), (frozenset({"dance", "jump", "hop", "跳舞"}), 0.2)),
}
_BY_SEASON: dict[Season, _Leanings] = {
    Season.SPRING: ((_LOOKING, 1.5), (_SNEEZY, 1.5)),
    Season.SUMMER: ((_DROWSY, 1.5), (_SNEEZY, 0.3)),
    Season.AUTUMN: ((_TIDY, 1.7),),
    Season.WINTER: ((_SNEEZY, 2.5),),
}


_NOBODY = Ways()


def day_at(moment: datetime, ways: Ways = _NOBODY) -> Day:
    """What `moment` is to it."""
    today = moment.date()
    return Day(_part(moment.hour), _season(today, ways.hemisphere), _feast(today, ways))


def _part(hour: int) -> Part:
    if 5 <= hour < 10:
        return Part.MORNING
    if 10 <= hour < 18:
        return Part.DAY
    return Part.EVENING if 18 <= hour < 23 else Part.NIGHT


def _season(today: date, hemisphere: Hemisphere) -> Season | None:
    """By whole months, as weather is counted: March begins the northern spring."""
    if hemisphere is Hemisphere.NEITHER:
        return None
    months = today.month - 3 if hemisphere is Hemisphere.NORTH else today.month - 9
    return tuple(Season)[months % 12 // 3]


def _feast(today: date, ways: Ways) -> Feast | None:
    if ways.birthday is not None and is_anniversary(today, ways.birthday):
        return Feast.BIRTHDAY
    if not ways.feasts:
        return None
    spring, autumn = _lunar(_SPRING_FESTIVAL, today.year), _lunar(_MID_AUTUMN, today.year)
    if spring is not None and timedelta(-1) <= today - spring <= timedelta(2):
        return Feast.SPRING_FESTIVAL  # from the eve to the third day
    if today == autumn:
        return Feast.MID_AUTUMN
    fixed = {(1, 1): Feast.NEW_YEAR, (12, 24): Feast.CHRISTMAS, (12, 25): Feast.CHRISTMAS}
    return fixed.get((today.month, today.day))


def _lunar(table: str, year: int) -> date | None:
    days = table.split()
    if not 0 <= year - _FIRST_YEAR < len(days):
        return None
    day = days[year - _FIRST_YEAR]
    return date(year, int(day[:2]), int(day[2:]))
