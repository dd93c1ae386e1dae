"""Random replies at random splits through the readers of the text dialects.

    ./run bench dialects [--count N] [--seed N] [--only NAME ...]

Half are made of whole marks, half of single letters. Each is read whole and in two random ways;
what comes out must be the same, no mark may be shown, no text without a mark may be lost, and
nothing may crash.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections.abc import Sequence
from itertools import pairwise

from neodeskpet.core.dialects import DIALECTS, Dialect
from neodeskpet.core.wire import (
    CueReached,
    ResponseFinished,
    StopReason,
    TextDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)

_ALIKE = (
    "\n",
    "\n\n",
    " ",
    "words ",
    "，",
    "```",
    "\n```\n",
    "\n~~~\n",
    "`",
    "<",
    ">",
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "|",
    "<think>",
    "</think>",
    '{"text": "milk"}',
    "你好",
)
_MARKS: dict[str, tuple[str, ...]] = {
    "tool_request": (
        "<<<[TOOL_REQUEST]>>>",
        "<<<[END_TOOL_REQUEST]>>>",
        "<<[tool_request]>>",
        "<<<[TOOL_",
        "<<<[TOOL_RESULT]>>>",
        "<<<[END_TOOL_RESULT]>>>",
        "tool_name:「始」note.add「末」",
        "input_json:「始」",
        "「末」",
        "「始ESCAPE」",
        "「末ESCAPE」",
        "tool_name: x\n",
    ),
    "tool_call": (
        "<tool_call>",
        "</tool_call>",
        "<tool_ca",
        '<Window id="log_1">',
        '{"calls":[',
        '<tool_call>{"window_id": "notes", "action_id": "add", "params": {}}</tool_call>',
    ),
    "tool_tag": (
        "<messages>",
        "</messages>",
        "<item>",
        "</item>",
        "<tool>",
        "</tool>",
        "<name>",
        "\\|",
        "</name>",
        "<arguments>",
        "</arguments>",
        "<tools_results>",
        "</tools_results>",
        "<tool><name>note.add</name><arguments>a, b</arguments></tool>",
    ),
}
_LEAKS = {
    "tool_request": re.compile(r"<{2,}\[(END_)?TOOL_(REQUEST|RESULT)\]>{2,}", re.IGNORECASE),
    "tool_call": re.compile(r"</?tool_call\s{0,9}>", re.IGNORECASE),
    "tool_tag": re.compile(r"</?(messages|item|tool|tools_results)\s{0,9}>", re.IGNORECASE),
}
_LETTERS = "ab <>[]{}()`~'\":=,\n\\|/你"
Heard = tuple[str, tuple[tuple[str, str, bool], ...]]


def read(dialect: Dialect, pieces: Sequence[str]) -> Heard:
    """Return the shown text and the calls."""
    reader = dialect.reader()
    said = ""
    calls: dict[int, tuple[str, str, bool]] = {}
    events: list[WireEvent] = [TextDelta(0, one) for one in pieces]
    for event in (*events, ResponseFinished(StopReason.END)):
        for made in reader.read(event):
            match made:
                case TextDelta(text=text):
                    said += text
                case CueReached(name=name):
                    said += f"\0{name}\0"
                case ToolCallStarted(index=index, name=name):
                    calls[index] = (name, "", False)
                case ToolArgsDelta(index=index, json=json):
                    calls[index] = (calls[index][0], calls[index][1] + json, False)
                case ToolCallReady(index=index):
                    calls[index] = (*calls[index][:2], True)
                case _:
                    pass
    return said, tuple(calls.values())


def reply(name: str, chance: random.Random) -> str:
    words = (*_MARKS[name], *_MARKS[name], *_ALIKE)
    source: Sequence[str] = words if chance.random() < 0.5 else _LETTERS
    return "".join(chance.choices(source, k=chance.randrange(1, 40)))


def split(text: str, chance: random.Random) -> list[str]:
    cuts = sorted(chance.choices(range(len(text) + 1), k=chance.randrange(0, 12)))
    return [text[a:b] for a, b in pairwise([0, *cuts, len(text)])]


def faults(name: str, text: str, chance: random.Random) -> list[str]:
    """Return the differences between the ways to read `text`."""
    dialect = DIALECTS[name]
    whole = read(dialect, [text])
    ways = (split(text, chance), list(text))
    wrong = [f"other at {one!r}" for one in ways if read(dialect, one) != whole]
    code = "`" in text or "~~~" in text
    if not code and _LEAKS[name].search(whole[0]):
        wrong.append(f"shown: {whole[0]!r}")
    plain = not any(mark in text.lower() for mark in ("tool", "window", "item", "message"))
    rest = text.removeprefix(whole[0])  # half a mark, if anything
    if plain and not whole[1] and rest and not rest.startswith("<"):
        wrong.append(f"lost: {whole[0]!r}")
    return wrong


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(_MARKS), nargs="+", default=list(_MARKS))
    words = parser.parse_args(arguments)
    bad = 0
    for name in words.only:
        chance = random.Random(words.seed)
        began = time.monotonic()
        calls = wrong = 0
        for _ in range(words.count):
            text = reply(name, chance)
            found = faults(name, text, chance)
            calls += bool(read(DIALECTS[name], [text])[1])
            wrong += bool(found)
            for one in found[:1]:
                print(f"WRONG {name} {text!r}: {one}")
        seconds = time.monotonic() - began
        print(
            f"{name}: {words.count} replies in {seconds:.0f} s, {calls} with calls, {wrong} wrong"
        )
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
