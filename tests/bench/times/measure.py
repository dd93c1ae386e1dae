"""`./run bench time`: 5,000 requests for a reminder, read as the offline helper reads them.

`phrases.txt` holds those written by hand, each with the right result; `templates.py` makes the
others and computes the result without the grammar. A request is understood where the right times
come of it, or where the user is asked about a time that is unclear. It is misread where another
time comes of it: that must never happen. `days.txt` holds what is asked about the past, with the
days that the memory has to read; `todos.txt` sentences that say what is to be done, and by when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from neodeskpet.core.schedule.due import find_due
from neodeskpet.core.schedule.parsing.named_days import named_days_in
from neodeskpet.core.schedule.parsing.time_parser import ParsedTime
from neodeskpet.core.schedule.rule import Once, clock_time, runs_after
from neodeskpet.llm.offline.rules.timer_rules import find_time_in
from tests.bench.times.templates import Case, cases

NOW = datetime(2026, 11, 27, 10, 0)
"""A Friday."""
ASK = "ask"
MADE = 4_500
UNDERSTOOD = 0.97


def written(name: str = "phrases") -> Iterator[Case]:
    """The phrases written by hand: `phrases` before the grammar was run, `traps` against it."""
    lines = Path(__file__).with_name(f"{name}.txt").read_text("utf-8").splitlines()
    for line in lines:
        if not line.startswith("#"):
            text, _, expected = line.partition("\t")
            yield Case(text, tuple(_moment(one) for one in expected.split(" > ")), NOW)


def _moment(text: str) -> str:
    return text if text == ASK or re.match(r"\d{4}-", text) else f"2026-{text}"


def outcome(text: str, now: datetime) -> tuple[str, ...]:
    """Return the resulting moment; two for a repetition; "ask" if the user is asked."""
    meant = find_time_in(text, now).reading
    if not isinstance(meant, ParsedTime):
        return (ASK,)
    found = islice(runs_after(meant.rule, now.replace(tzinfo=UTC).timestamp(), UTC, meant.until), 2)
    shown = tuple(_show(clock_time(one, UTC)) for one in found)
    return shown[:1] if isinstance(meant.rule, Once) else shown


def _show(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"


def judge(found: Iterable[Case]) -> tuple[int, list[str], list[str]]:
    """How many there are, which are misread, and which aren't understood."""
    count = 0
    misread: list[str] = []
    missed: list[str] = []
    for case in found:
        count += 1
        got = outcome(case.text, case.now)
        if got == case.expected:
            continue
        shown = f"{case.text}: {' > '.join(got)} instead of {' > '.join(case.expected)}"
        (missed if got == (ASK,) else misread).append(shown)
    return count, misread, missed


def _rows(name: str) -> list[list[str]]:
    lines = Path(__file__).with_name(f"{name}.txt").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def judge_days() -> tuple[int, list[str]]:
    """How many phrases of `days.txt` there are, and which name other days."""
    phrases = _rows("days")
    wrong = []
    for text, expected in phrases:
        spans = named_days_in(text, NOW)
        days = [(f"{one.first}", f"{one.last}") for one in spans]
        first, _, last = expected.partition(" > ")
        wanted = [(_moment(first), _moment(last or first))] if expected != "-" else []
        if days != wanted:
            wrong.append(f"{text}: {days} instead of {wanted}")
    return len(phrases), wrong


def judge_todos() -> tuple[int, list[str]]:
    """How many sentences of `todos.txt` there are, and which are read differently."""
    sentences = _rows("todos")
    wrong = []
    for sentence, *expected in sentences:
        task = find_due(sentence, NOW.replace(tzinfo=UTC).timestamp(), UTC)
        due = ASK if task.fault is not None else str(task.due or "-")
        if [task.text, due] != expected:
            wrong.append(f"{sentence}: {task.text} ({due}) instead of {' '.join(expected)}")
    return len(sentences), wrong


def main(arguments: list[str]) -> int:
    """Prints what was misread or missed; fails if anything was misread or more than 3 % missed."""
    seed = int(arguments[0]) if arguments else 30
    failed = False
    sets = {"written by hand": written(), "traps": written("traps"), "made": cases(MADE, seed)}
    for name, found in sets.items():
        count, misread, missed = judge(found)
        share = 1 - (len(misread) + len(missed)) / count
        print(f"{name}: {count}, misread {len(misread)} (aim 0), understood {share:.1%} (aim 97 %)")
        for line in (*misread, *missed):
            print(f"  {line}")
        failed = failed or bool(misread) or share < UNDERSTOOD
    for name, judged in (("looking back", judge_days), ("to-dos", judge_todos)):
        count, wrong = judged()
        print("\n  ".join((f"{name}: {count}, wrong {len(wrong)} (aim 0)", *wrong)))
        failed = failed or bool(wrong)
    return int(failed)
