"""The offline helper as a model: it needs no network and no key, and never fails.

A message is split into clauses, and rules answer each of them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import WireEvent
from neodeskpet.language import tr
from neodeskpet.llm.offline.request_reader import (
    COMPANION_NAMES,
    TEXT_DIALECT,
    OfflineRequest,
    OfflineRound,
    read_request,
)
from neodeskpet.llm.offline.rules import RULES, Rule, fall_back
from neodeskpet.llm.offline.scripts import Say, Script, ScriptStep, play_script, write_response

_BREAK = re.compile(
    r"""
    (?<![,;:.?])[,;:.?]++(?=\s|$)    # not in 3.5, 1,234 or 5!
    | (?<![\d)!])!++(?=\s|$) | (?<!!)!++(?=\s)
    | (?<!\d)，|，(?!\d) | [；。？！\n]+ | [~～]+
    | (?<!\s)\s+(?:and\s+then|and\s+also|and|then|also)\s+
    | (?:然后|接着|并且|而且|顺便|另外|还有(?!多少|几|多久|什么|哪些|啥)|同时|之后再)
    | 再(?![见次说来])
    """,
    re.VERBOSE | re.IGNORECASE,
)


_MOST = 12
"""Maximum number of clauses that are read."""


class Clauses:
    """The clauses of a text; `rest(n)` is the original text from clause n on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans = list(islice(_spans(text), _MOST))

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, at: int) -> str:
        start, end = self._spans[at]
        return self._text[start:end].strip()

    def rest(self, at: int) -> str:
        return self._text[self._spans[at][0] :].strip()


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Return start and end of each text between breaks, outside parentheses: max(1, 2) isn't
    split.
    """
    start = seen = depth = 0
    for end, following in (*(found.span() for found in _BREAK.finditer(text)), (len(text), 0)):
        depth += sum(text.count(char, seen, end) for char in "(（")
        depth -= sum(text.count(char, seen, end) for char in ")）")
        seen = end
        if depth > 0 and end < len(text):
            continue
        if re.search(r"\w", text[start:end]):
            yield start, end
        start = following


_SECONDS_PER_TOKEN = 0.015


class OfflineModel:
    """A model (`core.model.Model`). `known_tools` returns the tools that the text dialect offers;
    `delay` is the pause before each token, in seconds; `names` are the companion's, in English and
    in Chinese; `clock` returns the user's local time.
    """

    def __init__(
        self,
        known_tools: Callable[[], Sequence[ToolSpec]] = list,
        *,
        delay: float = _SECONDS_PER_TOKEN,
        names: tuple[str, str] = COMPANION_NAMES,
        clock: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._known_tools = known_tools
        self._delay = delay
        self._names = names
        self._clock = clock

    @property
    def label(self) -> str:
        return tr("Offline helper (no language model)")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        situation = read_request(request, self._known_tools, self._names)
        ask = replace(situation.ask, now=self._clock())
        situation = replace(situation, ask=ask)
        # The first request compiles the patterns of times, which would block the window for 100 ms.
        waits = self._delay > 0
        steps = (
            await asyncio.to_thread(answer_round, situation) if waits else answer_round(situation)
        )
        textual = request.dialect == TEXT_DIALECT
        for event in write_response(steps, textual=textual, number=len(situation.batches)):
            if self._delay:
                await asyncio.sleep(self._delay)
            yield event


def answer_round(situation: OfflineRound) -> list[ScriptStep]:
    """Return the text and the calls of this round."""
    ask = situation.ask
    scripts = plan_script(ask)
    steps = play_script(ask, scripts, situation.batches)
    return _without(steps, situation.said) if situation.said else steps


def plan_script(ask: OfflineRequest) -> list[Script]:
    """Return a script for everything that the message asks for; the fallback if nothing is
    understood.
    """
    counted = replace(ask, company=max(1, len(read_rules(ask))))
    return [script for _, script in read_rules(counted)] or [fall_back(counted)]


def read_rules(ask: OfflineRequest) -> list[tuple[str, Script]]:
    """Return the names of the rules that match the message, and their scripts."""
    clauses = Clauses(ask.words)
    scripts: list[tuple[str, Script]] = []
    met: set[str] = set()
    for at in range(len(clauses)):
        for rule in RULES:
            script, rest_taken = _apply(rule, clauses, at, ask)
            if script is None:
                continue
            if not rule.once or rule.name not in met:
                scripts.append((rule.name, script))
            met.add(rule.name)
            if rest_taken:
                return scripts
            break
    return scripts


def _apply(
    rule: Rule, clauses: Clauses, at: int, ask: OfflineRequest
) -> tuple[Script | None, bool]:
    """Return the rule's script for the clause, and whether the rule took the rest of the message
    too.
    """
    clause, rest = clauses[at], clauses.rest(at)
    if len(clause) > rule.reach:
        return None, False
    if rule.begins is not None and len(rest) <= rule.reach and rule.begins(clause):
        script = rule.read(rest, ask)
        if script is not None:
            return script, True
    return rule.read(clause, ask), False


def _without(steps: list[ScriptStep], said: str) -> list[ScriptStep]:
    """Yield the steps without the text that was already in the reply when it was cut."""
    rest = "".join(said.split())
    out: list[ScriptStep] = []
    for step in steps:
        words = "".join(step.text.split()) if isinstance(step, Say) else ""
        if words and rest.startswith(words):
            rest = rest[len(words) :]
        else:
            out.append(step)
    return out
