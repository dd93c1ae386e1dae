"""Rules for feelings and gestures in two languages: which of a model's names match them, and
expressions and motions on request.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from neodeskpet.llm.offline.request_reader import OfflineRequest, ToolAnswer
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import (
    Say,
    Script,
    UseTool,
    UseWithoutWaiting,
    failure_text,
    use,
)

EXPRESSION = "live2d.expression"
MOTION = "live2d.motion"


@dataclass(frozen=True, slots=True)
class NamedGesture:
    """A gesture. `english` and `chinese` are the words that request it; `names` are common names of
    it in models, best first.
    """

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
    """Return the option that is equal to the first matching of `names` or contains it; "" if
    none.
    """
    folded = {option.casefold(): option for option in options}
    for name in names:
        if name in folded:
            return folded[name]
        for option in folded:
            if name in option and len(name) > 2:
                return folded[option]
    return ""


def named_option(options: Sequence[str], text: str) -> str:
    """Return the longest option whose name occurs in `text`; "" if none."""
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
    """Show the first of these feelings that the model has, in the middle of the text, or none."""
    options = ask.options(EXPRESSION, "name")
    for key in keys:
        name = match_name(options, find_gesture(FEELINGS, key).names)
        if name:
            yield UseWithoutWaiting(EXPRESSION, {"name": name})
            return


def make_move(
    ask: OfflineRequest, key: str
) -> Generator[UseWithoutWaiting | list[UseTool], list[ToolAnswer], None]:
    """Play this motion in the middle of the text, if the model has it."""
    group = match_name(ask.options(MOTION, "group"), find_gesture(MOVES, key).names)
    if group:
        yield UseWithoutWaiting(MOTION, {"group": group})


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
            f"我会的有\n\n- 表情：{faces or none}\n- 动作：{moves or none}\n\n说出名字就行。",
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
    """Return whether the clause only requests that: "I'm sad" and 我很难过 are statements."""
    if re.fullmatch(rf"{_BEFORE}(?:{english}){_AFTER}", text, re.IGNORECASE):
        return True
    is_statement = re.match(r"我(?!要看|想看)", text)
    wanted = rf"{_ZH_BEFORE}(?:{chinese}){_ZH_AFTER}"
    return is_statement is None and re.fullmatch(wanted, text, re.IGNORECASE) is not None


def _express(ask: OfflineRequest, name: str) -> Script:
    # No text before it: gestures with text end a reply.
    result = yield from use(EXPRESSION, name=name)
    chinese = "看，笑得好看吗？" if "smile" in name.casefold() else "看，这个表情怎么样？"
    said = Say(ask.pick(f"That's my “{name}”.", chinese))
    yield said if result.ok else failure_text(ask, result)


def _play(ask: OfflineRequest, group: str, missing: str) -> Script:
    if missing:
        english = f"This body can't {_verb(missing)}, but watch: "
        yield Say(ask.pick(english, "这个动作我不会，不过看这个："))
    result = yield from use(MOTION, group=group)
    said = Say(ask.pick(f"That was “{group}”.", _chinese_done(group)))
    yield said if result.ok else failure_text(ask, result)


def _chinese_done(group: str) -> str:
    """Return the text after a motion in Chinese; names of motions are mostly English."""
    name = group.casefold()
    if "dance" in name:
        return "跳完啦！"
    return "呼——舒服多了。" if "stretch" in name else "好啦，做完了！"


def _verb(key: str) -> str:
    return {"shake": "shake its head", "stretch": "stretch itself"}.get(key, key)


def _lack(ask: OfflineRequest, tool: str, argument: str) -> Script:
    names = ", ".join(f"`{name}`" for name in ask.options(tool, argument))
    if names:
        yield Say(
            ask.pick(f"This body has: {names}. Name one.", f"我会的有：{names}。说一个名字吧。")
        )
    elif tool not in ask.tools:
        yield Say(ask.pick("This body can't do that.", "这个我做不到。"))
