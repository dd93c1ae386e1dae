"""Commands of the terminal, started from a process that has loaded them already.

Starting Python, loading the packages and measuring all of that takes three times as long as most
commands take. `python -m tests.support.warm` loads what the commands load, and forks for each of
them: the command runs in an ordinary process with its own arguments, environment, streams and
signals. A turn was run before, so that everything that is made once exists.
"""

from __future__ import annotations

import array
import asyncio
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from neodeskpet.__main__ import main
from neodeskpet.app.engine import open_engine
from neodeskpet.cli import COMMANDS
from tests.support.ending import at_end

_ROOT = Path(__file__).resolve().parents[2]
_NUMBER = struct.Struct("i")
_ORDER = 1 << 17  # bytes; what fits into one message of a socket
_TIMEOUT = 60.0  # seconds

KNOWN = frozenset(COMMANDS) - {"child", "demo", "mcp"}
"""Commands without windows, for people."""
_LATE = ("anyio._backends._asyncio", "coverage")
"""What most commands load while they run."""


class Started:
    """A running command, like `subprocess.Popen` in text mode."""

    def __init__(self, pid: int, end: int, out: IO[str] | None, err: IO[str]) -> None:
        """Its return code comes from the pipe `end`."""
        self.pid = pid
        self.returncode: int | None = None
        self.stdout, self.stderr = out, err
        self._end = end

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("neodeskpet", timeout or 0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Return its remaining output when it has ended."""
        said = {"out": "", "err": ""}

        def read(name: str, stream: IO[str] | None) -> None:
            if stream is not None:
                with stream:
                    said[name] = stream.read()

        streams = (("out", self.stdout), ("err", self.stderr))
        readers = [threading.Thread(target=read, args=one, daemon=True) for one in streams]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():  # a child of it holds the stream
                raise subprocess.TimeoutExpired("neodeskpet", timeout or 0)
        return said["out"], said["err"]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _look(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._end], [], [], seconds)[0]:
            self.returncode = _read_number(self._end)
            os.close(self._end)
        return self.returncode


def start(words: Sequence[str], env: Mapping[str, str], out: IO[str] | None = None) -> Started:
    """Start `neodeskpet WORDS` in the project's folder with this environment and empty input. Its
    standard output goes to `out`, or can be read from the returned object.
    """
    out_read, out_write = os.pipe() if out is None else (-1, os.dup(out.fileno()))
    err_read, err_write = os.pipe()
    end_read, end_write = os.pipe()
    given = [os.open(os.devnull, os.O_RDONLY), out_write, err_write, end_write]
    order = json.dumps({"words": list(words), "env": dict(env)}).encode()
    socket.send_fds(_door(), [order], given)
    for number in given:
        os.close(number)
    pid = _read_number(end_read)
    text: Any = {"encoding": "utf-8"}
    return Started(
        pid,
        end_read,
        None if out is not None else os.fdopen(out_read, **text),
        os.fdopen(err_read, **text),
    )


@functools.cache
def _door() -> socket.socket:
    """Return the socket on which the process takes orders; one for this process of the tests."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    with its:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.warm", str(its.fileno())],
            cwd=_ROOT,
            env={**kept, "LANG": "C.UTF-8"},
            pass_fds=[its.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def close() -> None:
        ours.close()
        try:
            process.wait(_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    at_end(close)
    return ours


def _read_number(source: int) -> int:
    told = os.read(source, _NUMBER.size)
    if len(told) != _NUMBER.size:
        raise RuntimeError("the process that starts commands has ended")
    number: int = _NUMBER.unpack(told)[0]
    return number


# In the process itself


def serve(door: socket.socket) -> list[str] | None:
    """Take orders; in the process of a command, return its arguments. None when there are no more
    orders.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended processes are not awaited here
    while True:
        order, given = _receive(door)
        if not order:
            return None
        if os.fork() == 0:
            door.close()
            return _divide(json.loads(order), given)
        for number in given:
            os.close(number)


def _receive(door: socket.socket) -> tuple[bytes, list[int]]:
    """An order, and its standard streams and the pipe for its end."""
    numbers = array.array("i")
    order, given, _, _ = door.recvmsg(_ORDER, socket.CMSG_SPACE(4 * numbers.itemsize))
    for _, _, data in given:
        numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    return order, numbers.tolist()


def _divide(order: dict[str, Any], given: list[int]) -> list[str]:
    """The command runs in one process, another one reports how it ended, and ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, end = given
    pid = os.fork()
    if pid:
        for number in streams:
            os.close(number)
        os.write(end, _NUMBER.pack(pid))
        _, status = os.waitpid(pid, 0)
        os.write(end, _NUMBER.pack(os.waitstatus_to_exitcode(status)))
        os._exit(0)
    os.close(end)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    _open_streams()
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    words: list[str] = order["words"]
    return words


def _open_streams() -> None:
    """As Python opens them at its start; earlier ones refer to other files."""
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    told: dict[str, Any] = {"errors": "backslashreplace", "buffering": 1}  # line by line
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, **told)


def _load() -> None:
    for name in (*(COMMANDS[command] for command in sorted(KNOWN)), *_LATE):
        importlib.import_module(name)
    asyncio.run(_live_once())
    end = time.monotonic() + _TIMEOUT
    while len(list(Path("/proc/self/task").iterdir())) != 1:  # an ended one leaves a bit later
        if time.monotonic() > end:
            raise RuntimeError("what has threads can't be divided")
        time.sleep(0.005)
    gc.freeze()


async def _live_once() -> None:
    """A turn on an engine that is discarded: each command declares the same tools, reads the same
    figure and compiles the same patterns.
    """
    with tempfile.TemporaryDirectory() as home:
        engine = await open_engine(Path(home))
        await engine.chat.open()
        engine.chat.send("hello")
        await engine.chat.wait_idle()
        await engine.aclose()


if __name__ == "__main__":
    _load()
    _words = serve(socket.socket(fileno=int(sys.argv[1])))
    if _words is not None:
        import coverage

        coverage.process_startup()
        sys.argv[1:] = _words
        sys.exit(main())
