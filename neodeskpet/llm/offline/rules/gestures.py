"""Feelings and gestures in two languages, and which of a model's names come near them."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from neodeskpet.llm.offline.request import OfflineRequest, ToolAnswer
from neodeskpet.llm.offline.scripts import UseTool, UseWithoutWaiting

EXPRESSION = "live2d.expression"
MOTION = "live2d.motion"


@dataclass(frozen=True, slots=True)
class NamedGesture:
    """`english` and `chinese` are how it is asked for; `names` what models call it, best first."""

    key: str
    english: str
    chinese: str
    names: tuple[str, ...]


FEELINGS = (
    NamedGesture(
        "joy",
        r"laugh|joy(?:ful)?|overjoyed|excited|big smile",
        "大笑|哈哈大?笑|狂喜|兴奋|喜悦",
        ("joy", "laugh", "excite", "happy", "smile"),
    ),
    NamedGesture(
        "smile",
        r"smil(?:e|ing|y)|happy|cheerful|grin",
        "微笑|笑一个|笑一笑|笑一下|笑笑|笑|开心|高兴",
        ("smile", "happy", "joy", "laugh"),
    ),
    NamedGesture(
        "shy",
        r"shy|blush(?:ing)?|embarrassed",
        "害羞|脸红|羞涩",
        ("shy", "blush", "embarrass"),
    ),
    NamedGesture(
        "cry",
        r"cry(?:ing)?|tears?|weep",
        "大哭|哭一个|哭一下|哭泣|哭|流泪",
        ("cry", "tear", "sad"),
    ),
    NamedGesture(
        "sad",
        r"sad|unhappy|sorry",
        "难过|伤心|悲伤|沮丧|委屈",
        ("sad", "sorrow", "cry", "down"),
    ),
    NamedGesture(
        "angry",
        r"angry|mad|furious|grumpy",
        "生气|愤怒|发火|发怒",
        ("angry", "mad", "anger"),
    ),
    NamedGesture(
        "surprised",
        r"surprised?|shocked|astonished|amazed",
        "惊讶|吃惊|震惊|惊喜",
        ("surpris", "shock", "amaz"),
    ),
    NamedGesture(
        "sleepy",
        r"sleepy|tired|drowsy|yawn",
        "困倦|犯困|困|打哈欠|想睡",
        ("sleep", "tired", "drows"),
    ),
    NamedGesture("wink", r"wink", "眨眼睛?|眨个眼|抛媚眼", ("wink",)),
    NamedGesture(
        "thinking",
        r"think(?:ing)?|thoughtful|curious",
        "思考|沉思|好奇|想一想",
        ("think", "curious", "question"),
    ),
    NamedGesture(
        "love",
        r"love|loving|hearts?",
        "爱心|比心|爱慕|花痴",
        ("love", "heart", "smile"),
    ),
    NamedGesture(
        "neutral",
        r"neutral|normal|calm|relax(?:ed)?|default",
        "平静|正常|面无表情|恢复|默认",
        ("neutral", "normal", "default", "calm"),
    ),
)

ANY = "any"
MOVES = (
    NamedGesture(
        "wave",
        r"wave(?: (?:hello|hi|goodbye|at me|your (?:hand|paw|arm)s?))?",
        "挥挥?手|招招?手|打个?招呼",
        ("wave", "hello", "greet", "hi"),
    ),
    NamedGesture("nod", r"nod(?: your head)?", "点点?头", ("nod", "yes", "agree")),
    NamedGesture("shake", r"shake (?:your )?head", "摇摇?头", ("shake", "no")),
    NamedGesture(
        "dance",
        r"dance(?: for me)?|do a (?:little )?dance",
        "跳个?舞|跳一?支?舞|舞蹈|扭一?扭",
        ("dance", "dancing"),
    ),
    NamedGesture("jump", r"jump|hop", "跳一?下|跳起来|跳一跳|蹦", ("jump", "hop")),
    NamedGesture("bow", r"bow|take a bow", "鞠个?躬|行礼", ("bow",)),
    NamedGesture("stretch", r"stretch|have a stretch", "伸个?懒腰|伸展", ("stretch",)),
    NamedGesture(
        ANY,
        r"move|do something|do a (?:motion|move|trick)|act|perform",
        "动一动|动一?下|做个动作|表演",
        (),
    ),
)


def match_name(options: Sequence[str], names: Sequence[str]) -> str:
    """The first of `names` that is an option, or a part of one: that option; else ""."""
    folded = {option.casefold(): option for option in options}
    for name in names:
        if name in folded:
            return folded[name]
        for option in folded:
            if name in option and len(name) > 2:
                return folded[option]
    return ""


def named_option(options: Sequence[str], text: str) -> str:
    """The option whose very name stands in `text`, the longest one; else ""."""
    found = [
        option
        for option in options
        if option
        and re.search(rf"(?<![a-z0-9]){re.escape(option.casefold())}(?![a-z0-9])", text.casefold())
    ]
    return max(found, key=len, default="")


def find_gesture(gestures: Sequence[NamedGesture], key: str) -> NamedGesture:
    return next(gesture for gesture in gestures if gesture.key == key)


def show_feeling(
    ask: OfflineRequest, *keys: str
) -> Generator[UseWithoutWaiting | list[UseTool], list[ToolAnswer], None]:
    """Show the first of these feelings that the model has, in the middle of the talk, or none."""
    options = ask.options(EXPRESSION, "name")
    for key in keys:
        name = match_name(options, find_gesture(FEELINGS, key).names)
        if name:
            yield UseWithoutWaiting(EXPRESSION, {"name": name})
            return


def make_move(
    ask: OfflineRequest, key: str
) -> Generator[UseWithoutWaiting | list[UseTool], list[ToolAnswer], None]:
    """Make this move in the middle of the talk, if the model has it."""
    group = match_name(ask.options(MOTION, "group"), find_gesture(MOVES, key).names)
    if group:
        yield UseWithoutWaiting(MOTION, {"group": group})
