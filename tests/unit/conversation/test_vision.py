"""The pictures of a request are loaded, the newest first, within the limits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from neodeskpet.conversation import vision
from neodeskpet.conversation.vision import ModelWithPictures, fill_pictures
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.transcript import (
    AssistantTurn,
    ImagePart,
    ModelMessage,
    TextPart,
    UserTurn,
)
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_text


class Folder:
    def __init__(self, **held: bytes) -> None:
        self.held = held

    async def picture(self, digest: str) -> bytes | None:
        return self.held.get(digest)


def named(digest: str, description: str = "") -> ImagePart:
    return ImagePart(digest, "image/png", description=description)


def filled(*messages: ModelMessage, **held: bytes) -> list[Sequence[object]]:
    done = asyncio.run(fill_pictures(messages, Folder(**held)))
    return [turn.parts for turn in done if isinstance(turn, UserTurn)]


def test_stored_pictures_are_loaded() -> None:
    answer = AssistantTurn((TextPart("A cat."),))
    before = UserTurn((named("a"), TextPart("?"))), answer, UserTurn((TextPart("Sure?"),))
    (first, second) = filled(*before, a=b"1")
    assert first == (ImagePart("a", "image/png", b"1"), TextPart("?"))
    assert second == (TextPart("Sure?"),)


def test_a_missing_picture_has_a_text_instead() -> None:
    assert filled(UserTurn((named("a"), named("b", "a cat")))) == [
        (TextPart("[图片:(the picture is gone)] [图片:a cat]"),)
    ]


def test_if_there_are_too_many_bytes_the_newest_are_loaded() -> None:
    large = b"x" * (vision.MAX_PICTURE_BYTES // 2 + 1)
    old, new = UserTurn((named("a"),)), UserTurn((named("b"),))
    ((left_out,), (kept,)) = filled(old, new, a=large, b=large)
    assert left_out == TextPart("[图片:(an earlier picture, no longer shown)]")
    assert kept == ImagePart("b", "image/png", large)


def test_the_number_of_pictures_is_limited() -> None:
    turns = [UserTurn((named("a"),)) for _ in range(vision.MAX_PICTURES + 3)]
    kinds = [type(parts[0]) for parts in filled(*turns, a=b"1")]
    assert kinds == [TextPart] * 3 + [ImagePart] * vision.MAX_PICTURES


def test_a_model_is_sent_the_pictures() -> None:
    inner = ScriptedModel([scripted_text("A cat.")])
    model = ModelWithPictures(inner, Folder(a=b"1"))
    assert model.label == inner.label

    async def main() -> None:
        async for _ in model.stream(ModelRequest("s", [UserTurn((named("a"),))])):
            pass

    asyncio.run(main())
    assert inner.requests[0].system == "s"
    assert inner.requests[0].messages == [UserTurn((ImagePart("a", "image/png", b"1"),))]
