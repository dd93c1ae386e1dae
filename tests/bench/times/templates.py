"""Requests for reminders, made from parts whose result is computed here, without the grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random

DAY = timedelta(days=1)
ASK = ("ask",)
_DIGITS = "零一二三四五六七八九"
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")

ZH_LABELS = (
    "喝水",
    "交表",
    "给妈妈打电话",
    "取快递",
    "开会",
    "吃早饭",
    "看春晚回放",
    "去地铁3号线接人",
    "多喝一点水",
    "把衣服收进来",
    "看书30分钟",
    "提三点建议",
    "浇花",
    "吃药",
    "遛狗",
    "订晚餐",
)
EN_LABELS = (
    "drink water",
    "send the form",
    "call mum",
    "pick up the parcel",
    "join the call",
    "write the daily report",
    "put on sun cream",
    "run for 30 minutes",
    "buy two tickets",
    "water the plants",
    "prepare the Monday meeting",
    "take the pill",
    "walk the dog",
)


@dataclass(frozen=True, slots=True)
class Case:
    """`expected`: the moment, the first two of a repetition, or "ask"."""

    text: str
    expected: tuple[str, ...]
    now: datetime


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in words. `half`: it may be twelve hours later too."""

    text: str
    minutes: int
    half: bool = False


@dataclass(frozen=True, slots=True)
class Days:
    """Days in words: future ones, from today on, in order. `named`: another day than today.
    `counted`: that many days from now, at the same time of the day if no other is given.
    """

    text: str
    dates: Callable[[date], list[date]]
    named: bool = True
    again: bool = False
    counted: bool = False


def cases(count: int, seed: int = 30) -> Iterator[Case]:
    """`count` requests, always the same for a seed."""
    random = Random(seed)
    makers = (_zh_once, _en_once, _zh_again, _en_again, _mixed, _delay)
    for number in range(count):
        now = datetime(2026, 1, 1) + timedelta(minutes=random.randrange(2 * 365 * 24 * 60))
        yield makers[number % len(makers)](random, now)


# Results


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def _once(days: Days, clock: Clock | None, now: datetime) -> tuple[str, ...]:
    found = _moments(days, clock, now)
    return (found[0],) if found else ASK


def _moments(days: Days, clock: Clock | None, now: datetime) -> list[str]:
    usual = now.hour * 60 + now.minute if days.counted else 9 * 60
    minutes = [usual] if clock is None else [clock.minutes]
    today_alone = days.dates(now.date()) == [now.date()]
    if clock is not None and clock.half and today_alone and days.named:
        both = (
            datetime.combine(now, time()) + timedelta(minutes=clock.minutes + n) for n in (0, 720)
        )
        ahead = [_shown(one) for one in both if one > now]
        if len(ahead) == 1:
            return ahead  # the other one is over
    if clock is not None and clock.half:
        hour = clock.minutes // 60
        other_day = days.named or days.again
        if other_day and not 7 <= hour <= 11 and hour != 12:
            return []
        if not other_day and hour != 12:
            minutes.append(clock.minutes + 12 * 60)
    moments = sorted(
        datetime.combine(day, time()) + timedelta(minutes=one)
        for day in days.dates(now.date())
        for one in minutes
    )
    return [_shown(one) for one in moments if one > now]


def _again(days: Days, clocks: list[Clock], now: datetime) -> tuple[str, ...]:
    found = sorted({one for clock in clocks for one in _moments(days, clock, now)})
    return tuple(found[:2]) if len(found) > 1 else ASK


# Numbers


def zh_number(value: int) -> str:
    tens, ones = divmod(value, 10)
    if not tens:
        return _DIGITS[ones]
    return f"{'' if tens == 1 else _DIGITS[tens]}十{_DIGITS[ones] if ones else ''}"


def _zh_hour(random: Random, hour: int) -> str:
    if random.random() < 0.5:
        return str(hour)
    return "两" if hour == 2 else zh_number(hour)


# Clocks


def _zh_clock(random: Random) -> Clock:
    part, low, high = random.choice(
        (("早上", 6, 10), ("上午", 8, 11), ("下午", 1, 6), ("晚上", 6, 11), ("凌晨", 1, 5),
         ("", 1, 12), ("", 13, 23), ("中午", 12, 12), ("傍晚", 5, 7))
    )  # fmt: skip
    hour = random.randint(low, high)
    later = part in ("下午", "晚上", "傍晚")
    minutes = (hour + (12 if later else 0)) * 60
    words = f"{part}{_zh_hour(random, hour)}"
    half = part == "" and hour <= 12
    match random.randrange(6):
        case 0:
            return Clock(f"{words}点半", minutes + 30, half)
        case 1:
            quarter = random.choice((1, 3))
            return Clock(f"{words}点{zh_number(quarter)}刻", minutes + 15 * quarter, half)
        case 2:
            minute = random.randint(10, 59)
            return Clock(f"{words}点{zh_number(minute)}分", minutes + minute, half)
        case 3:
            minute = random.randint(0, 59)
            return Clock(f"{part}{hour}:{minute:02}", minutes + minute, False)
        case _:
            return Clock(f"{words}点{random.choice(('', '钟', '整'))}", minutes, half)


