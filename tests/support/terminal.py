"""The terminal command as a user runs it: a process, its lines, its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.support import warm

_ROOT = Path(__file__).resolve().parents[2]
_CAN_DIVIDE = sys.platform == "linux"
_READ_AT_START = frozenset({"LC_ALL", "PYTHONIOENCODING"})
"""Variables that Python itself reads at its start only."""

Process = subprocess.Popen[str] | warm.Started


@dataclass(frozen=True)
class Outcome:
    """`lines` are the parsed lines of standard output (with `--json`), the last the result."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def result(self) -> dict[str, Any]:
        last = self.lines[-1]
        assert last["type"] == "result"
        return last

    def statuses(self) -> list[str]:
        return [call["status"] for call in self.result["tool_calls"]]


def environment(home: Path, **extra: str) -> dict[str, str]:
    """This process's environment without a display, a key or a service, with its data in `home`."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("NEODESKPET_") and key not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    return {**kept, "NEODESKPET_HOME": str(home), "LANG": "C.UTF-8", **extra}


def start(
    home: Path, *words: str, env: Mapping[str, str] | None = None, out: IO[str] | None = None
) -> Process:
    """Start `neodeskpet WORDS` and return at once. Its standard output goes to `out`, or can be
    read from the process. Commands that need no fresh start come from a preloaded process.
    """
    environ = environment(home, **(env or {}))
    if words and words[0] in warm.KNOWN and not _READ_AT_START & {*(env or {})} and _CAN_DIVIDE:
        return warm.start(words, environ, out)
    return start_cold(environ, *words, out=out)


def start_cold(
    environ: Mapping[str, str],
    *words: str,
    out: IO[str] | None = None,
    through: Sequence[str] = (),
) -> subprocess.Popen[str]:
    """Start `python -m neodeskpet WORDS` itself; `through` a program that starts another."""
    return subprocess.Popen(
        [*through, sys.executable, "-m", "neodeskpet", *words],
        cwd=_ROOT,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=out or subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def finish(process: Process, timeout: float = 60) -> Outcome:
    out, err = process.communicate(timeout=timeout)
    assert process.returncode is not None
    return Outcome(process.returncode, out, err)


def run(home: Path, *words: str, env: Mapping[str, str] | None = None) -> Outcome:
    """Run `neodeskpet WORDS` to its end."""
    return finish(start(home, *words, env=env))


def chat(
    home: Path, url: str, text: str, *words: str, env: Mapping[str, str] | None = None
) -> Outcome:
    """`neodeskpet chat TEXT --json` against a service."""
    service = ("--base-url", url, "--model", "test-model") if url else ()
    return run(home, "chat", text, "--json", *service, *words, env=env)
