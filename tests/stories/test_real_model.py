"""A real model on this computer, as an endpoint like any other, over both protocols of its server.

With 135 million parameters its text makes no sense; what counts is the stream: it is painted as it
comes, can be stopped, ends, continues, and reports its tokens. The app starts the model, and the
model never outlives it. Replies are limited and the context is small. One thread: several wait for
each other when the machine is busy.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from neodeskpet.core.blocks import MessageState
from neodeskpet.llm.local.local_host import ServerPhase
from tests.support import terminal
from tests.support.desk import DeskStory, settle
from tests.support.realmodel import MODEL, gguf

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(gguf() is None, reason="the test extra with the model isn't installed"),
    pytest.mark.timeout(900),
    pytest.mark.xdist_group("model"),
]
Play = Callable[..., None]
TIMEOUT = 400.0
"""Seconds: a busy machine reads a prompt that announces all tools for minutes."""

LONG = 120
"""Tokens of a reply that is stopped: one of 32 may have ended by then."""

PROTOCOLS = pytest.mark.parametrize("protocol", ["openai", "anthropic"])


def settings(
    protocol: str, context: int = 1024, reply: int = 32, mode: str = "native"
) -> dict[str, dict[str, object]]:
    return {
        "service": {"protocol": protocol, "base_url": f"local:{gguf()}", "model": MODEL},
        "local": {"context": context, "reply": reply, "threads": 1},
        # Without the apps, whose announcement is half of the prompt.
        "mode": {"mode": mode, "max_rounds": 1, "apps": False},
    }


async def streaming(person: DeskStory, number: int) -> None:
    """The reply of this number streams: it grows visibly."""
    view = person.desk.chat.view
    await person.until(lambda: len(view.access.messages()) == 2 * number, "no reply begins")
    await person.until(lambda: person.desk.engine.chat.running, "no turn begins")
    seen: set[str] = set()

    def grows() -> bool:
        live = person.desk.engine.chat.running_message
        # Before it says anything, the waiting time is shown: a new text each time.
        if live is not None and live.text:
            seen.add(person.shown())
        return len(seen) >= 4 or not person.desk.engine.chat.running

    await person.until(grows, "it doesn't stream", TIMEOUT)


@PROTOCOLS
def test_stop_retry_a_long_reply_and_continue(desk_story: Play, protocol: str) -> None:
    async def story(person: DeskStory) -> None:
        person.type("Tell me a long story about a cat and a dog.")
        await person.until(
            lambda: person.shown() == f"Loading the model {MODEL}…", "it doesn't say that it loads"
        )
        for again in range(5):
            # The time in the prompt changes its text each minute: it may have ended before it grew.
            if again:
                person.press_in_message("Retry")
            await streaming(person, 1)
            person.press(Qt.Key.Key_Escape)
            await person.idle()
            stopped = await person.reply()
            if stopped.state is MessageState.CANCELLED:
                break
        assert stopped.state is MessageState.CANCELLED
        assert stopped.text

        person.press_in_message("Retry")
        await streaming(person, 1)
        await person.idle(TIMEOUT)
        reply = await person.reply()
        # The time in the prompt changes its text each minute: sometimes it is short.
        assert reply.state in (MessageState.LIMITED, MessageState.DONE)
        assert reply.usage is not None
        if protocol != "anthropic":  # on a busy machine the server begins without message_start
            assert reply.usage.input_tokens > 20
        assert 0 < reply.usage.output_tokens <= LONG
        if reply.state is MessageState.DONE:
            return

        person.press_in_message("Continue")
        await person.until(lambda: person.desk.engine.chat.running, "it doesn't go on")
        await person.idle(TIMEOUT)
        longer = await person.reply()
        assert longer.id == reply.id
        assert len(longer.text) >= len(reply.text)

    desk_story(story, mode=None, settings=settings(protocol, reply=LONG), limit=TIMEOUT)


def test_in_text_mode_in_the_windows(desk_story: Play) -> None:
    """The prompt announces the tools: the longest prompt of this file."""

    async def story(person: DeskStory) -> None:
        person.type("Tell me about cats.")
        await streaming(person, 1)
        await person.idle(TIMEOUT)
        reply = await person.reply()
        assert reply.state in (MessageState.DONE, MessageState.LIMITED), person.shown()
        assert reply.text or reply.blocks
        assert reply.usage is not None
        # with so small a context it is sent the search for tools
        assert reply.usage.input_tokens > 400

    told = settings("openai", 4096, 16, "text")
    desk_story(story, mode=None, settings=told, limit=TIMEOUT)


def test_a_model_that_crashes_is_reported_and_restarted(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        host, address = person.desk.engine.models.local_host, f"local:{gguf()}"
        person.type("Tell me about cats.")
        for again in range(5):
            if again:  # on a busy machine the model may have finished before it was killed
                person.press_in_message("Retry")
            await streaming(person, 1)
            before = host.condition(address)
            os.kill(before.pid, signal.SIGSTOP)
            assert (await host.memory(address) or 0) > 50_000_000
            os.kill(before.pid, signal.SIGSEGV)
            os.kill(before.pid, signal.SIGCONT)
            await person.idle(TIMEOUT)
            broken = await person.reply()
            if broken.state is MessageState.FAILED:
                break
        assert broken.state is MessageState.FAILED
        assert broken.text
        assert "The model's process ended unexpectedly." in person.shown()

        person.press_in_message("Retry")
        await person.until(lambda: host.condition(address).phase is ServerPhase.READY, "", TIMEOUT)
        assert host.condition(address).pid != before.pid
        await streaming(person, 1)
        person.press(Qt.Key.Key_Escape)
        await person.idle(TIMEOUT)
        assert (await person.reply()).text

    # Longer than a busy machine may take between the last check and the kill.
    desk_story(story, mode=None, settings=settings("openai", reply=400), limit=TIMEOUT)


def test_quitting_while_it_loads_leaves_no_process_behind(desk_story: Play) -> None:
    pids: list[int] = []

    async def story(person: DeskStory) -> None:
        host, address = person.desk.engine.models.local_host, f"local:{gguf()}"
        person.type("Tell me about cats.")
        await person.until(
            lambda: host.condition(address).phase is ServerPhase.LOADING, "", TIMEOUT
        )
        pids.append(host.condition(address).pid)

    desk_story(story, mode=None, settings=settings("openai"), limit=TIMEOUT)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


@PROTOCOLS
def test_the_endpoint_test(tmp_path: Path, protocol: str) -> None:
    settle(tmp_path, settings(protocol, 2048, 16))
    words = ("--json", "--protocol", protocol, "--base-url", f"local:{gguf()}")
    outcome = terminal.finish(terminal.start(tmp_path, "doctor", *words), TIMEOUT)
    assert outcome.lines, outcome.err
    (endpoint,) = outcome.lines[0]["endpoints"]
    trials = {trial["id"]: trial["outcome"] for trial in endpoint["trials"]}
    assert (endpoint["protocol"], endpoint["model"]) == (protocol, MODEL)
    assert trials["models"] == trials["streaming"] == trials["usage"] == "good"
    assert trials["tools"] != "good"  # such a small model calls none, or half of one
    assert endpoint["advice"]["mode"] in ("none", "text")


def test_a_file_named_on_the_terminal(tmp_path: Path) -> None:
    settle(tmp_path, settings("openai", reply=16))
    words = ("--json", "--local", str(gguf()), "--protocol", "anthropic", "--mode", "native")
    process = terminal.start(tmp_path, "chat", "Tell me about cats.", *words)
    outcome = terminal.finish(process, TIMEOUT)
    kinds = [line["type"] for line in outcome.lines]
    assert "loading_announced" in kinds
    assert kinds[-2:] == ["turn_ended", "result"]
    # So small a model, which reads the time, answers anything: text, the beginning of a call, or
    # invisible characters. It may have ended before its limit.
    assert 1 <= outcome.result["usage"]["output_tokens"] <= 16


def test_in_text_mode_on_the_terminal(tmp_path: Path) -> None:
    """Without a figure, so that the prompt is short."""
    told = settings("openai", 2048, 16, "text")
    settle(tmp_path, {**told, "companion": {"model": str(tmp_path / "nowhere")}})
    process = terminal.start(tmp_path, "chat", "Tell me about cats.", "--json")
    outcome = terminal.finish(process, TIMEOUT)
    assert outcome.lines[-1]["type"] == "result", outcome.err
    assert outcome.result["usage"]["input_tokens"] > 300
    assert outcome.result["usage"]["output_tokens"] > 1
    error = outcome.result["error"]
    assert error is None or error["type"] in ("length_limit", "round_limit")
    assert outcome.code == (0 if error is None else 1)
