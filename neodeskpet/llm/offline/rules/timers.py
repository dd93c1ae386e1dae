"""Timers and reminders: set, list, cancel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeGuard

from neodeskpet.llm.offline.request import Ask
from neodeskpet.llm.offline.rules.moments import MOMENT, render_seconds
from neodeskpet.llm.offline.rules.rule import pattern, plain
from neodeskpet.llm.offline.scripts import Lead, Say, Script, fail, use, use_all

_Timer = Mapping[str, Any]

_SET = pattern(
    r"\bremind me\b",
    r"\bwake me\b",
    r"\b(?:set|start|make|create|add)\b.*\b(?:timer|alarm|reminder)\b",
    r"^(?:a |an |the )?(?:\S+\s+\S+\s+)?(?:timer|alarm|reminder|countdown)\b(?! *list)",
    r"\bcount down\b",
    "提醒我",
    "叫我|叫醒我|喊我|通知我",
    "(?:之后|以后|后|点|半|分)告诉我",
    "[设定]个?.*(?:计时|闹钟|定时|提醒)",
    "^(?:计时|倒计时|定时|闹钟)",
)
_LIST = pattern(
    r"^(?:show|list|see|tell me|what are|which are|give me)\b.*\b(?:timers?|reminders?|alarms?)\b",
    r"\b(?:what|which|any|how many)\b.*\b(?:timers|reminders|alarms)\b",
    r"^(?:my )?(?:timers|reminders|alarms)$",
    r"(?:有|哪些|什么|几个|多少|列出|看看|查看|显示|我的).{0,6}(?:计时器|提醒|闹钟|定时器)",
    r"^(?:计时器|提醒|闹钟|定时器)(?:列表|有哪些|还有多久|有什么)",
)
_CANCEL = pattern(
    r"\b(?:cancel|stop|delete|remove|clear|turn off)\b.*\b(?:timers?|reminders?|alarms?|t\d+)\b",
    r"(?:取消|删除|删掉|关掉|停掉|清除|停止).*(?:计时|提醒|闹钟|定时|倒计时|t\d+)",
    r"(?:计时器|提醒|闹钟|定时器).*(?:取消|删除|删掉|关掉|停掉|清除)",
)
_ALL = pattern(r"\ball\b", r"\bevery\b", "全部", "所有", "都")
_REPEATS = {
    "weekdays": pattern(
        r"\b(?:on |every )?(?:weekdays?|workdays?|working days?)\b(?: at)?",
        "(?:每个?)?工作日|周一[到至]周?五",
    ),
    "daily": pattern(r"\b(?:every ?day|each day|daily)\b(?: at)?", "每天|每日|天天"),
}
_LABEL_NOISE = pattern(
    r"\b(?:please|can you|could you|would you)\b",
    r"\bremind me(?: again)?(?: to| about| that| of)?\b",
    r"\bwake me(?: up)?\b",
    r"\b(?:set|start|make|create|add)\b(?: me)?(?: (?:an?|the|another)\b)?",
    r"\b(?:timer|alarm|reminder|countdown|count down)\b(?:\s+(?:for|to|called|named|that|about))?",
    "请|麻烦|帮我|给我|能不能|记得|到时候?|的时候",
    "(?:提醒|叫醒|叫|喊|通知|告诉)(?:一下)?我(?:一下|一声)?(?:要|该)?",
    "[设定](?:置|一|个|一个|上|好)*(?=.*(?:计时|闹钟|定时|提醒))",
    "(?:一个|个)?(?:倒?计时器?|闹钟|定时器?|提醒)",
)


def begins(clause: str) -> bool:
    """Whether a reminder begins with this clause; "in 10 minutes, …" may stand before it."""
    text = plain(clause)
    return bool(_SET.search(text) or MOMENT.fullmatch(text))


def read_set(text: str, ask: Ask) -> Script | None:
    text = plain(text)
    if not _SET.search(text):
        return None
    if "timer.set" not in ask.tools:
        return _unable(ask)
    moments = [found for found in MOMENT.finditer(text) if _is_real(found)]
    if not moments:
        return _ask_when(ask)
    found = moments[0]
    said = re.sub(r"^(?:at|by)\s+", "", " ".join(found["moment"].split()), flags=re.IGNORECASE)
    if said.isdecimal():
        said = f"at {said}"  # a bare hour is none
    pieces, repeat = _take_repeat(text[: found.start()], text[found.end() :])
    return _set(ask, said, label_of(*pieces), repeat)


def _take_repeat(*pieces: str) -> tuple[tuple[str, ...], str]:
    """What is left without the words for how often, and how often: "" for once."""
    for repeat, words in _REPEATS.items():
        if any(words.search(piece) for piece in pieces):
            return tuple(words.sub(" ", piece) for piece in pieces), repeat
    return pieces, ""


def _is_real(found: re.Match[str]) -> bool:
    """ "a m" in "remind me of a meeting" is no moment: letters alone need a unit of their own."""
    return not re.fullmatch(r"an?\s*[hms]", found["moment"], re.IGNORECASE)


def label_of(*pieces: str) -> str:
    """What is left of the request when the time and the asking are taken away."""
    label = " ".join(" ".join(_LABEL_NOISE.sub(" ", piece) for piece in pieces).split())
    label = re.sub(r"^(?:在\s+|[\s,，:：;。.!！?？的])+|[\s,，:：;。.!！?？的]+$", "", label)
    label = re.sub(r"^(?:to|for|that|about|and|of|in)\s+|\s+(?:in|at|for|to)$", "", label)
    return "" if re.fullmatch(r"to|for|in|at|an?|[设定置上好了个一]+", label) else label


def _set(ask: Ask, at: str, label: str, repeat: str) -> Script:
    yield Lead(ask.pick("All right. ", "好的。"))
    more = {"label": label, "repeat": repeat}
    result = yield from use("timer.set", at=at, **{name: one for name, one in more.items() if one})
    timer = result.data.get("set")
    if not result.ok or not _is_timer(timer):
        yield fail(ask, result)
        return
    clock = _clock(ask, timer)
    when = f"at **{clock}**" if clock[0].isdecimal() else f"**{clock}**"
    left = render_seconds(ask, float(timer.get("seconds_left", 0)))
    if label:
        english = f"I'll remind you {when}, in {left}: {label}."
        chinese = f"我会在 **{clock}**（{left}后）提醒你：{label}。"
    else:
        english = f"The timer rings {when}, in {left}."
        chinese = f"计时器会在 **{clock}**（{left}后）响。"
    yield Say(ask.pick(english, chinese) + _again(ask, str(timer.get("repeat", ""))))


def _again(ask: Ask, repeat: str) -> str:
    """How often it comes again."""
    said = {
        "daily": ask.pick(" Every day from then on.", "之后每天都会提醒。"),
        "weekdays": ask.pick(" From then on Monday to Friday.", "之后周一到周五都会提醒。"),
    }
    return said.get(repeat, "")


def _ask_when(ask: Ask) -> Script:
    yield Say(
        ask.pick(
            "When? Say it in one sentence, for example “remind me in 5 minutes to drink water” "
            "or “wake me at 7:30”.",
            "什么时候呢？请用一句话告诉我，比如“十分钟后提醒我喝水”或“明天早上8点叫我起床”。",
        )
    )


def read_list(clause: str, ask: Ask) -> Script | None:
    text = plain(clause)
    if not _LIST.search(text) or _CANCEL.search(text) or re.search("提醒我|remind me", text):
        return None
    return _list(ask) if "timer.list" in ask.tools else _unable(ask)


def _list(ask: Ask) -> Script:
    yield Lead(ask.pick("Let me look. ", "我看看。"))
    result = yield from use("timer.list")
    if not result.ok:
        yield fail(ask, result)
        return
    timers = _timers(result.data)
    if timers:
        yield Say(ask.pick("What is waiting:\n", "还没响的有：\n") + _lines(ask, timers))
    else:
        yield Say(ask.pick("There are no timers now.", "现在没有计时器，也没有提醒。"))


def read_cancel(clause: str, ask: Ask) -> Script | None:
    text = plain(clause)
    if not _CANCEL.search(text):
        return None
    if "timer.cancel" not in ask.tools or "timer.list" not in ask.tools:
        return _unable(ask)
    return _cancel(ask, text)


def _cancel(ask: Ask, text: str) -> Script:
    yield Lead(ask.pick("Let me see which. ", "我看看是哪一个。"))
    listed = yield from use("timer.list")
    if not listed.ok:
        yield fail(ask, listed)
        return
    timers = _timers(listed.data)
    chosen = _choose(timers, text)
    if not timers:
        yield Say(ask.pick("There is no timer to cancel.", "没有可以取消的计时器。"))
        return
    if not chosen:
        question = ask.pick("Which one? Say for example", "是哪一个呢？比如说")
        example = ask.pick(f"“cancel {timers[0]['id']}”", f"“取消 {timers[0]['id']}”")
        yield Say(f"{question} {example}.\n{_lines(ask, timers)}")
        return
    results = yield from use_all("timer.cancel", [{"id": timer["id"]} for timer in chosen])
    failed = [result for result in results if not result.ok]
    pairs = zip(chosen, results, strict=True)
    gone = ask.pick(", ", "、").join(_name(ask, timer) for timer, result in pairs if result.ok)
    if gone:
        yield Say(ask.pick(f"Cancelled: {gone}. ", f"已取消：{gone}。"))
    if failed:
        yield fail(ask, failed[0])


def _choose(timers: Sequence[_Timer], text: str) -> list[_Timer]:
    """The timers that are meant; empty if that isn't clear."""
    ids = {found.lower() for found in re.findall(r"t\d+", text, re.IGNORECASE)}
    if ids:
        return [timer for timer in timers if timer["id"] in ids]
    if _ALL.search(text) or len(timers) == 1:
        return list(timers)
    return [timer for timer in timers if timer["label"] and timer["label"].lower() in text.lower()]


