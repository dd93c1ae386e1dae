"""Search for words in a text, ignoring case, accents and width."""

from __future__ import annotations

from neodeskpet.core.text_search import SearchPattern, fold_for_search, utf16_spans


def marked(needle: SearchPattern, text: str) -> list[str]:
    return [text[start:end] for start, end in needle.spans(text)]


def test_positions_refer_to_the_original_text() -> None:
    for text in ("Ünïcödé ＡＢＣ Straße İI \ud83d half", "“quoted” it’s", "ﬁne ½ é e\u0301"):
        assert len(fold_for_search(text)) == len(text)
    assert fold_for_search("ＡbÇ’“") == "abc'\""
    assert fold_for_search("ß") == "ß" and fold_for_search("\ud800") == " "


def test_case_accents_and_width_are_ignored() -> None:
    assert marked(SearchPattern(["cafe"]), "Café, CAFE and ｃａｆｅ") == [
        "Café",
        "CAFE",
        "ｃａｆｅ",
    ]
    assert marked(SearchPattern(["猫咪"]), "我的猫咪和猫") == ["猫咪"]


def test_white_space_matches_any_white_space() -> None:
    assert marked(SearchPattern(["a  b"]), "a\nb a b ab") == ["a\nb", "a b"]
    assert marked(SearchPattern(["你好"]), "你\u200b好") == ["你\u200b好"]


def test_the_longest_word_is_marked() -> None:
    assert marked(SearchPattern(["mount", "mountain"]), "mountain mount") == ["mountain", "mount"]


def test_only_beginnings_of_words_match() -> None:
    needle = SearchPattern(["cat", "猫", "+"], at_starts=True)
    assert marked(needle, "cats concat 我cat 小猫 c+") == ["cat", "cat", "猫", "+"]


def test_an_empty_pattern_matches_nothing() -> None:
    for nothing in (SearchPattern([]), SearchPattern(["", "  "])):
        assert not nothing and nothing.spans("anything") == []
    assert SearchPattern(["a"]) and SearchPattern(["a"]).count("banana") == 3


def test_positions_in_utf_16_units() -> None:
    assert utf16_spans("plain", [(1, 2)]) == [(1, 2)]
    assert utf16_spans("", []) == []
    assert utf16_spans("a😀b😀c", [(0, 1), (1, 2), (2, 5)]) == [(0, 1), (1, 3), (3, 7)]
