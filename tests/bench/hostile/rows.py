"""Runs the cases, each in a process of its own, and prints a row for each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.hostile.case import HOLD_MS, MEMORY_MIB, Case
from tests.soak.process import descendants, memory, peak, share
from tests.soak.verdict import last_words

_ROOT = Path(__file__).resolve().parents[3]
_SECONDS = 90.0
_MIB = 2500.0
_LOOK = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """`hold` in milliseconds, and the CPU time of that block: on a busy machine the smaller is
    closer to the truth. `memory` in MiB; `faults` are the exceeded limits.
    """

    name: str
    hold: float
    cpu: float
    seconds: float
    memory: float
    came_to: str
    faults: tuple[str, ...]
    place: str = ""


def run_all(only: Sequence[str] = ("",)) -> list[Row]:
    """Run the cases whose name contains one of `only`, and print each as it ends."""
    from tests.bench.hostile.child import CASES

    print(f"limits: {HOLD_MS:.0f} ms hold, {MEMORY_MIB:.0f} MiB, imports within their seconds\n")
    print(
        f"{'':4} {'hold ms':>8} {'its CPU':>8} {'seconds':>8} {'MiB':>6}  what, and what it came to"
    )
    rows = []
    for case in CASES:
        if any(word.casefold() in case.name.casefold() for word in only):
            rows.append(_run(case))
            _print(rows[-1])
    return rows


def _print(row: Row) -> None:
    mark = "OVER" if row.faults else "ok"
    figures = f"{row.hold:8.0f} {row.cpu:8.0f} {row.seconds:8.1f} {row.memory:6.0f}"
    print(f"{mark:4} {figures}  {row.name}: {row.came_to[:1_500]}", flush=True)
    if row.faults:
        print(f"{'':30} {', '.join(row.faults)}{': ' + row.place if row.place else ''}", flush=True)


def _run(case: Case) -> Row:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        Path(folder, "home").mkdir()
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.hostile.child", case.name, folder],
            cwd=_ROOT,
            env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        try:
            told, most, killed = _watch(child)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        errors.seek(0)
        said = last_words(errors.read().decode("utf-8", "replace"))
    return judge(case, told, most, killed or _death(child.returncode, told), said)


def _watch(child: subprocess.Popen[str]) -> tuple[dict[str, Any], float, str]:
    """Return its final report, the peak of memory, and why it was killed, if it was."""
    told: dict[str, Any] = {}
    began = [time.monotonic(), 0.0]
    stdout = child.stdout
    assert stdout is not None

    def read() -> None:
        for line in stdout:
            with suppress(ValueError):
                found = json.loads(line)
                if found["kind"] == "begin":
                    began[:] = [time.monotonic(), 1.0]
                else:
                    told.update(found)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    most, killed = 0.0, ""
    while child.poll() is None:
        time.sleep(_LOOK)
        if began[1]:
            tree = [child.pid, *descendants(child.pid)]
            most = max(most, _taken(tree), peak(child.pid))
        spent = time.monotonic() - began[0]
        if not killed and (most > _MIB or spent > _SECONDS * (1 if began[1] else 2)):
            killed = f"killed after {spent:.0f} s" if most <= _MIB else "killed for its memory"
            child.send_signal(signal.SIGABRT)  # faulthandler prints where
            time.sleep(0.5)
            child.kill()
    reader.join(5)
    return told, most, killed


def _taken(tree: Sequence[int]) -> float:
    """MiB of all processes, with each page counted once; near enough while that is little."""
    whole = sum(map(memory, tree))
    return whole if whole < MEMORY_MIB / 2 else sum(map(share, tree))


def _death(code: int, told: dict[str, Any]) -> str:
    if code == 0 and told:
        return ""
    return f"died of {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def judge(case: Case, told: dict[str, Any], most: float, death: str, said: str) -> Row:
    """Return the row of a case from the report of its process and how it ended."""
    hold, seconds = told.get("hold", float("nan")), told.get("seconds", float("nan"))
    faults = []
    if death:
        faults.append(death)
    if told.get("wrong"):
        faults.append("came to the wrong thing")
    if hold > HOLD_MS:
        faults.append("hold")
    if most > case.memory:
        faults.append("memory")
    if case.seconds is not None and seconds > case.seconds:
        faults.append("time")
    place = told.get("place", "") if not death else " | ".join(said.splitlines()[-14:])
    came_to = told.get("came_to", "nothing")
    return Row(case.name, hold, told.get("cpu", 0.0), seconds, most, came_to, tuple(faults), place)


def failing(rows: Sequence[Row]) -> int:
    return sum(bool(row.faults) for row in rows)
