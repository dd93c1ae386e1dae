"""Uncaught bugs are recorded while the recorder is active, wherever they happen."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from types import TracebackType

import pytest

from neodeskpet.app.crash_reports import catch_loop_errors, catch_uncaught

KEY = "sk-a-key-that-a-bug-knows-0123456789"


class Kept(list[str]):
    def __call__(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.append(f"{kind.__name__}: {error}")


@pytest.fixture
def kept() -> Iterator[Kept]:
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    found = Kept()
    with catch_uncaught(found):
        yield found
    assert before == (sys.excepthook, threading.excepthook, sys.unraisablehook)


def fail() -> None:
    raise ValueError(f"a bug with {KEY}")


def test_in_a_slot(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    sys.excepthook(ValueError, ValueError(f"a bug with {KEY}"), None)
    assert kept == [f"ValueError: a bug with {KEY}"]
    assert capsys.readouterr().err == "ValueError: a bug with [hidden]\n"


def test_in_a_thread(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    worker = threading.Thread(target=fail)
    worker.start()
    worker.join()
    assert kept == [f"ValueError: a bug with {KEY}"]
    assert KEY not in capsys.readouterr().err


def test_in_a_destructor(kept: Kept) -> None:
    class Grave:
        def __del__(self) -> None:
            fail()

    Grave()
    assert kept == [f"ValueError: a bug with {KEY}"]


def test_exits_are_no_bugs(kept: Kept) -> None:
    for kind in (KeyboardInterrupt, SystemExit):
        sys.excepthook(kind, kind(), None)
    assert kept == []


def test_in_the_event_loop(caplog: pytest.LogCaptureFixture) -> None:
    found = Kept()

    async def live() -> None:
        loop = asyncio.get_running_loop()
        catch_loop_errors(loop, found)
        loop.call_soon(fail)
        loop.call_exception_handler({"message": "something without an exception"})
        await asyncio.sleep(0.01)

    asyncio.run(live())
    assert found == [f"ValueError: a bug with {KEY}"]
    assert "something without an exception" in caplog.text
