"""A `<tool>` block of the tool_tag dialect, and its arguments: a JSON object, a JSON array, or
positional strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence

from neodeskpet.core.dialects.marker_reader import BlockBody, BlockBodyReader
from neodeskpet.core.json_text import read_json
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.core.wire import ToolArgsDelta, ToolCallReady, ToolCallStarted, WireEvent

_END = re.compile(r"</?tool\s{0,9}>", re.IGNORECASE)
"""Another block may begin if the end mark of this one is missing."""
_LONGEST = 24
"""Highest number of characters in a tag."""
_HEAD = 4_096
"""Characters that are searched for the name, if it is before the arguments."""
_NAME = re.compile(r"<name\s{0,9}>(.*?)</name\s{0,9}>", re.IGNORECASE | re.DOTALL)
_ARGUMENTS = re.compile(r"<arguments\s{0,9}>", re.IGNORECASE)
_SIGN = re.compile(r"\S")
_ARGUMENTS_END = re.compile(r"</arguments\s{0,9}>", re.IGNORECASE)
_NAMELESS = "tool"

_VALUE = re.compile(
    r"""\s*(?:'(?P<single>(?:[^'\\]|\\.)*+)'\s*(?=,|\Z)|(?P<plain>(?:"(?:[^"\\]|\\.)*+"|[^,])*+))"""
    r"(?P<more>,|\Z)",
    re.DOTALL,
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class TagBlock:
    """One call. `index` is its wire index; `tools` define the positions of positional arguments."""

    def __init__(self, index: int, tools: Sequence[ToolSpec]) -> None:
        self._index = index
        self._tools = tools
        self._head = ""
        self._name = ""
        self._json: BlockBodyReader | None = None  # of the arguments, if they are JSON
        self._opened = False  # the arguments have begun
        self._worded = False  # and they aren't JSON
        self._at = 0  # looked at so far

    def feed(self, text: str) -> Generator[WireEvent, None, str | None]:
        body = self._json.feed(text) if self._json is not None else self._look(text)
        if not self._name:
            yield from self._begin(self._head[:_HEAD])
        if body is None:
            return None
        return (yield from self._close(body))

    def finish(self) -> Generator[WireEvent, None, str]:
        """Handle the end of the reply: the call stays unfinished, unless wrong quotes hid
        its end.
        """
        body = self._json.finish() if self._json is not None else None
        if body is not None:
            return (yield from self._close(body))
        if not self._name:
            yield ToolCallStarted(self._index, "", _NAMELESS)
        return ""

    def _look(self, text: str) -> BlockBody | None:
        """Return the body if the block ends here and its arguments aren't JSON; otherwise start the
        JSON reader.
        """
        self._head += text
        self._open()
        if self._opened and not self._worded:
            sign = _SIGN.search(self._head, self._at)
            self._at = len(self._head) if sign is None else sign.start()
            if sign is None:
                return None
            if sign[0] in "{[":
                self._json = BlockBodyReader(_END)
                rest, self._head = self._head[self._at :], self._head[: self._at]
                return self._json.feed(rest)
            self._worded = True
        end = _END.search(self._head, self._at)
        self._at = max(self._at, len(self._head) - _LONGEST)
        if end is None:
            return None
        body = BlockBody(self._head[: end.start()], self._head[end.end() :], end[0])
        self._head = body.text
        return body

    def _open(self) -> None:
        """Record the beginning of the arguments, if it is before the end of the block."""
        begun = None if self._opened else _ARGUMENTS.search(self._head, self._at)
        end = _END.search(self._head, self._at, begun.start()) if begun is not None else None
        if begun is not None and end is None:
            self._opened, self._at = True, begun.end()

    def _begin(self, text: str) -> Iterator[WireEvent]:
        found = _NAME.search(text)
        if found is not None and found[1].strip():
            self._name = found[1].strip()
            yield ToolCallStarted(self._index, "", self._name)

    def _close(self, body: BlockBody) -> Generator[WireEvent, None, str]:
        inside = body.text if self._json is None else self._head + body.text
        begun = _ARGUMENTS.search(inside)
        given = inside[begun.end() :] if begun is not None else ""
        ends = list(_ARGUMENTS_END.finditer(given))
        if not self._name:
            yield from self._begin(given[ends[-1].end() :] if ends else "")
        if not self._name:
            yield ToolCallStarted(self._index, "", _NAMELESS)
        if body.mark.startswith("</"):
            given = given[: ends[-1].start()] if ends else given
            yield ToolArgsDelta(self._index, read_values(given, self._parameters()))
            yield ToolCallReady(self._index)
            return body.rest
        return body.mark + body.rest

    def _parameters(self) -> Mapping[str, object]:
        name = ToolNames(tool.name for tool in self._tools).own_name(self._name)
        return next((tool.parameters for tool in self._tools if tool.name == name), {})


def read_values(given: str, parameters: Mapping[str, object]) -> str:
    """Return the arguments as the text of a JSON object; text that can't be read is returned as it
    is.
    """
    given = given.strip()
    if given.startswith("{") or not given:
        return given
    if not given.startswith("["):
        return _named(split_values(given), parameters, gaps=True)
    try:
        values = read_json(given, strict=True)
    except ValueError:
        return given
    return _named(values, parameters) if isinstance(values, list) else given


def split_values(text: str) -> list[str]:
    """Return the texts between commas outside quotes; an empty one keeps its position."""
    values: list[str] = []
    at, more = 0, True
    while more:
        found = _VALUE.match(text, at)
        assert found is not None, "anything is a value"
        single = found["single"]
        value = found["plain"].strip() if single is None else single
        quoted = _QUOTED.fullmatch(value) if single is None else None
        if quoted is not None:
            value = quoted[1]
        if quoted is not None or single is not None:
            value = _ESCAPED.sub(r"\1", value)
        values.append(value)
        at, more = found.end(), bool(found["more"])
    return values


def _named(
    values: Sequence[object], parameters: Mapping[str, object], *, gaps: bool = False
) -> str:
    """Return `values` with the parameter names of their positions; extra ones get numbers. With
    `gaps`, an empty value is left out if its parameter is optional.
    """
    properties, required = parameters.get("properties"), parameters.get("required")
    names = list(properties) if isinstance(properties, Mapping) else []
    needed = required if isinstance(required, Sequence) else ()
    named: dict[str, object] = {}
    for place, value in enumerate(values):
        name = names[place] if place < len(names) else str(place + 1)
        if value != "" or not gaps or name in needed:
            named[name] = value
    return json.dumps(named, ensure_ascii=False)
