"""Rules for timers, reminders and appointments: set, list, move and cancel them."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeGuard

from neodeskpet.core.schedule.parsing.time_finder import TimeRequest, find_time
from neodeskpet.core.schedule.parsing.time_parser import AmbiguousTime, ParsedTime, parse_time
from neodeskpet.core.schedule.recurrence import short_months_left_out
from neodeskpet.core.schedule.rule import Calendar, Once, clock_time, next_run
from neodeskpet.core.schedule.vocabulary import LONGEST_DURATION, moments_in_words, parse_duration
from neodeskpet.llm.offline.request_reader import OfflineRequest, ToolAnswer
from neodeskpet.llm.offline.rules.appointments import (
    Appointment,
    appointment_lines,
    cancel_appointments,
    choose_appointments,
    choose_titled,
    list_appointments,
    move_appointment,
)
from neodeskpet.llm.offline.rules.rule import (
    pattern,
    render_moment,
    render_seconds,
    without_polite_words,
)
from neodeskpet.llm.offline.scripts import Lead, Say, Script, UseTool, failure_text, use, use_all

_Timer = Mapping[str, Any]

_SET = pattern(
    r"\bremind me\b",
    r"\bwake me\b",
    r"\b(?:set|start|make|create|add)\b.*\b(?:timer|alarm|reminder)\b",
    r"^(?:a |an |the )?(?:\S+\s+\S+\s+)?(?:timer|alarm|reminder|countdown)\b(?! *list)",
    r"\bcount down\b",
    r"\b(?:ping|nudge|tell|poke|alert|notify) me (?:in|at|to|every|on|tomorrow)\b"
    r"|\blet me know (?:in|at)\b",
    "^(?:泡面|煮面|煮蛋|煮鸡蛋|烤箱|洗衣机|面膜).{0,3}[0-9一二三四五六七八九十半两]+个?(?:分|小时|秒)",
    "提醒我",
    "叫我|叫醒我|喊我|通知我",
    "(?:之后|以后|后|点|半|分)告诉我",
    "[设定]个?.*(?:计时|闹钟|定时|提醒)",
    "^(?:计时|倒计时|定时|闹钟)",
)
_TIMER = pattern(r"\b(?:timer|alarm|countdown|count down)\b", "计时|倒计时|定时|闹钟")
"""What a request sets if it has only a duration."""
_ALARM_FOR = re.compile(r"\b(alarm|up)\s+for\s+(?=\d{1,2}(?![\d:]))", re.IGNORECASE)
_TIMER_RULE = re.compile(
    r"FREQ=(?:(?P<daily>DAILY)|WEEKLY;BYDAY=MO,TU,WE,TH,FR);BYHOUR=\d+;BYMINUTE=\d+;BYSECOND=0"
)
_POMODORO_LENGTH = "25 minutes"
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d) \w+ (\d\d:\d\d)")
_DAY = 86_400  # seconds
_POMODORO = pattern(
    r"\bpomodoro\b|\bfocus (?:mode|session|timer|time)\b|\b(?:time|want|need|help me) to focus\b"
    r"|\bfocus for\b|\bhelp me focus\b",
    "番茄(?!炒|酱|汁)|专注(?:模式|[0-9]|[一二三四五六七八九十半])",
)
_CHANGE = pattern(
    r"^(?:move|change|push|reschedule|shift|delay|postpone)\s+(?:back\s+)?(?:the |my )?(?P<a>.*?)"
    r"\s*(?:reminder|alarm|timer)(?:\s+(?:for|to|about)\s+(?P<b>.*?))?\s+"
    r"(?:(?P<later>back|by|later by)|(?:back )?(?:to|until|till))\s+(?:by )?(?P<c>.+)$",
    "^把?(?P<d>.*?)(?:的)?(?:提醒|闹钟|计时器|定时器)?(?:改|推迟|延后|延迟|提前|挪|调|推后)(?:到|成|为|至)(?P<e>.+)$",
    "^把?(?P<f>.*?)(?:的)?(?:提醒|闹钟|计时器|定时器)?(?P<way>推迟|延后|延迟|推后|提前)(?P<g>.+)$",
)
_LIST = pattern(
    r"^(?:show|list|see|tell me|what are|which are|give me)\b.*\b(?:timers?|reminders?|alarms?)\b",
    r"\b(?:what|which|any|how many)\b.*\b(?:timers|reminders|alarms)\b",
    r"^(?:my )?(?:timers|reminders|alarms)$",
    r"\bhow (?:much time|long) is left\b.*\b(?:timer|alarm)\b",
    r"(?:列一下|闹钟还有多久|还有多久响)|(?:有|哪些|什么|几个|多少|列出|看看|查看|显示|我的).{0,6}(?:计时器|提醒|闹钟|定时器)",
    r"^(?:计时器|提醒|闹钟|定时器)(?:列表|有哪些|还有多久|有什么)",
)
_CANCEL = pattern(
    r"\b(?:cancel|stop|delete|remove|clear|turn off)\b.*\b(?:timers?|reminders?|alarms?|[at]\d+)\b",
    r"(?:取消|删除|删掉|关掉|停掉|清除|停止).*(?:计时|提醒|闹钟|定时|倒计时|[at]\d+)",
    r"(?:计时器|提醒|闹钟|定时器).*(?:取消|删除|删掉|关掉|停掉|清除|删了|不要了|不用了)|不用(?:再)?提醒我",
    r"\b(?:never mind|forget|drop) (?:the|my)\b.*\b(?:timer|alarm|reminder)s?\b",
)
_ALL = pattern(r"\ball\b", r"\bevery\b", "全部", "所有", "都")
_CANCEL_NOISE = pattern(
    r"\b(?:please|cancel|stop|delete|remove|clear|turn off|never mind|forget|drop|timers?|alarms?"
    r"|reminders?|the|my|all|every|this|that|last|only)\b",
    "取消|删除|删掉|关掉|停掉|清除|停止|删了|不要了|不用了|不用再?|刚才|刚刚|那个|这个|所有|全部|都|^把|了$|吧$",
)
"""Words of a request to cancel that don't say which reminder is meant."""
_LABEL_NOISE = pattern(
    r"\b(?:ping|nudge|tell|poke|alert|notify) me\b(?: to| about| that| of)?|\blet me know\b",
    r"\b(?:please|can you|could you|would you)\b",
    r"\bremind me(?: again)?(?: to| about| that| of)?\b",
    r"\bwake me(?: up)?\b",
    r"\b(?:set|start|make|create|add)\b(?: me)?(?: (?:an?|the|another)\b)?",
    r"\b(?:timer|alarm|reminder|countdown|count down)\b(?:\s+(?:for|to|called|named|that|about))?",
    "差不多|大概|大约|来钟|请|麻烦|帮我|给我|能不能|记得|到时候?|的时候",
    "(?:提醒|叫醒|叫|喊|通知|告诉)(?:一下)?我(?:一下|一声)?(?:要|该)?",
    "[设定](?:置|一|个|一个|上|好)*(?=.*(?:计时|闹钟|定时|提醒))",
    "(?:一个|个)?(?:倒?计时器?|闹钟|定时器?|提醒)",
)


