"""The person's language: what is taken, what is said, and what stays readable without it."""

from collections.abc import Iterator

import pytest

from neodeskpet.core.errors import RoundLimit, Unreachable
from neodeskpet.language import (
    LANGUAGES,
    LOCALES,
    language,
    say,
    say_code,
    set_language,
    system_language,
    tr,
)


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = language()
    set_language("en")
    yield
    set_language(before)


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_can_be_spoken(name: str) -> None:
    assert set_language(name) == name
    assert language() == name


def test_an_unknown_one_is_english() -> None:
    assert set_language("tlh") == "en"
    assert language() == "en"


VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


@pytest.mark.parametrize(
    ("environment", "taken"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_TW"}, "zh_CN"),
        ({"LANG": "Chinese_China.936"}, "zh_CN"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh_CN"),
        ({"LC_ALL": "", "LANG": "zh_CN"}, "zh_CN"),
    ],
)
def test_what_the_system_asks_for(
    environment: dict[str, str], taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert system_language() == taken
    assert set_language("system") == taken


def test_a_system_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert system_language() in LANGUAGES


def test_english_is_the_key_and_the_text() -> None:
    assert tr("Stop") == "Stop"
    assert tr("Paused after {count} rounds.", count="3") == "Paused after 3 rounds."
    assert tr("") == ""


def test_a_text_without_a_translation_stays_english() -> None:
    set_language("zh_CN")
    assert tr("qwertz {n}", n="1") == "qwertz 1"
    assert tr("") == ""


@pytest.mark.skipif(
    not (LOCALES / "zh_CN/LC_MESSAGES/neodeskpet.mo").exists(), reason="no catalogue is compiled"
)
def test_an_error_is_said_in_the_person_s_language() -> None:
    english = say(Unreachable("ECONNREFUSED"))
    set_language("zh_CN")
    chinese = say(Unreachable("ECONNREFUSED"))
    assert chinese[0].endswith("ECONNREFUSED"), "foreign words are never translated"
    assert set_language("en") == "en"
    assert say(Unreachable("ECONNREFUSED")) == english


def test_an_error_says_what_happened_and_what_to_do() -> None:
    what, hint = say(Unreachable("ECONNREFUSED"))
    assert what == "The model service can't be reached. ECONNREFUSED"
    assert hint == "Check the address and the network, then retry."


def test_a_detail_follows_a_full_width_stop_without_a_space() -> None:
    set_language("zh_CN")
    what, _ = say(Unreachable("ECONNREFUSED"))
    assert what.endswith("。ECONNREFUSED")


def test_a_stored_notice_says_the_same_as_its_error() -> None:
    error = RoundLimit(count="12")
    assert say_code("round_limit", {"count": "12"}) == say(error)
    assert say(error)[0] == "Paused after 12 rounds of tools."


def test_a_notice_of_another_version_still_says_something() -> None:
    assert say_code("from_the_future", {}, "Details") == (
        "Something went wrong. Details",
        "Try again.",
    )
