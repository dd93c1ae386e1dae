"""Tools for this computer: its properties, opening an address in the browser, a command in the
shell.

The shell is off until the user turns it on, and each command asks with its exact text. When a call
is stopped or takes too long, the command and all its child processes are killed.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import signal
import subprocess
import sys
import threading
import webbrowser
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import urlsplit

from pydantic import Field
from pydantic_core import to_json

from neodeskpet.core.data_labels import SourceKind
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.grant_scope import ScopeKind
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ApprovalText, ShownTerminal, ToolResult, name_of, text_brief
from neodeskpet.core.toolspec import Disclosure, Mode, Risk
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.platform.child_process import allowed_environment
from neodeskpet.toolkit.registry import Progress, RunInBackground, Tool, tool

_SHELL_SECONDS = 600.0
_OUTPUT = 100_000
"""Characters of a command's output that are kept; the beginning is cut."""
_TELL_SECONDS = 0.05
_SCHEMES = ("http", "https", "mailto")


@dataclass(frozen=True, slots=True)
class ShellOptions:
    """`allowed` is called before each round and returns whether commands may run. `variables` names
    the environment variables that commands get besides the default ones.
    """

    allowed: Callable[[], bool] = lambda: False
    variables: Callable[[], Collection[str]] = tuple


def computer_tools(
    shell: ShellOptions, *, browse: Callable[[str], bool] = webbrowser.open
) -> list[Tool]:
    """Make the tools for this computer."""

    @tool("system.info", title=N_("Check the computer"), risk=Risk.READ, timeout=10)
    def info() -> ToolResult:
        """Describe this computer: system, processors, memory, free disk space."""
        data = system_info()
        return ToolResult(to_json(data).decode(), data, brief=text_brief(str(data["system"])))

    @tool(
        "url.open",
        title=N_("Open an address"),
        risk=Risk.WRITE,
        main_argument="url",
        timeout=20,
        scope={"url": ScopeKind.HOST},
        sends=Disclosure.WHOLE_ADDRESS,
        ask=_ask_open,
    )
    def open_url(
        url: Annotated[str, Field(max_length=2_000, description="http, https or mailto.")],
    ) -> ToolResult:
        """Open an address in the user's browser or mail program."""
        address = url.strip()
        try:
            known = urlsplit(address).scheme.lower() in _SCHEMES
        except ValueError:
            known = False
        if not known or show_hidden_chars(address) != address or any(c.isspace() for c in address):
            advice = "Give a whole address that begins with http, https or mailto."
            raise InvalidArguments.at("url", N_("this address can't be opened."), advice=advice)
        if not browse(address):
            text, brief = "There is no program here that opens it.", Reason(N_("not opened"))
            return ToolResult(text, brief=brief)
        return ToolResult("Opened.", brief=Reason(N_("opened")))

    @tool(
        "shell.run",
        title=N_("Run a command"),
        risk=Risk.RUN,
        main_argument="command",
        mode=Mode.EITHER,
        timeout=_SHELL_SECONDS,
        outside=True,
        offered=shell.allowed,
        reads=SourceKind.PROGRAM,
        ask=_ask_run,
        can_always_allow=False,
    )
    async def run(
        progress: Progress,
        command: Annotated[str, Field(min_length=1, max_length=8_000, description="One line.")],
        folder: Annotated[str, Field(max_length=4_096, description="Left out: home.")] = "",
        background: RunInBackground = False,
    ) -> ToolResult:
        """Run a command in the user's shell. They see it first and may say no. What may take
        longer than half a minute (builds, downloads, tests, servers) belongs in the background.
        """
        where = await asyncio.to_thread(_folder, folder)
        job = _Command(command, where, progress, shell.variables())
        try:
            await asyncio.to_thread(job.run)
        finally:
            job.kill()
        return job.result()

    return [info, open_url, run]


