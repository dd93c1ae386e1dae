"""Writes numbers, dates, times, units and signs as they are read aloud.

Speech engines read plain English numbers well. Everything else is written out here; in Chinese all
numbers are, because not every engine reads digits among Chinese characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_DIGITS = "零一二三四五六七八九"
_SMALL_UNITS = ("", "十", "百", "千")
_LARGE_UNITS = ("", "万", "亿", "万亿")
_MOST_DIGITS = 16
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"

# Units after a number: the sign, English in singular and plural, Chinese.
_UNITS = (
    (r"°\s*C|℃", "degree Celsius", "degrees Celsius", "摄氏度"),
    (r"°\s*F|℉", "degree Fahrenheit", "degrees Fahrenheit", "华氏度"),
    (r"km/h", "kilometre per hour", "kilometres per hour", "公里每小时"),
    (r"m/s", "metre per second", "metres per second", "米每秒"),
    (r"km²", "square kilometre", "square kilometres", "平方公里"),
    (r"m²", "square metre", "square metres", "平方米"),
    (r"km", "kilometre", "kilometres", "公里"),
    (r"cm", "centimetre", "centimetres", "厘米"),
    (r"mm", "millimetre", "millimetres", "毫米"),
    (r"kg", "kilogram", "kilograms", "公斤"),
    (r"mg", "milligram", "milligrams", "毫克"),
    (r"ml|mL", "millilitre", "millilitres", "毫升"),
    (r"kB|KB", "kilobyte", "kilobytes", "千字节"),
    (r"MB", "megabyte", "megabytes", "兆字节"),
    (r"GB", "gigabyte", "gigabytes", "吉字节"),
    (r"TB", "terabyte", "terabytes", "太字节"),
    (r"ms", "millisecond", "milliseconds", "毫秒"),
    (r"GHz", "gigahertz", "gigahertz", "吉赫"),
    (r"MHz", "megahertz", "megahertz", "兆赫"),
    (r"kWh", "kilowatt hour", "kilowatt hours", "千瓦时"),
)
_UNIT_PATTERNS = tuple(
    (re.compile(rf"({_NUMBER})\s*(?:{sign})(?![a-zA-Z0-9²/])"), one, many, chinese)
    for sign, one, many, chinese in _UNITS
)
_CURRENCIES = {
    "$": ("dollar", "dollars", "美元"),
    "€": ("euro", "euros", "欧元"),
    "£": ("pound", "pounds", "英镑"),
    "¥": ("yuan", "yuan", "元"),
    "￥": ("yuan", "yuan", "元"),
}
_MONEY = re.compile(rf"([$€£¥￥])\s*({_NUMBER})")
_PERCENT = re.compile(rf"({_NUMBER})\s*[%％]")
_DATE = re.compile(r"(?<![\d.-])(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?![\d-])")
_TIME = re.compile(r"(?<![\d:.])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_ENGLISH_TIME = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])(\s*[ap]\.?m\b)?", re.IGNORECASE
)
_RANGE = re.compile(rf"(?<![\d.-])({_NUMBER})\s*[-–—~～]\s*({_NUMBER})(?![\d-]|\.\d)")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?=\s*年)")
_LONG = re.compile(r"(?<![\d.,])(?:0\d+|\d{8,})(?![\d,]|\.\d)")
"""A number of a telephone or the like: read digit by digit."""
_GROUPS = re.compile(r"(?<![\d-])\d{3,4}(?:-\d{3,8}){1,3}(?!\d)")
_TWO = re.compile(r"(?<![\d.,第])2(?=\s*[个只次位条张件本天年周块头家间台辆杯碗双])(?!\s*年级)")
_VERSION = re.compile(r"(?<![A-Za-z\d.])\d+(?:\.\d+){2,}(?![A-Za-z\d]|\.\d)")
_NEGATIVE = re.compile(rf"(?<![\w)）.])[-−]({_NUMBER})")
_PLAIN = re.compile(rf"(?<![A-Za-z_\d])(?<![A-Za-z]-){_NUMBER}")
"""Digits inside a Latin word (H264, GPT-4) stay."""
_SIGNS = (
    (re.compile(r"\s*→\s*"), ", ", "，"),
    (re.compile(r"\s+&\s+|(?<=[\u3400-\u9fff])\s*&\s*"), " and ", "和"),
    (re.compile(r"(?<=\d)\s*[×✕]\s*(?=\d)"), " times ", "乘"),
    (re.compile(r"(?<=\d)\s*÷\s*(?=\d)"), " divided by ", "除以"),
    (re.compile(r"(?<=\w)\s+=\s+(?=\w)"), " equals ", "等于"),
    (re.compile(r"(?<=\w)\s+\+\s+(?=\w)"), " plus ", "加"),
    (re.compile(r"≈\s*"), "about ", "约"),
    (re.compile(r"≥\s*"), "at least ", "至少"),
    (re.compile(r"≤\s*"), "at most ", "至多"),
)


def pronounceable(text: str, language: str) -> str:
    """Return the text with its numbers and signs in words. `language` is "zh" or "en"."""
    if language == "zh":
        return _chinese(text)
    return _english(text)


def _english(text: str) -> str:
    text = _DATE.sub(_english_date, text)
    text = _ENGLISH_TIME.sub(_english_time, text)
    text = _MONEY.sub(lambda found: _counted(found[2], *_CURRENCIES[found[1]][:2]), text)
    text = _PERCENT.sub(r"\1 percent", text)
    for pattern, one, many, _ in _UNIT_PATTERNS:
        text = pattern.sub(_counting(one, many), text)
    if not _GROUPS.search(text):
        text = _RANGE.sub(r"\1 to \2", text)
    text = _VERSION.sub(lambda found: found[0].replace(".", " point "), text)
    text = _NEGATIVE.sub(r"minus \1", text)
    for pattern, words, _ in _SIGNS:
        text = pattern.sub(words, text)
    return text


def _english_date(found: re.Match[str]) -> str:
    month, day = int(found[3]), int(found[4])
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return found[0]
    return f"{_MONTHS[month - 1]} {day}, {found[1]}"


def _english_time(found: re.Match[str]) -> str:
    """Return a time in words where engines read its digits one by one."""
    hour, minute, half = int(found[1]), int(found[2]), found[3] or ""
    if minute >= 10:
        return found[0]
    if minute:
        return f"{hour} oh {minute}{half}"
    if half:
        return f"{hour}{half}"
    if hour % 24 == 0:
        return "midnight"
    return f"{hour} o'clock" if hour <= 12 else f"{hour - 12} PM"


def _counting(one: str, many: str) -> Callable[[re.Match[str]], str]:
    return lambda found: _counted(found[1], one, many)


def _counted(number: str, one: str, many: str) -> str:
    return f"{number} {one if number == '1' else many}"


def _chinese(text: str) -> str:
    text = _DATE.sub(_chinese_date, text)
    text = _TIME.sub(_chinese_time, text)
    text = _MONEY.sub(lambda found: f"{_cardinal(found[2])}{_CURRENCIES[found[1]][2]}", text)
    text = _GROUPS.sub(lambda found: _digit_by_digit(found[0].replace("-", "，")), text)
    text = _RANGE.sub(r"\1到\2", text)
    text = _NEGATIVE.sub(r"负\1", text)
    text = _PERCENT.sub(lambda found: f"百分之{_cardinal(found[1])}", text)
    for pattern, _, _, words in _UNIT_PATTERNS:
        text = pattern.sub(_with_unit(words), text)
    text = _YEAR.sub(lambda found: _digit_by_digit(found[1]), text)
    text = _VERSION.sub(lambda found: "点".join(map(_cardinal, found[0].split("."))), text)
    text = _LONG.sub(lambda found: _digit_by_digit(found[0]), text)
    for pattern, _, words in _SIGNS:
        text = pattern.sub(words, text)
    text = _TWO.sub("两", text)
    return _PLAIN.sub(lambda found: _cardinal(found[0]), text)


def _chinese_date(found: re.Match[str]) -> str:
    month, day = int(found[3]), int(found[4])
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return found[0]
    return f"{_digit_by_digit(found[1])}年{_integer(str(month))}月{_integer(str(day))}日"


def _chinese_time(found: re.Match[str]) -> str:
    hour, minute, second = int(found[1]), int(found[2]), found[3]
    hours = "两" if hour == 2 else _integer(str(hour))
    if second:
        return f"{hours}点{_two_places(minute)}分{_two_places(int(second))}秒"
    return f"{hours}点{_two_places(minute)}分" if minute else f"{hours}点"


def _two_places(number: int) -> str:
    return f"零{_integer(str(number))}" if 0 < number < 10 else _integer(str(number))


def _with_unit(words: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{'两' if found[1] == '2' else _cardinal(found[1])}{words}"


def _cardinal(number: str) -> str:
    """Return a number like 1,234.5 in Chinese."""
    whole, _, decimals = number.replace(",", "").partition(".")
    words = _integer(whole)
    return f"{words}点{_digit_by_digit(decimals)}" if decimals else words


def _digit_by_digit(digits: str) -> str:
    return "".join(_DIGITS[int(one)] if one.isascii() and one.isdigit() else one for one in digits)


def _integer(digits: str) -> str:
    digits = digits.lstrip("0")
    if not digits:
        return "零"
    if len(digits) > _MOST_DIGITS:
        return _digit_by_digit(digits)
    words, skipped = "", False
    groups = -(-len(digits) // 4)
    padded = digits.zfill(groups * 4)
    for index in range(groups):
        group = padded[index * 4 : index * 4 + 4]
        if group == "0000":
            skipped = bool(words)
            continue
        if words and (skipped or group.startswith("0")):
            words += "零"
        words += _thousands(group.lstrip("0")) + _LARGE_UNITS[groups - 1 - index]
        skipped = False
    return words.removeprefix("一") if words.startswith("一十") else words


def _thousands(digits: str) -> str:
    """Return up to four digits in Chinese, without a zero at the end."""
    words, zero = "", False
    for place, digit in zip(range(len(digits) - 1, -1, -1), digits, strict=True):
        if digit == "0":
            zero = True
            continue
        words += ("零" if zero else "") + _DIGITS[int(digit)] + _SMALL_UNITS[place]
        zero = False
    return words
