"""Numbers as people write them in English and Chinese: `25`, `twenty-five`, `二十五`, `半`."""

from __future__ import annotations

import unicodedata

ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: dict[str, float] = {
    **{word: value for value, word in enumerate(ONES, 1)},
    **{word: value * 10 for value, word in enumerate(TENS, 2)},
    **{
        f"{ten}-{one}": tens * 10 + value
        for tens, ten in enumerate(TENS, 2)
        for value, one in enumerate(ONES[:9], 1)
    },
    "a": 1, "an": 1, "half": 0.5, "half a": 0.5, "half an": 0.5,
}  # fmt: skip
DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "两": 2,
    "俩": 2,
    "〇": 0,
}

NUMERAL = "[零〇一二两俩三四五六七八九十百]+"
NUMBER = (
    rf"(?:\d+(?:\.\d+)?|{NUMERAL}|半|"
    + "|".join(sorted(_WORDS, key=len, reverse=True)).replace(" ", r"\s+")
    + ")"
)
"""Patterns of a text that `fold` made plain."""


def fold_text(text: str) -> str:
    """Its letters as one kind, and single blanks: the patterns rely on both."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.split()).rstrip(".!。")


def parse_number(text: str) -> float:
    """What NUMBER matched."""
    words = " ".join(text.split())
    if words in _WORDS:
        return _WORDS[words]
    if text == "半":
        return 0.5
    return float(text) if text[0].isdecimal() else parse_numeral(text)


def parse_numeral(text: str) -> int:
    """A Chinese numeral up to 999: 十五 → 15, 二十 → 20, 一百零五 → 105."""
    total, digit = 0, 0
    for char in text:
        if char in "十百":
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = digit * 10 + DIGITS[char]
    return total + digit