def _unable(ask: Ask) -> Script:
    yield Say(ask.pick("Timers are switched off now.", "计时器现在是关闭的。"))


def _timers(data: Mapping[str, Any]) -> list[_Timer]:
    timers = data.get("timers")
    return [one for one in timers if _is_timer(one)] if isinstance(timers, list) else []


def _is_timer(value: object) -> TypeGuard[_Timer]:
    return isinstance(value, dict) and {"id", "at", "label", "seconds_left"} <= value.keys()


def _lines(ask: Ask, timers: Sequence[_Timer]) -> str:
    lines = []
    for timer in timers:
        label = timer["label"] or ask.pick("timer", "计时器")
        left = render_seconds(ask, float(timer["seconds_left"]))
        rest = ask.pick(f" {label} (in {left})", f" {label}（{left}后）")
        lines.append(f"- `{timer['id']}` **{_clock(ask, timer)}**{rest}")
    return "\n".join(lines)


def _name(ask: Ask, timer: _Timer) -> str:
    clock = _clock(ask, timer)
    return str(timer["label"]) or ask.pick(f"the timer for {clock}", f"{clock} 的计时器")


def _clock(ask: Ask, timer: _Timer) -> str:
    """`17:30`, `tomorrow 07:00`, `2025-12-24 17:30`."""
    moment = datetime.fromisoformat(str(timer["at"]))
    now = moment - timedelta(seconds=float(timer["seconds_left"]))
    days = (moment.date() - now.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if days == 1:
        return ask.pick(f"tomorrow {moment:%H:%M}", f"明天 {moment:%H:%M}")
    return f"{moment:%Y-%m-%d %H:%M}"
