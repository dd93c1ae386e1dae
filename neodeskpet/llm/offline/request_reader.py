"""Reads a model request: the user's last words, and the results of the tools since then.

In native mode results are `ToolResults`; in the text dialect they are TOOL_RESULT blocks in a user
message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from typing import Any, cast

from neodeskpet.core.json_text import read_json
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.transcript import (
    CONTINUE_TEXT,
    TASK_ENDED,
    AssistantTurn,
    ModelMessage,
    TextPart,
    ToolResults,
    UserTurn,
)
from neodeskpet.language import language

TEXT_DIALECT = "tool_request"
COMPANION_NAMES = ("Neo", "尼奥")
"""The companion's default names, in English and in Chinese."""
REFUSAL_TEXTS = ("I don't understand that.", "这个我还不会呢。")
"""The text with which the helper refuses, in English and in Chinese."""
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LETTER = re.compile(r"[A-Za-z]{2}")
_RESULT = re.compile(
    r"(?<!<)<{2,}\[TOOL_RESULT\]>{2,}(.*)(?<!<)<{2,}\[END_TOOL_RESULT\]>{2,}", re.DOTALL
)
_FIELD = re.compile(
    r"\b(\w{1,99})\s{0,9}[:：]\s{0,9}「始(ESCAPE)?」(.*?)「末(?(2)ESCAPE)」", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The result of a tool; `ok` is false for a failed, denied or cancelled call."""

    name: str
    output: str
    ok: bool = True

    @property
    def data(self) -> Mapping[str, Any]:
        """Return the output as a JSON object, empty if it is none."""
        try:
            value = read_json(self.output)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class OfflineRequest:
    """The input of the rules. `turn` counts the user's messages before this one; `company` is the
    number of requests in this message. `names` are the companion's, in both languages; `refused`:
    the helper has already said REFUSAL. `now` is the user's local time; `random` is the source of
    chance.
    """

    words: str
    chinese: bool
    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    pictures: bool = False
    turn: int = 0
    company: int = 1
    names: tuple[str, str] = COMPANION_NAMES
    refused: bool = False
    random: Random = field(default_factory=Random, compare=False)
    now: datetime = field(default_factory=datetime.now, compare=False)

    @property
    def name(self) -> str:
        """Return the companion's name in the language of the request."""
        return self.pick(*self.names)

    def pick(self, english: str, chinese: str) -> str:
        return chinese if self.chinese else english

    def options(self, tool: str, argument: str) -> Sequence[str]:
        """Return the values that a tool accepts for an argument now; empty if it isn't offered."""
        spec = self.tools.get(tool)
        if spec is None:
            return ()
        properties = cast("Mapping[str, Mapping[str, object]]", spec.parameters["properties"])
        return cast("Sequence[str]", properties.get(argument, {}).get("enum", ()))


@dataclass(frozen=True, slots=True)
class OfflineRound:
    """`batches` are the tool results since the user's message, one item for each round, oldest
    first. `said` is the text that follows the last results when an interrupted reply is continued.
    """

    ask: OfflineRequest
    batches: tuple[tuple[ToolAnswer, ...], ...]
    said: str = ""


@dataclass(frozen=True, slots=True)
class _Words:
    text: str


@dataclass(frozen=True, slots=True)
class _Picture:
    pass


@dataclass(frozen=True, slots=True)
class _OwnText:
    text: str


_Entry = _Words | _Picture | _OwnText | tuple[ToolAnswer, ...]


def read_request(
    request: ModelRequest,
    known_tools: Callable[[], Sequence[ToolSpec]],
    names: tuple[str, str] = COMPANION_NAMES,
) -> OfflineRound:
    """Read a request. `known_tools` returns the tools of the text dialect, where the request has
    none; `names` are the companion's.
    """
    textual = request.dialect == TEXT_DIALECT
    entries = list(_entries(request.messages, textual))
    last = max((at for at, one in enumerate(entries) if _is_person(one)), default=-1)
    since = entries[last + 1 :]
    batches = tuple(one for one in since if isinstance(one, tuple))
    said = ""
    for entry in since:
        if isinstance(entry, tuple):
            said = ""
        elif isinstance(entry, _OwnText):
            said += entry.text
    ask = _read_ask(entries, last, _tools(request, textual, known_tools))
    addressed = re.compile("^(?:" + "|".join(map(re.escape, names)) + r")[\s,，]+", re.IGNORECASE)
    ask = replace(ask, names=names, words=addressed.sub("", ask.words))
    return OfflineRound(ask, batches, said)


def _read_ask(
    entries: Sequence[_Entry], last: int, tools: Mapping[str, ToolSpec]
) -> OfflineRequest:
    earlier = [one.text for one in entries[: last + 1] if isinstance(one, _Words)]
    pictures, words = False, ""
    for entry in reversed(entries[: last + 1]):
        if isinstance(entry, _Picture):
            pictures = True
        elif isinstance(entry, _Words) and not words:
            words = entry.text
        else:
            break
    said = [one.text for one in entries[: last + 1] if isinstance(one, _OwnText)]
    return OfflineRequest(
        words,
        speaks_chinese(earlier),
        tools,
        pictures,
        turn=max(0, len(earlier) - 1),
        refused=any(refusal in text for text in said for refusal in REFUSAL_TEXTS),
    )


def _tools(
    request: ModelRequest, textual: bool, known_tools: Callable[[], Sequence[ToolSpec]]
) -> dict[str, ToolSpec]:
    if request.tool_choice == "none":
        return {}
    return {spec.name: spec for spec in (known_tools() if textual else request.tools)}


def speaks_chinese(messages: Sequence[str]) -> bool:
    """Return the language of the latest message that shows one; otherwise that of the interface."""
    for text in reversed(messages):
        if _HAN.search(text):
            return True
        if _LETTER.search(text):
            return False
    return language() == "zh_CN"


def _is_person(entry: _Entry) -> bool:
    return isinstance(entry, _Words | _Picture)


def _entries(messages: Sequence[ModelMessage], textual: bool) -> Iterator[_Entry]:
    for message in messages:
        match message:
            case UserTurn():
                yield from _user_entries(message, textual)
            case AssistantTurn(parts=parts):
                yield _OwnText("".join(p.text for p in parts if isinstance(p, TextPart)))
            case ToolResults(results=results):
                yield tuple(ToolAnswer(one.name, one.output, one.ok) for one in results)


def _user_entries(turn: UserTurn, textual: bool) -> Iterator[_Entry]:
    """Read the results first: in the text dialect they are in one message with words that came
    later.
    """
    texts = [part.text for part in turn.parts if isinstance(part, TextPart)]
    results = [_parse_result(text) for text in texts] if textual else []
    found = tuple(result for result in results if result is not None)
    if found:
        yield found
    for part in turn.parts:
        if not isinstance(part, TextPart):
            yield _Picture()
        elif not part.text.startswith((CONTINUE_TEXT, TASK_ENDED)) and not (
            textual and _parse_result(part.text)
        ):
            yield _Words(part.text)


def _parse_result(text: str) -> ToolAnswer | None:
    block = _RESULT.fullmatch(text.strip())
    if block is None:
        return None
    fields = {name.lower(): value for name, _, value in _FIELD.findall(block[1])}
    ok = fields.get("status", "").strip() != "error"
    return ToolAnswer(fields.get("tool_name", ""), fields.get("result", ""), ok)
