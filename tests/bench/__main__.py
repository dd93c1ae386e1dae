"""`./run bench [--json FILE] [NAME ...]`: measures, and prints ratios against peers, same run.

Names: view, hold, pet, lively, decode, tools, branches, agents, memory, vectors, find, context,
knowledge, light (all by default; light is seen from outside, in ten minutes). Times are this
machine's; the ratios and frames are what to compare. `hostile` (with `--only WORD …`) tells whether
any text, archive, model or database breaks the limits, by its exit code too.
`big` measures the app with 100,000 stored messages: opening, indexing, finding, recalling, sending
and memory, each with its goal and its peers, in five minutes.
`bundle` sets size, start and memory of what `./run bundle` built beside the checkout's and
Chromium's.
`documents` reads files of all kinds and compares their texts with LibreOffice's and pdftotext's
(`packaging/debian-packages-bench.txt`).
`growth` (with `--minutes N`, 40 by default) tells whether the app's memory grows during a lively
day, by its exit code too.
`leaks` (with `--count N`) reads random replies for leaked calls at random splits, `dialects` by the
readers of the text dialects. `paired DIRECTORY` sets what a text delta costs against another
checkout. `sync` measures sync between two computers. `recall --set FILE …` tells how much of a set
with known answers is found (its form: `tests/bench/recall.py`). `time` reads 5,000 requests for
reminders (`time SEED`: others). `flow` (with `--json FILE`, `--only WORD …`) tells whether
strangers' text can have data sent or a model act without a question, and how often ordinary tasks
ask, by its exit code too.
`voice --all` measures speaking, listening, interruptions and conversations over PulseAudio, with
the goals; `tests/bench/voice.py` names its parts, which can be measured alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from neodeskpet.app.startup import make_application
from neodeskpet.cli.demo_command import virtual_display
from tests.bench.light.goals import GOALS, Goals, lines, scale_of

Figures = dict[str, float]


def _view() -> Figures:
    from tests.bench import view

    return view.measure()


def _hold() -> Figures:
    from tests.bench import hold

    return hold.longest_hold(make_application())


def _pet() -> Figures:
    from tests.bench import pet

    return pet.pet_cost(make_application())


def _lively() -> Figures:
    from tests.bench import lively

    return lively.measure(make_application())


def _decode() -> Figures:
    from tests.bench import decode

    return decode.measure()


def _tools() -> Figures:
    from tests.bench import tools

    return tools.measure()


def _branches() -> Figures:
    make_application()
    from tests.bench import branches

    return branches.measure()


def _agents() -> Figures:
    from tests.bench import agents

    return agents.measure(make_application())


def _memory() -> Figures:
    from tests.bench import memory

    return memory.measure()


def _vectors() -> Figures:
    from tests.bench import vectors

    return vectors.measure()


def _find() -> Figures:
    from tests.bench import find

    return find.measure()


def _context() -> Figures:
    from tests.bench import context

    return context.measure()


def _light() -> Figures:
    from tests.bench.light import measure

    return measure.measure()


def _big() -> Figures:
    from tests.bench import big

    return big.measure()


def _knowledge() -> Figures:
    from tests.bench import knowledge

    return knowledge.measure(make_application())


def _documents() -> Figures:
    from tests.bench.documents import measure

    return measure.measure()


def _bundle() -> Figures:
    from tests.bundle import costs

    return costs.measure()


_ALL: dict[str, Callable[[], Figures]] = {
    "view": _view,
    "hold": _hold,
    "pet": _pet,
    "lively": _lively,
    "decode": _decode,
    "tools": _tools,
    "branches": _branches,
    "agents": _agents,
    "memory": _memory,
    "vectors": _vectors,
    "find": _find,
    "context": _context,
    "light": _light,
    "knowledge": _knowledge,
}


_ASKED: dict[str, Callable[[], Figures]] = {
    "big": _big,
    "bundle": _bundle,
    "documents": _documents,
}
"""Only if they are named: they take long, or need a built bundle, or LibreOffice and pdftotext."""


def _most(end: str) -> Callable[[Figures], float]:
    """Return the highest of the figures with this suffix."""
    return lambda figures: max(value for name, value in figures.items() if name.endswith(end))


def _least(begin: str) -> Callable[[Figures], float]:
    """Return the lowest of an SDK's ratios; nan if it isn't installed."""
    return lambda figures: min(
        (v for k, v in figures.items() if k.startswith(begin) and k.endswith("sdk_to_ours")),
        default=float("nan"),
    )


# The main rows: a sentence, and how it is computed.
_LINES: tuple[tuple[str, str, Callable[[Figures], float]], ...] = (
    ("view", "flush at 200,000 characters / at 5,000 (aim ≤ 1.5)", lambda f: f["flush_ratio"]),
    (
        "view",
        "flush of setMarkdown at 20,000 / ours at 200,000",
        lambda f: f["naive_flush_20000_ms"] / f["flush_200000_ms"],
    ),
    (
        "view",
        "flush in a message with 50 formulas and 20 tables / in plain text (aim ≤ 1.5)",
        lambda f: f["reading_ratio"],
    ),
    ("view", "the same while all of it streams in", lambda f: f["reading_stream_ratio"]),
    (
        "knowledge",
        "longest hold of the window while 1,000 files are indexed, ms (aim ≤ 16)",
        lambda f: f["hold_longest_ms"],
    ),
    (
        "knowledge",
        "recall from 1,000 files, 95 of 100 questions, ms (aim ≤ 30)",
        lambda f: f["recall_p95_ms"],
    ),
    (
        "find",
        "first results in 100,000 messages, 95 of 100 searches, ms (aim ≤ 50)",
        lambda f: f["first_p95_ms"],
    ),
    ("find", "plain LIKE over the same texts / ours", lambda f: f["like_ratio"]),
    ("view", "open 10,000 messages / 100 (aim ≤ 3)", lambda f: f["open_ratio"]),
    (
        "view",
        "open 100 messages in one document / ours 10,000",
        lambda f: f["naive_open_100_ms"] / f["open_10000_ms"],
    ),
    ("view", "frames from the first delta to its paint", lambda f: f["first_delta_frames"]),
    (
        "hold",
        "longest hold of the UI thread at 2,000 deltas/s, in frames of 33 ms",
        lambda f: f["hold_longest_ms"] / 33,
    ),
    (
        "hold",
        "one setMarkdown of the same text / our longest hold",
        lambda f: f["naive_last_update_ms"] / f["hold_longest_ms"],
    ),
    (
        "branches",
        "open 5,000 messages with 500 branches / straight (aim ≤ 1.1)",
        lambda f: f["open_ratio"],
    ),
    (
        "branches",
        "show another version near the end of 5,000 / of 500 (aim ≤ 1.5)",
        lambda f: f["switch_ratio"],
    ),
    ("pet", "CPU at rest / at 30 fps", lambda f: f["rest_cpu"] / f["active_cpu"]),
    ("pet", "CPU hidden, share of a core", lambda f: f["hidden_cpu"]),
    (
        "lively",
        "alone, from one beginning of a motion to its next, s (aim ≥ 120)",
        lambda f: f["soonest_repeat_s"],
    ),
    (
        "lively",
        "the largest share of one motion, % of the time (aim ≤ 12)",
        lambda f: f["largest_share_percent"],
    ),
    (
        "lively",
        "times asleep beside somebody who works (aim 0)",
        lambda f: f["asleep_beside_work"],
    ),
    (
        "lively",
        "asleep after 20 minutes alone, and welcomes then (aim 1 each)",
        lambda f: f["asleep_after_20_minutes"] * f["welcomes"],
    ),
    (
        "lively",
        "standing beside somebody who works, % of a core at 340 px (aim ≤ 3)",
        lambda f: f["beside_cpu_percent"],
    ),
    ("lively", "walking, frames a second (aim 30)", lambda f: f["walking_fps"]),
    ("lively", "walking, % of a core at 340 px", lambda f: f["walking_cpu_percent"]),
    ("lively", "asleep, % of a core (aim ≤ 1)", lambda f: f["asleep_cpu_percent"]),
    ("lively", "hidden, % of a core (aim 0)", lambda f: f["hidden_cpu_percent"]),
    ("decode", "decoding / httpx lines + json.loads, the most (aim ≤ 2)", _most("to_bare")),
    ("decode", "twice the deltas / once, the most (linear: 2)", _most("double")),
    (
        "decode",
        "decoding with leaked calls looked for / without (aim ≤ 1.1)",
        _most("leaks_to_ours"),
    ),
    ("decode", "the OpenAI SDK / ours, the least (aim ≥ 5)", _least("openai")),
    ("decode", "the Gemini SDK / ours, the least (aim ≥ 5)", _least("gemini")),
    ("decode", "the Anthropic SDK / ours, the least (aim ≥ 1)", _least("anthropic")),
    (
        "tools",
        "tokens of a thousand tools all sent / of the search sent instead",
        lambda f: f["all_tokens"] / f["search_tokens"],
    ),
    (
        "tools",
        "the right tool among the first five, share (aim ≥ 0.95)",
        lambda f: f["found_share"],
    ),
    (
        "agents",
        "slowest answer of the user in an agent after the click, ms (aim ≤ 300)",
        lambda f: f["answer_slowest_ms"],
    ),
    (
        "memory",
        "p95 of a search among 100,000 messages, in ms (aim ≤ 20)",
        lambda f: f["search_p95_ms"],
    ),
    (
        "memory",
        "p95 of the memory's part of a request, in ms (aim ≤ 30)",
        lambda f: f["context_p95_ms"],
    ),
    ("memory", "p95 of plain FTS5 / of ours", lambda f: f["fts5_search_ratio"]),
    ("memory", "p95 of bm25s (in memory) / of ours", lambda f: f["bm25s_search_ratio"]),
    ("memory", "messages added in a second", lambda f: f["adds_per_second"]),
    ("documents", "documents that nobody here wrote (aim ≥ 40)", lambda f: f["found_files"]),
    ("documents", "documents whose text is not complete (aim 0)", lambda f: f["failed"]),
    (
        "documents",
        "the least share of characters of a document that names nothing (aim ≥ 0.995)",
        lambda f: f["least_share"],
    ),
    (
        "context",
        "a request of 500 turns and 20 windows within 8,000 tokens, in ms (aim < 5)",
        lambda f: f["build_ms"],
    ),
)


_PROGRAMS = {
    "dialects": "tests.bench.dialects",
    "flow": "tests.bench.flow.measure",
    "growth": "tests.bench.growth",
    "leaks": "tests.bench.leaks",
    "paired": "tests.bench.paired",
    "recall": "tests.bench.recall",
    "voice": "tests.bench.voice",
    "sync": "tests.bench.sync",
    "time": "tests.bench.times.measure",
}
"""Benchmarks that read their own arguments and whose exit code says whether a goal is missed."""


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in _PROGRAMS:
        program = import_module(_PROGRAMS[arguments[0]])
        return int(program.main(arguments[1:]))
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*_ALL, *_ASKED, "hostile", []])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="of hostile")
    words = parser.parse_args(arguments)
    os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")
    results: dict[str, Figures] = {}
    if "hostile" in words.names:
        return _hostile(words.only)
    with virtual_display():
        application = make_application()
        try:
            for name in words.names or _ALL:
                results[name] = (_ALL | _ASKED)[name]()
                _print(name, results[name])
        finally:
            # A connection that outlives its X server ends the process with exit code 1.
            application.shutdown()
    _sum_up(results)
    if words.json:
        words.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


def _sum_up(results: dict[str, Figures]) -> None:
    print("\nIn short")
    for name, sentence, work_out in _LINES:
        if name in results:
            print(f"  {work_out(results[name]):8.2f}  {sentence}")
    if "light" in results:
        print("\nWhat it costs, from outside, and what it may")
        _print_goals(results["light"], GOALS, "naive_start_s")
    if "big" in results:
        from tests.bench.big import GOALS as BIG_GOALS

        print("\nWith 100,000 messages, and what it may cost")
        _print_goals(results["big"], BIG_GOALS, "naive_open_s")


def _print_goals(figures: Figures, goals: Goals, naive: str) -> None:
    """Print the rows. `naive`: the figure that tells how slow this computer is."""
    scale = scale_of(figures[naive]) if naive in figures else 1.0
    print(f"(goals in seconds, ms and % of a core × {scale:.2f}, for the speed of this computer)")
    for row in lines(figures, goals, scale):
        print(row)


def _hostile(only: list[str]) -> int:
    from tests.bench.hostile.rows import failing, run_all

    with virtual_display():
        rows = run_all(only)
    print(f"\n{failing(rows)} of {len(rows)} break a limit.")
    return 1 if failing(rows) else 0


def _print(name: str, figures: Figures) -> None:
    print(f"\n{name}")
    for key, value in figures.items():
        print(f"  {value:10.3f}  {key}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
