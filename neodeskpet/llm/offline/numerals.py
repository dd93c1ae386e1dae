"""Numbers in words → digits, for sums: "two plus twenty-one", 三加一百零五."""

from __future__ import annotations

import re

from neodeskpet.core.schedule.numbers import DIGITS, ONES, TENS

_SMALL = ("zero", *ONES)
_ENGLISH = {word: number for number, word in enumerate(_SMALL)} | {
    word: 20 + 10 * number for number, word in enumerate(TENS)
}
_ENGLISH_NUMBER = re.compile(
    rf"\b(?:({'|'.join(TENS)})(?:[\s-]+({'|'.join(_SMALL[1:10])}))?|({'|'.join(_SMALL)}))\b"
    r"(\s+hundred)?",
    re.IGNORECASE,
)
_CHINESE_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万]+(?:点[零〇一二三四五六七八九]+)?")
_SCALES = {"十": 10, "百": 100, "千": 1000}


def words_to_digits(text: str) -> str:
    """`text` with its number words written in digits."""
    return _CHINESE_NUMBER.sub(_chinese, _ENGLISH_NUMBER.sub(_english, text))


def _english(found: re.Match[str]) -> str:
    tens, ones, small, hundred = found.groups()
    number = _ENGLISH[(tens or small).lower()] + (_ENGLISH[ones.lower()] if ones else 0)
    return str(number * 100 if hundred else number)


def _chinese(found: re.Match[str]) -> str:
    whole, _, fraction = found[0].partition("点")
    number = str(_whole(whole))
    return f"{number}.{''.join(str(DIGITS[char]) for char in fraction)}" if fraction else number


def _whole(text: str) -> int:
    total, part, digit = 0, 0, 0
    for char in text:
        if char == "万":
            total, part, digit = (total + part + digit) * 10_000, 0, 0
        elif char in _SCALES:
            part, digit = part + (digit or 1) * _SCALES[char], 0
        else:
            digit = digit * 10 + DIGITS[char]
    return total + part + digit
