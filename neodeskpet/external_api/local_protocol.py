"""The protocol between other programs and the app: the values, the interfaces of both sides, and
the JSON lines of the local channel.
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
"""Most bytes of a line from a program."""
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
"""Most bytes of a line from the app."""


class InvalidLine(ValueError):
    """The line isn't valid in this protocol."""


class JsonLineReader:
    """Splits bytes into lines of at most `most` bytes and parses them."""

    def __init__(self, most: int = MAX_REQUEST_BYTES) -> None:
        self._most = most
        self._held = bytearray()

    def feed(self, data: bytes) -> list[Mapping[str, object]]:
        """Add data and return the complete lines. Raises InvalidLine; the reader can't be used
        after that.
        """
        self._held += data
        *whole, rest = self._held.split(b"\n")
        if max(len(line) for line in (*whole, rest)) > self._most:
            raise InvalidLine(f"a line has more than {self._most} bytes")
        self._held = bytearray(rest)
        return [parse_line(bytes(line)) for line in whole]


def parse_line(line: bytes) -> Mapping[str, object]:
    """Parse one line. Raises InvalidLine."""
    try:
        value = read_json(line.decode("utf-8"), strict=True)
    except ValueError as error:  # not UTF-8, not JSON, or too deep
        raise InvalidLine(f"no JSON: {type(error).__name__}") from None
    if not isinstance(value, dict):
        raise InvalidLine("no object")
    return value


def format_line(message: Mapping[str, object]) -> bytes:
    """Return `message` as one line."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


MAX_TEXT = 1_000
"""Most characters of a message or a notice."""
QUESTION = 2_000
"""Most characters of a question."""
MAX_FOLDER = 400
"""Most characters of the folder of a question."""
_MAX_PROGRAM_NAME = 32
"""Most characters of a program's name."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result of a call: `text` for people and models, `data` (plain JSON) for scripts."""

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
    """A listed tool. `parameters` is a JSON Schema object. `reads`: it changes nothing; `deletes`:
    its changes can lose data.
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
    """A listed app window: `name` is the app's id."""

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
    """Runs the calls of programs. `who` is the name that the program gives itself."""

    async def tools(self) -> Sequence[OfferedTool]: ...

    async def windows(self) -> Sequence[AppWindowInfo]: ...

    async def window(self, who: str, name: str) -> ToolAnswer:
        """Return the current content of an app's window. Raises nothing, like `call`."""
        ...

    async def call(self, who: str, tool: str, arguments: Mapping[str, object]) -> ToolAnswer:
        """Run a call. Raises only CancelledError, if the caller cancels it."""
        ...


class Delivery(StrEnum):
    """What happened to a text."""

    BUBBLE = "bubble"
    NOTICE = "notice"
    QUIET = "quiet"
    """Not shown: the user wants quiet."""
    FULL = "full"
    """Not shown: too many texts are unread."""


@dataclass(frozen=True, slots=True)
class QuestionDetails:
    """What a question is about, as plain text of the program, and the folder that it works in. With
    `text` the first choice is offered only where all of it has been shown.
    """

    text: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """The user's answer; if it is "", the reason."""

    choice: str
    reason: str = ""


class CompanionAccess(Protocol):
    """The companion on the desktop, as programs may use it. All texts are plain and bounded; `who`
    is shown with each.
    """

    async def say(self, who: str, text: str, *, wait: bool, topic: str = "") -> Delivery:
        """Show a text. With `wait`, return after it was read or dismissed. `topic` is used to
        withdraw it.
        """
        ...

    async def ask(
        self,
        who: str,
        question: str,
        choices: Sequence[str],
        seconds: float,
        topic: str = "",
        details: QuestionDetails | None = None,
    ) -> QuestionReply:
        """Ask a question. Cancelling removes the question. `topic` is used to withdraw it."""
        ...

    def withdraw(self, who: str, topic: str) -> int:
        """Withdraw this program's questions with this topic, and its text if it is unread. Returns
        the number of withdrawn questions.
        """
        ...

    async def notify(self, who: str, title: str, text: str) -> Delivery: ...

    def expressions(self) -> Sequence[str]: ...

    def motions(self) -> Mapping[str, int]: ...

    def express(self, name: str) -> bool:
        """Show an expression. Return False if the figure may not move now."""
        ...

    def play(self, group: str, index: int | None) -> bool: ...

    def moods(self) -> Sequence[str]:
        """Return the moods that any figure can show."""
        ...

    def show_mood(self, mood: str) -> bool: ...


def clean_program_name(said: object) -> str:
    """Return a program's name for display: one short line, "" if it gives none."""
    line = " ".join(show_hidden_chars(said).split()) if isinstance(said, str) else ""
    return line if len(line) <= _MAX_PROGRAM_NAME else line[: _MAX_PROGRAM_NAME - 1] + "…"
