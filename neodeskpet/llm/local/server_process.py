"""Starts and stops the process of a model; two threads read its output.

Nothing here blocks: events of the process are posted to the event loop. The key is created for each
start, sent through standard input, and not stored anywhere.
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

_TAIL = 12  # lines kept of the library's output


@dataclass(frozen=True, slots=True)
class ModelTuning:
    """Settings of a running model. `context` and `reply` (the longest) in tokens; 0 threads: as
    many as the processor has.
    """

    context: int = 8192
    reply: int = 2048
    threads: int = 0


@dataclass(frozen=True, slots=True)
class ServerLaunch:
    """The parameters of a process to start."""

    file: Path
    name: str
    tuning: ModelTuning


@dataclass(frozen=True, slots=True)
class ServerReady:
    """The process serves at `url`; requests need the key."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ServerFailed:
    """The process reports that it can't run the model: `kind` is one of the server's."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class ServerEnded:
    """The process ended. `code` as in subprocess (negative: a signal); `words` are the last lines
    of the library's output.
    """

    code: int
    words: str = ""


ServerEvent = ServerReady | ServerFailed | ServerEnded
"""`ServerEnded` is sent once, as the last event."""


class ServerProcess(Protocol):
    """A running process."""

    @property
    def pid(self) -> int: ...

    def stop(self) -> None:
        """Kill the process; `ServerEnded` follows."""
        ...


StartServer = Callable[[ServerLaunch, Callable[[ServerEvent], None]], ServerProcess]
"""Starts a process that sends its events to the running event loop. Raises OSError."""


def start_process(launch: ServerLaunch, tell: Callable[[ServerEvent], None]) -> ServerProcess:
    """Start the server. Call it on the event loop's thread: Linux kills the process when the thread
    that started it ends, and this thread outlives it.
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
        with suppress(OSError):  # it has already ended, which the other pipe reports
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
            message: dict[str, Any] = json.loads(line)
        except ValueError:
            return None
        if "ready" in message:
            return ServerReady(message["ready"], self._key)
        return ServerFailed(str(message.get("failed")), str(message.get("reason")))

    def _post(self, news: ServerEvent) -> None:
        with suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(self._tell, news)


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # all three pipes were requested
    return pipe
