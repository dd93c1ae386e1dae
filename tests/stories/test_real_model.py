"""A real model behind a real server, from the windows and from the terminal, in both modes.

135 million parameters talk nonsense; what counts is the stream: it is painted as it comes, ends,
tells its tokens, and can be stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from neodeskpet.core.blocks import MessageState
from tests.support import terminal
from tests.support.desk import DeskStory, settle
from tests.support.modelserver import MODEL, gguf, model_server

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(gguf() is None, reason="the test extra with the model isn't installed"),
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("model"),
]
Play = Callable[..., None]
PATIENCE = 400.0
"""Seconds: two cores read a prompt that announces all tools for half a minute, busy ones longer."""

SLOW = {"service": {"stall_timeout": 600, "model": MODEL}, "mode": {"max_rounds": 1}}
ENDED = (MessageState.DONE, MessageState.LIMITED)


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with model_server() as url:
        yield url


async def replying(person: DeskStory, number: int) -> None:
    """The reply of this number has begun."""
    view = person.desk.view
    await person.until(lambda: len(view.column.heads) == 2 * number, "no reply begins")


def in_the_windows(desk_story: Play, model: str, mode: str) -> None:
    async def story(person: DeskStory) -> None:
        seen: set[str] = set()

        def grows() -> bool:
            seen.add(person.shown())
            return len(seen) >= 3

        person.type("Tell me about cats.")
        await replying(person, 1)
        await person.until(grows, "it doesn't stream", PATIENCE)
        await person.idle(PATIENCE)
        reply = await person.reply()
        assert reply.state in ENDED, person.shown()
        assert reply.text or reply.blocks
        assert reply.usage is not None
        assert reply.usage.input_tokens > 20
        assert reply.usage.output_tokens > 1

    desk_story(story, model, mode, settings=SLOW, limit=PATIENCE)


def in_the_terminal(tmp_path: Path, model: str, mode: str) -> None:
    settle(tmp_path, SLOW)
    words = ("--json", "--base-url", model, "--model", MODEL, "--mode", mode)
    process = terminal.start(tmp_path, "chat", "Tell me about cats.", *words)
    outcome = terminal.finish(process, PATIENCE)
    kinds = [line["type"] for line in outcome.lines]
    grown = [kind for kind in kinds if kind.endswith("_appended") or kind == "block_started"]
    assert len(grown) > 1
    assert kinds[-2:] == ["turn_ended", "result"]
    assert outcome.result["usage"]["output_tokens"] > 1
    error = outcome.result["error"]
    assert error is None or error["type"] in ("length_limit", "round_limit")
    assert outcome.code == (0 if error is None else 1)


def test_natively_in_the_windows(desk_story: Play, model: str) -> None:
    in_the_windows(desk_story, model, "native")


def test_natively_in_the_terminal(tmp_path: Path, model: str) -> None:
    in_the_terminal(tmp_path, model, "native")


def test_stop_in_the_windows(desk_story: Play, model: str) -> None:
    async def story(person: DeskStory) -> None:
        person.type("Tell me a long story about a cat and a dog.")
        await replying(person, 1)
        await person.until(lambda: len(person.shown()) > 10, "it doesn't stream", PATIENCE)
        person.press(Qt.Key.Key_Escape)
        await person.idle()
        reply = await person.reply()
        assert reply.state is MessageState.CANCELLED
        assert len(reply.text) > 5
        person.type("And now?")
        await replying(person, 2)
        await person.idle(PATIENCE)
        assert (await person.reply()).state in ENDED

    desk_story(story, model, "native", settings=SLOW, limit=PATIENCE)


# The same long prompt twice in a row: the server has read it by then.


def test_through_the_text_in_the_windows(desk_story: Play, model: str) -> None:
    in_the_windows(desk_story, model, "text")


def test_through_the_text_in_the_terminal(tmp_path: Path, model: str) -> None:
    in_the_terminal(tmp_path, model, "text")
