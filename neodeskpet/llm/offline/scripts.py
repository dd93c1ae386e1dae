"""The scripts of the rules. A script is a generator that writes text, calls tools and reads their
results. Its steps become wire events; tool calls are native calls or TOOL_REQUEST blocks.

A model is called again after each round of tools and keeps nothing in between, so a script is
replayed from its start with the results so far.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.core.schedule.vocabulary import moments_in_words
from neodeskpet.core.wire import (
    RefusalDelta,
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)
from neodeskpet.llm.offline.request_reader import OfflineRequest, ToolAnswer

_KNOWN = (
    ("divides by zero", "Nothing can be divided by zero.", "除数不能是零。"),
    ("result is too large", "The result is too large for me.", "结果太大，我算不了。"),
    ("complete calculation", "That sum isn't complete.", "这个算式不完整。"),
    ("didn't allow this call", "All right, I won't do it.", "好的，那我就不做了。"),
    ("cancelled by the user", "All right, I stopped.", "好的，我停下了。"),
    ("isn't a time I understand", "I don't understand that time.", "这个时间我没看懂。"),
    (
        " may mean (1)",
        "When exactly? Please say am or pm too.",
        "具体是什么时候？请说清上午还是下午。",
    ),
    ("is in the past", "That time has passed already.", "那个时间已经过去了。"),
    ("at most 366 days", "That is too far ahead: at most a year.", "太久了，最多提前一年。"),
    ("there is no note", "There is no such note.", "没有这条笔记。"),
    ("there is no timer", "There is no such timer.", "没有这个计时器。"),
    ("timezone: there is no", "I don't know that place.", "我不认识这个地方。"),
    ("didn't finish within", "That took too long, I gave up.", "太久了，我放弃了。"),
)


def render_failure(ask: OfflineRequest, output: str) -> str:
    """Return a sentence for the user; an unknown reason is repeated without its wrapping."""
    for mark, english, chinese in _KNOWN:
        if mark in output:
            return ask.pick(english, chinese)
    reason = re.sub(
        r"^The (?:arguments are not valid\.\s*(?:\w+: )?|tool failed\.\s*)", "", output.strip()
    )
    if not reason:
        return ask.pick("That didn't work.", "没有成功。")
    reason = moments_in_words(reason, ask.now.year, chinese=ask.chinese)
    return ask.pick(f"That didn't work: {reason}", f"没有成功：{reason}")


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Lead(Say):
    """Text before a tool call; left out if text came just before it."""


@dataclass(frozen=True, slots=True)
class Refuse(Say):
    """Text that refuses a request: the figure doesn't look happy after it."""


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
    """Call a tool and continue the text: a gesture in the middle of a sentence."""


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
    """Return the text for a failed call."""
    return Say(render_failure(ask, result.output))


def play_script(
    ask: OfflineRequest, scripts: Sequence[Script], batches: Sequence[Sequence[ToolAnswer]]
) -> list[ScriptStep]:
    """Return what to emit in this round, given the results of the earlier rounds."""
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
    """Return the script's steps after its last result, and the gestures of the last round that
    failed.
    """
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
    """Return the next result of this tool; a call without a result has failed."""
    for at, result in enumerate(batch):
        if result.name == call.name:
            return batch.pop(at)
    return ToolAnswer(call.name, "", ok=False)


_TOKEN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]{1,2}|[^\s\u3000-\u9fff\uff00-\uffef]+\s*|\s+")
_PIECE = 9
"""The number of characters in a delta of arguments or of a block, similar to a model's."""


def tokens(text: str) -> list[str]:
    """Split `text` into pieces of about a word, or two Chinese characters."""
    return _TOKEN.findall(text)


def write_response(
    steps: Sequence[ScriptStep], *, textual: bool, number: int = 0
) -> Iterator[WireEvent]:
    """Write one response. `number` is its round, for the ids of its calls."""
    return _speak_in_text(steps) if textual else _speak_natively(steps, number)


def _speak_natively(steps: Sequence[ScriptStep], number: int) -> Iterator[WireEvent]:
    index = -1
    previous: type[ScriptStep] | None = None
    for at, step in enumerate(steps):
        plain = isinstance(step, Say) and not isinstance(step, Refuse)
        kind: type[ScriptStep] = Say if plain else type(step)
        if kind is not previous or isinstance(step, UseTool):
            index += 1
        previous = kind
        match step:
            case Refuse(text=text):
                yield from (RefusalDelta(index, piece) for piece in tokens(text))
            case Say(text=text):
                yield from (TextDelta(index, piece) for piece in tokens(text))
            case Think(text=text):
                yield from (ThinkingDelta(index, piece) for piece in tokens(text))
            case UseTool(name=name, arguments=arguments):
                raw = json.dumps(arguments, ensure_ascii=False)
                yield ToolCallStarted(index, f"call_{number}_{at}", name)
                yield from (ToolArgsDelta(index, piece) for piece in _pieces(raw))
                yield ToolCallReady(index)
    calls = any(isinstance(step, UseTool) for step in steps)
    yield ResponseFinished(StopReason.TOOLS if calls else StopReason.END)


def _speak_in_text(steps: Sequence[ScriptStep]) -> Iterator[WireEvent]:
    for step in steps:
        match step:
            case Refuse(text=text):
                yield from (RefusalDelta(2, piece) for piece in tokens(escape_calls(text)))
            case Say(text=text):
                yield from (TextDelta(0, piece) for piece in tokens(escape_calls(text)))
            case Think(text=text):
                yield from (ThinkingDelta(1, piece) for piece in tokens(text))
            case UseTool(name=name, arguments=arguments):
                yield from (TextDelta(0, piece) for piece in _pieces(write_block(name, arguments)))
    yield ResponseFinished(StopReason.END)


def write_block(name: str, arguments: object) -> str:
    """Return a TOOL_REQUEST block; markers inside the values are escaped."""
    raw = json.dumps(arguments, ensure_ascii=False)
    for mark in "「」<>":
        raw = raw.replace(mark, f"\\u{ord(mark):04x}")
    return (
        "\n<<<[TOOL_REQUEST]>>>\n"
        f"tool_name:「始」{name}「末」\n"
        f"input_json:「始」{raw}「末」\n"
        "<<<[END_TOOL_REQUEST]>>>\n"
    )


def escape_calls(text: str) -> str:
    """Escape repeated words of the user, so that they can't be read as a call."""
    return re.sub(r"<{2,}(?=\[)", "<", text)


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
