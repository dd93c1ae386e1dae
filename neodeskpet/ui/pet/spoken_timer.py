"""Reads a short sentence as a timer ("tea in 5 minutes") without a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import tzinfo

from neodeskpet.core.schedule.parsing.time_finder import find_time
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime
from neodeskpet.core.schedule.rule import Once, next_run
from neodeskpet.core.schedule.vocabulary import LONGEST_DURATION
from neodeskpet.llm.offline.rules.timer_rules import label_of

_LONGEST = 80
_MOST_LABEL_WORDS, _MOST_LABEL_CHARACTERS = 4, 24
_QUESTION = re.compile(
    r"[?？]|^(?:what|why|how|who|when|where|which|is|are|do|does|did|can|could|should|would|will)\b"
    r"|吗|什么|怎么|为什么|多少|哪|谁",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SpokenTimer:
    """`due` in Unix seconds; `label` is "" if only the time was given."""

    due: float
    label: str


def read_timer(sentence: str, now: float, zone: tzinfo) -> SpokenTimer | None:
    """Return the timer that a sentence asks for; None if it could mean anything else."""
    text = sentence.strip()
    if not text or len(text) > _LONGEST or "\n" in text or _QUESTION.search(text):
        return None
    found = find_time(text, now, zone, bare=True)
    reading = found.reading
    if found.unused or not isinstance(reading, ParsedTime) or not isinstance(reading.rule, Once):
        return None
    due = next_run(reading.rule, now, zone, reading.until)
    if due is None or not 0.0 < due - now <= LONGEST_DURATION.total_seconds():
        return None
    label = label_of(*found.rest)
    if len(label.split()) > _MOST_LABEL_WORDS or len(label) > _MOST_LABEL_CHARACTERS:
        return None
    return SpokenTimer(due, label)
