"""What passes between other programs and the app: the values, the Protocols of both sides, and the
JSON lines of the local channel.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from neodeskpet.core.json_text import read_json
from neodeskpet.core.unicode_text import show_hidden_chars

MAX_REQUEST_BYTES = 256 * 1024
"""Bytes of a line that comes from a visitor."""
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
"""Bytes of a line that the app answers."""


class InvalidLine(ValueError):
    """What came is no line of this language."""


class JsonLineReader:
    """Bytes in, objects out. `most` bytes are taken for a line."""

    def __init__(self, most: int = MAX_REQUEST_BYTES) -> None:
        self._most = most
        self._held = bytearray()

    def feed(self, data: bytes) -> list[Mapping[str, object]]:
        """The lines that are complete by now. Raises InvalidLine, and is of no use then."""
        self._held += data
        *whole, rest = self._held.split(b"\n")
        if max(len(line) for line in (*whole, rest)) > self._most:
            raise InvalidLine(f"a line has more than {self._most} bytes")
        self._held = bytearray(rest)
        return [parse_line(bytes(line)) for line in whole]


def parse_line(line: bytes) -> Mapping[str, object]:
    """The object of one line. Raises InvalidLine."""
    try:
        value = read_json(line.decode("utf-8"), strict=True)
    except ValueError as error:  # no UTF-8, no JSON, too deep
        raise InvalidLine(f"no JSON: {type(error).__name__}") from None
    if not isinstance(value, dict):
        raise InvalidLine("no object")
    return value


def format_line(message: Mapping[str, object]) -> bytes:
    """One line for `message`."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


MAX_TEXT = 1_000
"""Characters of what is said, and of a notice."""
QUESTION = 2_000
"""Characters of a question."""
_MAX_PROGRAM_NAME = 32
"""Characters of a program's name."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call came to: `text` for whoever reads it, `data` (plain JSON) for a script."""

    text: str
    data: Mapping[str, object] | None = None
    failed: bool = False

    def to_json(self) -> dict[str, object]:
        return {"text": self.text, "data": self.data, "failed": self.failed}

    @classmethod
    def from_json(cls, said: Mapping[str, object]) -> ToolAnswer:
        data = said.get("data")
        failed = said.get("failed") is not False
        return cls(str(said.get("text", "")), data if isinstance(data, dict) else None, failed)


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as it is listed. `parameters` is a JSON Schema object. `reads`: it changes nothing;
    `deletes`: what it changes may be lost.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    reads_only: bool = False
    may_delete: bool = False

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
            "reads": self.reads_only,
            "deletes": self.may_delete,
        }

    @classmethod
    def from_json(cls, said: Mapping[str, object]) -> OfferedTool:
        parameters = said.get("parameters")
        return cls(
            str(said.get("name", "")),
            str(said.get("description", "")),
            parameters if isinstance(parameters, dict) else {"type": "object"},
            said.get("reads") is True,
            said.get("deletes") is True,
        )


@dataclass(frozen=True, slots=True)
class AppWindowInfo:
    """A window of an app, as it is listed: `name` is the app's id."""

    name: str
    title: str
    description: str

    def to_json(self) -> dict[str, object]:
        return {"name": self.name, "title": self.title, "description": self.description}

    @classmethod
    def from_json(cls, said: Mapping[str, object]) -> AppWindowInfo:
        words = (str(said.get(key, "")) for key in ("name", "title", "description"))
        return cls(*words)


class ToolHost(Protocol):
    """Where a visitor's calls are carried out. `who` is what the program calls itself."""

    async def tools(self) -> Sequence[OfferedTool]: ...

    async def windows(self) -> Sequence[AppWindowInfo]: ...

    async def window(self, who: str, name: str) -> ToolAnswer:
        """What the window of an app holds now. Raises nothing, as `call`."""
        ...

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        """Never raises but CancelledError: then the caller wants it no more."""
        ...


class Delivery(StrEnum):
    """Where a text went."""

    BUBBLE = "bubble"
    NOTICE = "notice"
    QUIET = "quiet"
    """Nowhere: the person wants quiet now."""
    FULL = "full"
    """Nowhere: too much waits to be read."""


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """What the person answered; "" and why not."""

    choice: str
    reason: str = ""


class CompanionAccess(Protocol):
    """The companion on the desktop, as visitors may use it. All texts are plain and bounded; `who`
    is shown with each.
    """

    async def say(self, who: str, text: str, *, wait: bool, topic: str = "") -> Delivery:
        """`wait` until it has been read, or clicked away. `topic`: what it can be withdrawn by."""
        ...

    async def ask(
        self, who: str, question: str, choices: Sequence[str], seconds: float, topic: str = ""
    ) -> QuestionReply:
        """Cancelled, the question goes. `topic`: what it can be withdrawn by."""
        ...

    def withdraw(self, who: str, topic: str) -> int:
        """Withdraw this program's questions about this topic, and its text if it was not read yet.
        Returns the number of withdrawn questions.
        """
        ...

    async def notify(self, who: str, title: str, text: str) -> Delivery: ...

    def expressions(self) -> Sequence[str]: ...

    def motions(self) -> Mapping[str, int]: ...

    def express(self, name: str) -> bool:
        """False when the body may not move now."""
        ...

    def play(self, group: str, index: int | None) -> bool: ...

    def moods(self) -> Sequence[str]:
        """What any figure can show."""
        ...

    def show_mood(self, mood: str) -> bool: ...


def clean_program_name(said: object) -> str:
    """A program's name as it is shown: one short line, "" if it says none."""
    line = " ".join(show_hidden_chars(said).split()) if isinstance(said, str) else ""
    return line if len(line) <= _MAX_PROGRAM_NAME else line[: _MAX_PROGRAM_NAME - 1] + "…"
