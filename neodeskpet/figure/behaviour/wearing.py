"""Worn parts of a figure: a model has a parameter from 0 to 1 for each, named `ParamWear…`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from neodeskpet.figure.behaviour.seasons import DayContext, Holiday, Season

_Range = TypeVar("_Range")
_PREFIX = "ParamWear"
_OF_MOTIONS = frozenset(
    {
        "ParamKeyboard",
        "ParamKeyL",
        "ParamKeyR",
        "ParamReachL",
        "ParamReachR",
        "ParamTearFlow",
    }
)
"""Parameters that only make sense together with others, in a motion."""
FADE_SECONDS = 0.6
MUSIC_PART = "headphones"
HOLIDAY_PARTS: Mapping[Holiday, str] = {
    Holiday.CHRISTMAS: "santa hat",
    Holiday.SPRING_FESTIVAL: "ribbon",
    Holiday.LANTERN_FESTIVAL: "lantern",
    Holiday.MID_AUTUMN: "lantern",
    Holiday.HALLOWEEN: "witch hat",
    Holiday.BIRTHDAY: "birthday crown",
}
SEASON_PARTS: Mapping[Season, str] = {
    Season.SPRING: "flower",
    Season.SUMMER: "straw hat",
    Season.AUTUMN: "beret",
}
TURNS_FOR_A_PART = 100
PARTS_BY_USE = (
    "glasses",
    "beret",
    "flower",
    "straw hat",
    "umbrella",
    "lantern",
    "witch hat",
    "ribbon",
    "exam headband",
    "headphones",
    "birthday crown",
    "santa hat",
)
"""One after the other is worn for a day, each after so many more completed turns."""
_WEATHER = re.compile(r"weather|forecast|meteo|天气|气象", re.IGNORECASE)
_RAIN = re.compile(r"\b(?:rain\w*|drizzl\w*|showers?|thunderstorms?)\b|(?<!无)(?<!没)(?<!没有)雨")
_DRY = re.compile(r"\b(?:no|without|not) (?:any )?(?:rain|showers?|drizzle)\b|(?:不会?下|不下)雨")
_SUN = re.compile(r"\b(?:sunny|clear|sunshine)\b|晴")


def wearable_parts(parameters: Iterable[str]) -> dict[str, str]:
    """Return the parameter of each worn part by its name: ParamWearSantaHat is "santa hat"."""
    return {
        re.sub(r"(?<=.)(?=[A-Z])", " ", one.removeprefix(_PREFIX)).lower(): one
        for one in parameters
        if one.startswith(_PREFIX) and one != _PREFIX
    }


def without_props(parameters: Mapping[str, _Range]) -> dict[str, _Range]:
    """Return the parameters that a model may move: not those of worn parts, which `live2d.wear`
    shows, nor those that belong to motions.
    """
    shown = (name for name in parameters if not name.startswith(_PREFIX))
    return {name: parameters[name] for name in shown if name not in _OF_MOTIONS}


def part_by_itself(
    day: DayContext, *, music: bool = False, weather: str = "", use: str = ""
) -> str:
    """Return the part that suits the moment, "" for none. `weather` and `use` are the parts that
    `part_for_weather` and `part_for_turns` returned lately.
    """
    if music:
        return MUSIC_PART
    holiday = HOLIDAY_PARTS.get(day.holiday, "") if day.holiday is not None else ""
    season = SEASON_PARTS.get(day.season, "") if day.season is not None else ""
    return weather or holiday or use or season


def part_for_weather(tool: str, arguments: str, result: str) -> str:
    """Return the part for the weather that the result of a tool names first; "" if it names none or
    if the call isn't about the weather.
    """
    if not (_WEATHER.search(tool) or _WEATHER.search(arguments)):
        return ""
    text = _DRY.sub("", result.lower())
    rain, sun = _RAIN.search(text), _SUN.search(text)
    if rain and (sun is None or rain.start() < sun.start()):
        return "umbrella"
    return "straw hat" if sun else ""


def part_for_turns(turns: int) -> str:
    """Return the part that this number of completed turns brings; "" for most numbers."""
    number, rest = divmod(turns, TURNS_FOR_A_PART)
    return PARTS_BY_USE[(number - 1) % len(PARTS_BY_USE)] if turns > 0 and not rest else ""


@dataclass(slots=True)
class WornParts:
    """How visible each worn part is. `parameters` is the result of `wearable_parts`."""

    parameters: Mapping[str, str]
    worn: str = ""
    visible: dict[str, float] = field(default_factory=dict)

    def wear(self, name: str) -> None:
        """Wear this part alone; an unknown name removes the worn part."""
        self.worn = name if name in self.parameters else ""

    def advance(self, seconds: float) -> Mapping[str, float]:
        """Return the values of the parameters that aren't at rest, after this time."""
        for name in {*self.visible, *([self.worn] if self.worn else [])}:
            step = seconds / FADE_SECONDS * (1.0 if name == self.worn else -1.0)
            self.visible[name] = min(1.0, self.visible.get(name, 0.0) + step)
            if self.visible[name] <= 0.0:
                del self.visible[name]
        return {self.parameters[name]: shown for name, shown in self.visible.items()}
