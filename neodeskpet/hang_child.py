"""The small process that watches the app: it ends or restarts an app that has stopped responding,
also when a C function holds the interpreter's lock.

The app writes to its standard input: `BEAT` from the event loop, `PAUSE` before it ends, and the
number of each signal that it gets (`signal.set_wakeup_fd`, which writes from C at once). It ends
with its standard input, which is when the app ends. It is light: no Qt, and only the standard
library beside what `children` needs.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from neodeskpet.children import child_command, child_environment
from neodeskpet.core.hangs import LIMIT, Act, HangJudge

BEAT = b"\xff"
PAUSE = b"\xfe"
HUNG = "It did not respond:"
"""The line before the stacks in the record of the run."""
RESPONDS = "It responded again."
NOT_ENDED = "It did not end in time:"
_STEP = 2.5  # seconds
_POLITE = 2.0  # seconds between SIGTERM and SIGKILL for one that hangs
_ENDS = {int(getattr(signal, name, 0)) for name in ("SIGTERM", "SIGINT", "SIGHUP")}
STACKS = getattr(signal, "SIGUSR1", None)
"""At this signal the app writes its stacks into its record (`crashes.py`); not on Windows."""


@dataclass(frozen=True, slots=True)
class Watched:
    """`record` is where the stacks go, "" for nowhere; `restart` is the command that starts the app
    again; `language` and `theme` are those of the question.
    """

    pid: int
    record: str
    restart: list[str]
    language: str
    theme: str
    limit: float = LIMIT

    def to_argument(self) -> str:
        return json.dumps(asdict(self))


class _Watch:
    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._judge = HangJudge(watched.limit)
        self._question: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Until the app ends."""
        while True:
            files = [0]
            if self._question is not None and self._question.stdout is not None:
                files.append(self._question.stdout.fileno())
            ready = select.select(files, [], [], min(_STEP, self._watched.limit))[0]
            self._do(self._judge.step(time.monotonic(), stopped=_is_stopped(self._watched.pid)))
            if 0 in ready:
                told = os.read(0, 4096)
                if not told:
                    self._withdraw()
                    return
                self._hear(told)
            if len(ready) > 1 or (ready and ready[0] != 0):
                self._take_answer()

    def _hear(self, told: bytes) -> None:
        for number in told:
            if number == BEAT[0]:
                self._do(self._judge.beat())
            elif number == PAUSE[0]:
                self._do(self._judge.pause())
            elif number in _ENDS:
                self._do(self._judge.end_asked())

    def _do(self, acts: list[Act]) -> None:
        for act in acts:
            if act is Act.WRITE_STACKS:
                self._write_stacks(NOT_ENDED if Act.KILL in acts else HUNG)
            elif act is Act.ASK:
                self._ask()
            elif act is Act.WITHDRAW:
                self._note(RESPONDS)
                self._withdraw()
            else:
                self._signal(signal.SIGTERM if os.name == "nt" else signal.SIGKILL)

    def _write_stacks(self, why: str) -> None:
        self._note(why)
        if STACKS is not None and self._watched.record:
            self._signal(STACKS)
            time.sleep(0.2)  # until they are written

    def _note(self, words: str) -> None:
        record = self._watched.record
        with contextlib.suppress(OSError):
            if record:
                with Path(record).open("a", encoding="utf-8") as file:
                    file.write(f"{words}\n")

    def _ask(self) -> None:
        self._withdraw()
        watched = self._watched
        with contextlib.suppress(OSError):
            self._question = subprocess.Popen(
                [*child_command("hang"), watched.language, watched.theme],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )

    def _take_answer(self) -> None:
        assert self._question is not None and self._question.stdout is not None
        answer = os.read(self._question.stdout.fileno(), 64).strip()
        self._withdraw()
        if answer == b"restart":
            self._restart()
        else:  # or it could not ask
            self._judge.wait()

    def _restart(self) -> None:
        self._signal(signal.SIGTERM)
        end = time.monotonic() + _POLITE
        while time.monotonic() < end:
            if select.select([0], [], [], 0.1)[0] and not os.read(0, 4096):
                break
        else:
            self._signal(signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
            while os.read(0, 4096):  # until it has ended
                pass
        subprocess.Popen(
            self._watched.restart,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        sys.exit(0)

    def _withdraw(self) -> None:
        question, self._question = self._question, None
        if question is not None:
            question.kill()
            question.communicate()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(OSError):
            os.kill(self._watched.pid, number)


def _is_stopped(pid: int) -> bool:
    """Whether a debugger or Ctrl-Z has stopped it (Linux)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in "tT"


def main(arguments: list[str]) -> int:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # it ends with the app
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    _Watch(Watched(**json.loads(arguments[0]))).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
