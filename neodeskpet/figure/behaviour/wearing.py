"""Worn parts of a figure: a model has a parameter from 0 to 1 for each, named `ParamWear…`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from neodeskpet.figure.behaviour.seasons import DayContext, Holiday

_Range = TypeVar("_Range")
_PREFIX = "ParamWear"
FADE_SECONDS = 0.6
MUSIC_PART = "headphones"
HOLIDAY_PARTS: Mapping[Holiday, str] = {
    Holiday.CHRISTMAS: "santa hat",
    Holiday.SPRING_FESTIVAL: "ribbon",
    Holiday.BIRTHDAY: "ribbon",
}


def wearable_parts(parameters: Iterable[str]) -> dict[str, str]:
    """Return the parameter of each worn part by its name: ParamWearSantaHat is "santa hat"."""
    return {
        re.sub(r"(?<=.)(?=[A-Z])", " ", one.removeprefix(_PREFIX)).lower(): one
        for one in parameters
        if one.startswith(_PREFIX) and one != _PREFIX
    }


def without_worn_parts(parameters: Mapping[str, _Range]) -> dict[str, _Range]:
    """Return the parameters that don't show a worn part."""
    return {name: span for name, span in parameters.items() if not name.startswith(_PREFIX)}


def part_by_itself(day: DayContext, *, music: bool) -> str:
    """Return the part that suits the moment, "" for none."""
    if music:
        return MUSIC_PART
    return HOLIDAY_PARTS.get(day.holiday, "") if day.holiday is not None else ""


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
