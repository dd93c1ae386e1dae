"""Which sentences are timers, and which are left to the model."""

from datetime import UTC, datetime

import pytest

from neodeskpet.ui.pet.quick_message_window import read_timer

NOW = datetime(2026, 11, 28, 16, 10, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("sentence", "clock", "label"),
    [
        ("tea in 5 minutes", "16:15", "tea"),
        ("5 min", "16:15", ""),
        ("remind me at 17:30 to call mum", "17:30", "call mum"),
        ("set a timer for 20 minutes", "16:30", ""),
        ("五分钟后提醒我喝茶", "16:15", "喝茶"),
        ("定一个10分钟的闹钟", "16:20", ""),
    ],
)
def test_a_timer(sentence: str, clock: str, label: str) -> None:
    found = read_timer(sentence, NOW, UTC)
    assert found is not None
    assert f"{datetime.fromtimestamp(found.due, UTC):%H:%M}" == clock
    assert found.label == label


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "hello",
        "what is the weather in 5 minutes",
        "is dinner at 18:00?",
        "五分钟后会下雨吗",
        "every day at 9:00 water the plants",
        "in 5 minutes I have to explain to my boss why the build is broken again",
        "tea in 5 minutes\nand a poem",
        "on 3 March 2031 at 9:00",
    ],
)
def test_anything_else_is_a_message(sentence: str) -> None:
    assert read_timer(sentence, NOW, UTC) is None
