"""A process to be killed: a turn that writes, thinks and calls tools until the process dies.

`python -m tests.support.endlessturn DATABASE LOG SEED`. Prints the message's id when the turn
begins. LOG gets one line for each event before the journal sees it: the time (steady clock,
seconds) and the event, pickled, in base64.
"""

from __future__ import annotations

import asyncio
import base64
import os
import pickle
import random
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from neodeskpet.conversation.ports import Decision, Question
from neodeskpet.conversation.runner import Runner
from neodeskpet.core.blocks import Block, Message, MessageState, Role
from neodeskpet.core.dialects.native import NATIVE
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Progress, ToolSpec
from neodeskpet.core.turn.guards import Limits
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.core.wire import (
    ResponseFinished,
    Stop,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)
from neodeskpet.memory.store import SqliteStore

_MESSAGE = "the-message"
_PAUSE = 0.003  # seconds between two deltas


class Model:
    """Rounds without end: some thinking, much text, two calls."""

    label = "endless"

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    async def stream(self, request: ModelRequest) -> AsyncIterator[WireEvent]:
        for number in range(self._random.randrange(60)):
            yield ThinkingDelta(0, f"thought {number} ")
            await asyncio.sleep(_PAUSE)
        for number in range(self._random.randrange(400)):
            yield TextDelta(1, f"词 {number} ")
            await asyncio.sleep(_PAUSE)
        for index, name in enumerate(("quick", "slow"), start=2):
            yield ToolCallStarted(index, "", name)
            for piece in ('{"why": "', "because ", f'{self._random.random()}"}}'):
                yield ToolArgsDelta(index, piece)
                await asyncio.sleep(_PAUSE)
            yield ToolCallReady(index)
        yield ResponseFinished(Stop.TOOLS)


class Tools:
    specs = (ToolSpec("quick", "", eager=True), ToolSpec("slow", ""))

    def offer(self) -> Tools:
        return self

    async def run(
        self, name: str, arguments: Mapping[str, object], progress: Progress
    ) -> ToolResult:
        # Long enough that some of fifty kills strike while it runs.
        steps = 80 if name == "slow" else 1
        for step in range(steps):
            progress(step / steps, f"step {step}")
            await asyncio.sleep(_PAUSE)
        return ToolResult(f"{name} has {arguments}")

    def check(self, name: str, arguments: Mapping[str, object]) -> None: ...


class Nobody:
    async def ask(self, question: Question) -> Decision:
        return Decision(False)


class Logbook:
    """Writes without a buffer: what it took down outlives the process."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def see(self, message_id: str, event: TurnEvent) -> None:
        packed = base64.b64encode(pickle.dumps(event))
        os.write(self._handle, b"%r %b\n" % (time.monotonic(), packed))


def read_log(path: Path) -> list[tuple[float, TurnEvent]]:
    """Time and event of each line; a last line that was cut by the kill is left out."""
    lines = path.read_bytes().split(b"\n")[:-1]
    parts = [line.split(b" ", 1) for line in lines]
    return [(float(at), pickle.loads(base64.b64decode(packed))) for at, packed in parts]


async def _request(blocks: Sequence[Block], tools: Sequence[ToolSpec]) -> ModelRequest:
    return ModelRequest("", [])


async def main(database: Path, log: Path, seed: int) -> None:
    store = await SqliteStore.open(database)
    conversation = await store.create_conversation()
    message_id = f"{_MESSAGE}-{seed}"
    await store.add_message(
        conversation.id,
        Message(message_id, Role.ASSISTANT, (), MessageState.RUNNING, time.time()),
    )
    tools = Tools()
    runner = Runner(
        Turn(message_id, limits=Limits(rounds=10**6, calls=10**6)),
        model=Model(seed),
        dialect=NATIVE,
        build_request=_request,
        toolbox=tools,
        approver=Nobody(),
        listeners=[Logbook(log), store.journal(message_id)],
    )
    print(message_id, flush=True)
    await runner.run()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
