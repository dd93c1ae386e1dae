from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.blocks import (
    Image,
    Message,
    MessageState,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
    Usage,
)
from neodeskpet.core.errors import StoreError, StreamBroken
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.turn.signals import (
    ApprovalGiven,
    AskApproval,
    Begun,
    CallModel,
    Cancelled,
    EndTurn,
    ModelFailed,
    RunTool,
    Signal,
    ToolFinished,
    ToolProgressed,
)
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlocksRemoved,
    BlockStarted,
    ModelChosen,
    TextAppended,
    TurnEnded,
    TurnStarted,
    UsageChanged,
)
from neodeskpet.core.wire import (
    LoadingAnnounced,
    ModelNamed,
    RefusalDelta,
    ResponseFinished,
    RetryAnnounced,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.message_journal import MessageJournal, _latest_entries
from neodeskpet.storage.storage_errors import StoreFull, StoreLocked
from tests.support.policies import AskFor
from tests.unit.memory.strategies import words

TOOLS = (ToolSpec("slow", "", {}), ToolSpec("quick", "", {}, eager=True), ToolSpec("asks", "", {}))
EMPTY = Message("m", Role.ASSISTANT, (), MessageState.RUNNING, 5.0, model="tiny")


async def stage(path: Path | None = None, **options: object) -> tuple[SqliteStore, MessageJournal]:
    """A store with one running, empty message "m", and its journal."""
    store = await SqliteStore.open(path, **options)  # type: ignore[arg-type]
    conversation = await store.create_conversation("A talk")
    await store.add_message(conversation.id, EMPTY)
    return store, store.journal("m")


async def stored(store: SqliteStore) -> Message:
    await store.flush()
    (message,) = await store.messages(["m"])
    return message


class Play:
    """Drives a Turn as a runner would; its events go to a journal."""

    def __init__(self, journal: MessageJournal, turn: Turn) -> None:
        self.turn = turn
        self.rounds = 0
        self.ended: float | None = None
        self.jobs: list[int] = []
        self.questions: list[int] = []
        self._journal = journal
        self._now = 100.0

    def refund(self, signal: Signal) -> None:
        self._now += 0.25
        for out in self.turn.receive(signal, self._now):
            match out:
                case RunTool(index=index):
                    self.jobs.append(index)
                case AskApproval(index=index):
                    self.questions.append(index)
                case EndTurn():
                    self.jobs.clear()
                    self.questions.clear()
                case CallModel(round=number):
                    self.rounds = number + 1
                case _:
                    self._journal.on_turn_event("m", out)
            if isinstance(out, TurnEnded):
                self.ended = out.at


def wire_call(index: int, name: str, pieces: list[str], closed: bool) -> list[WireEvent]:
    events: list[WireEvent] = [ToolCallStarted(index, "", name)]
    events += [ToolArgsDelta(index, piece) for piece in pieces]
    return [*events, ToolCallReady(index)] if closed else events


arguments = st.sampled_from([["{}"], ['{"a"', ": 1}"], ['{"城": "北京"}'], [], ['{"cut": '], ["5"]])
replies = st.lists(
    st.one_of(
        st.builds(TextDelta, st.integers(0, 1), words).map(lambda event: [event]),
        st.builds(RefusalDelta, st.just(2), words).map(lambda event: [event]),
        st.builds(ThinkingDelta, st.just(3), words, words).map(lambda event: [event]),
        st.builds(ModelNamed, st.text(max_size=3)).map(lambda event: [event]),
        st.builds(UsageReported, *[st.integers(0, 99)] * 4).map(lambda event: [event]),
        st.just([RetryAnnounced(1, 0.5, "unreachable")]),
        st.tuples(st.sampled_from(["slow", "quick", "asks", "unknown"]), arguments, st.booleans()),
    ),
    max_size=8,
)


def flat(reply: list[object]) -> list[WireEvent]:
    out: list[WireEvent] = []
    for index, item in enumerate(reply):
        if isinstance(item, tuple):
            out += wire_call(10 + index, *item)
        else:
            out += item  # type: ignore[arg-type]
    return out


def answer_jobs(play: Play, draw: Callable[[list[object]], object]) -> None:
    """Answer questions and run tools until the turn needs the model again, or has ended."""
    while play.questions or play.jobs:
        if play.questions:
            index = play.questions.pop()
            changed = draw([None, {"edited": "是"}])
            allowed = bool(draw([True, False]))
            play.refund(ApprovalGiven(index, allowed, "because", changed))  # type: ignore[arg-type]
            continue
        index = play.jobs.pop()
        for step in range(int(draw([0, 1, 3]))):  # type: ignore[call-overload]
            play.refund(ToolProgressed(index, step / 4, f"step {step}"))
        status = draw([ToolStatus.SUCCESS, ToolStatus.ERROR])
        play.refund(ToolFinished(index, status, ToolResult("output 输出")))  # type: ignore[arg-type]


def perform(play: Play, script: list[list[object]], end: str, draw) -> None:  # type: ignore[no-untyped-def]
    play.refund(Begun(draw([None, 0, 1])))
    for reply in script:
        for event in flat(reply):
            play.refund(event)
        if end == "cancelled" and draw([True, False]):
            play.refund(Cancelled())
        play.refund(ResponseFinished(draw(list(StopReason))))
        answer_jobs(play, draw)
        if play.turn.ended:
            return
    play.refund(Cancelled() if end == "cancelled" else ModelFailed(StreamBroken("reset", a="b")))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(replies, max_size=3),
    st.lists(replies, max_size=2),
    st.sampled_from(["cancelled", "failed"]),
    st.data(),
)
def test_the_stored_message_equals_the_seen_one(
    script: list[list[object]], more: list[list[object]], end: str, data: st.DataObject
) -> None:
    """Two turns on one message, the second one continued or retried: stored exactly like the
    turn's.
    """

    def draw(choices: list[object]) -> object:
        return data.draw(st.sampled_from(choices))

    async def scene() -> None:
        store, journal = await stage()
        first = Play(journal, Turn("m", TOOLS, policy=AskFor("asks")))
        perform(first, script, end, draw)
        middle = await stored(store)
        assert middle.blocks == first.turn.blocks

        turn = Turn("m", TOOLS, policy=AskFor("asks"), blocks=middle.blocks, usage=middle.usage)
        second = Play(store.journal("m"), turn)
        perform(second, more, end, draw)
        message = await stored(store)
        assert message.blocks == turn.blocks
        assert message.state == turn.state.value
        assert message.usage == turn.usage
        assert message.rounds == second.rounds
        assert message.ended == second.ended
        (head,) = await store.heads((await store.conversations())[0].id)
        assert head.blocks == len(turn.blocks)
        texts = [block.text for block in turn.blocks if isinstance(block, Text)]
        assert head.chars == sum(len(text) for text in texts)
        await store.aclose()

    asyncio.run(scene())


