"""A few typed letters find the intended name, despite a mistake."""

import pytest

from neodeskpet.core.fuzzy_match import FuzzyQuery, FuzzyTarget


def badness(typed: str, name: str, words: str = "") -> int | None:
    return FuzzyQuery.of(typed).distance(FuzzyTarget.of(name, words))


@pytest.mark.parametrize(
    ("typed", "name", "bad"),
    [
        ("Settings", "settings", 0),
        ("set", "Settings", 1),
        ("set", "Open settings", 2),
        ("tings", "Open settings", 3),
        ("settings open", "Open settings", 4),
        ("nc", "New conversation", 4),
        ("xdh", "新对话", 4),
        ("dh", "新对话", 5),
        ("对话", "新对话", 2),
        ("opset", "Open settings", 7),
        ("sttings", "Open settings", 8),  # One letter is missing.
        ("setttings", "Open settings", 8),  # One letter too many.
        ("setzings", "Open settings", 8),  # One letter is wrong.
        ("setitngs", "Open settings", 8),  # Two letters are swapped.
        ("setingz", "Settings", None),  # Two letters are wrong.
        ("zettings", "Settings", None),  # The first letter must be right.
        ("sx", "Settings", None),
        ("s t", "Quit", None),
        ("x", "新对话", None),
        ("szx", "设置", None),
    ],
)
def test_a_better_match_has_a_lower_score(typed: str, name: str, bad: int | None) -> None:
    assert badness(typed, name) == bad


def test_additional_words_of_an_entry_find_it_too() -> None:
    assert badness("colour dark", "Theme", "Dark mode, colour") == 6
    assert badness("dark", "Theme") is None


def test_characters_without_a_known_pinyin_match_themselves() -> None:
    assert FuzzyTarget.of("鑫 тест あ é 한").initials == "鑫тあe한"


def test_a_name_may_contain_a_word_twice() -> None:
    assert badness("to go", "go to go") == 2


def test_every_letter_has_its_characters() -> None:
    said = "爱不吃的饿饭个好就看来们你哦怕去人是他我想一在"
    assert FuzzyTarget.of(said).initials == "abcdefghjklmnopqrstwxyz"
    assert FuzzyTarget.of("座").initials == "z"
