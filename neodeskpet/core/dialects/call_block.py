"""One `<tool_call>` block, read while it streams, and the calls that are in it.

Its end is looked for outside the JSON's strings, which may hold the mark. Where the quotes are so
wrong that none is found, the first mark ends it once the reply is over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from neodeskpet.core.arguments import read_arguments
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.json_text import read_json
from neodeskpet.core.windows.calls import ACT
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

CLOSING = re.compile(r"</tool_call\s{0,9}>", re.IGNORECASE)
TOOLS = "tools"
"""The window in which the tools stand that no app has."""

_STEP = re.compile(r'[^"\\<]+|\\.|["<\\]', re.DOTALL)
_ACTS = re.compile(
    rf'\s*\{{\s*(?:"calls"\s*:\s*\[\s*\{{\s*)?"window_id"\s*:\s*"(?!{TOOLS}")[^"\\]*"',
    re.IGNORECASE,
)
_LONGEST = 24
"""Characters that a closing mark has at most."""


@dataclass(frozen=True, slots=True)
class Body:
    """What stood in a block, and what follows its end."""

    text: str
    rest: str


class CallBlock:
    """Feed text until a `Body` is returned."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0  # looked at so far
        self._quoted = False

    def feed(self, text: str) -> Body | None:
        self._text += text
        return self._look(whole=False)

    @property
    def acts(self) -> bool:
        """Whether its first call is one in a window, as far as it is written."""
        return _acts(self._text)

    def finish(self) -> Body | None:
        """The reply is over; None where no end mark is in it."""
        found = self._look(whole=True)
        if found is None:
            mark = CLOSING.search(self._text)
            found = mark and Body(self._text[: mark.start()], self._text[mark.end() :])
        return found

    def _look(self, *, whole: bool) -> Body | None:
        for step in _STEP.finditer(self._text, self._at):
            sign = step[0]
            if sign == "<" and not self._quoted:
                mark = CLOSING.match(self._text, self._at)
                if mark is not None:
                    return Body(self._text[: self._at], self._text[mark.end() :])
                if not whole and len(self._text) - self._at < _LONGEST:
                    break
            elif sign == "\\" and not whole and self._at + 1 == len(self._text):
                break  # what it escapes is still to come
            elif sign == '"':
                self._quoted = not self._quoted
            self._at = step.end()
        return None


def _acts(text: str) -> bool:
    return _ACTS.match(text) is not None


def read_block(text: str, index: int, *, begun: bool = False) -> Iterator[WireEvent]:
    """The calls of a block, as a decoder would tell them: `index` is the first's, which may be told
    to have `begun`. What can't be read becomes one call, which is answered with what is wrong.
    """
    calls = list(_grouped(_entries(text)))
    if not calls or (calls[0][0] != ACT and (begun or _acts(text))):
        calls = [(ACT, text.strip())]
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
        arguments = read_arguments(text)[0]
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
            yield ACT, _written({"calls": group})
            group = []
        name, params = tool
        yield name, _written(params)
    if group:
        yield ACT, _written({"calls": group})


def _written(arguments: Mapping[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _tool_call(entry: object) -> tuple[str, Mapping[str, object]] | None:
    """The tool that an entry calls: in the window of tools, or in the form that models know
    (`{"name", "arguments"}`).
    """
    if not isinstance(entry, Mapping):
        return None
    keys = {str(key).casefold().replace("_", ""): value for key, value in entry.items()}
    if keys.get("windowid") == TOOLS:
        name, params = keys.get("actionid"), keys.get("params")
    elif "windowid" not in keys and "actionid" not in keys:
        name, params = keys.get("name"), keys.get("arguments")
    else:
        return None
    if not isinstance(name, str) or not isinstance(params, Mapping | None):
        return None
    return name, params or {}
