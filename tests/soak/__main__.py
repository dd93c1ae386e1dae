"""`./run soak`: simulates a user's lively day in the real windows, and measures the app.

The app runs in a process of its own and is watched from outside: whether it crashes or hangs, its
memory, handles, threads and tasks, how long its interface was blocked, and by which line of ours.
Without a display an Xvfb is started. The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neodeskpet.cli.demo_command import virtual_display
from neodeskpet.figure.files.model_guard import check_model
from neodeskpet.platform.installation import assets_dir
from tests.soak.person import SECONDS
from tests.soak.process import taken
from tests.soak.service import Service
from tests.soak.verdict import (
    JUDGED_SECONDS,
    WARM_SECONDS,
    Sample,
    growth,
    judge,
    last_words,
)
from tests.support.sseserver import ScriptedServer

_ROOT = Path(__file__).resolve().parents[2]
_SAMPLE_SECONDS = 5.0
_SILENT_SECONDS = 90.0
_END_SECONDS = 30.0
_PLACES = 12


@dataclass(slots=True)
class Diary:
    """The reports of the app, and the measurements from outside."""

    samples: list[Sample] = field(default_factory=list)
    holds: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    count: dict[str, Any] = field(default_factory=dict)
    longest: float = 0.0
    ready: bool = False
    ended: bool = False
    heard: float = field(default_factory=time.monotonic)

    def on_chat_event(self, line: str) -> None:
        """One line of the app."""
        self.heard = time.monotonic()
        try:
            told = json.loads(line)
            kind = told.pop("kind")
        except (ValueError, KeyError, AttributeError, TypeError):
            self.warnings.append(line.rstrip())
            return
        match kind:
            case "count":
                self.longest = max(self.longest, told["longest"])
                self.count = told
            case "hold":
                self.longest = max(self.longest, told["milliseconds"])
                self.holds.append(told)
            case "bug":
                self.wrong.append(f"a bug: {told['words']}")
            case "stuck":
                self.wrong.append(f"stuck in {told['words']}")
            case "qt":
                self.warnings.append(f"Qt: {told['words']}")
            case "ready":
                self.ready = True
            case "end":
                self.ended = True


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument(
        "--pace",
        choices=SECONDS,
        default="lively",
        help="lively: something every 2 s; calm: every 10 s; ends: motions again near their ends",
    )
    parser.add_argument("--hold", type=float, default=100.0, metavar="MS", help="the longest hold")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="samples and holds")
    words = parser.parse_args(arguments)
    os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")
    with tempfile.TemporaryDirectory() as name, virtual_display():
        diary = run_day(Path(name), words.minutes * 60, words.pace, words.seed)
    if words.json:
        rows = [{n: getattr(s, n) for n in Sample.__slots__} for s in diary.samples]
        words.json.write_text(json.dumps({"samples": rows, "holds": diary.holds}, indent=1))
    _print_holds(diary)
    wrong = diary.wrong + judge(diary.samples, diary.longest, words.hold)
    _print_end(diary, wrong)
    return 1 if wrong else 0


def run_day(folder: Path, seconds: float, pace: str, seed: int) -> Diary:
    """Run the app in `folder` for that long, and watch it."""
    cache, home, errors = folder / "verdicts", folder / "home", folder / "errors"
    asyncio.run(check_model(assets_dir() / "companion" / "neo", cache))
    diary = Diary()
    with ScriptedServer() as server, errors.open("w+b") as error_file:
        Service(server, seed)
        command = ["-m", "tests.soak.app", home, cache, server.url, seconds, pace, seed]
        app = subprocess.Popen(
            [sys.executable, *map(str, command)],
            cwd=_ROOT,
            env={**os.environ, "NEODESKPET_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=error_file,
            text=True,
            encoding="utf-8",
        )
        try:
            _watch(app, diary, seconds)
        finally:
            app.kill()
            app.wait()
        error_file.seek(0)
        said = error_file.read().decode("utf-8", "replace")
    if not diary.ended and not any(line.startswith("stuck") for line in diary.wrong):
        diary.wrong.insert(0, f"the app died: {_way(app.returncode)}")
    elif diary.ended and app.returncode != 0:
        diary.wrong.insert(0, f"the app didn't end well: {_way(app.returncode)}")
    if said.strip():
        print(f"\nThe app's last words:\n{last_words(said)}")
    return diary


def _watch(app: subprocess.Popen[str], diary: Diary, seconds: float) -> None:
    stdout = app.stdout
    assert stdout is not None

    def read() -> None:
        for line in stdout:
            diary.on_chat_event(line)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    began, following, shown = time.monotonic(), 0.0, -1
    print(f"{'min':>5} {'own':>7} {'files':>7} {'PSS':>7} {'handles':>8} {'threads':>8}"
          f" {'children':>8} {'tasks':>6} {'widgets':>8} {'deeds':>6}"
          f" {'longest hold':>13}")  # fmt: skip
    while app.poll() is None:
        time.sleep(0.2)
        if not diary.ready:
            began = time.monotonic()
        elif not diary.ended and (passed := time.monotonic() - began) >= following:
            following += _SAMPLE_SECONDS
            _sample(app.pid, diary, passed)
            if int(passed // 60) > shown and diary.samples:
                shown = int(passed // 60)
                _print_sample(diary)
        if time.monotonic() - diary.heard > (_END_SECONDS if diary.ended else _SILENT_SECONDS):
            app.send_signal(signal.SIGABRT)  # faulthandler prints where it hangs
            app.wait(_END_SECONDS)
            diary.wrong.append("the app hangs")
    reader.join(5)
    if diary.samples:
        _print_sample(diary)


def _sample(pid: int, diary: Diary, passed: float) -> None:
    seen = taken(pid)
    if seen is None:
        return
    told = diary.count
    sample = Sample(
        passed,
        seen.own,
        seen.files,
        seen.pss,
        seen.handles,
        seen.threads,
        seen.children,
        told.get("tasks", 0),
        told.get("objects", 0),
        told.get("turns", 0),
        shown=told.get("shown", 0),
    )
    diary.samples.append(sample)


def _print_sample(diary: Diary) -> None:
    s = diary.samples[-1]
    print(f"{s.seconds / 60:5.1f} {s.own:7.1f} {s.files:7.1f} {s.pss:7.1f} {s.handles:8}"
          f" {s.threads:8} {s.children:8} {s.tasks:6} {s.objects:8} {s.turns:6}"
          f" {diary.longest:10.1f} ms",
          flush=True)  # fmt: skip


def _print_holds(diary: Diary) -> None:
    by_place: dict[str, list[dict[str, Any]]] = {}
    for hold in diary.holds:
        by_place.setdefault(hold["place"], []).append(hold)
    if by_place:
        print("\nWho held the interface's thread for more than 50 ms")
        print("   longest    its CPU   times  while        where")
    worst = sorted(by_place.items(), key=lambda one: -max(h["milliseconds"] for h in one[1]))
    for place, holds in worst[:_PLACES]:
        longest = max(holds, key=lambda hold: hold["milliseconds"])
        print(f"  {longest['milliseconds']:7.0f} ms {longest['cpu']:7.0f} ms {len(holds):5} ×"
              f"  {longest['deed']:<12} {place}")  # fmt: skip


def _print_end(diary: Diary, wrong: list[str]) -> None:
    for warning in dict.fromkeys(diary.warnings):
        print(f"said {diary.warnings.count(warning)} times: {warning}")
    lasted = diary.samples[-1].seconds if diary.samples else 0.0
    after = min(WARM_SECONDS, lasted / 3)
    grows = growth(diary.samples, after)
    print(f"\n{lasted / 60:.1f} minutes, longest hold {diary.longest:.0f} ms{_which(diary)}")
    if grows is not None:
        print(f"own memory (no file's) grew by {grows.an_hour:.1f} MiB an hour after the first"
              f" {after / 60:.0f} minutes (certainly between {grows.min_budget:.1f} and"
              f" {grows.most:.1f})")  # fmt: skip
        if lasted - WARM_SECONDS < JUDGED_SECONDS:
            print("(too short a run to judge that by)")
    for line in wrong:
        print(f"WRONG: {line}")
    print("Something is wrong." if wrong else "All is well.")


def _which(diary: Diary) -> str:
    """Return the action and the line of the longest block, if it was long enough to be examined."""
    if not diary.holds:
        return ""
    longest = max(diary.holds, key=lambda hold: hold["milliseconds"])
    return f" ({longest['deed']}, {longest['place']})"


def _way(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
