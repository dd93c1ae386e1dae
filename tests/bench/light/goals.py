"""The allowed cost of the app, row by row, and the comparison with a measurement."""

from __future__ import annotations

from collections.abc import Iterator

Goals = dict[str, tuple[str, str, float]]
"""By figure: how it is compared with its goal ("": it has none), its description, the goal."""

GOALS: Goals = {
    "chat_start_s": ("<=", "start with --chat to the painted chat, warm, s", 0.75),
    "naive_start_s": ("", "start of a QTextBrowser to its paint, s", 0),
    "chat_start_ratio": ("<=", "the chat's start / the QTextBrowser's", 3.3),
    "chat_modules": ("<=", "own modules loaded before the first paint of the chat", 350),
    "start_warm_s": ("<=", "start to the figure, shader cache warm, s", 0.7),
    "start_cold_s": ("<=", "start to the figure, shader cache empty, s", 1.5),
    "start_warm_cpu_s": ("", "CPU seconds of that, warm", 0),
    "ready_warm_s": ("", "the same until the chat can be opened, warm, s", 0),
    "click_first_ms": ("<=", "first double click on the figure to the painted chat, ms", 100),
    "click_later_ms": ("<=", "a later one, ms", 100),
    "chat_pss_mib": ("<=", "PSS of the chat without the figure, MiB", 110),
    "pet_pss_mib": ("<=", "PSS of the chat with the figure, MiB", 180),
    "naive_pss_mib": ("", "PSS of the QTextBrowser, MiB", 0),
    "react_pss_mib": ("", "PSS of a React chat in Chromium, MiB", 0),
    "delta_p50_ms": ("<=", "first delta to its paint with the figure, p50, ms", 5),
    "delta_p90_ms": ("<=", "the same, p90", 8),
    "delta_p99_ms": ("<=", "the same, p99", 33),
    "delta_worst_ms": ("", "the same, the longest of 100", 0),
    "naive_delta_p90_ms": ("", "the same in the QTextBrowser without a figure, p90", 0),
    "naive_delta_p99_ms": ("", "the same, p99", 0),
    "key_p50_ms": ("", "key to its character with the figure, p50, ms", 0),
    "key_p99_ms": ("<=", "the same, p99", 16),
    "plain_key_p99_ms": ("", "the same without the figure, p99", 0),
    "pet_gap_p99_ms": (
        "<=",
        "gap between two paints while it streams, with the figure, p99, ms",
        33,
    ),
    "pet_longest_gap_ms": ("<=", "the longest one, ms", 50),
    "gap_p99_ms": ("<=", "the same without the figure, p99, ms", 33),
    "longest_gap_ms": ("<=", "the longest one, ms", 50),
    "longest_silence_ms": ("", "the same where a table begins: what is sent shows nothing yet", 0),
    "naive_gap_p99_ms": ("", "the same in the QTextBrowser, p99, ms", 0),
    "naive_longest_gap_ms": ("", "its longest one, ms", 0),
    "react_gap_p99_ms": ("", "the same in the React chat, p99, ms", 0),
    "react_longest_gap_ms": ("", "its longest one, ms", 0),
    "end_ms": ("<=", "last text of a reply to its paint, p50 of 10, ms", 17),
    "pet_end_ms": ("", "the same with the figure, ms", 0),
    "naive_end_ms": ("", "the same in the QTextBrowser, ms", 0),
    "paints_per_second": (">=", "paints a second at 500 characters a second", 58),
    "pet_paints_per_second": ("", "the same with the figure", 0),
    "naive_paints_per_second": ("", "the same in the QTextBrowser", 0),
    "react_paints_per_second": ("", "the same in the React chat", 0),
    "stream_cpu_s": ("<=", "CPU seconds for 20,000 characters", 5.5),
    "pet_stream_cpu_s": ("<=", "the same with the figure", 7),
    "naive_stream_cpu_s": ("", "the same in the QTextBrowser", 0),
    "react_stream_cpu_s": ("", "the same in the React chat", 0),
    "moving_fps": (">=", "frames a second painted of 30 asked for", 29.8),
    "rest_fps": (">=", "frames a second painted of 12 asked for", 11.9),
    "rest_cpu_percent": ("<=", "the figure at rest, % of a core", 1.5),
    "frame_cpu_ms": ("<=", "the figure moving at 400 × 600, CPU ms a frame", 8),
    "idle_cpu_percent": ("<=", "idle chat, % of a core", 0.05),
}


REFERENCE_START_S = 0.23
"""The start of the QTextBrowser program on the computer for which the goals were set."""
_TIMES = ("_s", "_ms", "_cpu_percent")
"""How the names of the figures end that depend on the speed of the computer."""


def scale_of(naive_start_s: float) -> float:
    """How much slower than the reference this computer is, from its start of the QTextBrowser."""
    return naive_start_s / REFERENCE_START_S


def lines(figures: dict[str, float], goals: Goals = GOALS, scale: float = 1.0) -> Iterator[str]:
    """Each row with its goal, and whether it is reached; a missing measurement reaches none.
    Goals of times are multiplied by `scale`.
    """
    for name, (sign, words, aim) in goals.items():
        if name not in figures and not sign:
            continue  # a peer that isn't installed
        value = figures.get(name, float("nan"))
        goal = aim * scale if name.endswith(_TIMES) else aim
        met = value >= goal if sign == ">=" else value <= goal
        shown = f"{'yes' if met else 'NO ':3}  {sign} {goal:.3g}" if sign else "     "
        yield f"  {value:8.2f}  {shown:14} {words}"