def _en_clock(random: Random) -> Clock:
    hour, minute = random.randint(1, 11), random.choice((0, 15, 30, 45, 5, 50))
    afternoon = random.random() < 0.5
    minutes = (hour + (12 if afternoon else 0)) * 60
    half = random.choice(("pm", " pm", " p.m.") if afternoon else ("am", " am", " a.m."))
    match random.randrange(8):
        case 0:
            return Clock("at noon", 720)
        case 1:
            return Clock(f"at {hour + 12}:{minute:02}", (hour + 12) * 60 + minute)
        case 2:
            return Clock(f"at {hour}", hour * 60, half=True)
        case 3:
            words = "in the evening" if afternoon and hour > 4 else half.strip()
            return Clock(f"at half past {_ONES[hour - 1]} {words}", minutes + 30)
        case 4:
            hour, minutes = (hour, minutes) if hour > 1 else (2, minutes + 60)
            return Clock(f"at quarter to {hour} {half.strip()}", minutes - 15)
        case 5:
            return Clock(f"at {hour}:{minute:02}{half}", minutes + minute)
        case _:
            return Clock(f"at {hour}{half}", minutes)


# Days


def _ahead(days: Callable[[date], bool], span: int = 800) -> Callable[[date], list[date]]:
    return lambda today: [one for n in range(span) if days(one := today + DAY * n)]


def _in(count: int) -> Callable[[date], list[date]]:
    return lambda today: [today + DAY * count]


def _monday(today: date) -> date:
    return today - DAY * today.weekday()


def _last_day(day: date) -> bool:
    return (day + DAY).day == 1


def _end_of_month(today: date) -> list[date]:
    return _ahead(_last_day, 31)(today)[:1]


def _last_workday(day: date) -> bool:
    following = day + DAY
    while following.weekday() > 4:
        following += DAY
    return day.weekday() < 5 and following.month != day.month


def _nth(day: date, weekday: int, nth: int) -> bool:
    return day.weekday() == weekday and (day.day - 1) // 7 == nth - 1


def _no_day(today: date) -> list[date]:
    return [today, today + DAY]


def _zh_days(random: Random) -> Days:
    weekday = random.randrange(7)
    name = "一二三四五六日"[weekday]
    week = random.choice(("周", "星期", "礼拜"))
    month, day = random.randint(1, 12), random.randint(1, 28)
    n = random.randint(2, 30)
    numbers = (
        (str(month), str(day)) if random.random() < 0.6 else (zh_number(month), zh_number(day))
    )
    choices = (
        Days("", _no_day, named=False),
        Days("今天", _in(0), named=False),
        Days("明天", _in(1)),
        Days("后天", _in(2)),
        Days("大后天", _in(3)),
        Days(f"{week}{name}", _ahead(lambda one: one.weekday() == weekday, 15)),
        Days(f"下{week}{name}", lambda today: [_monday(today) + DAY * (7 + weekday)]),
        Days(f"下下{week}{name}", lambda today: [_monday(today) + DAY * (14 + weekday)]),
        Days(f"这{week}{name}", lambda today: [_monday(today) + DAY * weekday]),
        Days(
            f"{numbers[0]}月{numbers[1]}{random.choice('日号')}",
            _ahead(lambda one: (one.month, one.day) == (month, day)),
        ),
        Days(f"{day}号", _ahead(lambda one: one.day == day)),
        Days(f"{n}天后", _in(n), counted=True),
        Days(f"{zh_number(n)}天后", _in(n), counted=True),
        Days("这个月最后一天", _end_of_month),
        Days("圣诞节", _ahead(lambda one: (one.month, one.day) == (12, 25))),
        Days("元旦", _ahead(lambda one: (one.month, one.day) == (1, 1))),
        Days("除夕", _lunar_eve),
        Days("大年初一", lambda today: [one + DAY for one in _lunar_eve(today - DAY)]),
    )
    return random.choice(choices)


_EVES = ("2025-01-28", "2026-02-16", "2027-02-05", "2028-01-25", "2029-02-12", "2030-02-02")
"""From a printed calendar: the last days of the lunar years."""


def _lunar_eve(today: date) -> list[date]:
    return [one for one in map(date.fromisoformat, _EVES) if one >= today]


