"""One file of tools: its content as it is now, what became of it, and a source of the toolbox."""

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
"""Before the name of each tool: none can be taken for one of the app's."""
_IDLE = 300.0
"""Seconds after its last call that a process is kept."""
_DESCRIBED = 2_000


class ToolFileState(Enum):
    """UNSEEN: the person hasn't allowed this content; CHANGED: they allowed another. BROKEN: it
    can't be read, or can't be loaded. RESTORED: it can't be read, and the last good copy of it,
    which the person allowed, is used.
    """

    NOT_ALLOWED = auto()
    CHANGED = auto()
    LOADING = auto()
    READY = auto()
    BROKEN = auto()
    RESTORED = auto()


@dataclass(frozen=True, slots=True)
class ToolFileContent:
    """A file as it was read. `digest` is the sha256 of its bytes, in hex; where it couldn't be
    read, the outline says why, and `good` is the last copy that could be used. `stamp` changes when
    it is written.
    """

    name: str
    digest: str
    source: str
    outline: ToolFileOutline
    stamp: tuple[int, ...] = field(default=(), compare=False)
    good: ToolFileContent | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolFileView:
    """One file as it is shown. `tools` is what it really has once it runs; `printed` are its last
    words.
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
            name, digest, "", ToolFileOutline(fault=SourceFault(N_("It is no UTF-8."), line)), stamp
        )
    return ToolFileContent(name, digest, source, read_outline(source), stamp)


def source_name(file: str) -> str:
    """What rules are kept by."""
    return f"{TOOL_PREFIX} {file}"


class ToolFile:
    """A `ToolSource`. It runs while it is allowed (`settle`); its process ends when it is idle, and
    comes back with the next call.
    """

    def __init__(self, content: ToolFileContent, changed: Callable[[], None]) -> None:
        self.name = source_name(content.name)
        self.label = content.name
        self.content = content
        self._code = content.good or content  # what runs once it is allowed
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
        """`allowed` is the digest of the content that the person allowed, None for none. Whether
        the content was loaded now, without a fault.
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
        """Whether the content can be used."""
        if self._state is not ToolFileState.LOADING:  # it was taken back meanwhile
            return False
        self._fault = self.content.outline.fault or fault
        if fault is not None:
            self._put(ToolFileState.BROKEN)
        else:
            self._put(ToolFileState.READY if self._fault is None else ToolFileState.RESTORED)
        return self._fault is None

    def close(self) -> None:
        """Its tools are gone, and its process."""
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
        """The process, started if there is none. Raises Unloaded."""
        async with self._opening:
            if self._process is not None and not self._process.has_ended:
                return self._process
            made = self._process = ToolFileProcess(self._code.name, self._code.source)
            specs = await made.start()
            if self._process is not made:
                raise ToolFileNotLoaded(SourceFault("It was taken back."))
            if specs != self._specs:
                self._take(specs)
            return made

    def _take(self, specs: tuple[ToolSpec, ...]) -> None:
        """Raises Unloaded."""
        try:
            tools = [schema_tool(_ours(spec), partial(self._call, spec.name)) for spec in specs]
        except (ValueError, TypeError, RecursionError) as error:
            raise ToolFileNotLoaded(SourceFault(str(error)[:500])) from error
        self._specs, self._tools = specs, tools

    async def _call(self, tool: str, arguments: dict[str, object], told: Progress) -> ToolResult:
        try:
            process = await self._use()
        except ToolFileNotLoaded as error:
            reason = Reason(N_("The file {file} can't be loaded."), {"file": self.label})
            raise ToolFailed(error.fault.words, reasons=[reason]) from None
        try:
            return await process.call(tool, arguments, told)
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
    """As the app calls it."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", spec.name)[:80] or "tool"
    return replace(spec, name=f"{TOOL_PREFIX}.{name}", description=spec.description[:_DESCRIBED])
