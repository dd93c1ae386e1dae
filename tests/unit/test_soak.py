"""How the soak test reads its samples: leaks, growth, blocked threads, and their places."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Thread

from tests.soak.holds import place_of
from tests.soak.verdict import Sample, growth, judge, last_words, leaks
from tests.soak.waits import Waits, bounded

CALM = Sample(0.0, 180.0, 120.0, 200.0, 40, 12, 0, tasks=5, objects=400)


def run(minutes: int, **grows: float) -> list[Sample]:
    """A sample every five seconds; `grows` is the growth of a figure per minute."""
    found = []
    for at in range(0, minutes * 60, 5):
        change = {name: getattr(CALM, name) + type(getattr(CALM, name))(more * at / 60)
                  for name, more in grows.items()}  # fmt: skip
        found.append(replace(CALM, seconds=float(at), **change))
    return found


def test_a_calm_run_passes() -> None:
    assert judge(run(30), longest=80.0, hold_limit=100.0) == []


def test_more_and_more_handles_are_a_leak_even_in_three_minutes() -> None:
    [wrong] = judge(run(3, handles=6.0), longest=0.0, hold_limit=100.0)
    assert wrong.startswith("handles grow")


def test_handles_that_are_closed_again_are_no_leak() -> None:
    samples = [
        replace(one, handles=40 + at % 30, tasks=5 + at % 7) for at, one in enumerate(run(3))
    ]
    assert leaks(samples) == []


def test_pools_that_fill_at_the_start_are_no_leak() -> None:
    samples = [replace(one, threads=4 if one.seconds < 30 else 14) for one in run(3)]
    assert leaks(samples) == []


def test_too_few_samples_give_no_result() -> None:
    assert leaks(run(1, handles=60.0)[:8]) == []
    assert growth([]) is None


def test_growth_is_given_per_hour_and_judged_after_the_warm_up() -> None:
    samples = run(30, own=0.1)
    grows = growth(samples)
    assert grows is not None
    assert [round(one, 2) for one in (grows.min_budget, grows.an_hour, grows.most)] == [
        6.0,
        6.0,
        6.0,
    ]
    [wrong] = judge(samples, 0.0, 100.0)
    assert wrong == "memory grows by 6.0 MiB an hour, at least by 6.0 (limit 2)"


def test_a_warm_up_is_no_growth() -> None:
    samples = [replace(one, own=180.0 + min(one.seconds, 590.0) / 10) for one in run(30)]
    assert judge(samples, 0.0, 100.0) == []


def test_the_memory_of_an_open_conversation_is_no_growth() -> None:
    samples = [
        replace(one, shown=shown, own=one.own + shown / 10 + one.seconds / 60 * (shown > 12))
        for at, one in enumerate(run(30))
        for shown in [at % 40]
    ]
    assert judge(samples, 0.0, 100.0) == []
    assert len(judge([replace(one, shown=0) for one in samples], 0.0, 100.0)) == 1
    [wrong] = judge([replace(one, shown=50) for one in samples], 0.0, 100.0)
    assert wrong.startswith("memory can't be judged")


def test_a_short_run_judges_no_growth() -> None:
    assert judge(run(12, own=5.0), 0.0, 100.0) == []


def _noisy(minutes: int, **grows: float) -> list[Sample]:
    """Like a real run: minutes that differ by some MiB, and occasional peaks."""
    random = Random(7)
    level = [random.gauss(0.0, 2.0) for _ in range(minutes)]
    return [
        replace(one, own=one.own + level[int(one.seconds // 60)] + (at % 9 == 0) * 300.0)
        for at, one in enumerate(run(minutes, **grows))
    ]


def test_noise_alone_is_no_growth() -> None:
    samples = _noisy(30)
    grows = growth(samples)
    assert grows is not None
    assert grows.min_budget < 0.0 < grows.most
    assert judge(samples, 0.0, 100.0) == []


def test_growth_is_found_despite_the_noise() -> None:
    grows = growth(_noisy(30, own=0.3))
    assert grows is not None
    assert grows.over
    assert grows.min_budget < 18.0 < grows.most
    assert len(judge(_noisy(30, own=0.3), 0.0, 100.0)) == 1


def test_a_long_block_of_the_ui_thread_fails() -> None:
    assert judge(run(3), 180.0, 100.0) == ["the interface's thread was held for 180 ms (limit 100)"]


def test_the_place_is_the_innermost_line() -> None:
    assert place_of(sys._getframe()).startswith("tests/unit/test_soak.py:")
    assert place_of(None).startswith("Qt itself")


def test_of_a_crashed_process_the_crashed_thread_is_reported() -> None:
    said = (
        "free(): double free\nFatal Python error: Aborted\n\n"
        'Thread 0x01 (most recent call first):\n  File "queue.py", line 1\n\n'
        'Current thread 0x02 (most recent call first):\n  File "actor.py", line 245\n\n'
        "Extension modules: x\n"
    )
    told = last_words(said)
    assert told.startswith("free(): double free\nFatal Python error: Aborted")
    assert "actor.py" in told
    assert "queue.py" not in told
    assert last_words("just words\n") == "just words"


def test_the_load_of_others_is_never_negative_and_zero_once_closed() -> None:
    waits = Waits()
    thread = Thread(target=sum, args=([1, 2],))
    thread.start()
    assert waits.milliseconds() >= 0.0
    thread.join()
    assert waits.milliseconds() >= 0.0
    waits.close()
    assert waits.milliseconds() == 0.0


def test_at_most_the_load_of_others_is_subtracted() -> None:
    assert bounded(80.0, 200.0) == 80.0
    assert bounded(80.0, 30.0) < 80.0, "a thread that waits for the app itself is blocked by it"
    assert bounded(80.0, -5.0) < 20.0


_WORK = """
import os, time
from tests.soak.process import worked
told = [worked(os.getpid())]
for _ in range(20):
    end = time.process_time() + 0.0005
    while time.process_time() < end:
        pass
    told.append(worked(os.getpid()))
print(all(after - before >= 0.0005 for before, after in zip(told, told[1:])))
"""


def test_the_load_of_a_process_is_finer_than_the_steps_of_the_kernel() -> None:
    """In a process without children: after a child ended it is given in the steps of the kernel."""
    done = subprocess.run(
        [sys.executable, "-c", _WORK],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True"]
