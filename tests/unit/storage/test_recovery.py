from __future__ import annotations

import asyncio
import itertools

import pytest

from neodeskpet.core.blocks import (
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.signals import Begun
from neodeskpet.core.turn.turn import Turn
from neodeskpet.core.turn.turn_states import TurnState
from neodeskpet.storage.conversation_repair import as_interrupted, interrupt_dead_messages
from neodeskpet.storage.conversation_store import SqliteStore

OPEN = (ToolStatus.WRITING, ToolStatus.QUEUED, ToolStatus.ASKING, ToolStatus.RUNNING)


@pytest.mark.parametrize("status", ToolStatus)
def test_open_calls_are_interrupted_and_ended_ones_stay(status: ToolStatus) -> None:
    call = ToolUse(0, 1, "c", "t", '{"a": ', status=status, output="so far", started=1.0)
    after, notice = as_interrupted((call,), 9.0)
    assert isinstance(after, ToolUse)
    if status in OPEN:
        assert (after.status, after.ended) == (ToolStatus.INTERRUPTED, 9.0)
        assert (after.raw_arguments, after.output) == ('{"a": ', "so far")
        assert ("may be done" in after.error) == (status is ToolStatus.RUNNING)
    else:
        assert after == call
    assert notice.index == 1


def test_text_stays_thinking_closes_and_a_notice_offers_to_continue() -> None:
    text, thought, notice = as_interrupted((Text(0, 0, "half a sen"), Thinking(1, 2, "hm")), 9.0)
    assert text == Text(0, 0, "half a sen")
    assert thought == Thinking(1, 2, "hm", ended=9.0)
    assert notice == Notice(2, 2, "interrupted", actions=(Action.CONTINUE, Action.RETRY))


def test_an_empty_message_gets_the_notice_too() -> None:
    assert as_interrupted((), 9.0) == (
        Notice(0, 0, "interrupted", actions=(Action.CONTINUE, Action.RETRY)),
    )


def test_only_running_messages_of_ended_processes_change() -> None:
    async def scene() -> None:
        numbers = itertools.count(10)
        store = await SqliteStore.open(None, clock=lambda: float(next(numbers)))
        conversation = await store.create_conversation()
        for name, state in (
            ("dead", MessageState.RUNNING),
            ("alive", MessageState.RUNNING),
            ("nobody's", MessageState.RUNNING),
            ("done", MessageState.DONE),
        ):
            message = Message(name, Role.ASSISTANT, (Text(0, 0, name),), state, 1.0)
            await store.add_message(conversation.id, message)
            writer = None if name == "nobody's" else name
            await store.database.run(
                lambda db, writer=writer, name=name: db.execute(  # type: ignore[misc]
                    "UPDATE messages SET writer = ? WHERE id = ?", (writer, name)
                )
            )
        ids = await store.database.run(
            lambda db: interrupt_dead_messages(db, lambda writer: writer == "alive")
        )
        assert ids == ["dead", "nobody's"]
        dead, alive, done = await store.messages(["dead", "alive", "done"])
        assert dead.state is MessageState.INTERRUPTED
        # The time of its last change, which is when it was added.
        assert dead.ended == 11.0
        assert alive.state is MessageState.RUNNING
        assert done.state is MessageState.DONE
        assert [len(m.blocks) for m in (dead, alive, done)] == [2, 1, 1]
        heads = await store.heads(conversation.id)
        assert [head.blocks for head in heads] == [2, 1, 2, 1]
        again = await store.database.run(lambda db: interrupt_dead_messages(db, lambda _: True))
        assert again == []
        await store.aclose()

    asyncio.run(scene())


def test_an_interrupted_message_can_be_continued() -> None:
    blocks = as_interrupted((Text(0, 0, "half"), ToolUse(1, 0, "c", "t")), 9.0)
    turn = Turn("m", blocks=blocks)
    turn.receive(Begun(), 10.0)
    assert turn.state is TurnState.STREAMING
    notice = turn.blocks[-1]
    assert isinstance(notice, Notice)
    assert notice.resolved
