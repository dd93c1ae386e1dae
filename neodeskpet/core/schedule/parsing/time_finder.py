"""Finds the time in a request: which words say it, what they mean, and what is left.

"remind me on Thursday to send the form at 8 am" has the words "on Thursday" and "at 8 am". Words
that look like a time but can't be part of it are returned too, so that the caller can ask instead
of guessing.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import timedelta, tzinfo
from enum import Enum, auto
from functools import cache
from itertools import pairwise

from neodeskpet.core.i18n import InvalidValue
from neodeskpet.core.schedule.parsing.clock_times import SpokenTime
from neodeskpet.core.schedule.parsing.time_parser import (
    REPETITION_COUNT,
    TimeReading,
    parse_time,
    pieces_at,
    time_grammar,
)
from neodeskpet.core.schedule.vocabulary import MONTH, NUMBER, NUMERAL


@dataclass(frozen=True, slots=True)
class TimeRequest:
    """`words` say the time ("" for none) and `reading` is what they mean; None with a `refusal` if
    they can't be read. `rest` is the text around them, in order. `unused` are the words that look
    like a time but aren't part of it.
    """

    words: str = ""
    reading: TimeReading | None = None
    refusal: InvalidValue | None = None
    rest: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def find_time(
    text: str, now: float, zone: tzinfo, *, bare: bool = False, deadline: bool = False
) -> TimeRequest:
    """Return the time that `text` names. `bare`: a duration alone counts, as for a timer.
    `deadline`: a deadline counts too ("by Friday", 周五前). An hour without am or pm is the nearest
    one (see `parse_time`).
    """
    text = " ".join(text.split())
    groups = _groups(_folded(text), deadline)
    used = [one for one in groups if one.use is _Use.TIME]
    doubts = [one for one in groups if one.use is _Use.DOUBT]
    if bare:
        lengths = [one for one in groups if one.use is _Use.LENGTH]
        used, doubts = (used, [*doubts, *lengths]) if used else (lengths, doubts)
    if _disagree(text, used):
        used, doubts = [], [*used, *doubts]
    words = " ".join(text[one.words : one.end] for one in used)
    unused = tuple(text[one.words : one.end] for one in doubts)
    if not words:
        return TimeRequest(rest=(text,), unused=unused)
    rest, at = [], 0
    for one in used:
        rest.append(text[at : one.start])
        at = one.last
    rest.append(text[at:])
    around = _forms().around.search(" … ".join(rest).casefold())
    if around is not None:
        unused = (*unused, around[0])
    found = TimeRequest(words, None, None, tuple(rest), unused)
    try:
        return replace(found, reading=parse_time(words, now, zone, nearest=True))
    except InvalidValue as refusal:
        return replace(found, refusal=refusal)


_DAY = timedelta(days=1)


class _Use(Enum):
    TIME = auto()
    LENGTH = auto()
    """A duration: "30 minutes"."""
    LABEL = auto()
    """Part of the text of the reminder: "the daily report"."""
    DOUBT = auto()


@dataclass(frozen=True, slots=True)
class _Group:
    """Adjacent time expressions with no other words between them. The text from `start` to `last`
    belongs to the time; the part from `words` to `end` is what the parser reads.
    """

    start: int
    words: int
    end: int
    said: tuple[SpokenTime, ...]
    linked: bool = False
    use: _Use = _Use.TIME
    deadline: tuple[str, str] = ("", "")
    """The words before and after it that only say that it is a deadline."""

    @property
    def last(self) -> int:
        return self.end + len(self.deadline[1])


def _disagree(text: str, used: list[_Group]) -> bool:
    """Return whether two groups can't belong to one time: both have an hour, or one is an
    alternative.
    """
    if len(used) > 1 and any(_is_period(said) for one in used for said in one.said):
        return True
    clocks = [any(said.has_clock for said in one.said) for one in used]
    gaps = [text[one.last : other.start] for one, other in pairwise(used)]
    # 下午提醒我明天早起: the day belongs to the text of the reminder.
    told = (
        bool(clocks)
        and clocks[0]
        and any("我" in gap and one.said for gap, one in zip(gaps, used[1:], strict=True))
    )
    return sum(clocks) > 1 or told or any(_forms().other.fullmatch(gap) for gap in gaps)


def _is_period(said: SpokenTime) -> bool:
    """Return whether it is a period such as "next week" or "this month", without a day."""
    plain = replace(said, week=None, month=None, again=False)
    return plain == SpokenTime() and said != plain and said.every is None


@dataclass(frozen=True, slots=True)
class _Forms:
    not_times: re.Pattern[str]
    begin: re.Pattern[str]
    link: re.Pattern[str]
    close: re.Pattern[str]
    begun: re.Pattern[str]
    tail: re.Pattern[str]
    lead: re.Pattern[str]
    other: re.Pattern[str]
    owned: re.Pattern[str]
    follows: re.Pattern[str]
    noun_like: re.Pattern[str]
    label: re.Pattern[str]
    doubt_before: re.Pattern[str]
    doubt_after: re.Pattern[str]
    length_doubt: re.Pattern[str]
    around: re.Pattern[str]
    due_before: re.Pattern[str]
    due_after: re.Pattern[str]


@cache
def _forms() -> _Forms:
    follow = (
        r"(?!(?:at|on|in|to|for|that|about|and|please|from|starting|beginning|until|till|by|i|we|of"
        r"|so|because|alarm|timer|reminder|countdown|remind|wake|is|it)\b)"
    )
    kinds = r"hourly|daily|nightly|weekly|monthly|yearly|annually|fortnightly"
    parts = r"mornings?|afternoons?|evenings?|nights?"
    weekdays = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?"
    return _Forms(
        # Quoted words, and words that only look like a time.
        not_times=re.compile(
            r"[“\"「『][^”\"」』]*[”\"」』]"
            r"|(?<![今明每])早(?=[饭餐点操会茶读教班起睡退])|(?<![今明每])晚(?=[饭餐安会宴自班课点睡起])"
            r"|早[饭餐操会茶读教班]|晚[饭餐安会宴自班课]|午[饭餐]|中午饭|午休|下午茶|(?:早|晚|上午|下午|中午)好"
            r"|good (?:morning|afternoon|evening|night)"
            r"|(?:(?<![今明一二三四五六日天上])[早晚]|[多少快慢好大小有吃喝差高低远近轻重长短])一?点(?![钟半])"
            rf"|(?:\d+|{NUMERAL})(?:点(?=建议|意见|要求|内容|想法|问题|理由|希望|心得|原因|东西)"
            r"|号(?=线|楼|店|院|门|桌|房|车|机|台|厅|柜|窗|馆|位|文件|球|站|口|码头|航站))"
            rf"|第(?:\d+|{NUMERAL})[点号](?!工作|个)"
            r"|\d+\.\d+(?!\s*(?:am|pm|a\.m|p\.m|h|hours?|小时)|\d)"
        ),
        begin=re.compile(r"(?:starting|beginning)\s+(?!of\b)(?:on\s+|from\s+)?|from\s+|[从自]"),
        link=re.compile(
            r"(?:until|till|up to|ending(?: on)?|starting(?: on| from)?|from"
            r"|beginning(?: on| from)?(?! of\b))\s+|一?直到|[到至从自]"
        ),
        close=re.compile(r"起|开始|为止|止|\s+on(?:wards?)?(?=,|\s+(?:every|each)\b|$)"),
        begun=re.compile(r"(?:起|开始),?(?=每)"),
        tail=re.compile(
            rf"{REPETITION_COUNT}|[,\s]*\bfor\s+(?:the\s+next\s+)?{NUMBER}\s*(?:days?|weeks?|months?|years?)\b"
            rf"|[,\s]*(?:持续|连续)\s*{NUMBER}\s*(?:天|周|个?星期|个月|年)"
        ),
        lead=re.compile(
            r"(?P<words>(?:(?<![a-z])(?:on|at|in|around)(?:\s+the)?\s+)+)$"
            r"|(?:^|(?<=[我请那就,，、\s]))(?:等到|[在到于])$"
        ),
        other=re.compile(r"[,\s]*(?:or|或者?|还是|要么)[,\s]*(?:on|at)?\s*"),
        owned=re.compile(r"(?<![a-z])(?:the|my|our|your|his|her|their|its|an?)\s+$"),
        follows=re.compile(rf"\s+{follow}[a-z]"),
        noun_like=re.compile(
            rf"(?:{kinds}|{parts}|{weekdays}|(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)|weekends?)$"
        ),
        label=re.compile(rf"(?:{kinds}|{parts})$|(?:mon|tue|wed|thu|fri|sat|sun)$"),
        doubt_before=re.compile(
            r"(?<![a-z])(?:about|of|until|till|before|after|by|since|due|than|within|during|or|for"
            r"|next|following|same|except|excluding|but|not|without|early|late|later|mid|alternate"
            r"|(?:few|couple of) \w+"
            r"|black|good|easter|ash|cyber|boxing)\s+(?:on\s+|at\s+|the\s+)*$"
            r"|(?:几天|几个?小时|几分钟|几周|几个?月|几个?星期|一会儿?|第[一二三四五六七\d]+天|次日|前一天|头一?天)[后的]*$"
            r"|(?<!\d)\d{1,4}[-./]\d{1,2}(?:[-./]\d{2,4})?\s+$|\0\.\d+\s+$"
            r"|(?:^|(?<![a-z])(?:me|alarm)\s+)\d{1,2}\s+$"
            r"|(?:或者?|还是|关于|除了?|不到|直到|闰|农历|阴历|旧历|双十[一二]|[五六]一|十一|清明节?|冬至|夏至|新年|季度?)的?$"
        ),
        # Time words that no pattern reads, anywhere in the text.
        around=re.compile(
            r"\b(?:day|night|evening|morning|afternoon|week|hour)s? (?:before|after(?!noon))\b"
            r"|\bbi-?weekly\b|\bbi-?monthly\b|\bquarterly\b|\bat the latest\b"
            r"|\bfor (?:the )?(?:next|past|coming)\b|\ball (?:day|week|month)\b"
            r"|整点|(?:[二两三四五六七八九十]|\d)次|[上中下]旬|[月年]中|白天"
            rf"|\b(?:[a-z]+th|first|second|third) of (?:{MONTH}|the month)|\b{MONTH}\s+the\b"
            r"|\bon the (?:[a-z]+th|first|second|third)\b(?=\W|$)"
            r"|(?:农历|阴历|旧历)(?=[初十廿二三一])|清明|冬至|夏至|立[春夏秋冬]|[母父]亲节|感恩节|复活节"
            r"|最后一天|第一天|[今明去后]年|倒数(?=第| …)|为止|直到"
            r"|(?:连续|未来|接下来|这)的?(?=[一二两三四五六七八九十几\d]+(?:天|周|个))"
            r"|(?:晚点|早点|晚些时候?|早些)(?=提醒|叫|喊|通知|告诉|…)"
        ),
        length_doubt=re.compile(
            r"\s*(?:before|after|prior|ahead|earlier|past)\b|\s*[之以]?前|\s+\d{1,2}(?!\w)"
        ),
        due_before=re.compile(
            r"(?<![a-z])(?:(?:(?:it|this|that)\s+)?(?:is\s+|are\s+)?due(?:\s+(?:on|by|at|before))?"
            r"|by|before|within|until|till|no later than|deadline(?:\s+(?:is|on))?:?)"
            r"\s+(?:the\s+)?$"
            r"|(?:截止(?:日期|时间)?|到期(?:日期?|时间)?|期限|最晚|最迟|不晚于|赶在)"
            r"(?:是|为|到|在|于)?[\s:：]*$"
        ),
        due_after=re.compile(
            r"\s*(?:[之以]?前(?![往去台面天果勤])|[之以]?内(?![容部])|截止|到期|为止"
            r"|at the latest\b)"
        ),
        doubt_after=re.compile(
            r"\s*(?:[之以]?(?:前|后)(?![往去台面天果勤])|之间|[以之]?内(?!容)|或|还是)"
            r"|多(?!云|.?\0)|['’]s\b|\s+(?:or|before|after|week|except|excluding|but)\b"
            rf"|\s+(?:and\s+)?\d{{1,2}}(?!\s*[a-z\d])|\s+(?:thirty|fifteen|twenty|forty|fifty)\b|\s+in\s+{MONTH}"
            r"|除外|假期|前夕|那周|的(?!时候|时间|闹钟|计时|倒计时|提醒|定时)(?=\S)"
        ),
    )


_EACH = re.compile(r"\b(?:every|each)\b|每")
_FOR_TIMER = re.compile(r"(?:timer|alarm|reminder|countdown|me|up)\s+for\s+(?:the\s+)?$")


def _folded(text: str) -> str:
    """Return `text` with folded characters at unchanged positions."""
    folded = (unicodedata.normalize("NFKC", char).casefold() for char in text)
    plain = "".join(new if len(new) == 1 else old for new, old in zip(folded, text, strict=True))
    return _forms().not_times.sub(lambda found: "\0" * len(found[0]), plain)


def _groups(plain: str, deadline: bool) -> list[_Group]:
    groups: list[_Group] = []
    at = 0
    while at < len(plain):
        group = _group_at(plain, at) if _begins_word(plain, at) else None
        if group is not None:
            group = _judged(plain, _due(plain, group) if deadline else group)
            groups.append(group)
            at = group.last
        else:
            at += 1
    return groups


def _group_at(plain: str, at: int) -> _Group | None:
    forms = _forms()
    begin = forms.begin.match(plain, at)
    if begin is not None:
        first = _piece(plain, begin.end(), [SpokenTime()])
        if first is not None:
            return _extended(plain, _Group(at, at, first[0], tuple(first[1]), linked=True))
    tail = forms.tail.match(plain, at)
    if tail is not None and plain[at] not in " ,f":  # not "for two days": that is a duration
        return _Group(at, at, tail.end(), (), linked=True)
    first = _piece(plain, at, [SpokenTime()])
    if first is None:
        return None
    return _extended(plain, _Group(at, at, first[0], tuple(first[1])))


def _extended(plain: str, group: _Group) -> _Group:
    """Extend the group by the following pieces and the words between them."""
    forms, glue = _forms(), time_grammar().glue
    end, said, linked = group.end, list(group.said), group.linked
    while not any(one.bare for one in said):
        if linked and (close := forms.close.match(plain, end)):
            end = close.end()
        following, at = None, end
        if not linked and (begun := forms.begun.match(plain, end)):
            linked, at = True, begun.end()
        while at < len(plain):
            following = _piece(plain, at, said)
            link = forms.link.match(plain, at) if following is None else None
            after = _piece(plain, link.end(), [SpokenTime()]) if link is not None else None
            if after is not None:
                linked, following = True, (after[0], said)
            found = glue.match(plain, at)
            if following is not None or found is None:
                break
            at = found.end()
        if following is not None and not any(one.bare for one in following[1]):
            end, said = following
        elif tail := forms.tail.match(plain, end):
            linked, end = True, tail.end()
        else:
            break
    group = replace(group, end=end, said=tuple(said), linked=linked)
    lead = forms.lead.search(plain[: group.start])
    if lead is None:
        return group
    return replace(group, start=lead.start(), words=lead.start() if lead["words"] else group.words)


def _piece(plain: str, at: int, said: list[SpokenTime]) -> tuple[int, list[SpokenTime]] | None:
    found = (one for one in pieces_at(plain, at, said) if _ends_word(plain, one[0]))
    return next(found, None)


def _due(plain: str, group: _Group) -> _Group:
    """Extend the group by the words around it that make it a deadline."""
    before = _forms().due_before.search(plain[: group.start])
    after = _forms().due_after.match(plain, group.end)
    words = (before[0] if before else "", after[0] if after else "")
    return replace(group, start=group.start - len(words[0]), deadline=words)


def _judged(plain: str, group: _Group) -> _Group:
    """Judge the group by the words around it."""
    forms = _forms()
    before, after = plain[: group.start], plain[group.last :]
    own = plain[group.words : group.end]
    noun_like = forms.noun_like.match(own.removeprefix("on "))
    use = _Use.TIME
    if group.said and all(said.bare for said in group.said):
        days = all(said.delay and not said.delay % _DAY for said in group.said)
        beside = forms.length_doubt.match(after) or before.endswith(("前", "提前"))
        lasts = days and before.endswith("for ") and not _FOR_TIMER.search(before)
        beside = beside or lasts or any(group.deadline)
        within = "within" in group.deadline[0] or group.deadline[1].endswith("内")
        use = _Use.TIME if within else _Use.DOUBT if beside else _Use.LENGTH
    elif own in ("早", "晚") or (
        forms.label.match(own.removeprefix("on ")) and (forms.follows.match(after) or len(own) == 3)
    ):
        use = _Use.LABEL
    elif forms.owned.search(before) and forms.follows.match(after):
        use = _Use.LABEL if noun_like else _Use.DOUBT
    elif len(_EACH.findall(own)) > 1 and any(len(said.clocks) > 1 for said in group.said):
        use = _Use.DOUBT  # the times may belong to different days
    elif _FOR_TIMER.search(before):
        use = _Use.TIME
    elif forms.doubt_before.search(before) or forms.doubt_after.match(after):
        use = _Use.DOUBT
    elif noun_like and forms.follows.match(after):
        use = _Use.DOUBT if " to " in before or own.startswith("on ") else _Use.TIME
    return replace(group, use=use)


def _begins_word(plain: str, at: int) -> bool:
    if at == 0:
        return True
    before, char = plain[at - 1], plain[at]
    if _is_latin(before) and _is_latin(char):
        return False
    if char in "早晚" and before == "最":
        return False
    return not (_is_numeral(char) and (_is_numeral(before) or before == "第"))


def _ends_word(plain: str, end: int) -> bool:
    if end >= len(plain):
        return True
    last, following = plain[end - 1], plain[end]
    goes_on = plain[end : end + 2].lstrip(":.").isdecimal()
    return not (
        (last.isdecimal() and goes_on)
        or (last == "初" and _is_numeral(following))
        or (_is_latin(last) and _is_latin(following) and following.isalpha())
    )


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _is_numeral(char: str) -> bool:
    return char in "零〇一二两俩三四五六七八九十百" or char.isdecimal()
