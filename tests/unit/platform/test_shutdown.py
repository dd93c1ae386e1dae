"""Everything is closed, even if one of the closers fails."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from neodeskpet.platform.shutdown import Closer, CloserStack

COUNT = 5


class Parts:
    """`COUNT` parts, closed by functions and coroutine functions alternately."""

    def __init__(self, seconds: float = 30.0) -> None:
        self.exits = CloserStack(seconds)
        self.closed: list[int] = []
        for number in range(COUNT):
            self.exits.add(self._later(number) if number % 2 else self._at_once(number))

    def _at_once(self, number: int) -> Closer:
        return lambda: self.closed.append(number)

    def _later(self, number: int) -> Closer:
        async def close() -> None:
            await asyncio.sleep(0)
            self.closed.append(number)

        return close


def test_the_last_part_is_closed_first_and_each_once() -> None:
    parts = Parts()
    assert len(parts.exits) == COUNT
    asyncio.run(parts.exits.aclose())
    asyncio.run(parts.exits.aclose())
    assert parts.closed == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("error", [RuntimeError, KeyError, asyncio.CancelledError, SystemExit])
@pytest.mark.parametrize("failing", range(COUNT))
def test_a_failing_part_leaves_no_other_open(
    failing: int, error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def raising() -> None:
        raise error("told")

    parts = Parts()
    parts.exits.wrap(lambda number, closer: raising if number == failing else closer)

    async def close() -> None:
        with pytest.raises(error):
            await parts.exits.aclose()

    asyncio.run(close())
    assert parts.closed == [number for number in (4, 3, 2, 1, 0) if number != failing]
    assert caplog.text.count("Closing failed") == 1


def test_the_first_of_several_failures_is_raised(caplog: pytest.LogCaptureFixture) -> None:
    exits = CloserStack()
    exits.add(lambda: 1 // 0, lambda: {}["missing"])
    with pytest.raises(KeyError):
        asyncio.run(exits.aclose())
    assert caplog.text.count("Closing failed") == 2


def test_a_part_that_never_ends_is_given_up() -> None:
    parts = Parts(seconds=0.05)
    parts.exits.wrap(lambda number, closer: asyncio.Event().wait if number == 2 else closer)
    with pytest.raises(TimeoutError):
        asyncio.run(parts.exits.aclose())
    assert parts.closed == [4, 3, 1, 0]


HANGING = """
import threading
from concurrent.futures import ThreadPoolExecutor
from neodeskpet.platform.shutdown import exit_after, exit_deadline

pool = ThreadPoolExecutor()
pool.submit(threading.Event().wait)
with exit_deadline(60):
    pass
{end}
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [("exit_after(0.2, 7)", 7), ("with exit_deadline(0.2):\n    pool.shutdown()", 1)],
)
def test_a_thread_that_hangs_does_not_keep_the_process(end: str, code: int) -> None:
    program = [sys.executable, "-c", HANGING.format(end=end)]
    assert subprocess.run(program, timeout=60, check=False).returncode == code
