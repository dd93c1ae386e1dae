"""How a search finds a setting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.ui.settings.settings_search import matches_query, search_text, setting_search_text

STACKS = {
    info.path: setting_search_text(section, info)
    for section in describe_sections()
    for info in section.settings
}


def found(query: str) -> set[str]:
    return {path for path, stack in STACKS.items() if matches_query(query, stack)}


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("opacity", "companion.opacity"),
        ("OPACITY", "companion.opacity"),
        ("透明", "companion.opacity"),
        ("dark", "appearance.theme"),
        ("深色", "appearance.theme"),
        ("figure size", "companion.scale"),
        ("timeout", "service.stall_timeout"),
    ],
)
def test_it_finds_by_title_description_keyword_and_choice(query: str, path: str) -> None:
    assert path in found(query)


def test_every_word_must_occur() -> None:
    assert found("opacity zzzz") == set()


def test_a_cards_title_finds_all_of_it() -> None:
    for card in describe_sections():
        assert {info.path for info in card.settings} <= found(card.title)


@given(st.sampled_from(describe_sections()))
def test_every_setting_is_found_by_its_own_title(section: object) -> None:
    for one in describe_sections():
        for info in one.settings:
            assert info.path in found(info.title)


def test_an_empty_search_finds_all() -> None:
    assert found("") == set(STACKS)


def test_empty_texts_are_skipped() -> None:
    assert search_text(["", "One"]) == "one\none\none"
