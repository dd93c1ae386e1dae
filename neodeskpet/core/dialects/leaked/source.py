"""The received text from the place where a call may begin. The readers of the families read it.

Readers are generators: a bare `yield` requests more text. A step is taken only when the text
determines it (or has ended), so nothing depends on how the stream was split.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar, cast

from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.call_arguments import (
    coerce_value,
    known_properties,
    nullable_properties,
    text_properties,
)
from neodeskpet.core.json_text import nests_deeper
from neodeskpet.core.toolspec import ToolNames, ToolSpec

T = TypeVar("T")
Reading = Generator[None, None, T]
"""Reads the text; yields if it needs more text."""

_SPACE = re.compile(r"\s*")
_BRACKET = re.compile(r'["{}\[\]]')
_IN_STRING = re.compile(r'["\\]')
_NAMED = re.compile(r'"(?:tool_|function_)?name"\s*:\s*"([^"\\]{1,128})"')
_IN_WINDOW = re.compile(r'"window_?id"\s*:', re.IGNORECASE)
_DEEPEST = 64
_NUMBER = re.compile(r":\d+\s*\Z")
"""The number of a call after its name, as written by Kimi K2."""
_AROUND = frozenset({"arguments", "parameters", "params", "args", "kwargs", "input", "input_json"})
"""Names that models put around all arguments."""


class NoCallError(Exception):
    """The text is not in the form of the family."""


class CutError(Exception):
    """The text ended inside a call."""


@dataclass(frozen=True, slots=True)
class Call:
    """`name` is the tool's own name. `arguments` is None if they were cut off or aren't JSON."""

    name: str
    arguments: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Thought:
    """Thinking follows, up to one of `ends`; an end in `kept` is read as text again. `said`: it
    isn't thinking but text for the user.
    """

    ends: tuple[str, ...]
    kept: tuple[str, ...] = ()
    said: bool = False


@dataclass(frozen=True, slots=True)
class Ignored:
    """A mark that is hidden from the user."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """Text between two calls that count only together."""

    text: str


Item = Call | Thought | Ignored | PlainText


class ToolTable:
    """The tools that may be called, by any form of their names."""

    def __init__(self, tools: Mapping[str, ToolSpec]) -> None:
        self.tools = tools
        self._names = ToolNames(tools)
        self.heard = tuple(dict.fromkeys([*tools, *(self._names.wire(name) for name in tools)]))
        """Own and wire names, with which a call of a tool may begin."""

    def find(self, heard: str) -> str | None:
        """Return the tool's own name, or None."""
        for name in (heard, _NUMBER.sub("", heard)):
            own = self._names.own_name(name)
            if own in self.tools:
                return own
        return None

    def schema(self, name: str) -> Mapping[str, object]:
        """Return the parameters of the tool with this own name; {} if there is none."""
        return self.tools[name].parameters if name in self.tools else {}

    def unwrapped(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the inner arguments if the only argument is called `arguments` (or similar) and
        the tool has no parameter of that name.
        """
        if len(arguments) != 1:
            return arguments
        ((key, inner),) = arguments.items()
        if key not in _AROUND or key in known_properties(self.schema(name)):
            return arguments
        if isinstance(inner, str):
            try:
                inner = load(inner) if inner.strip().startswith("{") else inner
            except NoCallError:
                return arguments
        return inner if isinstance(inner, dict) else arguments

    def is_whole(self, name: str, arguments: Mapping[str, object]) -> bool:
        """Return whether all required arguments of the tool with this own name are there."""
        required = self.schema(name).get("required")
        return all(key in arguments for key in required) if isinstance(required, list) else True

    def typed(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the arguments with the types of the schema."""
        return cast("Mapping[str, object]", coerce_value(dict(arguments), self.schema(name)))


class Source:
    """`text` from a possible beginning of a call; `at` is the reading position. `before` is the
    text before it on the line (the end of a long one). `called`: the reply had leaked calls before;
    `said`: it had other text before; `recent` is the end of that.
    """

    __slots__ = (
        "_broken",
        "at",
        "before",
        "called",
        "ended",
        "items",
        "recent",
        "said",
        "text",
        "tools",
    )

    def __init__(
        self,
        tools: ToolTable,
        before: str,
        *,
        called: bool = False,
        said: bool = False,
        recent: str = "",
    ) -> None:
        self.tools = tools
        self.before = before
        self.called = called
        self.said = said
        self.recent = recent
        self.text = ""
        self.at = 0
        self.ended = False
        self.items: list[Item] = []
        self._broken = ""

    def feed(self, text: str) -> None:
        # With a local name CPython grows the string in place.
        grown, self.text = self.text, ""
        grown += text
        self.text = grown

    def restart(self, at: int) -> None:
        """Reset the state for another family, which reads from `at`."""
        self.at = at
        self.items = []
        self._broken = ""

    def line(self) -> str:
        """Return the text before `at` on its line."""
        return (self.before + self.text[: self.at]).rpartition("\n")[2]

    # Results

    def call(self, heard: str, arguments: Mapping[str, object] | None) -> None:
        """Record a call, if the tool is offered, with the argument types of the schema."""
        name = self.tools.find(heard)
        self._broken = ""
        if name is None:
            return
        if arguments is not None:
            arguments = self.tools.typed(name, self.tools.unwrapped(name, arguments))
        self.items.append(Call(name, arguments))

    def written(self, heard: str, values: Mapping[str, str | object]) -> None:
        """Record a call whose values are texts. The word `null` is None for parameters that may be
        null.
        """
        schema = self.tools.schema(self.tools.find(heard) or "")
        nullable, texts = nullable_properties(schema), text_properties(schema)
        self.call(
            heard,
            {
                key: None
                if value == "null" and key in nullable
                else value
                if key in texts or not isinstance(value, str)
                else _unquoted(value)
                for key, value in values.items()
            },
        )

    def begin(self, heard: str) -> None:
        """Record that a call of this tool is being read, if the tool is offered."""
        self._broken = self.tools.find(heard) or ""

    @property
    def is_calling(self) -> bool:
        """Whether a call of an offered tool is being read."""
        return bool(self._broken)

    def cut(self, begun: int) -> bool:
        """Record the incomplete call at the end of the text, which begins at `begun`; return
        whether there is one.
        """
        if self._broken:
            self.items.append(Call(self._broken, None))
        else:
            self.spoil(begun, len(self.text))
        self.at = len(self.text)
        return bool(self.items)

    def spoil(self, begun: int, end: int) -> bool:
        """Record an unreadable call by the tool it names, after the calls already read; return
        whether it names one.
        """
        found = (self.tools.find(heard) for heard in _NAMED.findall(self.text, begun, end))
        known = [name for name in found if name is not None]
        acts = _IN_WINDOW.search(self.text, begun, end) is not None and self.tools.find(ACT_TOOL)
        known = known or ([acts] if acts else [])
        read = sum(isinstance(item, Call) for item in self.items)
        self.items += [Call(name, None) for name in known[read : read + 1]]
        return len(known) > read

    # Steps

    def more(self) -> Reading[None]:
        if self.ended:
            raise CutError
        yield

    def space(self) -> Reading[None]:
        """Skip all white space."""
        while True:
            self.at = _end(_SPACE, self.text, self.at)
            if self.at < len(self.text) or self.ended:
                return
            yield

    def peek(self) -> Reading[str]:
        """Return the next character. Raises CutError at the end."""
        while self.at >= len(self.text):
            yield from self.more()
        return self.text[self.at]

    def starts(self, *words: str) -> Reading[str]:
        """Read the longest of `words` at this position; return "" if there is none."""
        while True:
            left = len(self.text) - self.at
            best = ""
            wait = False
            for word in words:
                if self.text.startswith(word, self.at):
                    best = max(best, word, key=len)
                elif left < len(word) and word.startswith(self.text[self.at :]):
                    wait = True
            if not wait or self.ended:
                self.at += len(best)
                return best
            yield

    def expect(self, *words: str) -> Reading[str]:
        """Read the longest of `words`. Raises NoCallError if there is none, CutError if there is
        only a part of one.
        """
        found = yield from self.starts(*words)
        if not found:
            rest = self.text[self.at :]
            raise CutError if any(word.startswith(rest) for word in words) else NoCallError
        return found

    def closing(self, *words: str) -> Reading[str]:
        """Read white space and one of `words`, if both are here. At the end of the text a part of a
        word is read too.
        """
        here = self.at
        yield from self.space()
        found = yield from self.starts(*words)
        rest = self.text[self.at :]
        if not found and self.ended and rest and any(word.startswith(rest) for word in words):
            self.at = len(self.text)
        elif not found:
            self.at = here
        return found

    def matching(self, pattern: re.Pattern[str]) -> Reading[str]:
        """Read the longest text that matches `pattern` (which also matches "" and has a limited
        length).
        """
        while True:
            end = _end(pattern, self.text, self.at)
            if end < len(self.text) or self.ended:
                found = self.text[self.at : end]
                self.at = end
                return found
            yield

    def until(self, *ends: str) -> Reading[tuple[str, str]]:
        """Read the text up to the first of `ends`, and that end; return both."""
        pattern = any_of(ends)
        begun = seen = self.at
        longest = max(map(len, ends))
        while (match := pattern.search(self.text, seen)) is None:
            seen = max(begun, len(self.text) - longest + 1)
            yield from self.more()
        self.at = match.end()
        return self.text[begun : match.start()], match.group()

    def json_text(self) -> Reading[str]:
        """Read the text of a JSON object or array, by its brackets; or a string."""
        begun = self.at
        depth = 0
        if (yield from self.peek()) not in '{["':
            raise NoCallError
        while True:
            match = _BRACKET.search(self.text, self.at)
            if match is None:
                self.at = len(self.text)
                yield from self.more()
                continue
            self.at = match.end()
            if match.group() == '"':
                yield from self._string()
            elif match.group() in "{[":
                depth += 1
                if depth > _DEEPEST:
                    raise NoCallError
            else:
                depth -= 1
            if depth <= 0:
                return self.text[begun : self.at]

    def _string(self) -> Reading[None]:
        """Read the rest of a JSON string."""
        while True:
            match = _IN_STRING.search(self.text, self.at)
            if match is None:
                self.at = len(self.text)
                yield from self.more()
                continue
            self.at = match.end()
            if match.group() == '"':
                return
            while self.at >= len(self.text):
                yield from self.more()
            self.at += 1

    def json(self) -> Reading[object]:
        """Read a JSON object, array or string, which may contain unescaped line breaks. Raises
        NoCallError for anything else.
        """
        return load((yield from self.json_text()))


def load(text: str) -> object:
    """Parse `text` as JSON; strings may contain unescaped line breaks. Raises NoCallError."""
    if nests_deeper(text):
        raise NoCallError
    try:
        read: object = json.loads(text, strict=False, parse_constant=_refuse)
    except ValueError:
        raise NoCallError from None
    return read


def _refuse(name: str) -> object:
    raise ValueError(name)


def _unquoted(value: str) -> str:
    """Return a value that isn't a text without quotation marks around it (`"3"`)."""
    plain = value.strip()
    if len(plain) > 2 and plain[0] == plain[-1] and plain[0] in "\"'":
        return plain[1:-1]
    return value


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


@lru_cache(maxsize=1024)
def any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """One form of calls. `openings` are the texts with which it may begin; NAME represents the name
    of any offered tool. `read` reads one block and puts the results into `source.items`. A `weak`
    form looks like text that people write: it counts only if all required arguments of the tool are
    there and it isn't presented as an example.

    Openings that are words count at the beginning of a line, and within a line if `within` matches
    the text before them.
    """

    name: str
    openings: tuple[str, ...]
    read: Callable[[Source], Reading[None]]
    weak: bool = False
    within: re.Pattern[str] | None = None


NAME = "NAME"

APART = re.compile(r"(?<![A-Za-z0-9_])\Z")
"""Within a line: for unusual words, if no Latin letter is before them."""

SENTENCE = re.compile(r"[.!?。！？…][ \t]*\Z")
"""Within a line: for names, after the end of a sentence."""