def test_growth_is_stored_as_segments_until_the_block_ends() -> None:
    async def scene() -> None:
        store, journal = await stage()

        async def rows() -> tuple[list[tuple[str]], list[tuple[str]]]:
            await store.flush()
            return await store.database.run(
                lambda db: (
                    db.execute("SELECT body FROM blocks").fetchall(),
                    db.execute("SELECT text FROM segments ORDER BY number").fetchall(),
                )
            )

        journal.on_turn_event("m", BlockStarted(Text(0, 0, "once")))
        await store.flush()
        journal.on_turn_event("m", TextAppended(0, " upon"))
        journal.on_turn_event("m", TextAppended(0, " a"))
        assert await rows() == ([("once",)], [(" upon a",)])
        journal.on_turn_event("m", TextAppended(0, " time"))
        assert await rows() == ([("once",)], [(" upon a",), (" time",)])
        assert (await stored(store)).text == "once upon a time"
        (head,) = await store.heads((await store.conversations())[0].id)
        assert head.chars == len("once upon a time")
        journal.on_turn_event("m", BlockEnded(Text(0, 0, "once upon a time")))
        assert await rows() == ([("once upon a time",)], [])
        await store.aclose()

    asyncio.run(scene())


def test_growth_reaches_the_disk_by_itself(tmp_path: Path) -> None:
    """Without a flush, and while the loop is blocked: another process still sees the text soon."""

    async def scene() -> None:
        store, journal = await stage(tmp_path / "a.db")
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "a")))
        journal.on_turn_event("m", TextAppended(0, "b"))
        reader = sqlite3.connect(tmp_path / "a.db")
        give_up = time.monotonic() + 30
        while not reader.execute("SELECT * FROM segments").fetchall():
            assert time.monotonic() < give_up
            threading.Event().wait(0.01)
        reader.close()
        await store.aclose()

    asyncio.run(scene())


