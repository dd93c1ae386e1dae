"""Pictures for models that see, that don't, and for unknown ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest

from neodeskpet.core.errors import RequestRefused, StoreError, Unreachable
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import (
    AssistantTurn,
    ImagePart,
    ModelMessage,
    TextPart,
    UserTurn,
)
from neodeskpet.core.wire import (
    DescriptionAnnounced,
    DescriptionFailed,
    PictureDescribed,
    TextDelta,
    WireEvent,
)
from neodeskpet.llm.catalog.model_catalog import Endpoint, ModelEntry
from neodeskpet.llm.chain.model_selection import complete_choice
from neodeskpet.llm.scripted_model import ScriptedModel, ScriptItem, scripted_text
from neodeskpet.llm.vision_fallback import PictureDescriber, VisionFailures, VisionFallbackModel

CAT = ImagePart("cat", "image/png", b"x")
DOG = ImagePart("dog", "image/png", b"y", quoted=True)
NO = RequestRefused("unknown variant `image_url`, expected `text`", status=400)
Script = Sequence[ScriptItem]


def turn(*parts: TextPart | ImagePart) -> UserTurn:
    return UserTurn(parts)


class Bench:
    """The model of a chat, one that sees (if it has replies), and the stored descriptions."""

    def __init__(
        self, *chat: Script, sees: Sequence[Script] = (), model: str = "deepseek-chat"
    ) -> None:
        self.chat = ScriptedModel(*chat)
        self.eye = ScriptedModel(*sees)
        self.kept: dict[str, str] = {}
        self.blindness = VisionFailures()
        self.disk_full = False
        self._choice = complete_choice(
            Endpoint(name="a", protocol="openai", base_url="http://x"),
            ModelEntry(endpoint="a", id=model),
        )
        self._has_eye = bool(sees)

    async def store(self, digest: str, text: str) -> None:
        if self.disk_full:
            raise StoreError("full")
        self.kept[digest] = text

    def next_turn(self) -> VisionFallbackModel:
        sight = PictureDescriber(self.eye if self._has_eye else None, self.store, self.blindness)
        return VisionFallbackModel(self.chat, self._choice, sight)

    def ask(
        self, *messages: ModelMessage, model: VisionFallbackModel | None = None
    ) -> list[WireEvent]:
        asked = model or self.next_turn()

        async def main() -> list[WireEvent]:
            async with aclosing(asked.stream(ModelRequest("", messages))) as events:
                return [event async for event in events]

        return asyncio.run(main())

    def sent(self, number: int = -1) -> Sequence[Any]:
        """The parts of the last turn of a request to the chat's model."""
        last = self.chat.requests[number].messages[-1]
        assert isinstance(last, UserTurn)
        return last.parts


def looks(events: Sequence[WireEvent]) -> list[WireEvent]:
    return [
        e
        for e in events
        if isinstance(e, DescriptionAnnounced | PictureDescribed | DescriptionFailed)
    ]


def test_a_model_that_sees_is_sent_the_picture() -> None:
    bench = Bench([scripted_text("A cat.")], sees=[[scripted_text("?")]], model="gpt-4o")
    assert looks(bench.ask(turn(CAT, TextPart("What?")))) == []
    assert bench.sent() == (CAT, TextPart("What?"))
    assert bench.eye.requests == []


def test_a_model_that_does_not_see_is_sent_a_description() -> None:
    bench = Bench(
        [scripted_text("Nice.")],
        sees=[[scripted_text("a dog")], [scripted_text("a cat ", "\non a mat")]],
    )
    events = bench.ask(turn(DOG, CAT, TextPart("What?")))
    assert events[:3] == [
        DescriptionAnnounced(2),
        PictureDescribed("dog", "a dog"),
        PictureDescribed("cat", "a cat on a mat"),
    ]  # fmt: skip
    assert bench.sent() == (TextPart("What? [回复图片:a dog] [图片:a cat on a mat]"),)
    assert bench.kept == {"dog": "a dog", "cat": "a cat on a mat"}
    asked = bench.eye.requests[0].messages[0]
    assert isinstance(asked, UserTurn)
    assert asked.parts[0] == DOG


def test_a_described_picture_is_not_described_again() -> None:
    bench = Bench([scripted_text("Nice.")], sees=[[scripted_text("never asked")]])
    known = ImagePart("cat", "image/png", b"x", "a cat")
    assert looks(bench.ask(turn(known))) == []
    assert bench.sent() == (TextPart("[图片:a cat]"),)
    assert bench.eye.requests == []


