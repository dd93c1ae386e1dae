"""The scripts of the rules: small generators that say things, use tools, and read the results.

::

    def evaluate(ask: Ask, expression: str) -> Script:
        yield Lead("Let me see. ")
        result = yield from use("calc.evaluate", expression=expression)
        yield Say(f"That is {result.output}.")

A model is called anew after each round of tools and keeps nothing in between, so a script is played
again from its beginning with the results that are there; only what comes after the last of them is
emitted. A script is finite and each round answers its calls: it can't go round in circles.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.llm.offline.failures import render_failure
from neodeskpet.llm.offline.request import OfflineRequest, ToolAnswer


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Lead(Say):
    """Words before a tool is used: left out when something was said just before."""


@dataclass(frozen=True, slots=True)
class Refuse(Say):
    """Words for what it can't do: the body isn't happy after them."""


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class UseTool:
    """Call a tool and wait for its result."""

    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class UseWithoutWaiting(UseTool):
    """Call a tool and talk on: a gesture in the middle of a sentence."""


ScriptStep = Say | Think | UseTool
Script = Generator[Say | Think | UseWithoutWaiting | list[UseTool], list[ToolAnswer], None]


def use(
    name: str, /, **arguments: object
) -> Generator[list[UseTool], list[ToolAnswer], ToolAnswer]:
    """Call one tool and return its result."""
    (result,) = yield [UseTool(name, arguments)]
    return result


def use_all(
    name: str, calls: Iterable[Mapping[str, object]]
) -> Generator[list[UseTool], list[ToolAnswer], list[ToolAnswer]]:
    """Call one tool several times in one round."""
    return (yield [UseTool(name, arguments) for arguments in calls])


def failure_text(ask: OfflineRequest, result: ToolAnswer) -> Say:
    """The words for a call that went wrong."""
    return Say(render_failure(ask, result.output))


def play_script(
    ask: OfflineRequest, scripts: Sequence[Script], batches: Sequence[Sequence[ToolAnswer]]
) -> list[ScriptStep]:
    """What is to be emitted in this round, given the results of the rounds before."""
    left = [list(batch) for batch in batches]
    steps: list[ScriptStep] = []
    for script in scripts:
        segment, failed = _play(script, left)
        said = [*(failure_text(ask, result) for result in failed), *segment]
        if any(isinstance(step, Say) for step in steps):
            said = [step for step in said if not isinstance(step, Lead)]
            if isinstance(next(iter(said), None), Say):
                steps.append(Say("\n\n"))
        steps += said
    return steps


def _play(
    script: Script, left: Sequence[list[ToolAnswer]]
) -> tuple[list[ScriptStep], list[ToolAnswer]]:
    """The script's steps after its last result, and the gestures of the last round that failed."""
    segment: list[ScriptStep] = []
    failed: list[ToolAnswer] = []
    answered = 0
    rounds = len(left)
    try:
        step = next(script)
        while True:
            if isinstance(step, list):
                if answered == rounds:
                    segment += step
                    break
                results = [_take(left[answered], call) for call in step]
                answered += 1
                segment = []
                step = script.send(results)
                continue
            if isinstance(step, UseWithoutWaiting) and answered < rounds:
                result = _take(left[answered], step)
                if answered == rounds - 1 and not result.ok:
                    failed.append(result)
            segment.append(step)
            step = next(script)
    except StopIteration:
        pass
    script.close()
    return (segment if answered == rounds else []), failed


def _take(batch: list[ToolAnswer], call: UseTool) -> ToolAnswer:
    """The next result of this tool; a call that left none has failed."""
    for at, result in enumerate(batch):
        if result.name == call.name:
            return batch.pop(at)
    return ToolAnswer(call.name, "", ok=False)
