"""A provider: the rules it enforces on what it is sent, and its words for what a model says.

    with ProviderServer(Anthropic()) as server:
        server.speak(Think("Hm."), Say("Let me see."), Call("time_now"))
        server.speak(Say("It is noon."))

A reply is put together from `Say`, `Think`, `Call` and the marks of `sseserver` (HOLD, HANG, CUT,
RESET); it is closed properly unless a mark breaks it off or its last call is left half-written.
A request that breaks a rule is answered as the provider would, and noted in `server.refusals`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.providers.rules import Refused
from tests.support.sseserver import CUT, HANG, RESET, Part, Reply, Request, ScriptedServer

KEY = "Zebra+marked/0123=456789"
"""The key that every provider accepts. It doesn't look like a key, so nothing hides it by
its form.
"""


@dataclass(frozen=True)
class Say:
    text: str


@dataclass(frozen=True)
class Think:
    text: str


@dataclass(frozen=True)
class Call:
    """`name` as in requests. With `half` (JSON text) the call breaks off within its arguments."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    half: str = ""


Step = Say | Think | Call | Part


class Provider(ABC):
    """The rules and the form of one protocol. It keeps no state: what must be sent back is sealed
    (`rules.digest`), and the ids of calls show which thought they followed.
    """

    name: str
    model: str
    """The id of a model that thinks."""

    @abstractmethod
    def check_head(self, request: Request) -> None:
        """Check the address and the headers. Raises Refused."""

    @abstractmethod
    def check_body(self, body: Any) -> None:
        """Check the content of the request. Raises Refused."""

    @abstractmethod
    def error(self, words: str, status: int) -> dict[str, Any]:
        """Return the body of an error of this provider."""

    @abstractmethod
    def write(self, step: Say | Think | Call, number: int) -> list[Part]:
        """Write one step; `number` counts the steps of all replies."""

    @abstractmethod
    def start(self) -> list[Part]:
        """The bytes before the first step."""

    @abstractmethod
    def stop(self) -> list[Part]:
        """The end of a complete reply."""

    def said(self, body: Any) -> list[str]:
        """The texts of the user's side in a request, in order (results of tools left out)."""
        raise NotImplementedError


class ProviderServer(ScriptedServer):
    """A `ScriptedServer` with a provider's rules. `url` is the bare host, as people paste it."""

    def __init__(self, provider: Provider) -> None:
        super().__init__()
        self.provider = provider
        self.refusals: list[str] = []
        self.inspect = self._inspect
        self._steps = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def speak(self, *steps: Step, hold: bool = False) -> Reply:
        """Queue a reply."""
        parts: list[Part] = self.provider.start()
        for step in steps:
            if isinstance(step, Say | Think | Call):
                self._steps += 1
                parts += self.provider.write(step, self._steps)
            else:
                parts.append(step)
        if not steps or steps[-1] not in (HANG, CUT, RESET):
            parts += self.provider.stop()
        return self.reply(*parts, hold=hold)

    def fail(self, words: str, status: int, headers: dict[str, str] | None = None) -> Reply:
        """Queue an error of the provider's own form."""
        return self.reply(self.provider.error(words, status), status=status, headers=headers)

    def _inspect(self, request: Request) -> Reply | None:
        try:
            self.provider.check_head(request)
            self.provider.check_body(request.body)
        except Refused as refused:
            words = str(refused)
            self.refusals.append(words)
            return Reply([self.provider.error(words, refused.status)], refused.status)
        return None
