"""The app of a soak test, in a process of its own, because it may crash. It reports in lines of
JSON.

`python -m tests.soak.app HOME CACHE URL SECONDS PACE SEED`
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import json
import logging
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from neodeskpet.app.desktop_app import DesktopApp
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.startup import StartOptions, run_app
from neodeskpet.platform.async_tasks import running, spawn_task
from tests.soak.holds import Hold, HoldWatch
from tests.soak.person import Person
from tests.support.desk import DeskStory, settle

_TOLD_SECONDS = 5.0


def tell(kind: str, **fields: object) -> None:
    print(json.dumps({"kind": kind, **fields}), flush=True)


class _Errors(logging.Handler):
    """Errors that the app regards as bugs of its own."""

    def emit(self, record: logging.LogRecord) -> None:
        words = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None:
            words += "\n" + "".join(traceback.format_exception(*record.exc_info))
        tell("bug", words=words)


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    tell("bug", words="".join(traceback.format_exception(kind, error, trace)))


def _qt_says(_kind: QtMsgType, _where: QMessageLogContext, words: str) -> None:
    tell("qt", words=words)


async def _count(watch: HoldWatch, person: Person) -> None:
    """Report at intervals what /proc doesn't know."""
    began = time.monotonic()
    while True:
        await asyncio.sleep(_TOLD_SECONDS)
        tell(
            "count",
            seconds=time.monotonic() - began,
            tasks=len(running()),
            objects=len(QApplication.allWidgets()),
            turns=person.count,
            shown=person.shown,
            longest=watch.take_longest(),
            garbage=len(gc.garbage),
        )
        watch.forget()


def main(home: str, cache: str, url: str, seconds: str, pace: str, seed: str) -> int:
    faulthandler.enable()
    settle(Path(home), {"appearance": {"language": "en"}, "mode": {"mode": "native"}})
    scratch = Path(home) / "noise"
    scratch.mkdir()

    async def scene(desk: DesktopApp) -> int:
        sys.excepthook = _bug
        qInstallMessageHandler(_qt_says)
        logging.getLogger().addHandler(_Errors(logging.ERROR))
        desk.chat.window.present()
        await asyncio.sleep(2.0)  # the start has its own goals
        person = Person(DeskStory(desk, brief=False), scratch, pace, int(seed))

        def held(hold: Hold) -> None:
            tell(
                "hold",
                milliseconds=hold.milliseconds,
                wall=hold.wall,
                cpu=hold.cpu,
                place=hold.place,
                deed=person.deed,
            )

        watch = HoldWatch(held)
        counting = spawn_task(_count(watch, person), name="count")
        tell("ready")
        try:
            await person.live(float(seconds))
        except TimeoutError as error:
            tell("stuck", words=f"{person.deed}: {error}")
            return 1
        finally:
            counting.cancel()
            watch.end()
        tell("end")
        return 0

    service = RunOptions(base_url=url, model="test-model")
    return run_app(
        StartOptions(Path(home), service, single_instance=False, cache=Path(cache)), scene
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
