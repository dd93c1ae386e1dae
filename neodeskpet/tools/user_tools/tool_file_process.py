"""The app's side of a tool file's process: starts it, sends calls and kills it.

A file may hang, crash or be slow, so a call that is cancelled ends with the process, and the next
call starts a new one. All running calls of the file end with it. Two threads read its output;
everything else runs on the app's loop.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any

from neodeskpet.core.errors import OTHER_WAY, ToolFailed
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_text import MOST_BODY_DEPTH, read_json
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.platform.child_process import child_command, child_environment
from neodeskpet.platform.redaction import redact
from neodeskpet.toolkit.registry import Progress
from neodeskpet.tools.user_tools import tool_file_protocol
from neodeskpet.tools.user_tools.tool_file_protocol import SourceFault

LOADING_SECONDS = 30.0
"""Seconds after which loading fails."""
_TOOLS = 100
_WORDS = 40
"""Printed lines that are kept."""
_ENDED = N_("Its process ended during the call (exit code {code}).")


class ToolFileNotLoaded(Exception):
    """The file can't be loaded; `fault` is the reason."""

    def __init__(self, fault: SourceFault) -> None:
        super().__init__(fault.words)
        self.fault = fault


class ToolFileProcess:
    """Runs `source`, named `file`. Can be started only once. `printed` holds the last printed
    lines.
    """

    def __init__(self, file: str, source: str) -> None:
        self._file = file
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._process: subprocess.Popen[bytes] | None = None
        self._tools: asyncio.Future[tuple[ToolSpec, ...]] = self._loop.create_future()
        self._calls: dict[int, tuple[asyncio.Future[ToolResult], Progress]] = {}
        self._count = 0
        self._killed = False
        self._ended = False
        self.printed: deque[str] = deque(maxlen=_WORDS)

    async def start(self) -> tuple[ToolSpec, ...]:
        """Start the process and return its tools. Raises ToolFileNotLoaded."""
        try:
            self._process = await asyncio.to_thread(self._start)
        except OSError as error:
            raise ToolFileNotLoaded(SourceFault(str(error))) from error
        if self._killed:  # meanwhile
            self.kill()
        try:
            async with asyncio.timeout(LOADING_SECONDS):
                return await self._tools
        except TimeoutError:
            self.kill()
            words = f"TimeoutError: it isn't loaded after {LOADING_SECONDS:g} s"
            raise ToolFileNotLoaded(SourceFault(words)) from None
        except BaseException:
            self.kill()
            raise

    async def call(
        self, tool: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        """Run a call. Raises ToolError. Cancelling it kills the process."""
        self._count += 1
        number = self._count
        result: asyncio.Future[ToolResult] = self._loop.create_future()
        self._calls[number] = result, progress
        order = {"call": number, "tool": tool, "arguments": dict(arguments)}
        try:
            await asyncio.to_thread(self._send, order)
            if self._ended:
                raise _broken_off(self._code())
            return await result
        except asyncio.CancelledError:
            self.kill()
            raise
        finally:
            del self._calls[number]

    @property
    def has_ended(self) -> bool:
        return self._killed or self._ended

    @property
    def busy(self) -> bool:
        return bool(self._calls)

    def kill(self) -> None:
        """Kill the process with all its calls."""
        self._killed = True
        if self._process is not None:
            self._process.kill()

    # Run in threads

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            child_command("workshop"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment() | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1"},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._process = process
        threading.Thread(
            target=self._drain, args=(_open(process.stderr),), name="tool file words", daemon=True
        ).start()
        threading.Thread(
            target=self._listen, args=(process,), name="tool file", daemon=True
        ).start()
        self._send({"file": self._file, "source": self._source})
        return process

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process is not None
        with suppress(OSError, ValueError):  # the process ended; its reader reports it
            pipe = _open(self._process.stdin)
            pipe.write(json.dumps(message).encode() + b"\n")
            pipe.flush()

    def _drain(self, pipe: IO[bytes]) -> None:
        with pipe:
            while line := pipe.readline(4_000):
                self.printed.append(redact(line.decode("utf-8", "replace").rstrip()))

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        with _open(process.stdout) as pipe:
            while line := pipe.readline(tool_file_protocol.LONGEST_LINE):
                if not line.endswith(b"\n"):
                    process.kill()  # a line was too long, or the output ended
                    break
                with suppress(ValueError):
                    message = read_json(line.decode("utf-8", "replace"), depth=MOST_BODY_DEPTH)
                    self._post(self._handle, message)
        code = process.wait()
        with suppress(OSError):
            _open(process.stdin).close()
        self._post(self._end, code)

    def _post(self, handle: Callable[[Any], None], what: object) -> None:
        with suppress(RuntimeError):  # the loop was closed meanwhile
            self._loop.call_soon_threadsafe(handle, what)

    # Run on the loop

    def _handle(self, message: Any) -> None:
        """Handle a message of the process; an invalid one is ignored."""
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            self._take(message)

    def _take(self, message: Mapping[str, Any]) -> None:
        if "tools" in message and not self._tools.done():
            specs = tuple(
                tool_file_protocol.spec_from_json(one) for one in message["tools"][:_TOOLS]
            )
            self._tools.set_result(specs)
        elif "broken" in message and not self._tools.done():
            broken = message["broken"]
            fault = SourceFault(redact(str(broken["words"]))[:1_000], int(broken["line"]))
            self._tools.set_exception(ToolFileNotLoaded(fault))
        elif "progress" in message:
            _, progress = self._calls[message["progress"]]
            fraction = message["fraction"]
            progress(None if fraction is None else float(fraction), str(message["text"]))
        elif "done" in message:
            self._settle(self._calls[message["done"]][0], message)

    @staticmethod
    def _settle(result: asyncio.Future[ToolResult], message: Mapping[str, Any]) -> None:
        if result.done():
            return
        try:
            if "fault" in message:
                result.set_exception(tool_file_protocol.error_from_json(message["fault"]))
            else:
                result.set_result(tool_file_protocol.result_from_json(message["result"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            result.set_exception(ToolFailed(f"Its answer can't be read: {error}"[:500]))

    def _end(self, code: int) -> None:
        self._ended = True
        if not self._tools.done():
            words = "\n".join(self.printed)[-500:]
            said = f"The process ended while it was loaded (exit code {code}). {words}".strip()
            self._tools.set_exception(ToolFileNotLoaded(SourceFault(said)))
        for result, _ in self._calls.values():
            if not result.done():
                result.set_exception(_broken_off(code))

    def _code(self) -> int:
        return (self._process.returncode or 0) if self._process is not None else 0


def _broken_off(code: int) -> ToolFailed:
    return ToolFailed(reasons=[Reason(_ENDED, {"code": str(code)})], advice=OTHER_WAY)


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # all three were requested
    return pipe