def test_removed_blocks_lose_their_segments() -> None:
    async def scene() -> None:
        store, journal = await stage()
        for index in range(3):
            journal.on_turn_event("m", BlockStarted(Text(index, 0, "x")))
            journal.on_turn_event("m", TextAppended(index, "y"))
        await store.flush()
        journal.on_turn_event("m", BlocksRemoved(1))
        journal.on_turn_event("m", BlockStarted(Thinking(1, 0, "new")))
        message = await stored(store)
        assert message.blocks == (Text(0, 0, "xy"), Thinking(1, 0, "new"))
        await store.aclose()

    asyncio.run(scene())


def test_a_turn_that_is_continued_is_running_again() -> None:
    async def scene() -> None:
        store, journal = await stage()
        journal.on_turn_event("m", TurnEnded(MessageState.LIMITED, 9.5))
        assert (await stored(store)).ended == 9.5
        assert (await store.conversations())[0].updated == 9.5
        journal.on_turn_event("m", TurnStarted("m", resumed=True, at=20.0))
        message = await stored(store)
        assert (message.state, message.ended) == (MessageState.RUNNING, None)
        assert message.paused == 10.5
        await store.aclose()

    asyncio.run(scene())


def test_frequent_progress_is_combined() -> None:
    async def scene() -> None:
        store, journal = await stage()
        await store.flush()
        call = ToolUse(0, 0, "c", "slow", status=ToolStatus.RUNNING)
        for step in range(1000):
            journal.on_turn_event(
                "m",
                BlockChanged(
                    ToolUse(0, 0, "c", "slow", status=ToolStatus.RUNNING, progress=step / 1000)
                ),
            )
        assert len(journal._entries) <= 1
        message = await stored(store)
        assert message.blocks == (
            ToolUse(0, 0, "c", "slow", status=ToolStatus.RUNNING, progress=0.999),
        )
        assert message.blocks != (call,)
        await store.aclose()

    asyncio.run(scene())


def test_of_many_calls_that_change_together_only_the_last_state_is_written() -> None:
    def call(index: int, status: ToolStatus) -> ToolUse:
        return ToolUse(index, 0, f"c{index}", "slow", status=status)

    states = (ToolStatus.WRITING, ToolStatus.QUEUED, ToolStatus.RUNNING, ToolStatus.SUCCESS)
    ended = [call(index, ToolStatus.SUCCESS) for index in range(9)]
    changes = [call(index, status) for status in states for index in range(9)]
    assert _latest_entries(changes) == ended
    removed = BlocksRemoved(4)
    assert _latest_entries([*changes, removed, ended[4]]) == [
        *ended[:4],
        *ended[5:],
        removed,
        ended[4],
    ]


def test_events_without_a_change_write_nothing() -> None:
    async def scene() -> None:
        store, journal = await stage()
        before = await stored(store)
        journal.on_turn_event("m", RetryAnnounced(1, 0.5, "unreachable"))
        journal.on_turn_event("m", LoadingAnnounced("tiny"))
        journal.on_turn_event("another", TextAppended(0, "x"))
        journal.on_turn_event("m", TextAppended(7, "of a block that isn't there"))
        assert await stored(store) == before
        await store.aclose()

    asyncio.run(scene())


