"""Rules for arithmetic, in digits and in words: "two plus twenty-one", 三加一百零五."""

from __future__ import annotations

import re

from neodeskpet.core.schedule.vocabulary import DIGITS, ONES, TENS
from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import Lead, Say, Script, failure_text, use

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
    """Return `text` with its number words as digits."""
    return _CHINESE_NUMBER.sub(_chinese, _ENGLISH_NUMBER.sub(_english, text))


def _english(found: re.Match[str]) -> str:
    tens, ones, small, hundred = found.groups()
    number = _ENGLISH[(tens or small).lower()] + (_ENGLISH[ones.lower()] if ones else 0)
    return str(number * 100 if hundred else number)


def _chinese(found: re.Match[str]) -> str:
    whole, _, fraction = found[0].partition("点")
    number = str(_integer_of_words(whole))
    return f"{number}.{''.join(str(DIGITS[char]) for char in fraction)}" if fraction else number


def _integer_of_words(text: str) -> int:
    total, part, digit = 0, 0, 0
    for char in text:
        if char == "万":
            total, part, digit = (total + part + digit) * 10_000, 0, 0
        elif char in _SCALES:
            part, digit = part + (digit or 1) * _SCALES[char], 0
        else:
            digit = digit * 10 + DIGITS[char]
    return total + part + digit


_ASKED = pattern(
    r"^(?:what(?:'s| is| are)|how much is|calculate|compute|evaluate|solve|work out|calc)"
    r"\s+(?P<a>.+)$",
    r"^(?:计算(?:一下)?|算一?下|算算|算一算|请算|算)\s*[:：,，]?\s*(?P<b>.+)$",
    r"^(?P<c>.+?)\s*(?:=|等于|是多少|得多少|得几|是几)\s*(?:多少|几)?$",
    r"^(?P<d>.+)$",
)
_PER_HUNDRED = "％之"
"""Protects 百分之 ("per cent") while numerals are read: its 百 isn't a hundred."""

_OFF = pattern(
    r"^(?P<percent>\d+(?:\.\d+)?)\s*(?:%|percent) off (?:of )?(?P<price>\d+(?:\.\d+)?)$",
)
_DISCOUNT = pattern(
    r"^(?:打|按)(?P<a>\d{1,2}|[一二三四五六七八九]{1,2})折\D{0,4}(?P<b>\d+(?:\.\d+)?)元?块?\D{0,6}$",
    r"^\D{0,4}?(?P<c>\d+(?:\.\d+)?)[元块]?\s*打(?P<d>\d{1,2}|[一二三四五六七八九]{1,2})折\D{0,6}$",
)
"""Discounts: 八折 is eight tenths of the price, 七五折 is 75 hundredths."""
_REWRITTEN = (
    (r"^add (.+?) (?:and|to) (.+)$", r"\1 + \2"),
    (r"^subtract (.+?) from (.+)$", r"\2 - \1"),
    (r"^multiply (.+?) (?:by|and|with) (.+)$", r"\1 * \2"),
    (r"^divide (.+?) by (.+)$", r"\1 / \2"),
    (
        r"^(.+?) (?:split|divided|shared) (?:between|among|by) (\d+)(?: (?:people|of us"
        r"|persons|ways))?$",
        r"\1 / \2",
    ),
    (r"^(?:a )?half of (.+)$", r"\1 / 2"),
    (r"^(?:a )?(?:tip|tax) of (\d+(?:\.\d+)?)\s*(?:%|percent) (?:on|of|for) (.+)$", r"\1% of \2"),
    (r"^(\d+(?:\.\d+)?) as a percent(?:age)? of (\d+(?:\.\d+)?)$", r"\1 / \2 * 100"),
    (r"^(.+?)[和跟与加](.+?)(?:加起来|相加|的和|一共)(?:是?多少|等于多少|等于几)?$", r"\1 + \2"),
    (r"^(.+?)平?分给(\d+|[一二三四五六七八九十]+)个?人.*$", r"\1 / \2"),
    (r"^(.+?)的一半$", r"\1 / 2"),
)
_WORDS = (
    (r"\bplus\b|加上|加", "+"),
    (r"\bminus\b|减去|减", "-"),
    (r"\b(?:times|multiplied by)\b|乘以|乘上|乘", "*"),
    (r"\b(?:divided by|over)\b|除以", "/"),
    (r"\b(?:to the power of|to the)\b(?=\s*\d)", "^"),
    (r"\bsquared\b|的平方(?!根)", "^2"),
    (r"\bcubed\b|的立方(?!根)", "^3"),
    (r"的\s*(\d+)\s*次方", r"^\1"),
    (r"\b(?:the )?square root of\s*(\d+(?:\.\d+)?)", r"sqrt(\1)"),
    (r"(?:根号|√)\s*(\d+(?:\.\d+)?)", r"sqrt(\1)"),
    (r"(\d+(?:\.\d+)?)\s*的平方根", r"sqrt(\1)"),
    (rf"{_PER_HUNDRED}\s*(\d+(?:\.\d+)?)", r"\1%"),
    (r"\s*\bpercent\b", "%"),
    (r"\bfactorial of\s*(\d+)|(\d+)\s*(?:factorial|的阶乘)", r"\1\2!"),
)
_NAMES = (
    "sqrt|abs|round|floor|ceil|min|max|exp|ln|log10|log2|log|a?sin|a?cos|a?tan|gcd|lcm|pi|of|e|x|"
    "mod"
)
_ARITHMETIC = re.compile(
    rf"(?:[\d\s+\-−*/×÷^().,，（）%！!√²³π°=＝０-９]|的|\b(?:{_NAMES})\b)+", re.IGNORECASE
)
_OPERATION = re.compile(
    r"[\d)）%π²³]\s*(?:[+\-−*/×÷^xX]|mod|的|of)\s*[\d(（√πa-z.]|\d\s*[!！]|[²³√]|[a-z0-9]\(",
    re.IGNORECASE,
)


