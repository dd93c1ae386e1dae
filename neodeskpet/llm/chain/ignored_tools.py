"""Notices models that are given tools and can't call them: a gateway drops the tools in silence.

A test of the endpoint saw it, or the model says so twice without having called any in between. Then
the reply brings a hint, once for each model, that offers text mode.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing

from neodeskpet.core.errors import ToolsIgnored
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import (
    ResponseFinished,
    TextDelta,
    ToolCallStarted,
    ToolsDropped,
    WireEvent,
)
from neodeskpet.core.wording import N_
from neodeskpet.llm.chain.choice import ModelChoice

_TWICE = 2
_READ = 4000  # characters of a reply
_Name = tuple[str, str]

_DENIALS = re.compile(
    r"\b(?:can(?:no|['’]?)t|can not|(?:un|not )able to|no way to|no ability to)\s+(?:\w+\s+){0,3}?"
    r"(?:call|use|invoke|execute|run|access|make)\b[^.!?\n]{0,40}"
    r"\b(?:tools?|functions?|(?:tool|function)[ -]calls?)\b"
    r"|\b(?:do(?:n['’]?t| not) have|have no|without) (?:\w+ ){0,5}?(?:tools?|functions?)\b"
    r"|\bno (?:tools?|functions?) (?:are |is |were )?(?:available|provided|given)\b"
    r"|\b(?:tools?|functions?) (?:are|is)(?: not|n['’]t) (?:available|accessible|enabled)\b"
    r"|(?:不能|无法|没法|没办法|没有办法|不支持|不具备|不会|没有(?:权限|能力)?)[^。！？\n]{0,12}"
    r"(?:调用|使用|访问|执行|操作|可用的?|任何)[^。！？\n]{0,10}(?:工具|函数|插件)"
    r"|(?:工具|函数|插件)[^。！？\n]{0,8}(?:不可用|用不了|(?:无法|不能)(?:使用|调用))",
    re.IGNORECASE,
)


def denies_having_tools(reply: str) -> bool:
    """Whether a reply says that its writer can't call tools."""
    return _DENIALS.search(reply[:_READ]) is not None


class IgnoredToolsRecord:
    """What is known of models by now. `take` is true when the person is to be told."""

    def __init__(self) -> None:
        self._denied: Counter[_Name] = Counter()
        self._found: set[_Name] = set()
        self._told: set[_Name] = set()

    def record_test(self, choice: ModelChoice, *, ignored: bool) -> None:
        """A test found it so."""
        name = _name(choice)
        self._told.discard(name)
        self._denied[name] = 0
        if ignored:
            self._found.add(name)
        else:
            self._found.discard(name)

    def should_report(self, choice: ModelChoice, reply: str, *, called: bool) -> bool:
        """A reply to a request with tools: its text, and whether it called one."""
        name = _name(choice)
        if called:
            self._denied[name] = 0
            self._found.discard(name)
            return False
        self._denied[name] += denies_having_tools(reply)
        known = name in self._found or self._denied[name] >= _TWICE
        if not known or name in self._told:
            return False
        self._told.add(name)
        return True

    def is_found(self, choice: ModelChoice) -> bool:
        """Whether a test found it."""
        return _name(choice) in self._found


def _name(choice: ModelChoice) -> _Name:
    return choice.endpoint.base_url, choice.entry.id


class IgnoredToolsDetector:
    """`model`, whose replies are read for what it says of its tools."""

    def __init__(self, model: Model, choice: ModelChoice, ignored: IgnoredToolsRecord) -> None:
        self._model = model
        self._choice = choice
        self._ignored = ignored

    @property
    def label(self) -> str:
        return self._model.label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        said, called, dropped = "", False, not request.tools
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta) and len(said) < _READ:
                    said += event.text
                elif isinstance(event, ToolCallStarted):
                    called = True
                elif isinstance(event, ToolsDropped):
                    dropped = True
                elif isinstance(event, ResponseFinished) and not dropped:
                    found = self._ignored.is_found(self._choice)
                    if self._ignored.should_report(self._choice, said, called=called):
                        yield ToolsDropped(self._error(found))
                yield event

    def _error(self, found: bool) -> ToolsIgnored:
        seen, says = N_("The test of its service saw that."), N_("It says that it can't.")
        return ToolsIgnored(model=self.label, reason=seen if found else says)
