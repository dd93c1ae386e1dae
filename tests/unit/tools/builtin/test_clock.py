"""What time it is, here and elsewhere."""

import asyncio
import json
from datetime import datetime, timedelta, timezone

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.clock import find_zone, local_now, time_tools

NOW = datetime(2025, 11, 21, 22, 23, 5, tzinfo=timezone(timedelta(hours=8)))


def tell(**arguments: object) -> dict[str, str]:
    toolbox = Toolbox(AppTools(time_tools(lambda: NOW)))
    text = asyncio.run(toolbox.offer().run("time.now", arguments, lambda fraction, text: None)).text
    told: dict[str, str] = json.loads(text)
    return told


@pytest.mark.parametrize("arguments", [{}, {"timezone": ""}, {"timezone": None}])
def test_the_local_time(arguments: dict[str, object]) -> None:
    assert tell(**arguments) == {
        "time": "2025-11-21T22:23:05+08:00",
        "weekday": "Friday",
        "timezone": "UTC+08:00",
        "words": "Friday, 21 November 2025, 22:23",
    }


@pytest.mark.parametrize(
    ("zone", "time"),
    [
        ("utc", "2025-11-21T14:23:05+00:00"),
        ("UTC+9", "2025-11-21T23:23:05+09:00"),
        ("gmt -3:30", "2025-11-21T10:53:05-03:30"),
        ("+0530", "2025-11-21T19:53:05+05:30"),
        ("Asia/Tokyo", "2025-11-21T23:23:05+09:00"),
        ("asia/tokyo", "2025-11-21T23:23:05+09:00"),
        ("Tokyo", "2025-11-21T23:23:05+09:00"),
        ("new york", "2025-11-21T09:23:05-05:00"),
    ],
)
def test_the_time_elsewhere(zone: str, time: str) -> None:
    assert tell(timezone=zone)["time"] == time


def test_the_weekday_is_the_local_one_there() -> None:
    told = tell(timezone="Pacific/Auckland")
    assert (told["weekday"], told["timezone"]) == ("Saturday", "Pacific/Auckland")


@pytest.mark.parametrize("zone", ["Atlantis", "UTC+99", "UTC+"])
def test_an_unknown_zone(zone: str) -> None:
    with pytest.raises(InvalidArguments, match=r"Use a name like Asia/Shanghai"):
        find_zone(zone)


def test_a_misspelled_zone() -> None:
    with pytest.raises(InvalidArguments, match=r"Did you mean .*Asia/Shanghai"):
        find_zone("Asia/Shangai")


def test_the_real_clock_knows_its_zone() -> None:
    assert local_now().utcoffset() is not None
