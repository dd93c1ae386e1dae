"""One tool file: its current content, its state, and its tools as a source of the toolbox."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial

from neodeskpet.core.errors import ToolFailed
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.platform.observers import Observers
from neodeskpet.toolkit.executor import Runnable
from neodeskpet.toolkit.registry import Progress
from neodeskpet.toolkit.schema_tool import SchemaTool, schema_tool
from neodeskpet.tools.user_tools.tool_file_process import ToolFileNotLoaded, ToolFileProcess
from neodeskpet.tools.user_tools.tool_file_protocol import (
    SourceFault,
    ToolFileOutline,
    read_outline,
)

TOOL_PREFIX = "own"
"""Prefix of each tool's name, so that none can be confused with one of the app's."""
_IDLE = 300.0
"""Seconds after the last call until the process is ended."""
_DESCRIBED = 2_000


class ToolFileState(Enum):
    """NOT_ALLOWED: the user hasn't allowed this content. CHANGED: they allowed another content.
    BROKEN: the file can't be read or loaded. RESTORED: the file can't be read, and its last good
    copy, which the user allowed, is used.
    """

    NOT_ALLOWED = auto()
    CHANGED = auto()
    LOADING = auto()
    READY = auto()
    BROKEN = auto()
    RESTORED = auto()


@dataclass(frozen=True, slots=True)
class ToolFileContent:
    """A file as it was read. `digest` is the sha256 of its bytes, in hex. If the file couldn't be
    read, the outline has the fault, and `good` is the last usable copy. `stamp` changes when the
    file is written.
    """

    name: str
    digest: str
    source: str
    outline: ToolFileOutline
    stamp: tuple[int, ...] = field(default=(), compare=False)
    good: ToolFileContent | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolFileView:
    """The data of one file for the interface. `tools` are the tools of the running code; `printed`
    are the last lines that it printed.
    """

    content: ToolFileContent
    state: ToolFileState
    fault: SourceFault | None = None
    tools: tuple[ToolSpec, ...] = ()
    printed: tuple[str, ...] = ()


def read_content(name: str, data: bytes, stamp: tuple[int, ...] = ()) -> ToolFileContent:
    digest = hashlib.sha256(data).hexdigest()
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return ToolFileContent(
            name, digest, "", ToolFileOutline(fault=SourceFault(N_("It isn't UTF-8."), line)), stamp
        )
    return ToolFileContent(name, digest, source, read_outline(source), stamp)


def source_name(file: str) -> str:
    """Return the source name by which rules are stored."""
    return f"{TOOL_PREFIX} {file}"


class ToolFile:
    """A `ToolSource`. It runs while it is allowed (`apply_permission`); its process ends when idle
    and is started again by the next call.
    """

    def __init__(self, content: ToolFileContent, changed: Callable[[], None]) -> None:
        self.name = source_name(content.name)
        self.label = content.name
        self.content = content
        self._code = content.good or content  # the code that runs once it is allowed
        self._changed = changed
        self._fault: SourceFault | None = content.outline.fault
        self._state = ToolFileState.NOT_ALLOWED if self._fault is None else ToolFileState.BROKEN
        self._specs: tuple[ToolSpec, ...] = ()
        self._tools: list[SchemaTool] = []
        self._process: ToolFileProcess | None = None
        self._opening = asyncio.Lock()
        self._loads = False  # the allowed code is being loaded, or was
        self._idle: asyncio.TimerHandle | None = None
        self._observers: Observers[[]] = Observers()

    def view(self) -> ToolFileView:
        printed = tuple(self._process.printed) if self._process is not None else ()
        return ToolFileView(self.content, self._state, self._fault, self._specs, printed)

    def tools(self) -> Sequence[Runnable]:
        return list(self._tools)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        return self._observers.subscribe(observer)

    async def apply_permission(self, allowed: str | None) -> bool:
        """Start or stop the file. `allowed` is the digest of the content that the user allowed,
        None for none. Return whether the content was loaded by this call, without a fault.
        """
        if self._code.outline.fault is not None:
            return False
        if allowed != self._code.digest:
            self.close()
            if self.content.outline.fault is not None:
                self._put(ToolFileState.BROKEN)
            else:
                self._put(
                    ToolFileState.CHANGED if allowed is not None else ToolFileState.NOT_ALLOWED
                )
            return False
        if self._loads or self._state in (ToolFileState.READY, ToolFileState.RESTORED):
            return False
        self._loads = True
        self._put(ToolFileState.LOADING)
        try:
            await self._use()
        except ToolFileNotLoaded as error:
            return self._loaded(error.fault)
        return self._loaded(None)

    def _loaded(self, fault: SourceFault | None) -> bool:
        """Set the state after loading; return whether the content is usable."""
        if self._state is not ToolFileState.LOADING:  # the permission was revoked meanwhile
            return False
        self._fault = self.content.outline.fault or fault
        if fault is not None:
            self._put(ToolFileState.BROKEN)
        else:
            self._put(ToolFileState.READY if self._fault is None else ToolFileState.RESTORED)
        return self._fault is None

    def close(self) -> None:
        """Remove the tools and end the process."""
        self._specs, self._tools = (), []
        self._fault = self.content.outline.fault
        self._loads = False
        self._drop()

    def _put(self, state: ToolFileState) -> None:
        if state is not self._state:
            self._state = state
            self._observers.notify()
            self._changed()

    # The process

    async def _use(self) -> ToolFileProcess:
        """Return the process and start it if there is none. Raises ToolFileNotLoaded."""
        async with self._opening:
            if self._process is not None and not self._process.has_ended:
                return self._process
            made = self._process = ToolFileProcess(self._code.name, self._code.source)
            specs = await made.start()
            if self._process is not made:
                raise ToolFileNotLoaded(SourceFault("Its permission was revoked."))
            if specs != self._specs:
                self._take(specs)
            return made

    def _take(self, specs: tuple[ToolSpec, ...]) -> None:
        """Make the tools from the specs. Raises ToolFileNotLoaded."""
        try:
            tools = [schema_tool(_ours(spec), partial(self._call, spec.name)) for spec in specs]
        except (ValueError, TypeError, RecursionError) as error:
            raise ToolFileNotLoaded(SourceFault(str(error)[:500])) from error
        self._specs, self._tools = specs, tools

    async def _call(
        self, tool: str, arguments: dict[str, object], progress: Progress
    ) -> ToolResult:
        try:
            process = await self._use()
        except ToolFileNotLoaded as error:
            reason = Reason(N_("The file {file} can't be loaded."), {"file": self.label})
            raise ToolFailed(error.fault.words, reasons=[reason]) from None
        try:
            return await process.call(tool, arguments, progress)
        finally:
            self._rest_later()

    def _rest_later(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(_IDLE, self._rest)

    def _rest(self) -> None:
        if self._process is not None and self._process.busy:
            self._rest_later()
        else:
            self._drop()

    def _drop(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        process, self._process = self._process, None
        if process is not None:
            process.kill()


def _ours(spec: ToolSpec) -> ToolSpec:
    """Return the spec with a valid, prefixed name."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", spec.name)[:80] or "tool"
    return replace(spec, name=f"{TOOL_PREFIX}.{name}", description=spec.description[:_DESCRIBED])
