"""Processes to be killed: a turn that writes, thinks and calls tools until its process ends.

`python -m tests.support.endlessturn` forks for each line "SEED DATABASE LOG" that it reads, so that
each process begins with everything loaded. The process prints its number and the message's id when
the turn begins, and at last how it ended. LOG gets one line for each event before the journal gets
it: the time (monotonic clock, seconds) and the event, pickled, in base64. Between them are those of
a pulse: the database's thread was asked to do nothing (`?`), and did that (`!`).
"""

from __future__ import annotations

import asyncio
import base64
import os
import pickle
import random
import sys
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.conversation.ports import ApprovalQuestion, Decision
from neodeskpet.conversation.runner import ReplySource, TurnRunner
from neodeskpet.core.blocks import Block, Message, MessageState, Role
from neodeskpet.core.dialects.dialect import NATIVE
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.tool_result import CallPreview, ToolResult
from neodeskpet.core.toolspec import Progress, ToolSpec
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import TurnEvent
from neodeskpet.core.turn.turn_limits import TurnLimits
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    WireEvent,
)
from neodeskpet.storage.conversation_store import SqliteStore

_MESSAGE = "the-message"
_PAUSE = 0.003  # seconds between two deltas
_PULSE = 0.01  # and between two beats of the pulse
_ASKED, _DONE = b"?", b"!"


class Model:
    """Endless rounds: some thinking, much text, two calls."""

    label = "endless"

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
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
        yield ResponseFinished(StopReason.TOOLS)


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

    async def preview(self, name: str, arguments: Mapping[str, object]) -> CallPreview:
        return CallPreview()


class Nobody:
    async def ask(self, question: ApprovalQuestion) -> Decision:
        return Decision(False)


class Logbook:
    """Writes without a buffer: its lines survive the process."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def on_turn_event(self, message_id: str, event: TurnEvent) -> None:
        self._write(base64.b64encode(pickle.dumps(event)))

    async def feel(self, store: SqliteStore) -> None:
        """The pulse of the database's thread."""
        while True:
            self._write(_ASKED)
            await store.messages([])
            self._write(_DONE)
            await asyncio.sleep(_PULSE)

    def _write(self, what: bytes) -> None:
        os.write(self._handle, b"%r %b\n" % (time.monotonic(), what))


@dataclass(frozen=True, slots=True)
class Log:
    events: list[tuple[float, TurnEvent]]
    """Each with its time."""
    waits: list[tuple[float, float]]
    """The times in which the database's thread let the pulse wait, the last possibly
    until the end.
    """


def read_log(path: Path) -> Log:
    """A last line that was cut by the kill is left out."""
    log = Log([], [])
    asked = None
    at = 0.0
    for line in path.read_bytes().split(b"\n")[:-1]:
        time_, what = line.split(b" ", 1)
        at = float(time_)
        if what == _ASKED:
            asked = at
        elif what == _DONE:
            assert asked is not None
            log.waits.append((asked, at))
            asked = None
        else:
            log.events.append((at, pickle.loads(base64.b64decode(what))))
    if asked is not None:
        log.waits.append((asked, at))
    return log


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
    logbook = Logbook(log)
    runner = TurnRunner(
        Turn(message_id, limits=TurnLimits(rounds=10**6, calls=10**6)),
        ReplySource(Model(seed), NATIVE, _request),
        toolbox=tools,
        approver=Nobody(),
        listeners=[logbook, store.journal(message_id)],
    )
    print(os.getpid(), message_id, flush=True)
    await asyncio.gather(runner.run(), logbook.feel(store))


def serve(orders: Iterable[str]) -> None:
    for order in orders:
        seed, database, log = order.rstrip("\n").split(" ", 2)
        pid = os.fork()
        if pid == 0:
            sys.exit(asyncio.run(main(Path(database), Path(log), int(seed))))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve(sys.stdin)
