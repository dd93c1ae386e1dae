"""Settings for activities of the companion, alone and with the user: each is a switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints
from pydantic_core import PydanticCustomError

from neodeskpet.core.i18n import N_
from neodeskpet.core.schedule.rule import parse_month_day
from neodeskpet.language import tr
from neodeskpet.settings.setting_fields import Section, setting


def _check_day(text: str) -> str:
    if text and parse_month_day(text) is None:
        raise PydanticCustomError("day", tr("Write month and day, as 5-17."))
    return text


BirthDay = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=20), AfterValidator(_check_day)
]


LIVELINESS_SWITCHES = (
    ("pastimes", "days"),
    ("companion", "welcome_back"),
    ("companion", "walk"),
    ("pastimes", "music"),
)
"""The four switches that one choice of the liveliness sets."""
LIVELINESS_PRESETS: Mapping[str, tuple[bool, ...]] = {
    "calm": (False, False, False, False),
    "normal": (True, True, False, False),
    "lively": (True, True, True, True),
}


def liveliness_of(value: Callable[[str, str], object]) -> str | None:
    """Return the preset that the four switches match, None if they match none. `value` returns a
    setting.
    """
    now = tuple(bool(value(*switch)) for switch in LIVELINESS_SWITCHES)
    return next((name for name, values in LIVELINESS_PRESETS.items() if values == now), None)


class ActivitySettings(Section):
    """Activities of the companion, alone and with the user."""

    days: bool = setting(
        True,
        N_("Follow the time of day"),
        N_("It stretches in the morning, yawns at night, and shows the season a little."),
        keywords=("morning", "night", "season", "winter", "昼夜", "季节", "早晚"),
        folded=True,
    )
    hemisphere: Literal["neither", "north", "south"] = setting(
        "neither",
        N_("Seasons"),
        N_("The hemisphere that you live in. Without it, no seasons are shown."),
        choices={"neither": N_("None"), "north": N_("Northern"), "south": N_("Southern")},
        keywords=("hemisphere", "winter", "summer", "南半球", "北半球", "季节"),
        folded=True,
    )
    feasts: bool = setting(
        False,
        N_("Celebrate holidays"),
        N_(
            "More cheerful on New Year, Spring Festival, Lantern Festival, Mid-Autumn Festival, "
            "Halloween and Christmas, with one greeting."
        ),
        keywords=(
            "holiday",
            "festival",
            "Chinese New Year",
            "节日",
            "春节",
            "中秋",
            "圣诞",
            "元旦",
        ),
    )
    birthday: BirthDay = setting(
        "",
        N_("Your birthday"),
        N_(
            "Month and day. If empty, a fact that you wrote or pinned is used. It is sent"
            " to the model, too."
        ),
        placeholder="5-17",
        keywords=("birthday", "生日"),
        card="you",
    )
    music: bool = setting(
        False,
        N_("Dance to music"),
        N_("Nods, sways and sometimes dances. Only notices that something plays, never what."),
        keywords=("music", "dance", "MPRIS", "Spotify", "音乐", "跳舞", "节拍"),
    )
    typing: bool = setting(
        False,
        N_("Type along"),
        N_(
            "Moves its paws when you type in any program. Only notices that a key was "
            "pressed, never which one."
        ),
        keywords=("typing", "keyboard", "paws", "打字", "键盘", "爪子"),
        folded=True,
    )
    spans: bool = setting(
        False,
        N_("Focus together"),
        N_(
            "Works beside you while a timer named Pomodoro runs, counts down at its feet, then"
            " stretches with you. The menu starts one of 25 minutes."
        ),
        keywords=("pomodoro", "focus", "timer", "番茄钟", "专注"),
    )
    snacks: bool = setting(
        False,
        N_("Snacks"),
        N_("Take a biscuit from the menu and feed it. After three, it is full for a while."),
        keywords=("feed", "food", "biscuit", "零食", "喂"),
    )
    seek: bool = setting(
        False,
        N_("Hide and seek"),
        N_("Start it in the menu: it hides at an edge of a screen until you click on it."),
        keywords=("game", "play", "捉迷藏", "游戏"),
    )