def begins_sum(clause: str) -> bool:
    """Return whether a sum may continue after an "and"; `read_sum` decides whether it does."""
    return True


def read_sum(clause: str, ask: OfflineRequest) -> Script | None:
    expression = expression_in(plain_sum(clause))
    if not expression:
        return None
    return _calculate(ask, expression) if "calc.evaluate" in ask.tools else _unable(ask)


def plain_sum(clause: str) -> str:
    """Return the clause without polite words; the mark of "5!" is kept."""
    factorial = re.search(r"[\d)]\s*[!！]\s*[?？]*$", clause)
    return without_polite_words(clause) + ("!" if factorial else "")


def expression_in(text: str) -> str:
    """Return the calculation in the clause, with operators; "" if there is none."""
    found = _ASKED.search(text)
    if found is None:
        return ""
    said = next(value for value in found.groups() if value is not None)
    said = _rewritten(said)
    expression = words_to_digits(said.replace("百分之", _PER_HUNDRED))
    for words, sign in _WORDS:
        expression = re.sub(words, sign, expression, flags=re.IGNORECASE)
    expression = re.sub(r"\s*(?:[=＝?？]|等于|是多少|的结果|多少|几)+\s*$", "", expression).strip()
    if not _ARITHMETIC.fullmatch(expression) or not _OPERATION.search(expression):
        return ""
    return "" if _is_date(expression) else expression


def _rewritten(said: str) -> str:
    """Rewrite discounts, halves and shares as ordinary sums."""
    said = said.strip()
    if off := _OFF.search(said):
        return f"{off['price']} * (100 - {off['percent']}) / 100"
    if discount := _DISCOUNT.search(said):
        price, tenths = (
            discount["b"] or discount["c"],
            words_to_digits(discount["a"] or discount["d"]),
        )
        return f"{price} * {tenths} / {10 ** len(tenths)}"
    for words, sum_of in _REWRITTEN:
        if found := re.fullmatch(words, said, re.IGNORECASE):
            return found.expand(sum_of)
    return said


def _is_date(expression: str) -> bool:
    return bool(re.fullmatch(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}", expression))


def _calculate(ask: OfflineRequest, expression: str) -> Script:
    yield Lead(ask.pick("Let me work it out. ", "我算一下。"))
    result = yield from use("calc.evaluate", expression=expression)
    if not result.ok:
        yield failure_text(ask, result)
        return
    yield Say(f"**{_escape(result.output.strip())}**")


def _escape(text: str) -> str:
    """Escape the `*` of a product, which isn't emphasis."""
    return text.replace("*", "×")


def _unable(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("The calculator is switched off now.", "计算器现在是关闭的。"))