def test_writing_to_a_deleted_message_is_no_error() -> None:
    async def scene() -> None:
        faults: list[StoreError] = []
        store, journal = await stage(on_fault=faults.append)
        await store.delete_conversation((await store.conversations())[0].id)
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "x")))
        await store.flush()
        assert await store.messages(["m"]) == []
        assert faults == []
        await store.aclose()

    asyncio.run(scene())


def test_a_full_disk_is_reported_once_and_nothing_is_lost(tmp_path: Path) -> None:
    async def scene() -> None:
        faults: list[StoreError] = []
        store, journal = await stage(tmp_path / "a.db", on_fault=faults.append)

        async def size(pages: int) -> None:
            await store.database.run(
                lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchall()
            )

        await size(1)
        text = "long " * 20_000
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "")))
        for piece in (text, text):
            journal.on_turn_event("m", TextAppended(0, piece))
            with pytest.raises(StoreFull):
                await store.flush()
        journal.on_turn_event("m", UsageChanged(Usage(3)))
        journal.on_turn_event("m", ModelChosen("small"))
        with pytest.raises(StoreFull):
            await store.flush()
        await asyncio.sleep(0)
        assert [type(fault) for fault in faults] == [StoreFull]

        await size(100_000)
        message = await stored(store)
        assert message.blocks == (Text(0, 0, text + text),)
        assert (message.usage, message.model) == (Usage(3), "small")
        # A new failure is reported again.
        await size(1)
        journal.on_turn_event("m", BlockEnded(Text(0, 0, text * 40)))
        with pytest.raises(StoreFull):
            await store.flush()
        await asyncio.sleep(0)
        assert len(faults) == 2
        await store.aclose()

    asyncio.run(scene())


def test_a_locked_database_is_tried_again(tmp_path: Path) -> None:
    async def scene() -> None:
        faults: list[StoreError] = []
        store, journal = await stage(tmp_path / "a.db", on_fault=faults.append, busy=0.02)
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "kept")))
        with pytest.raises(StoreLocked):
            await store.flush()
        other.execute("COMMIT")
        other.close()
        assert (await stored(store)).text == "kept"
        await asyncio.sleep(0)
        assert [type(fault) for fault in faults] == [StoreLocked]
        await store.aclose()

    asyncio.run(scene())


def test_an_event_that_can_not_be_written_does_not_affect_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scene() -> None:
        faults: list[StoreError] = []
        store, journal = await stage(on_fault=faults.append)
        journal.on_turn_event("m", BlockStarted(Text(0, 0, None)))  # type: ignore[arg-type]
        with pytest.raises(StoreError):
            await store.flush()
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "well")))
        assert (await stored(store)).text == "well"
        assert len(faults) == 1
        await store.aclose()

    asyncio.run(scene())
    assert "The journal of m failed" in caplog.text


def test_growth_before_the_end_of_a_block_is_written_with_it() -> None:
    async def scene() -> None:
        store, journal = await stage()
        journal.on_turn_event("m", BlockStarted(Text(0, 0, "a")))
        await store.flush()
        journal.on_turn_event("m", TextAppended(0, "b"))
        journal.on_turn_event("m", BlockEnded(Text(0, 0, "ab")))
        assert (await stored(store)).text == "ab"
        await store.aclose()

    asyncio.run(scene())


def test_after_closing_nothing_is_written_and_nothing_breaks() -> None:
    async def scene() -> None:
        faults: list[StoreError] = []
        store, journal = await stage(on_fault=faults.append)
        await store.aclose()
        journal.on_turn_event("m", BlockStarted(Image(0, 0, "digest", "image/png")))
        journal.on_turn_event("m", TextAppended(0, "x"))
        await asyncio.sleep(0)
        assert len(faults) == 1

    asyncio.run(scene())
