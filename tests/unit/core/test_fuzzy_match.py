"""A few typed letters find the name that was meant."""

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
        ("sttings", "Open settings", 8),  # one is missing
        ("setttings", "Open settings", 8),  # one too much
        ("setzings", "Open settings", 8),  # one is wrong
        ("setitngs", "Open settings", 8),  # two have changed places
        ("setingz", "Settings", None),  # two are wrong
        ("zettings", "Settings", None),  # the first letter is always right
        ("sx", "Settings", None),
        ("s t", "Quit", None),
        ("x", "新对话", None),
        ("szx", "设置", None),
    ],
)
def test_the_better_it_fits_the_less_bad_it_is(typed: str, name: str, bad: int | None) -> None:
    assert badness(typed, name) == bad


def test_words_that_stand_beside_the_name_find_it_too() -> None:
    assert badness("colour dark", "Theme", "Dark mode, colour") == 6
    assert badness("dark", "Theme") is None


def test_signs_without_a_known_sound_stand_for_themselves() -> None:
    assert FuzzyTarget.of("鑫 тест あ é 한").initials == "鑫тあe한"


def test_a_name_may_have_a_word_twice() -> None:
    assert badness("to go", "go to go") == 2


def test_every_letter_has_its_characters() -> None:
    said = "爱不吃的饿饭个好就看来们你哦怕去人是他我想一在"
    assert FuzzyTarget.of(said).initials == "abcdefghjklmnopqrstwxyz"
    assert FuzzyTarget.of("座").initials == "z"
