"""Small test doubles: tools, answers, a listener. The model is `llm/scripted_model.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from neodeskpet.conversation.ports import ApprovalQuestion, Decision
from neodeskpet.core.blocks import Block, ToolUse
from neodeskpet.core.errors import InvalidArguments, UnknownTool
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import Progress, ToolSpec
from neodeskpet.core.turn.turn_events import BlockEnded, TurnEvent

Work = Callable[[Mapping[str, object], Progress], Awaitable[str | ToolResult]]


@dataclass(frozen=True)
class Offered:
    """The tools of `Tools` at the start of a round."""

    specs: Sequence[ToolSpec]
    work: Callable[[str, Mapping[str, object], Progress], Awaitable[ToolResult]]

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        return await self.work(name, arguments, progress)

    def check(self, name: str, arguments: Mapping[str, object]) -> None:
        if "wrong" in arguments:
            raise InvalidArguments("wrong: there is no such argument")

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        return CallPreview()


class Tools:
    """A toolbox; `add` changes it while it is in use. A tool without a function answers with its
    name; `ran` lists the calls.
    """

    def __init__(self, *specs: ToolSpec, **work: Work) -> None:
        self.ran: list[tuple[str, Mapping[str, object]]] = []
        self.cancelled: list[str] = []
        declared = {spec.name for spec in specs}
        self._specs = (*specs, *(ToolSpec(name, name) for name in work if name not in declared))
        self._work = work

    def specs(self) -> Sequence[ToolSpec]:
        return self._specs

    def add(self, spec: ToolSpec) -> None:
        self._specs = (*self._specs, spec)

    def offer(self) -> Offered:
        return Offered(self._specs, self.run)

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        self.ran.append((name, arguments))
        if name not in [spec.name for spec in self._specs]:
            raise UnknownTool(tool=name)
        if name not in self._work:
            return ToolResult(f"{name} done")
        try:
            result = await self._work[name](arguments, progress)
            return result if isinstance(result, ToolResult) else ToolResult(result)
        except asyncio.CancelledError:
            self.cancelled.append(name)
            raise


class Answers:
    """An approver that gives these decisions in order; an exception among them is raised."""

    def __init__(self, *decisions: Decision | Exception) -> None:
        self.asked: list[tuple[str, int, str, Mapping[str, object]]] = []
        self._decisions = list(decisions)

    async def ask(self, question: ApprovalQuestion) -> Decision:
        asked = question.message_id, question.index, question.spec.name, question.arguments
        self.asked.append(asked)
        decision = self._decisions.pop(0)
        if isinstance(decision, Exception):
            raise decision
        return decision


class Ear:
    """A listener that keeps the events in order; `on` is called with each."""

    def __init__(self, on: Callable[[TurnEvent], None] = lambda event: None) -> None:
        self.events: list[TurnEvent] = []
        self._on = on

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        self.events.append(event)
        self._on(event)

    def ended(self) -> list[Block]:
        """Return the blocks that ended, in the order of their ends."""
        return [event.block for event in self.events if isinstance(event, BlockEnded)]

    def cards(self) -> list[ToolUse]:
        return [block for block in self.ended() if isinstance(block, ToolUse)]


async def forever() -> str:
    """Work that only ends when it is cancelled."""
    await asyncio.get_running_loop().create_future()
    raise AssertionError("nobody sets it")


async def stubborn() -> str:
    """Work that ignores every cancellation for 100 seconds."""
    loop = asyncio.get_running_loop()
    end = loop.time() + 100
    while loop.time() < end:
        try:
            await asyncio.sleep(end - loop.time())
        except asyncio.CancelledError:
            continue
    return "at last"


def some_tools() -> Tools:
    """The tools that most stories use."""
    return Tools(*(ToolSpec(name, name) for name in ("clock", "dig", "w", "write")))
