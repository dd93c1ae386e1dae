"""Rules for chance: a coin, dice, a random number, a choice among several things."""

from __future__ import annotations

import re

from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import Say, Script

_COIN = pattern(
    r"\b(?:flip|toss|throw)\b.*\bcoin\b|^heads or tails$|^coin (?:flip|toss)$",
    "[抛扔掷投丢]个?(?:一下|一?个|一枚)?硬币|^硬币$|正面还是反面",
)
_DICE = pattern(
    r"\b(?:roll|throw)\b.*\b(?:die|dice|d(?P<a>\d{1,3}))\b",
    r"[掷扔投抛丢摇](?:一下|一?个|一颗)?(?:(?P<b>\d{1,3})面)?(?:骰子|色子|筛子)",
)
_NUMBER = pattern(r"\brandom number\b", "随机(?:数|一?个数|选?一?个数)", "[0-9].{0,4}随机")
_RANGE = re.compile(r"(\d{1,9})\s*(?:and|to|-|到|至|~)\s*(\d{1,9})", re.IGNORECASE)
_CHOICE = pattern(
    r"^(?:choose|pick|decide)(?: one| between| for me)?\b\s*(?:of|from|between)?\s*[:：,]?\s*"
    r"(?P<a>.+(?:\band\b|\bor\b|,).+)$",
    r"^(?:should i|shall i|shall we|should we)\s+(?P<b>.+\bor\b.+)$",
    r"^(?P<c>(?:\w+ ){0,2}\w+ or (?:\w+ ?){1,3})$",
    r"^(?:帮我|给我)?(?:选|挑|抽)(?:一个|个|一下)?\s*[:：,，]?\s*(?P<d>.+(?:还是|或者?|、|,|，).+)$",
    "^从(?P<e>.+[、,，和].+?)(?:里面?|中|当中)?(?:抽|选|挑)(?:一个|个)?",
    "^(?:(?:今天|中午|晚上|早上|明天)?(?:吃|喝|去|看|玩|穿|选)(?:什么)?[,，]?)?(?P<f>[^，,？?你]{1,12}还是[^，,？?]{1,12})$",
)
_GOES_ON = pattern(r"\bbetween\s+\S+$|^(?:choose|pick|decide|should|shall)\b")
_BETWEEN = re.compile(
    r"\s*(?:[,，、]\s*(?:or|and)?|还是|或者?|\b(?:or|and)\b|和)\s*", re.IGNORECASE
)


def begins_chance(clause: str) -> bool:
    """Return whether the request may continue after an "and": "pick between tea and coffee"."""
    return bool(_GOES_ON.search(without_polite_words(clause)))


def read_chance(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    if _COIN.search(text):
        return _say(ask.pick(*ask.random.choice((("Heads!", "正面！"), ("Tails!", "反面！")))))
    if found := _DICE.search(text):
        sides = max(2, int(found["a"] or found["b"] or 6))
        number = ask.random.randint(1, sides)
        return _say(ask.pick(f"The die shows **{number}**.", f"掷出了 **{number}** 点。"))
    if _NUMBER.search(text):
        bounds = _RANGE.search(text)
        low, high = sorted(map(int, bounds.groups())) if bounds else (1, 100)
        number = ask.random.randint(low, high)
        return _say(
            ask.pick(f"**{number}** ({low} to {high}).", f"**{number}**（{low} 到 {high}）。")
        )
    if found := _CHOICE.search(text):
        said = next(one for one in found.groups() if one)
        things = [one for one in _BETWEEN.split(said) if one.strip()]
        if 2 <= len(things) <= 20:
            chosen = ask.random.choice(things).strip(" 。.!！?？")
            return _say(ask.pick(f"I'd take **{chosen}**.", f"我选 **{chosen}**。"))
    return None


def _say(text: str) -> Script:
    yield Say(text)
