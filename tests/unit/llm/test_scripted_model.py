"""The shipped double: it plays the given events and records the requests."""

import asyncio
from contextlib import aclosing

import pytest

from neodeskpet.core.errors import LlmError, StreamBroken
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.wire import (
    ResponseFinished,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.llm.scripted_model import (
    ScriptedModel,
    scripted_call,
    scripted_text,
    scripted_thinking,
)

REQUEST = ModelRequest("", ())


async def play(model: Model, request: ModelRequest = REQUEST) -> list[WireEvent]:
    return [event async for event in model.stream(request)]


def test_parts_are_numbered_and_the_end_is_added() -> None:
    model = ScriptedModel(
        [
            scripted_thinking("h", "m", opaque="{}"),
            scripted_text("a", "b"),
            scripted_call("t", {"x": 1}),
            scripted_text("c"),
        ]
    )
    assert asyncio.run(play(model)) == [
        ThinkingDelta(0, "h"),
        ThinkingDelta(0, "m", "{}"),
        TextDelta(1, "a"),
        TextDelta(1, "b"),
        ToolCallStarted(2, "", "t"),
        ToolArgsDelta(2, '{"x'),
        ToolArgsDelta(2, '": '),
        ToolArgsDelta(2, "1}"),
        ToolCallReady(2),
        TextDelta(3, "c"),
        ResponseFinished(StopReason.TOOLS),
    ]


def test_events_are_played_unchanged() -> None:
    events = [
        TextDelta(7, "x"),
        UsageReported(1, 2),
        scripted_text("y"),
        ResponseFinished(StopReason.LENGTH),
    ]
    assert asyncio.run(play(ScriptedModel(events))) == [
        TextDelta(7, "x"),
        UsageReported(1, 2),
        TextDelta(8, "y"),
        ResponseFinished(StopReason.LENGTH),
    ]


@pytest.mark.parametrize(("arguments", "sent"), [(None, "{}"), ("{broken", "{broken"), ("", "")])
def test_arguments_of_every_kind(arguments: str | None, sent: str) -> None:
    events = asyncio.run(
        play(ScriptedModel([scripted_call("t", arguments, call_id="c1", pieces=1)]))
    )
    assert events[0] == ToolCallStarted(0, "c1", "t")
    assert "".join(e.json for e in events if isinstance(e, ToolArgsDelta)) == sent


def test_one_list_for_each_request() -> None:
    model = ScriptedModel([scripted_text("one")], [], label="Double")
    second = ModelRequest("", (), dialect="tool_request")

    async def run() -> None:
        assert (await play(model))[0] == TextDelta(0, "one")
        assert await play(model, second) == [ResponseFinished(StopReason.END)]
        with pytest.raises(IndexError, match="has 2 responses"):
            await play(model)

    asyncio.run(run())
    assert model.label == "Double"
    assert model.requests[:2] == [REQUEST, second]
    assert model.abandoned == 0


def test_an_error_is_raised_at_its_place() -> None:
    seen: list[WireEvent] = []

    async def run() -> None:
        with pytest.raises(LlmError):
            stream = ScriptedModel([scripted_text("a"), StreamBroken()]).stream(REQUEST)
            while True:
                seen.append(await anext(stream))

    asyncio.run(run())
    assert seen == [TextDelta(0, "a")]


def test_it_waits_at_a_pause() -> None:
    async def run() -> None:
        go = asyncio.Event()
        model = ScriptedModel([scripted_text("a"), go, 0, scripted_text("b")])
        events = model.stream(REQUEST)
        assert await anext(events) == TextDelta(0, "a")
        following = asyncio.get_running_loop().create_task(anext(events))
        await asyncio.sleep(0)
        assert not following.done()
        go.set()
        assert await following == TextDelta(1, "b")
        await events.aclose()
        assert model.abandoned == 1

    asyncio.run(asyncio.wait_for(run(), 20))


def test_an_early_exit_is_counted() -> None:
    async def run() -> ScriptedModel:
        model = ScriptedModel([scripted_text("a", "b")])
        stream = model.stream(REQUEST)
        async with aclosing(stream) as events:
            async for _ in events:
                break
        return model

    assert asyncio.run(run()).abandoned == 1
