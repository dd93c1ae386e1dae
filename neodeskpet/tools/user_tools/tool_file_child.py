"""The child process of one tool file: creates its tools and runs their calls. `main` is run in the
child.

The file's output goes to stderr, because stdout carries the answers; its stdin is empty. Calls run
in parallel, each plain function in its own thread. The process ends with the app.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import linecache
import os
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import IO, Any

from neodeskpet.core.errors import ToolCrashed, ToolError
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.toolkit.executor import run_tool
from neodeskpet.toolkit.large_results import KEPT_CHARACTERS
from neodeskpet.toolkit.registry import Tool
from neodeskpet.tools.user_tools import tool_file_protocol
from neodeskpet.tools.user_tools.tool_file_protocol import SourceFault

_MODULE = "tool_file"
_LATER = 30.0
"""Seconds added to a call's time limit in the child; the app ends the call earlier."""


def main(arguments: Sequence[str]) -> int:
    source, answers = _take_channels()
    first = json.loads(source.readline())
    tell = _LineWriter(answers)
    try:
        tools = load(first["source"], first["file"])
        specs = [tool_file_protocol.spec_to_json(tool.spec) for tool in tools.values()]
        tell({"tools": specs})
    except BaseException as error:  # noqa: BLE001 - the file may fail with anything
        fault = fault_of(error, first["file"])
        tell({"broken": {"words": fault.words, "line": fault.line}})
        return 1
    asyncio.run(_serve(tools, first["file"], source, tell))
    return 0


def _take_channels() -> tuple[IO[bytes], IO[bytes]]:
    """Take over stdin and stdout as the channels to the app, and replace them for the file."""
    source, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return source, answers


class _LineWriter:
    """Writes JSON lines, from any thread."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers
        self._lock = threading.Lock()

    def __call__(self, message: Mapping[str, object]) -> None:
        line = json.dumps(message, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            self._answers.write(line)
            self._answers.flush()


def load(source: str, file: str) -> dict[str, Tool]:
    """Return the tools of `source`: those at module level, and those returned by its functions
    named `…_tools` without parameters, as in the app's own modules. Passes exceptions of the code
    on; raises ValueError for two tools with the same name, or none.
    """
    lines = source.splitlines(keepends=True)
    linecache.cache[file] = (len(source), None, lines, file)
    module = ModuleType(_MODULE)
    module.__file__ = file
    sys.modules[_MODULE] = module
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    found: dict[str, Tool] = {}
    for made in _made(module):
        if found.setdefault(made.name, made) is not made:
            raise ValueError(f"Two tools are named {made.name}")
    if not found:
        raise ValueError("There is no tool in this file: no function under @tool(…).")
    return found


def _made(module: ModuleType) -> Iterator[Tool]:
    for name, value in list(vars(module).items()):
        if isinstance(value, Tool):
            yield value
        elif name.endswith("_tools") and _is_maker(value):
            yield from (one for one in value() if isinstance(one, Tool))


def _is_maker(value: object) -> bool:
    own = inspect.isfunction(value) and value.__module__ == _MODULE
    return own and not inspect.signature(value).parameters  # type: ignore[arg-type]


def fault_of(error: BaseException, file: str) -> SourceFault:
    """Return the fault of the file with its line."""
    words = f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, SyntaxError) and error.filename == file:
        return SourceFault(f"{type(error).__name__}: {error.msg}", error.lineno or 0)
    return SourceFault(words, line_of(error, file))


def line_of(error: BaseException, file: str) -> int:
    """Return the line of `file` at which the error occurred, 0 if there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((one.lineno or 0 for one in reversed(frames) if one.filename == file), 0)


async def _serve(
    tools: Mapping[str, Tool], file: str, source: IO[bytes], tell: _LineWriter
) -> None:
    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[None]] = set()

    def begin(order: Mapping[str, Any]) -> None:
        work = _call(tools[order["tool"]], order, file, tell)
        task = loop.create_task(work)
        running.add(task)
        task.add_done_callback(running.discard)

    def listen() -> None:
        for line in source:
            loop.call_soon_threadsafe(begin, json.loads(line))
        os._exit(0)  # the app has ended

    threading.Thread(target=listen, daemon=True).start()
    await asyncio.Event().wait()


async def _call(tool: Tool, order: Mapping[str, Any], file: str, tell: _LineWriter) -> None:
    number = order["call"]

    def progress(fraction: float | None, text: str) -> None:
        tell({"progress": number, "fraction": fraction, "text": text[:500]})

    try:
        spec = replace(tool.spec, timeout=tool.timeout + _LATER)
        result: ToolResult = await run_tool(
            tool, spec, order["arguments"], progress, KEPT_CHARACTERS
        )
        tell({"done": number, "result": tool_file_protocol.result_to_json(result)})
    except ToolError as error:
        tell({"done": number, "fault": tool_file_protocol.fault_to_json(_placed(error, file))})
    except BaseException as error:  # noqa: BLE001 - each call has one answer
        tell(
            {
                "done": number,
                "fault": tool_file_protocol.fault_to_json(ToolCrashed(repr(error)[:500])),
            }
        )


def _placed(error: ToolError, file: str) -> ToolError:
    """Add the line of the file at which the tool failed."""
    line = line_of(error.__cause__, file) if error.__cause__ is not None else 0
    if line:
        error.detail = f"{error.detail} ({file}, line {line})"
    return error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
