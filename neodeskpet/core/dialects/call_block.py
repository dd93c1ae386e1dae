"""The calls in a `<tool_call>` block."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from neodeskpet.core.arguments import repair_arguments
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.json_text import read_json
from neodeskpet.core.windows.calls import ACT_TOOL
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

CLOSING_MARKER = re.compile(r"</tool_call\s{0,9}>", re.IGNORECASE)
TOOLS_WINDOW = "tools"
"""The window in which the tools stand that no app has."""

_ACTS = re.compile(
    rf'\s*\{{\s*(?:"calls"\s*:\s*\[\s*\{{\s*)?"window_id"\s*:\s*"(?!{TOOLS_WINDOW}")[^"\\]*"',
    re.IGNORECASE,
)


def is_window_call(text: str) -> bool:
    """Whether the first call of a block is one in a window, as far as it is written."""
    return _ACTS.match(text) is not None


def read_call_block(text: str, index: int, *, begun: bool = False) -> Iterator[WireEvent]:
    """The calls of a block, as a decoder would tell them: `index` is the first's, which may be told
    to have `begun`. What can't be read becomes one call, which is answered with what is wrong.
    """
    calls = list(_grouped(_entries(text)))
    if not calls or (calls[0][0] != ACT_TOOL and (begun or is_window_call(text))):
        calls = [(ACT_TOOL, text.strip())]
    for number, (name, raw) in enumerate(calls):
        if number or not begun:
            yield ToolCallStarted(index + number, "", name)
        yield ToolArgsDelta(index + number, raw)
        yield ToolCallReady(index + number)


def _entries(text: str) -> list[object]:
    """The list of calls, or the single one; none where it can't be read."""
    try:
        value = read_json(text, strict=True)
    except ValueError:
        value = None
    if isinstance(value, list):
        return value
    try:
        arguments = repair_arguments(text)[0]
    except InvalidArguments:
        return []
    calls = next((one for key, one in arguments.items() if key.casefold() == "calls"), arguments)
    if isinstance(calls, list):
        return calls
    return [calls] if calls is arguments and arguments else []


def _grouped(entries: list[object]) -> Iterator[tuple[str, str]]:
    """Names and arguments: each call of a tool by itself, calls in windows that follow one another
    together.
    """
    group: list[object] = []
    for entry in entries:
        tool = _tool_call(entry)
        if tool is None:
            group.append(entry)
            continue
        if group:
            yield ACT_TOOL, _written({"calls": group})
            group = []
        name, params = tool
        yield name, _written(params)
    if group:
        yield ACT_TOOL, _written({"calls": group})


def _written(arguments: Mapping[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _tool_call(entry: object) -> tuple[str, Mapping[str, object]] | None:
    """The tool that an entry calls: in the window of tools, or in the form that models know
    (`{"name", "arguments"}`).
    """
    if not isinstance(entry, Mapping):
        return None
    keys = {str(key).casefold().replace("_", ""): value for key, value in entry.items()}
    if keys.get("windowid") == TOOLS_WINDOW:
        name, params = keys.get("actionid"), keys.get("params")
    elif "windowid" not in keys and "actionid" not in keys:
        name, params = keys.get("name"), keys.get("arguments")
    else:
        return None
    if not isinstance(name, str) or not isinstance(params, Mapping | None):
        return None
    return name, params or {}