def test_a_picture_that_is_shown_twice_is_described_once() -> None:
    bench = Bench([scripted_text("1")], [scripted_text("2")], sees=[[scripted_text("a cat")]])
    model = bench.next_turn()
    asked = turn(CAT, TextPart("a")), AssistantTurn((TextPart("b"),)), turn(CAT, TextPart("c"))
    assert len(looks(bench.ask(*asked, model=model))) == 2
    assert looks(bench.ask(*asked, model=model)) == []  # the next round
    assert bench.sent() == (TextPart("c [图片:a cat]"),)


def test_without_a_model_that_sees_the_text_says_so() -> None:
    bench = Bench([scripted_text("Pity.")], [scripted_text("Again.")])
    events = bench.ask(turn(CAT))
    assert [type(e) for e in looks(events)] == [DescriptionAnnounced, DescriptionFailed]
    assert bench.sent() == (
        TextPart("[图片:(could not be described: No model that sees pictures is set up.)]"),
    )
    later = turn(CAT), AssistantTurn((TextPart("Pity."),)), turn(TextPart("Well."))
    assert looks(bench.ask(*later)) == []  # reported once


def test_a_failure_has_a_reason_and_the_turn_continues() -> None:
    bench = Bench(
        [scripted_text("Pity.")],
        [scripted_text("Now!")],
        sees=[[Unreachable("no route")], [scripted_text("a cat")]],
    )
    model = bench.next_turn()
    events = bench.ask(turn(CAT, TextPart("What?")), model=model)
    missed = events[1]
    assert isinstance(missed, DescriptionFailed)
    assert "no route" in missed.error.detail
    assert bench.sent()[0].text.startswith("What? [图片:(could not be described: ")
    assert [e.text for e in events if isinstance(e, TextDelta)] == ["Pity."]
    assert len(looks(bench.ask(turn(CAT)))) == 2  # sent again, it is tried again
    assert bench.sent() == (TextPart("[图片:a cat]"),)


def test_an_empty_description_is_a_failure() -> None:
    bench = Bench([scripted_text("Pity.")], sees=[[scripted_text("  ")]])
    assert [type(e) for e in looks(bench.ask(turn(CAT)))] == [
        DescriptionAnnounced,
        DescriptionFailed,
    ]


def test_a_description_that_can_not_be_stored_is_used() -> None:
    bench = Bench([scripted_text("Nice.")], sees=[[scripted_text("a cat")]])
    bench.disk_full = True
    bench.ask(turn(CAT))
    assert bench.sent() == (TextPart("[图片:a cat]"),)


def test_an_unknown_model_gets_a_description_if_another_one_sees() -> None:
    bench = Bench([scripted_text("Nice.")], sees=[[scripted_text("a cat")]], model="my-own")
    bench.ask(turn(CAT))
    assert bench.sent() == (TextPart("[图片:a cat]"),)


def test_an_unknown_model_that_is_alone_is_sent_the_picture() -> None:
    bench = Bench(
        [scripted_text("A cat.")],
        [NO],
        [scripted_text("Pity.")],
        [scripted_text("Pity.")],
        model="my-own",
    )
    assert looks(bench.ask(turn(CAT))) == []
    assert bench.sent() == (CAT,)
    events = bench.ask(turn(CAT))
    assert [type(e) for e in looks(events)] == [DescriptionAnnounced, DescriptionFailed]
    assert isinstance(bench.sent()[0], TextPart)
    bench.ask(turn(CAT))
    assert len(bench.chat.requests) == 4  # its refusal is remembered


def test_a_service_that_refuses_pictures_gets_descriptions() -> None:
    bench = Bench([NO], [scripted_text("Nice.")], sees=[[scripted_text("a cat")]], model="gpt-4o")
    assert len(looks(bench.ask(turn(CAT)))) == 2
    assert bench.sent() == (TextPart("[图片:a cat]"),)


@pytest.mark.parametrize("broken", [(NO,), (scripted_text("A c"), NO)])
def test_other_failures_are_raised(broken: Script) -> None:
    """Without a picture, or after some output, a refusal is raised unchanged."""
    parts = (TextPart("hi"),) if len(broken) == 1 else (CAT,)
    bench = Bench(broken, sees=[[scripted_text("a cat")]], model="gpt-4o")
    with pytest.raises(RequestRefused):
        bench.ask(turn(*parts))


def test_text_after_the_pictures_keeps_its_place() -> None:
    bench = Bench([scripted_text("Nice.")])
    gone = ImagePart("gone", "image/png")
    bench.blindness.pictures["gone"] = Unreachable()
    said = turn(TextPart("result"), gone), AssistantTurn(()), turn(TextPart("x"))
    bench.ask(*said)
    first = bench.chat.requests[-1].messages[0]
    assert isinstance(first, UserTurn)
    assert [type(part) for part in first.parts] == [TextPart, TextPart]
