"""Words in a text, whatever their case, accents and width."""

from __future__ import annotations

from neodeskpet.core.find.needle import Needle, fold, in_utf16


def marked(needle: Needle, text: str) -> list[str]:
    return [text[start:end] for start, end in needle.spans(text)]


def test_places_stay_what_they_are() -> None:
    for text in ("Ünïcödé ＡＢＣ Straße İI \ud83d half", "“quoted” it’s", "ﬁne ½ é e\u0301"):
        assert len(fold(text)) == len(text)
    assert fold("ＡbÇ’“") == "abc'\""
    assert fold("ß") == "ß" and fold("\ud800") == " "


def test_case_accents_and_width_dont_count() -> None:
    assert marked(Needle(["cafe"]), "Café, CAFE and ｃａｆｅ") == ["Café", "CAFE", "ｃａｆｅ"]
    assert marked(Needle(["猫咪"]), "我的猫咪和猫") == ["猫咪"]


def test_white_space_stands_for_any() -> None:
    assert marked(Needle(["a  b"]), "a\nb a b ab") == ["a\nb", "a b"]
    assert marked(Needle(["你好"]), "你\u200b好") == ["你\u200b好"]


def test_the_longest_word_is_marked() -> None:
    assert marked(Needle(["mount", "mountain"]), "mountain mount") == ["mountain", "mount"]


def test_beginnings_only() -> None:
    needle = Needle(["cat", "猫", "+"], at_starts=True)
    assert marked(needle, "cats concat 我cat 小猫 c+") == ["cat", "cat", "猫", "+"]


def test_nothing_is_found_nowhere() -> None:
    for nothing in (Needle([]), Needle(["", "  "])):
        assert not nothing and nothing.spans("anything") == []
    assert Needle(["a"]) and Needle(["a"]).count("banana") == 3


def test_places_as_qt_counts() -> None:
    assert in_utf16("plain", [(1, 2)]) == [(1, 2)]
    assert in_utf16("", []) == []
    assert in_utf16("a😀b😀c", [(0, 1), (1, 2), (2, 5)]) == [(0, 1), (1, 3), (3, 7)]
