"""The process of a model, seen from the app: started, listened to by two threads, ended.

Nothing here waits: what the process tells is posted to the loop. The key is made for each start,
goes to the process through its standard input, and is written nowhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from neodeskpet.platform.child_process import child_command, child_environment

_TAIL = 12  # lines of the library's words that are kept


@dataclass(frozen=True, slots=True)
class ModelTuning:
    """How a model runs. `context` and `reply` (the longest) in tokens; 0 threads: as many as the
    processor has.
    """

    context: int = 8192
    reply: int = 2048
    threads: int = 0


@dataclass(frozen=True, slots=True)
class ServerLaunch:
    """What is to be run."""

    file: Path
    name: str
    tuning: ModelTuning


@dataclass(frozen=True, slots=True)
class ServerReady:
    """It serves at `url`, to whoever has the key."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ServerFailed:
    """It says itself that it can't: `kind` is one of the server's."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class ServerEnded:
    """The process is gone. `code` as subprocess has it (negative: a signal); `words` are the
    library's last.
    """

    code: int
    words: str = ""


ServerEvent = ServerReady | ServerFailed | ServerEnded
"""`Ended` comes once and last."""


class ServerProcess(Protocol):
    """A process that was started."""

    @property
    def pid(self) -> int: ...

    def stop(self) -> None:
        """End it at once; `Ended` follows."""
        ...


StartServer = Callable[[ServerLaunch, Callable[[ServerEvent], None]], ServerProcess]
"""Starts a process that tells its news on the running loop. Raises OSError."""


def start_process(launch: ServerLaunch, tell: Callable[[ServerEvent], None]) -> ServerProcess:
    """Start the server. On the loop's own thread, which outlives the process: Linux ends the
    process with the thread that began it.
    """
    process = subprocess.Popen(
        child_command("serve"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=child_environment(),
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    return _ChildServer(process, launch, tell)


class _ChildServer:
    def __init__(
        self,
        process: subprocess.Popen[bytes],
        launch: ServerLaunch,
        tell: Callable[[ServerEvent], None],
    ) -> None:
        self.pid = process.pid
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._tell = tell
        self._key = secrets.token_urlsafe(32)
        self._words: deque[str] = deque(maxlen=_TAIL)
        self._send(launch)
        drain = threading.Thread(target=self._drain, name="model words", daemon=True)
        drain.start()
        threading.Thread(
            target=self._listen, args=(drain,), name="model process", daemon=True
        ).start()

    def stop(self) -> None:
        self._process.kill()

    def _send(self, launch: ServerLaunch) -> None:
        line = {
            "file": str(launch.file),
            "name": launch.name,
            "key": self._key,
            "parent": os.getpid(),
            **asdict(launch.tuning),
        }
        pipe = _open(self._process.stdin)
        with suppress(OSError):  # it is gone already, which the other pipe tells
            pipe.write(json.dumps(line).encode() + b"\n")
            pipe.flush()

    # The two threads

    def _drain(self) -> None:
        with _open(self._process.stderr) as pipe:
            for line in pipe:
                self._words.append(line.decode("utf-8", "replace").strip())

    def _listen(self, drain: threading.Thread) -> None:
        with _open(self._process.stdout) as pipe:
            for line in pipe:
                news = self._read(line)
                if news is not None:
                    self._post(news)
        code = self._process.wait()
        drain.join()
        with suppress(OSError):
            _open(self._process.stdin).close()
        self._post(ServerEnded(code, "\n".join(self._words)))

    def _read(self, line: bytes) -> ServerEvent | None:
        try:
            told: dict[str, Any] = json.loads(line)
        except ValueError:
            return None
        if "ready" in told:
            return ServerReady(told["ready"], self._key)
        return ServerFailed(str(told.get("failed")), str(told.get("reason")))

    def _post(self, news: ServerEvent) -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._tell, news)


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # all three were asked for
    return pipe