def _ask_open(url: str) -> ApprovalText:
    host = urlsplit(url.strip()).hostname or name_of(url)
    title = Reason(N_("Open {place} in your browser?"), {"place": host})
    return ApprovalText(title, url.strip(), undoable=None, verb=N_("Open"), keep=N_("Don't open"))


def _ask_run(command: str, folder: str = "", background: bool = False) -> ApprovalText:
    """Return the question for a command. A command may do anything, so it can't be undone."""
    where = str(_folder(folder))
    thing = f"$ {command}\n{where}"
    title = Reason(N_("Run this command?"))
    return ApprovalText(title, thing, undoable=False, verb=N_("Run"), keep=N_("Don't run"))


def _folder(named: str) -> Path:
    place = Path(named).expanduser() if named.strip() else Path.home()
    if not place.is_dir():
        raise InvalidArguments.at("folder", N_("there is no such folder."))
    return place


def system_info() -> dict[str, object]:
    """Return properties of the system; none of them identifies the user or the computer."""
    home = shutil.disk_usage(Path.home())
    data: dict[str, object] = {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "disk_free_gb": round(home.free / 1e9, 1),
        "disk_total_gb": round(home.total / 1e9, 1),
    }
    if sys.platform != "win32":
        with suppress(OSError, ValueError):
            total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
            data["memory_gb"] = round(total / 1e9, 1)
    return data


class _Command:
    """One command; `run` blocks until it ends, `kill` ends it and all its child processes."""

    def __init__(
        self, command: str, folder: Path, progress: Progress, variables: Collection[str]
    ) -> None:
        self._variables = variables
        self._command = command
        self._folder = folder
        self._progress = progress
        self._output: deque[str] = deque()
        self._kept = 0
        self._left_out = False
        self._process: subprocess.Popen[str] | None = None
        self._killed = False
        self._lock = threading.Lock()
        self._newest = ""  # a line that isn't reported yet
        self._waits = False
        self._telling = threading.Lock()

    def run(self) -> None:
        with self._lock:
            if self._killed:
                return
            self._process = subprocess.Popen(
                self._command,
                shell=True,
                cwd=self._folder,
                env=allowed_environment(os.environ, self._variables),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        with self._process as process:  # waits until it exits
            assert process.stdout is not None
            self._read(process.stdout)

    def kill(self) -> None:
        with self._lock:
            self._killed = True
            process = self._process
        if process is None:
            return
        with suppress(OSError):
            if sys.platform == "win32":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)

    def result(self) -> ToolResult:
        code = self._process.returncode if self._process is not None else None
        text = "".join(self._output)
        head = "[The beginning was cut.]\n" if self._left_out else ""
        shown = ShownTerminal(text, self._command, code)
        last = text.strip().rpartition("\n")[2]
        failed = Reason(N_("exit code {code}"), {"code": str(code)})
        brief = failed if code else text_brief(last)
        said = f"{head}{text}\n[exit code {code}]"
        return ToolResult(said, {"exit_code": code}, shown, brief=brief)

    def _read(self, stream: IO[str]) -> None:
        with suppress(ValueError):
            while part := stream.readline(4_096):
                self._output.append(part)
                self._kept += len(part)
                while self._kept > _OUTPUT:
                    self._kept -= len(self._output.popleft())
                    self._left_out = True
                self._tell(part.strip().rpartition("\n")[2][-200:])

    def _tell(self, line: str) -> None:
        """Report a line. Lines arrive faster than they can be shown, so some are skipped, but never
        the last one.
        """
        with self._telling:
            self._newest = line
            if not self._waits:
                self._wait()

    def _wait(self) -> None:
        line, self._newest = self._newest, ""
        self._waits = bool(line)
        if line:
            self._progress(None, line)
            timer = threading.Timer(_TELL_SECONDS, self._waited)
            timer.daemon = True
            timer.start()

    def _waited(self) -> None:
        with self._telling:
            self._wait()
