"""Faces and moves on request, with the names the present model has."""

from __future__ import annotations

import re

from neodeskpet.llm.offline.request import OfflineRequest
from neodeskpet.llm.offline.rules.gestures import (
    ANY,
    EXPRESSION,
    FEELINGS,
    MOTION,
    MOVES,
    NamedGesture,
    match_name,
    named_option,
)
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import Say, Script, failure_text, use

_FACE_WORDS = re.compile(r"\b(?:expressions?|faces?|look|emotion)\b|表情|脸", re.IGNORECASE)
_MOVE_WORDS = re.compile(r"\b(?:motions?|moves?|gestures?|play)\b|动作|播放", re.IGNORECASE)
_NAMES = pattern(
    r"\b(?:what|which|list|show|how many|all)\b.*\b(?:expressions|faces|motions|moves|gestures)\b",
    r"(?:什么|哪些|多少|几个|几种|列出|所有|有啥).{0,4}(?:表情|动作)",
    r"(?:表情|动作)(?:有哪些|有什么|列表|都有)",
)
_BEFORE = (
    r"(?:(?:be|look|act|make|show|do|give|play|put on|try|feel|get|me|us|a|an|the|your|some|more|"
    r"little|very|really|back to|that you are|go|to)\s+)*"
)
_AFTER = (
    r"(?:\s+(?:face|expression|look|motion|move|again|for me|at me|to me|once more|a little|a bit|"
    r"with me|back|hello|hi))*"
)
_ZH_BEFORE = (
    "(?:你|再|来|做|摆|换|露出|展示|表现|显得|给|我|大家|一个|个|一下|得|出|下|点|快|要|表演|"
    "跟我|对我|向我|很|一点|成|上|到)*"
)
_ZH_AFTER = "(?:一个|一下|一点|点|的|表情|样子|脸|动作|给我|看看|看|来|吧|嘛|啦|了|一次|状态|我)*"


def read_names(clause: str, ask: OfflineRequest) -> Script | None:
    return _tell_names(ask) if _NAMES.search(without_polite_words(clause)) else None


def _tell_names(ask: OfflineRequest) -> Script:
    faces = ", ".join(f"`{name}`" for name in ask.options(EXPRESSION, "name"))
    moves = ", ".join(f"`{name}`" for name in ask.options(MOTION, "group"))
    none = ask.pick("none", "没有")
    yield Say(
        ask.pick(
            f"This body has these\n\n- expressions: {faces or none}\n- motions: {moves or none}\n\n"
            "Just name one.",
            f"这个身体有\n\n- 表情：{faces or none}\n- 动作：{moves or none}\n\n说出名字就行。",
        )
    )


def read_expression(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    options = ask.options(EXPRESSION, "name")
    named = named_option(options, text)
    if named and (_FACE_WORDS.search(text) or _asks(text, re.escape(named), re.escape(named))):
        return _express(ask, named)
    gesture = _read_gesture(text, FEELINGS)
    if gesture is not None:
        name = match_name(options, gesture.names)
        return _express(ask, name) if name else _lack(ask, EXPRESSION, "name")
    if re.search(
        r"\b(?:make|show|do|change|put on)\b.*\b(?:face|expression)\b|换个?表情|做个?表情", text
    ):
        return _lack(ask, EXPRESSION, "name")
    return None


def read_motion(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    options = ask.options(MOTION, "group")
    named = named_option(options, text)
    if named and (_MOVE_WORDS.search(text) or _asks(text, re.escape(named), re.escape(named))):
        return _play(ask, named, "")
    gesture = _read_gesture(text, MOVES)
    if gesture is None:
        return None
    name = match_name(options, gesture.names)
    if name:
        return _play(ask, name, "")
    other = next((option for option in options if "idle" not in option.casefold()), "")
    missing = "" if gesture.key == ANY else gesture.key
    return _play(ask, other, missing) if other else _lack(ask, MOTION, "group")


def _read_gesture(text: str, gestures: tuple[NamedGesture, ...]) -> NamedGesture | None:
    return next((one for one in gestures if _asks(text, one.english, one.chinese)), None)


def _asks(text: str, english: str, chinese: str) -> bool:
    """Whether the clause asks just for that: "I'm sad" and 我很难过 tell something else."""
    if re.fullmatch(rf"{_BEFORE}(?:{english}){_AFTER}", text, re.IGNORECASE):
        return True
    told = re.match(r"我(?!要看|想看)", text)
    wanted = rf"{_ZH_BEFORE}(?:{chinese}){_ZH_AFTER}"
    return told is None and re.fullmatch(wanted, text, re.IGNORECASE) is not None


def _express(ask: OfflineRequest, name: str) -> Script:
    # Without words before it: gestures with words end a reply.
    result = yield from use(EXPRESSION, name=name)
    said = Say(ask.pick(f"That's my “{name}”.", f"这就是我的“{name}”。"))
    yield said if result.ok else failure_text(ask, result)


def _play(ask: OfflineRequest, group: str, missing: str) -> Script:
    if missing:
        english = f"This body can't {_verb(missing)}, but watch: "
        yield Say(ask.pick(english, "这个身体不会这个动作，不过看这个："))
    result = yield from use(MOTION, group=group)
    said = Say(ask.pick(f"That was “{group}”.", f"这是“{group}”。"))
    yield said if result.ok else failure_text(ask, result)


def _verb(key: str) -> str:
    return {"shake": "shake its head", "stretch": "stretch itself"}.get(key, key)


def _lack(ask: OfflineRequest, tool: str, argument: str) -> Script:
    names = ", ".join(f"`{name}`" for name in ask.options(tool, argument))
    if names:
        yield Say(
            ask.pick(f"This body has: {names}. Name one.", f"这个身体有：{names}。说一个名字吧。")
        )
    elif tool not in ask.tools:
        yield Say(ask.pick("This body can't do that.", "这个身体做不到。"))