def begins_reminder(clause: str) -> bool:
    """Return whether a reminder begins with this clause; "in 10 minutes, …" may come before it."""
    text = without_polite_words(clause)
    if _SET.search(text):
        return True
    found = find_time(text, 0.0, UTC, bare=True)
    return bool(found.words) and not any(re.search(r"\w", piece) for piece in found.rest)


def find_time_in(text: str, now: datetime) -> TimeRequest:
    """Return the time that a request for a reminder names, relative to `now`. An ambiguous time has
    no reading.
    """
    text = _ALARM_FOR.sub(r"\1 at ", text)
    bare = bool(_TIMER.search(text))
    found = find_time(text, now.replace(tzinfo=UTC).timestamp(), UTC, bare=bare)
    return replace(found, reading=None) if found.unused else found


def read_set(text: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(text)
    if not _SET.search(text):
        return None
    if "timer.set" not in ask.tools:
        return _unable(ask)
    found = find_time_in(text, ask.now)
    if isinstance(found.reading, AmbiguousTime):
        return _ask_which(ask, found.reading)
    if found.reading is None:
        return _ask_when(ask, found)
    return _set(ask, found.words, found.reading, label_of(*found.rest))


def _set(ask: OfflineRequest, words: str, meant: ParsedTime, label: str) -> Script:
    """Return whether the rule fits a timer (once, every day, every working day); other rules are
    appointments.
    """
    now = ask.now.replace(tzinfo=UTC).timestamp()
    first = next_run(meant.rule, now, UTC, meant.until) or now
    repeat = _repeat(meant)
    if isinstance(meant.rule, Once) and first - now <= LONGEST_DURATION.total_seconds():
        return _set_timer(ask, words, label, "")
    if repeat:
        clock = f"{clock_time(first, UTC):%H:%M}"
        return _set_timer(ask, clock, label, repeat)
    if "schedule.add" not in ask.tools:
        return _unable(ask)
    left_out = short_months_left_out(meant.rule)
    return _add_appointment(ask, _unmistakable(ask, words), label, left_out)


def _repeat(meant: ParsedTime) -> str:
    """Return the timer's name of the repetition, "" for none."""
    rule = meant.rule
    if meant.until is not None or not isinstance(rule, Calendar) or len(rule.lines) != 1:
        return ""
    found = _TIMER_RULE.fullmatch(rule.lines[0])
    if found is None:
        return ""
    return "daily" if found["daily"] else "weekdays"


def _unmistakable(ask: OfflineRequest, words: str) -> str:
    """Return a remark that the morning was assumed: the calendar would ask for am or pm."""
    now = ask.now.replace(tzinfo=UTC).timestamp()
    if isinstance(parse_time(words, now, UTC), AmbiguousTime):
        return f"{words}{ask.pick(' in the morning', '上午')}"
    return words


def label_of(*pieces: str) -> str:
    """Return the rest of the request without the time and the words of the request itself."""
    label = " ".join(" ".join(_LABEL_NOISE.sub(" ", piece) for piece in pieces).split())
    label = re.sub(r"^(?:在\s+|[\s,，:：;。.!！?？的])+|[\s,，:：;。.!！?？的]+$", "", label)
    label = re.sub(r"^(?:to|for|that|about|and|of|in)\s+|\s+(?:in|at|for|to)$", "", label)
    return "" if re.fullmatch(r"to|for|in|at|an?|[设定置上好了个一]+", label) else label


def _set_timer(ask: OfflineRequest, at: str, label: str, repeat: str) -> Script:
    yield Lead(ask.pick("All right. ", "好的。"))
    more = {"label": label, "repeat": repeat}
    result = yield from use("timer.set", at=at, **{name: one for name, one in more.items() if one})
    timer = result.data.get("set")
    if not result.ok or not _is_timer(timer):
        yield failure_text(ask, result)
        return
    clock = _clock(ask, timer)
    when = f"at **{clock}**" if clock[0].isdecimal() else f"on **{clock}**"
    seconds_left = float(timer.get("seconds_left", 0))
    left = render_seconds(ask, seconds_left)
    # In Chinese the clock time names the day; a duration of days beside it adds nothing.
    after = f"（{left}后）" if seconds_left < _DAY else " "
    if label:
        english = f"I'll remind you {when}, in {left}: {label}."
        chinese = f"我会在 **{clock}**{after}提醒你：{label}。"
    else:
        english = f"The timer rings {when}, in {left}."
        chinese = f"计时器会在 **{clock}**{after}响。"
    yield Say(ask.pick(english, chinese) + _again(ask, str(timer.get("repeat", ""))))


def _add_appointment(ask: OfflineRequest, when: str, label: str, left_out: int | None) -> Script:
    yield Lead(ask.pick("All right. ", "好的。"))
    title = label or ask.pick("Reminder", "提醒")
    result = yield from use("schedule.add", title=title, when=when)
    added = result.data.get("added")
    if not result.ok or not isinstance(added, dict):
        yield failure_text(ask, result)
        return
    coming = added.get("next")
    first = str(coming[0]) if isinstance(coming, list) and coming else ""
    said = moments_in_words(when, ask.now.year, chinese=ask.chinese)
    yield Say(ask.pick(f"I'll remind you {said}: {title}. ", f"{said}提醒你：{title}。"))
    if moment := _MOMENT.match(first):
        shown = render_moment(ask, datetime.fromisoformat(" ".join(moment.groups())), ask.now)
        yield Say(ask.pick(f"First: **{shown}**.", f"第一次是 **{shown}**。"))
    if left_out is not None:
        english = f" Months without a day {left_out} are left out."
        yield Say(ask.pick(english, f"没有{left_out}号的月份会跳过。"))


def _again(ask: OfflineRequest, repeat: str) -> str:
    """Return how often it repeats."""
    said = {
        "daily": ask.pick(" Every day from then on.", "之后每天都会提醒。"),
        "weekdays": ask.pick(" From then on Monday to Friday.", "之后周一到周五都会提醒。"),
    }
    return said.get(repeat, "")


def _ask_when(ask: OfflineRequest, found: TimeRequest) -> Script:
    seen = [words for words in (found.words, *found.unused) if words]
    if found.words and not found.unused:
        question = ask.pick(
            f"I can't make a time of “{found.words}”. When exactly?",
            f"“{found.words}”我读不出一个时间。具体是什么时候呢？",
        )
    elif seen:
        english, chinese = ("”, “".join(seen), "”、“".join(seen))
        question = ask.pick(
            f"I'm not sure which time you mean (“{english}”). When exactly?",
            f"我不确定是什么时间（“{chinese}”）。具体是什么时候呢？",
        )
    else:
        question = ask.pick("When?", "什么时候呢？")
    yield Say(
        question
        + ask.pick(
            " Say it in one sentence, for example “remind me in 5 minutes to drink water” "
            "or “wake me at 7:30”.",
            "请用一句话告诉我，比如“十分钟后提醒我喝水”或“明天早上8点叫我起床”。",
        )
    )


def _ask_which(ask: OfflineRequest, unclear: AmbiguousTime) -> Script:
    now = ask.now.replace(tzinfo=UTC).timestamp()
    runs = [next_run(one.rule, now, UTC, one.until) or now for one in unclear.readings]
    shown = [render_moment(ask, clock_time(run, UTC), ask.now) for run in runs]
    repeats = [
        "" if isinstance(one.rule, Once) else ask.pick(" and again", "起重复")
        for one in unclear.readings
    ]
    choices = [f"{one}{again}" for one, again in zip(shown, repeats, strict=True)]
    yield Say(
        ask.pick(
            f"Which do you mean: {' or '.join(choices)}? Please say it again in one sentence.",
            f"你指的是{'，还是'.join(choices)}？请用一句话再说一次。",
        )
    )


def read_pomodoro(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    if not _POMODORO.search(text) or _LIST.search(text) or _CANCEL.search(text):
        return None
    if "timer.set" not in ask.tools:
        return _unable(ask)
    length = find_time(text, 0.0, UTC, bare=True).words or _POMODORO_LENGTH
    return _set_timer(ask, length, ask.pick("time for a break", "专注结束，休息一下"), "")


def read_change(clause: str, ask: OfflineRequest) -> Script | None:
    """Move a timer to another time, or by a duration."""
    found = _CHANGE.search(without_polite_words(clause))
    if found is None:
        return None
    if not {"timer.set", "timer.list", "timer.cancel"} <= ask.tools.keys():
        return _unable(ask)
    about = label_of(next((one for one in found.group("a", "b", "d", "f") if one), ""))
    words = next(one for one in found.group("c", "e", "g") if one)
    by = parse_duration(words) if found["later"] or found["way"] else None
    if by is None:
        when = find_time_in(words, ask.now)
        if not isinstance(when.reading, ParsedTime) or not isinstance(when.reading.rule, Once):
            return None
    elif found["way"] == "提前":
        by = -by
    return _change(ask, about, words, by)


def _change(ask: OfflineRequest, about: str, words: str, by: timedelta | None) -> Script:
    yield Lead(ask.pick("Let me see which. ", "我看看是哪一个。"))
    timers = yield from _listed_timers(ask)
    if timers is None:
        return
    chosen = _choose(timers, about, about)
    if len(chosen) != 1:
        yield from _change_appointment(ask, timers, about, words, by)
        return
    timer = chosen[0]
    due = datetime.fromisoformat(str(timer["at"])).replace(tzinfo=None)
    at = words if by is None else f"{due + by:%Y-%m-%d %H:%M:%S}"
    more = {name: str(timer.get(name, "")) for name in ("label", "repeat") if timer.get(name)}
    made = yield from use("timer.set", at=at, **more)
    new = made.data.get("set")
    if not made.ok or not _is_timer(new):
        yield failure_text(ask, made)
        return
    gone = yield from use("timer.cancel", id=timer["id"])
    if not gone.ok:
        yield failure_text(ask, gone)
        return
    clock = _clock(ask, new)
    yield Say(
        ask.pick(
            f"Moved to **{clock}**: {_name(ask, new)}.", f"已改到 **{clock}**：{_name(ask, new)}。"
        )
    )


def _change_appointment(
    ask: OfflineRequest, timers: Sequence[_Timer], about: str, words: str, by: timedelta | None
) -> Script:
    """No timer matches: try an appointment, otherwise ask which one."""
    appointments = yield from list_appointments(ask)
    chosen = choose_appointments(appointments, about, about) if about else []
    if len(chosen) == 1 and "schedule.update" in ask.tools:
        yield from move_appointment(ask, chosen[0], words, by)
    elif timers or appointments:
        which = ask.pick("Which one?\n", "是哪一个呢？\n")
        yield Say(which + _all_lines(ask, timers, appointments))
    else:
        yield Say(ask.pick("There is no such reminder.", "没有这个提醒。"))


def read_list(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    if not _LIST.search(text) or _CANCEL.search(text) or re.search("提醒我|remind me", text):
        return None
    return _list(ask) if "timer.list" in ask.tools else _unable(ask)


def _list(ask: OfflineRequest) -> Script:
    yield Lead(ask.pick("Let me look. ", "我看看。"))
    timers = yield from _listed_timers(ask)
    if timers is None:
        return
    appointments = yield from list_appointments(ask)
    if timers or appointments:
        lines = _all_lines(ask, timers, appointments)
        yield Say(ask.pick("What is waiting:\n", "还没响的有：\n") + lines)
    else:
        yield Say(ask.pick("There are no timers now.", "现在没有计时器，也没有提醒。"))


def read_cancel(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause)
    if not _CANCEL.search(text):
        return None
    if "timer.cancel" not in ask.tools or "timer.list" not in ask.tools:
        return _unable(ask)
    return _cancel(ask, text)


def _cancel(ask: OfflineRequest, text: str) -> Script:
    yield Lead(ask.pick("Let me see which. ", "我看看是哪一个。"))
    timers = yield from _listed_timers(ask)
    if timers is None:
        return
    about = label_of(*(_CANCEL_NOISE.sub(" ", one) for one in find_time_in(text, ask.now).rest))
    chosen = _choose(timers, text, about)
    if not chosen:
        yield from _cancel_appointment(ask, timers, text, about)
        return
    results = yield from use_all("timer.cancel", [{"id": timer["id"]} for timer in chosen])
    failed = [result for result in results if not result.ok]
    pairs = zip(chosen, results, strict=True)
    gone = ask.pick(", ", "、").join(_name(ask, timer) for timer, result in pairs if result.ok)
    if gone:
        yield Say(ask.pick(f"Cancelled: {gone}. ", f"已取消：{gone}。"))
    if failed:
        yield failure_text(ask, failed[0])


def _cancel_appointment(
    ask: OfflineRequest, timers: Sequence[_Timer], text: str, about: str
) -> Script:
    """No timer matches: try an appointment, otherwise ask which one."""
    appointments = yield from list_appointments(ask)
    chosen = choose_appointments(appointments, text, about)
    if chosen and "schedule.cancel" in ask.tools:
        yield from cancel_appointments(ask, chosen)
    elif timers or appointments:
        first = (*timers, *appointments)[0]["id"]
        question = ask.pick(
            f"Which one? Say for example “cancel {first}”.",
            f"是哪一个呢？比如说“取消 {first}”。",
        )
        yield Say(f"{question}\n{_all_lines(ask, timers, appointments)}")
    else:
        yield Say(ask.pick("There is no timer to cancel.", "没有可以取消的计时器。"))


def _choose(timers: Sequence[_Timer], text: str, about: str) -> list[_Timer]:
    """Return the timers that the user means; empty if that isn't clear. A single timer needs no
    name, but a different name doesn't match it.
    """
    ids = {found.lower() for found in re.findall(r"t\d+", text, re.IGNORECASE)}
    if ids:
        return [timer for timer in timers if timer["id"] in ids]
    named: list[_Timer] = choose_titled(timers, "label", text, about)
    if named or about:
        return named
    return list(timers) if _ALL.search(text) or len(timers) == 1 else []


def _unable(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("Timers are switched off now.", "计时器现在是关闭的。"))


def _listed_timers(
    ask: OfflineRequest,
) -> Generator[list[UseTool] | Say, list[ToolAnswer], list[_Timer] | None]:
    """List the timers; say why and return None if that fails."""
    listed = yield from use("timer.list")
    if not listed.ok:
        yield failure_text(ask, listed)
        return None
    return _timers(listed.data)


def _timers(data: Mapping[str, Any]) -> list[_Timer]:
    timers = data.get("timers")
    return [one for one in timers if _is_timer(one)] if isinstance(timers, list) else []


def _is_timer(value: object) -> TypeGuard[_Timer]:
    return isinstance(value, dict) and {"id", "at", "label", "seconds_left"} <= value.keys()


def _lines(ask: OfflineRequest, timers: Sequence[_Timer]) -> str:
    lines = []
    for timer in timers:
        label = timer["label"] or ask.pick("timer", "计时器")
        left = render_seconds(ask, float(timer["seconds_left"]))
        if timer.get("paused"):
            rest = ask.pick(f"paused: {label} ({left} left)", f"已暂停：{label}（还剩{left}）")
        else:
            clock = f"**{_clock(ask, timer)}**"
            rest = ask.pick(f"{clock} {label} (in {left})", f"{clock} {label}（{left}后）")
        lines.append(f"- `{timer['id']}` {rest}")
    return "\n".join(lines)


def _all_lines(
    ask: OfflineRequest, timers: Sequence[_Timer], appointments: Sequence[Appointment]
) -> str:
    both = (_lines(ask, timers), appointment_lines(ask, appointments))
    return "\n".join(filter(None, both))


def _name(ask: OfflineRequest, timer: _Timer) -> str:
    clock = _clock(ask, timer)
    return str(timer["label"]) or ask.pick(f"the timer for {clock}", f"{clock} 的计时器")


def _clock(ask: OfflineRequest, timer: _Timer) -> str:
    """Return when it rings, as `render_moment` writes it."""
    moment = datetime.fromisoformat(str(timer["at"])).replace(tzinfo=None)
    return render_moment(ask, moment, moment - timedelta(seconds=float(timer["seconds_left"])))
