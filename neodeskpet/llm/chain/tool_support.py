"""Models and services that cannot use tools: models whose tool lists are ignored in silence, and
requests with tools that a service refuses for an unknown reason. The user is asked; nothing is
tried automatically. `ToolCallModes` stores how the tools of each service are called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from urllib.parse import urlsplit

from neodeskpet.core.errors import (
    BadReply,
    LlmError,
    NotFound,
    RequestRefused,
    ServiceFailed,
    ToolsIgnored,
    ToolsInDoubt,
)
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import (
    ResponseFinished,
    TextDelta,
    ToolCallStarted,
    ToolsDropped,
    WireEvent,
)
from neodeskpet.llm.chain.model_selection import ModelChoice
from neodeskpet.settings.secrets import parse_hosts
from neodeskpet.settings.store import SettingsStore

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
    """Return whether the model says in its reply that it can't call tools."""
    return _DENIALS.search(reply[:_READ]) is not None


class IgnoredToolsRecord:
    """What is known about models that ignore tools."""

    def __init__(self) -> None:
        self._denied: Counter[_Name] = Counter()
        self._found: set[_Name] = set()
        self._reported: set[_Name] = set()

    def record_test(self, choice: ModelChoice, *, ignored: bool) -> None:
        """Record the result of a test."""
        name = _name(choice)
        self._reported.discard(name)
        self._denied[name] = 0
        if ignored:
            self._found.add(name)
        else:
            self._found.discard(name)

    def should_report(self, choice: ModelChoice, reply: str, *, called: bool) -> bool:
        """Record a reply to a request with tools: its text, and whether it called one. Returns
        whether to tell the user.
        """
        name = _name(choice)
        if called:
            self._denied[name] = 0
            self._found.discard(name)
            return False
        self._denied[name] += denies_having_tools(reply)
        known = name in self._found or self._denied[name] >= _TWICE
        if not known or name in self._reported:
            return False
        self._reported.add(name)
        return True

    def is_found(self, choice: ModelChoice) -> bool:
        """Return whether a test found that the model ignores tools."""
        return _name(choice) in self._found


def _name(choice: ModelChoice) -> _Name:
    return choice.endpoint.base_url, choice.entry.id


class IgnoredToolsDetector:
    """`model`, whose replies are searched for statements that it has no tools."""

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
        seen, says = N_("The test of its service showed that."), N_("It says that it can't.")
        return ToolsIgnored(model=self.label, reason=seen if found else says)


_UNSPECIFIC = frozenset({400, 404, 405, 415, 422, 500, 501, 502, 503})


def tools_in_doubt(error: LlmError, base_url: str) -> LlmError:
    """Return the error for a failed request with tools that showed nothing: a question about the
    tools if they may be the reason.
    """
    if not _may_be_the_tools(error):
        return error
    doubted = ToolsInDoubt(
        error.detail, status=error.status, retry_after=error.retry_after, raw=error.raw
    )
    doubted.params |= {"status": str(error.status), "service": service_of(base_url)}
    return doubted


def service_of(base_url: str) -> str:
    """Return the address of a service without possible secrets."""
    text = base_url.strip()
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
    except ValueError:  # not an address; the request will report that
        return ""
    place = parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")
    return (f"{parts.scheme}://{place}" if parts.scheme else place).casefold()


def _may_be_the_tools(error: LlmError) -> bool:
    """Return whether the tools may be the reason. A 404 with an error object is about a route or a
    model; a bare one is ambiguous. A temporary 5xx was already retried with the tools.
    """
    if isinstance(error, NotFound) and error.raw is not None:
        return False
    kinds = (RequestRefused, ServiceFailed, NotFound, BadReply)
    return isinstance(error, kinds) and error.status in _UNSPECIFIC


AUTO, TEXT, NATIVE, NONE = "auto", "text", "native", "none"
_LISTS = {TEXT: "text_services", NONE: "toolless_services", NATIVE: "native_services"}
"""The settings that list the services with a choice of their own. They count in the mode AUTO."""
CHANGED_SETTINGS = ("dialect", *_LISTS.values(), "mode")
"""The settings of the section "mode" that `ToolCallModes` changes."""


class ToolCallModes:
    """Reads and changes the choices in the settings."""

    def __init__(self, settings: SettingsStore) -> None:
        self._settings = settings

    def mode_of(self, base_url: str) -> str:
        """Return "auto", "native" or "text" for a service, or "none" to send without tools."""
        mode = self._settings.settings.mode.mode
        if mode != AUTO:
            return mode
        service = service_of(base_url)
        return next((one for one in _LISTS if service in self._listed(one)), AUTO)

    def choose(self, base_url: str, chosen: str, others: Iterable[str] = ()) -> None:
        """Store the mode of one service. `others` are the addresses of the other services, which
        keep theirs; without any, the mode for all services is changed. Raises KnownError.
        """
        service = service_of(base_url)
        kept = {other: self.mode_of(other) for other in map(service_of, others)}
        kept.pop(service, None)
        alone = not kept and chosen != NONE
        listed = {one: [*self._listed(one)] for one in _LISTS}
        if self._settings.settings.mode.mode != AUTO:
            for services in listed.values():
                services[:] = [one for one in services if one not in kept]
            for other, mode in kept.items():
                listed[mode].append(other)
        for services in listed.values():
            if service in services:
                services.remove(service)
        if chosen in listed and not alone:
            listed[chosen].append(service)
        for one, services in listed.items():
            self._change(_LISTS[one], ", ".join(services))
        self._change("mode", chosen if alone else AUTO)

    def choose_format(self, dialect: str) -> None:
        """Store the text format of tool calls. Raises KnownError."""
        self._change("dialect", dialect)

    def snapshot(self) -> dict[str, str]:
        """Return the settings that `choose` and `choose_format` change, for `restore`."""
        return {name: str(self._settings.value("mode", name)) for name in CHANGED_SETTINGS}

    def restore(self, before: dict[str, str]) -> None:
        """Set the settings back to a snapshot. Raises KnownError."""
        for name, value in before.items():
            self._change(name, value)

    def _listed(self, mode: str) -> tuple[str, ...]:
        return parse_hosts(str(self._settings.value("mode", _LISTS[mode])))

    def _change(self, name: str, value: str) -> None:
        overridden = self._settings.overridden("mode", name)
        if overridden or self._settings.value("mode", name) != value:
            self._settings.change("mode", name, value)
