"""Runs one case and reports the result in lines of JSON: `python -m tests.bench.hostile.child NAME
FOLDER`. Its parent watches time and memory.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neodeskpet.app.startup import make_application
from neodeskpet.ui import event_loop
from tests.bench.hostile import databases, figures, texts, tools, turns, wire
from tests.bench.hostile.case import Case, Scene, Wrong
from tests.soak.holds import Hold, HoldWatch

CASES: list[Case] = [
    *texts.CASES,
    *turns.CASES,
    *tools.CASES,
    *databases.CASES,
    *figures.CASES,
    *wire.CASES,
]


def _tell(kind: str, **fields: object) -> None:
    print(json.dumps({"kind": kind, **fields}), flush=True)


def _forget_peak() -> None:
    """Reset the peak of memory (Linux)."""
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")


def main(name: str, folder: str) -> int:
    faulthandler.enable()
    os.environ["NEODESKPET_HOME"] = str(Path(folder) / "home")
    [case] = [one for one in CASES if one.name == name]
    app = make_application()

    async def live() -> int:
        holds: list[Hold] = []
        watch = HoldWatch(holds.append)
        began = time.monotonic()

        def begin() -> None:
            nonlocal began
            watch.forget()
            watch.take_longest()
            holds.clear()
            _forget_peak()
            began = time.monotonic()
            _tell("begin")

        @contextmanager
        def aside() -> Iterator[None]:
            before, longest = list(holds), watch.take_longest()
            yield
            watch.forget()
            watch.take_longest()
            holds[:] = [*before, Hold(longest, longest, 0.0, "")] if longest else before

        wrong = False
        try:
            came_to = await case.play(Scene(app, Path(folder), begin, aside))
        except Wrong as error:
            came_to, wrong = str(error), True
        worst = max(holds, key=lambda hold: hold.milliseconds, default=None)
        _tell(
            "end",
            wrong=wrong,
            came_to=came_to,
            hold=max([watch.take_longest(), *(hold.milliseconds for hold in holds)]),
            cpu=worst.cpu if worst else 0.0,
            place=worst.place if worst else "",
            seconds=time.monotonic() - began,
        )
        watch.end()
        return 0

    return event_loop.run(app, live)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
