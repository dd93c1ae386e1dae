"""Durations as people write them: `5 min`, `1h30m`, `an hour and a half`, `半小时`, `1小时30分`."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache

from neodeskpet.core.schedule.numbers import NUMBER, fold_text, parse_number

LONGEST_DURATION = timedelta(days=366)
LONGEST_TEXT = 100
"""Characters. No moment needs more, and what is read is as long as its writer likes."""

_UNITS = {
    "seconds?|secs?|s|秒钟?": 1,
    "minutes?|mins?|m|分钟?": 60,
    "hours?|hrs?|h|小时|钟头": 3600,
    "days?|d|天": 86400,
    "weeks?|w|周|星期|礼拜": 604800,
    "fortnights?": 1209600,
    "quarters? (?:of an )?hours?|刻钟?": 900,
}
_UNIT = "(?:" + "|".join(_UNITS) + ")"
_PIECE = (
    rf"(?P<number>{NUMBER})(?P<more>\s*个半|\s+and\s+a\s+half)?[\s-]*个?\s*"
    rf"(?P<unit>{_UNIT})(?![a-z])(?P<half>半|\s+and\s+a\s+half)?"
)
_BETWEEN = r"\s*(?:,|and\b|零|又)?\s*"
_ONE = (
    r"(?!an?[\s-]*[hmsdw](?![a-z]))(?![一二两三四五六七八九]{2})"
    + re.sub(r"\?P<\w+>", "?:", _PIECE)
    + r"(?!(?<=[周期拜])[一二三四五六日天末])"
)
"""One piece among other words: "am" is no minute, "and" no day, 一个周二 no week, and 两三天 are
two or three.
"""
DURATION = rf"{_ONE}(?:{_BETWEEN}{_ONE})*"
"""A pattern of a text that `fold` made plain."""


def parse_duration(text: str) -> timedelta | None:
    """The duration `text` says as a whole, None if it says something else. At most LONGEST."""
    if len(text) > LONGEST_TEXT:
        return None
    plain = re.sub(
        r"^(?:in|after|再?过)\s*|\s*(?:later|from now|之后|以后|后)$", "", fold_text(text)
    )
    piece_of, gap = _patterns()
    seconds, at = 0.0, 0
    while at < len(plain):
        piece = piece_of.match(plain, at)
        if piece is None:
            return None
        seconds += _seconds(piece)
        between = gap.match(plain, piece.end())
        at = between.end() if between else piece.end()
    if not 0 < seconds <= LONGEST_DURATION.total_seconds():
        return None
    return timedelta(seconds=seconds)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compiled when the first duration is read: not at the start of the app."""
    return re.compile(_PIECE), re.compile(_BETWEEN)


def render_duration(seconds: float) -> str:
    """`1 h 30 min`, the two largest units."""
    left = max(0, round(seconds))
    parts = []
    for name, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}")
    return " ".join(parts[:2]) or "0 s"


def _seconds(piece: re.Match[str]) -> float:
    unit = next(size for names, size in _UNITS.items() if re.fullmatch(names, piece["unit"]))
    count = parse_number(piece["number"]) + (0.5 if piece["more"] else 0)
    return (count + (0.5 if piece["half"] else 0)) * unit