def _en_days(random: Random) -> Days:
    weekday = random.randrange(7)
    name = _WEEKDAYS[weekday]
    name = name if random.random() < 0.7 else name.lower()
    month, day = random.randint(1, 12), random.randint(1, 28)
    n = random.randint(2, 9)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")
    date_of = _ahead(lambda one: (one.month, one.day) == (month, day))
    choices = (
        Days("", _no_day, named=False),
        Days("today", _in(0), named=False),
        Days("tomorrow", _in(1)),
        Days("the day after tomorrow", _in(2)),
        Days(f"on {name}", _ahead(lambda one: one.weekday() == weekday, 15)),
        Days(f"next week on {name}", lambda today: [_monday(today) + DAY * (7 + weekday)]),
        Days(f"on {_MONTHS[month - 1]} {day}", date_of),
        Days(f"on the {day}{ending} of {_MONTHS[month - 1]}", date_of),
        Days(f"on {day} {_MONTHS[month - 1][:3]}", date_of),
        Days(f"on the {day}{ending}", _ahead(lambda one: one.day == day)),
        Days(f"in {n} days", _in(n), counted=True),
        Days(f"in {_ONES[n - 1]} weeks", _in(7 * n), counted=True),
        Days(f"{n} weeks from today", _in(7 * n), counted=True),
        Days("on the last day of this month", _end_of_month),
        Days("on Christmas", _ahead(lambda one: (one.month, one.day) == (12, 25))),
        Days("on New Year's Day", _ahead(lambda one: (one.month, one.day) == (1, 1))),
        Days(f"in {n} business days", lambda today: [_workdays_on(today, n)]),
    )
    return random.choice(choices)


def _workdays_on(today: date, count: int) -> date:
    ahead = (one for k in range(1, 40) if (one := today + DAY * k).weekday() < 5)
    return [next(ahead) for _ in range(count)][-1]


def _zh_series(random: Random) -> Days:
    weekday, other = sorted(random.sample(range(7), 2))
    day, n = random.randint(1, 28), random.randint(1, 4)
    names = "一二三四五六日"
    month = random.randint(1, 12)
    choices = (
        Days("每天", _ahead(lambda _: True), again=True),
        Days("每日", _ahead(lambda _: True), again=True),
        Days("工作日", _ahead(lambda one: one.weekday() < 5), again=True),
        Days("工作日每天", _ahead(lambda one: one.weekday() < 5), again=True),
        Days("周一到周五", _ahead(lambda one: one.weekday() < 5), again=True),
        Days("每周末", _ahead(lambda one: one.weekday() > 4), again=True),
        Days(f"每周{names[weekday]}", _ahead(lambda one: one.weekday() == weekday), again=True),
        Days(
            f"每周{names[weekday]}和周{names[other]}",
            _ahead(lambda one: one.weekday() in (weekday, other)),
            again=True,
        ),
        Days(f"每月{day}号", _ahead(lambda one: one.day == day), again=True),
        Days("每月最后一天", _ahead(_last_day), again=True),
        Days("每月最后一个工作日", _ahead(_last_workday), again=True),
        Days(
            f"每月第{zh_number(n)}个周{names[weekday]}",
            _ahead(lambda one: _nth(one, weekday, n)),
            again=True,
        ),
        Days(
            f"每年{month}月{day}日",
            _ahead(lambda one: (one.month, one.day) == (month, day)),
            again=True,
        ),
        Days("每年除夕", _lunar_eve, again=True),
    )
    return random.choice(choices)


def _en_series(random: Random) -> Days:
    weekday, other = sorted(random.sample(range(7), 2))
    day, n = random.randint(4, 20), random.randint(1, 4)
    month = random.randint(1, 12)
    nth = ("first", "second", "third", "fourth")[n - 1]
    choices = (
        Days("every day", _ahead(lambda _: True), again=True),
        Days("daily", _ahead(lambda _: True), again=True),
        Days("on weekdays", _ahead(lambda one: one.weekday() < 5), again=True),
        Days("every workday", _ahead(lambda one: one.weekday() < 5), again=True),
        Days("every weekend", _ahead(lambda one: one.weekday() > 4), again=True),
        Days(
            f"every {_WEEKDAYS[weekday]}", _ahead(lambda one: one.weekday() == weekday), again=True
        ),
        Days(
            f"every {_WEEKDAYS[weekday]} and {_WEEKDAYS[other]}",
            _ahead(lambda one: one.weekday() in (weekday, other)),
            again=True,
        ),
        Days(f"on the {day}th of every month", _ahead(lambda one: one.day == day), again=True),
        Days("on the last day of every month", _ahead(_last_day), again=True),
        Days("on the last workday of every month", _ahead(_last_workday), again=True),
        Days(
            f"on the {nth} {_WEEKDAYS[weekday]} of every month",
            _ahead(lambda one: _nth(one, weekday, n)),
            again=True,
        ),
        Days(
            f"every year on {_MONTHS[month - 1]} {day}",
            _ahead(lambda one: (one.month, one.day) == (month, day)),
            again=True,
        ),
    )
    return random.choice(choices)


