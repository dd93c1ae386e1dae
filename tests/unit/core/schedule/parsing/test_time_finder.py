"""The time in a request: its words, its meaning, the remaining text, and words that look like a
time.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.schedule.parsing.time_finder import find_time
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime
from neodeskpet.core.schedule.rule import Once

NOW = datetime(2026, 11, 27, 10, tzinfo=UTC).timestamp()


def words_of(text: str, *, bare: bool = False) -> tuple[str, tuple[str, ...]]:
    found = find_time(text, NOW, UTC, bare=bare)
    return found.words, found.unused


@pytest.mark.parametrize(
    ("text", "words", "unused"),
    [
        ("call Bob on  Friday at 5 pm please", "on Friday at 5 pm", ()),
        ("在下午三点开会", "下午三点", ()),
        ("on Friday to see him at noon", "on Friday at noon", ()),
        ("every day at 9 am until Friday, read", "every day at 9 am until Friday", ()),
        ("从明天起每天早上七点跑步", "从明天起每天早上七点", ()),
        ("每天早上八点吃药一共五次", "每天早上八点 一共五次", ()),
        ("write the daily report at 4 pm", "at 4 pm", ()),
        ("drinks on the 3rd floor at 5 pm", "at 5 pm", ("on the 3rd",)),
        ("I have to plan friday drinks at 5 pm", "at 5 pm", ("friday",)),
        ("room 1234:567 at 5 pm", "at 5 pm", ()),
        ("version v2.10 at 5 pm", "at 5 pm", ()),
        ("公元一百二十三号 at 5 pm", "at 5 pm", ()),
        ("on Monday or Tuesday", "", ("on Monday", "Tuesday")),
        ("by 6 pm", "", ("6 pm",)),
        ("tomorrow's party at 8 pm", "at 8 pm", ("tomorrow",)),
        ("nothing at all", "", ()),
    ],
)
def test_words_of_a_time(text: str, words: str, unused: tuple[str, ...]) -> None:
    assert words_of(text) == (words, unused)


def test_a_duration_counts_only_for_a_timer() -> None:
    assert words_of("10 minutes") == ("", ())
    assert words_of("10 minutes", bare=True) == ("10 minutes", ())
    assert words_of("10 minutes at 5 pm", bare=True) == ("at 5 pm", ("10 minutes",))


def test_the_remaining_text_keeps_its_order() -> None:
    found = find_time("on thursday to send the form at 8 am!", NOW, UTC)
    assert found.rest == ("", " to send the form ", "!")
    assert isinstance(found.reading, ParsedTime)
    assert found.reading.rule == Once(datetime(2026, 12, 3, 8, tzinfo=UTC).timestamp())


def test_an_impossible_time_is_refused() -> None:
    found = find_time("on February 30 at noon", NOW, UTC)
    assert found.reading is None
    assert "there is no such day" in str(found.refusal)


PIECES = [
    "on",
    "at",
    "下午",
    "三点",
    "明天",
    "the",
    "15th",
    "之前",
    "or",
    "每天",
    "until",
    "for",
    "2",
    "weeks",
    "10",
    "minutes",
    "一共",
    "三次",
    "的",
    "多",
    "'",
    "x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=10), st.booleans(), st.booleans())
@settings(deadline=None)
def test_every_word_is_used_or_remains(pieces: list[str], apart: bool, bare: bool) -> None:
    text = (" " if apart else "").join(pieces)
    found = find_time(text, NOW, UTC, bare=bare)
    assert len("".join(found.rest)) <= len(text)
    assert (found.reading is None and found.refusal is None) == (not found.words)
    for words in (*found.words.split(), *found.unused):
        assert words in text
