"""After `kill -9` at any moment the conversation is complete up to that moment.

Fifty times a process that runs a turn is killed at a random moment. The database must then contain
exactly the state of the turn at some moment at most `LOSS` before its last recorded change.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.blocks import Block, Message, MessageState, Notice, ToolStatus, ToolUse
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.message_draft import MessageDraft
from neodeskpet.core.turn.signals import Begun
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import (
    ArgumentsAppended,
    BlockChanged,
    BlockEnded,
    BlockStarted,
    TextAppended,
    TurnEvent,
)
from neodeskpet.core.turn.turn_states import TurnState
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from tests.support.endlessturn import Log, read_log
from tests.support.unmeasured import unmeasured_children

KILLS = 50
LANES = 4
SEED = 20250607

# Promised: 250 ms of deltas. On a busy machine a due thread waits for its turn, and a write for the
# disk: that isn't the journal's time, and it is measured by a pulse on the same thread.
LOSS = 0.250


@dataclass(frozen=True, slots=True)
class Wreck:
    """What a killed process left: its log, and its message before and after the recovery."""

    log: Log
    found: Message
    ids: list[str]
    again: list[str]
    recovered: Message


def test_killed_at_any_moment_it_offers_to_continue(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    moments = [chance.uniform(0.0, 1.5) for _ in range(KILLS)]
    with unmeasured_children(), ThreadPoolExecutor(LANES) as lanes:
        parts = lanes.map(
            lambda lane: list(run_lane(tmp_path / str(lane), lane, moments[lane::LANES])),
            range(LANES),
        )
        wrecks = [wreck for part in parts for wreck in part]
    assert len(wrecks) == KILLS
    for wreck in wrecks:
        check_recovery(wreck)
        check_loss(wreck)
    # The test itself must have reached the hard cases.
    assert sum(len(wreck.log.events) for wreck in wrecks) > KILLS * 20
    calls = [b for w in wrecks for b in w.recovered.blocks if isinstance(b, ToolUse)]
    assert {call.status for call in calls} >= {ToolStatus.SUCCESS, ToolStatus.INTERRUPTED}


def run_lane(folder: Path, lane: int, moments: list[float]) -> Iterable[Wreck]:
    """Kill one process after the other with one database, which outlives them all."""
    folder.mkdir()
    words = [sys.executable, "-m", "tests.support.endlessturn"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as maker:
        assert maker.stdin and maker.stdout and maker.stderr
        try:
            for number, moment in enumerate(moments, start=lane * 1000):
                log = folder / f"{number}.log"
                log.touch()
                print(number, folder / CONVERSATIONS_FILE, log, file=maker.stdin, flush=True)
                begun = maker.stdout.readline().split()
                assert begun[1:] == [f"the-message-{number}"], (begun, maker.stderr.read())
                time.sleep(moment)
                os.kill(int(begun[0]), signal.SIGKILL)
                assert maker.stdout.readline().strip() == str(-signal.SIGKILL)
                yield asyncio.run(look(folder / CONVERSATIONS_FILE, log, begun[1]))
        finally:
            maker.stdin.close()
        assert maker.stderr.read() == ""


async def look(database: Path, log: Path, message_id: str) -> Wreck:
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
    store = await SqliteStore.open(database)
    assert store.fault is None
    (found,) = await store.messages([message_id])
    ids, again = await store.interrupt_running(), await store.interrupt_running()
    (recovered,) = await store.messages([message_id])
    await store.aclose()
    return Wreck(read_log(log), found, ids, again, recovered)


def check_recovery(wreck: Wreck) -> None:
    assert wreck.found.state is MessageState.RUNNING
    assert wreck.ids == [wreck.found.id]
    assert wreck.again == []
    after = wreck.recovered
    assert after.state is MessageState.INTERRUPTED
    assert after.text == wreck.found.text
    notice = after.blocks[-1]
    assert isinstance(notice, Notice)
    assert notice.code == "interrupted"
    assert notice.actions == (Action.CONTINUE, Action.RETRY)
    assert not notice.resolved
    for block in after.blocks:
        assert not isinstance(block, ToolUse) or block.status.ended
    turn = Turn(after.id, blocks=after.blocks)
    turn.receive(Begun(), time.time())
    assert turn.state is TurnState.STREAMING


def check_loss(wreck: Wreck) -> None:
    """The stored blocks are those of a moment of the turn that isn't long ago."""
    if not wreck.log.events:
        assert wreck.found.blocks == ()
        return
    since = first_lost(wreck.log.events, wreck.found.blocks)
    assert since is not None, "the stored state never existed"
    last = wreck.log.events[-1][0]
    waited = sum(end - max(begun, since) for begun, end in wreck.log.waits if end > since)
    assert last - since <= LOSS + waited


def first_lost(log: list[tuple[float, TurnEvent]], stored: tuple[Block, ...]) -> float | None:
    """The time of the oldest event that isn't stored, of the last one if all are; None if `stored`
    was not the state of the turn at any moment.
    """
    draft = MessageDraft()
    since = None if stored else log[0][0]
    for number, (at, event) in enumerate(log, start=1):
        apply(draft, event)
        if draft.blocks() == stored:
            since = log[number][0] if number < len(log) else at
    return since


def apply(draft: MessageDraft, event: TurnEvent) -> None:
    match event:
        case BlockStarted(block=block):
            draft.add(block)
        case BlockChanged(block=block) | BlockEnded(block=block):
            draft.replace(block)
        case TextAppended(index=index, text=text) | ArgumentsAppended(index=index, json=text):
            draft.append(index, text)
        case _:
            pass