# Requests


def _zh_request(random: Random, when: str) -> str:
    label = random.choice(ZH_LABELS)
    return random.choice(
        (f"{when}提醒我{label}", f"提醒我{when}{label}", f"请{when}提醒我{label}",
         f"麻烦{when}叫我{label}", f"帮我设一个{when}的闹钟", f"{when}通知我{label}")
    )  # fmt: skip


def _en_request(random: Random, when: str) -> str:
    label = random.choice(EN_LABELS)
    return random.choice(
        (f"remind me {when} to {label}", f"remind me to {label} {when}", f"wake me {when}",
         f"please remind me {when} to {label}", f"can you remind me to {label} {when}?",
         f"set a reminder {when} to {label}")
    )  # fmt: skip


def _join(*words: str) -> str:
    return " ".join(word for word in words if word)


def _zh_once(random: Random, now: datetime) -> Case:
    days = _zh_days(random)
    clock = _zh_clock(random) if random.random() < 0.85 or not days.text else None
    when = days.text + (clock.text if clock else "")
    return Case(_zh_request(random, when), _once(days, clock, now), now)


def _en_once(random: Random, now: datetime) -> Case:
    days = _en_days(random)
    clock = _en_clock(random) if random.random() < 0.85 or not days.text else None
    words = [days.text, clock.text if clock else ""]
    if random.random() < 0.3:
        words.reverse()
    return Case(_en_request(random, _join(*words)), _once(days, clock, now), now)


def _zh_again(random: Random, now: datetime) -> Case:
    days, clock = _zh_series(random), _zh_clock(random)
    return Case(_zh_request(random, days.text + clock.text), _again(days, [clock], now), now)


def _en_again(random: Random, now: datetime) -> Case:
    days, clock = _en_series(random), _en_clock(random)
    words = [days.text, clock.text]
    if random.random() < 0.3:
        words.reverse()
    return Case(_en_request(random, _join(*words)), _again(days, [clock], now), now)


def _mixed(random: Random, now: datetime) -> Case:
    days = _zh_days(random)
    if random.random() < 0.5:
        clock = _en_clock(random)
        hour = clock.text.removeprefix("at ")
        text = days.text + (hour if clock.half is False and hour != "noon" else f" {clock.text} ")
        return Case(
            f"{text}提醒我{random.choice(('call妈妈', '交report', '吃药'))}",
            _once(days, clock, now),
            now,
        )
    zh = _zh_clock(random)
    text = f"remind me {days.text}{zh.text} to {random.choice(('还书', 'send the deck', '打卡'))}"
    return Case(text, _once(days, zh, now), now)


def _delay(random: Random, now: datetime) -> Case:
    minutes = random.choice((1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 45, 50))
    hours = random.randint(1, 9)
    zh_hours = "两" if hours == 2 else zh_number(hours)
    label, zh_label = random.choice(EN_LABELS), random.choice(ZH_LABELS)
    en_label = label if "30 minutes" not in label else "rest"
    text, length = random.choice(
        (
            (f"{minutes}分钟后提醒我{zh_label}", minutes),
            (f"{zh_number(minutes)}分钟之后叫我{zh_label}", minutes),
            (f"过{minutes}分钟提醒我{zh_label}", minutes),
            (f"提醒我{zh_hours}小时后{zh_label}", hours * 60),
            (f"{zh_hours}个半小时后提醒我{zh_label}", hours * 60 + 30),
            (f"{hours}小时{minutes}分钟后提醒我{zh_label}", hours * 60 + minutes),
            (f"定一个{minutes}分钟的计时器", minutes),
            (f"倒计时{zh_number(minutes)}分钟", minutes),
            (f"remind me in {minutes} minutes to {label}", minutes),
            (f"remind me in {hours} hours to {label}", hours * 60),
            (f"remind me in {hours}h to {label}", hours * 60),
            (f"in {minutes} min remind me to {label}", minutes),
            (
                f"remind me to {en_label} in {hours} hours and {minutes} minutes",
                hours * 60 + minutes,
            ),
            (f"set a timer for {minutes} minutes", minutes),
            (f"set a {minutes} minute timer", minutes),
            (f"{minutes} minutes后提醒我{zh_label}", minutes),
            (f"remind me {minutes}分钟后 to {label}", minutes),
        )
    )
    return Case(text, (_shown(now + timedelta(minutes=length)),), now)
