"""The offline helper as a model: it needs no network and no key, and never fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from datetime import datetime

from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import WireEvent
from neodeskpet.language import tr
from neodeskpet.llm.offline.clauses import Clauses
from neodeskpet.llm.offline.request import (
    COMPANION_NAMES,
    TEXT_DIALECT,
    OfflineRequest,
    OfflineRound,
    read_request,
)
from neodeskpet.llm.offline.rules import RULES, Rule, fall_back
from neodeskpet.llm.offline.scripts import Say, Script, ScriptStep, play_script
from neodeskpet.llm.offline.speech import write_response

_SECONDS_PER_TOKEN = 0.015


class OfflineModel:
    """A model (`core.model.Model`). `known_tools` tells what the text dialect offers;
    `delay` is the pause before each token, in seconds; `names` are the companion's, in English and
    in Chinese; `clock` is the time on the person's clock.
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
        # The first request compiles the grammar of time: 100 ms that would hold the window.
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
    """What is said and called in this round."""
    ask = situation.ask
    scripts = plan_script(ask)
    steps = play_script(ask, scripts, situation.batches)
    return _without(steps, situation.said) if situation.said else steps


def plan_script(ask: OfflineRequest) -> list[Script]:
    """A script for everything the message asks for; the fallback if nothing is understood."""
    counted = replace(ask, company=max(1, len(read_rules(ask))))
    return [script for _, script in read_rules(counted)] or [fall_back(counted)]


def read_rules(ask: OfflineRequest) -> list[tuple[str, Script]]:
    """What the message asks for: the names of the rules that read it, and their scripts."""
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
    """What the rule makes of the clause, and whether it took everything after it too."""
    clause, rest = clauses[at], clauses.rest(at)
    if len(clause) > rule.reach:
        return None, False
    if rule.begins is not None and len(rest) <= rule.reach and rule.begins(clause):
        script = rule.read(rest, ask)
        if script is not None:
            return script, True
    return rule.read(clause, ask), False


def _without(steps: list[ScriptStep], said: str) -> list[ScriptStep]:
    """The steps without the words that were said before the reply was cut."""
    rest = "".join(said.split())
    out: list[ScriptStep] = []
    for step in steps:
        words = "".join(step.text.split()) if isinstance(step, Say) else ""
        if words and rest.startswith(words):
            rest = rest[len(words) :]
        else:
            out.append(step)
    return out
