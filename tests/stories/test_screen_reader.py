"""A screen reader in another process: it reads the real window over D-Bus.

Tests that call the methods of our accessible objects from Python don't cross the binding, and can't
see what Qt does with the returned values.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.atspi import ASSERTIVE, Listener, Node, Reader, private_bus
from tests.support.replies import calling, end
from tests.support.sseserver import HOLD, ScriptedServer, text
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
_TIMEOUT = 60.0  # seconds


@contextmanager
def running(
    home: Path, server: ScriptedServer, environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.support.spokenapp", str(home), server.url]
    pipe = subprocess.PIPE
    with (
        unmeasured_children(),
        subprocess.Popen(
            command, cwd=_ROOT, env=environment, stdin=pipe, stdout=pipe, text=True
        ) as app,
    ):
        try:
            assert app.stdout is not None
            assert app.stdout.readline() == "ready\n"
            yield app
            app.communicate(timeout=60)
        finally:
            app.kill()


def say(app: subprocess.Popen[str], words: str) -> None:
    assert app.stdin is not None and app.stdout is not None
    app.stdin.write(f"{words}\n")
    app.stdin.flush()
    assert app.stdout.readline() == "sent\n"


def walk_until(
    app: subprocess.Popen[str], reader: Reader, true: Callable[[Node], object]
) -> list[Node]:
    """Return all nodes of the app, as soon as `true` holds for one of them."""
    end = time.monotonic() + _TIMEOUT
    while time.monotonic() < end:
        assert app.poll() is None, f"the app ended: {app.returncode}"
        nodes = list(reader.walk(reader.application("NeoDeskPet")))
        if any(map(true, nodes)):
            return nodes
    raise TimeoutError("it is never read")


def test_a_screen_reader_reads_the_chat(tmp_path: Path, server: ScriptedServer) -> None:
    sums = calling("native", ("calc.evaluate", {"expression": "6*7"}))
    server.reply(text("Let me see."), *sums, *end("tool_calls"))
    reply = server.reply(text("It is"), HOLD, text(" 42."), *end())
    with private_bus() as bus, running(tmp_path, server, bus) as app, Reader(bus) as reader:
        say(app, "what is 6*7?")
        walk_until(app, reader, lambda node: "It is" in node.content)  # while it streams
        reply.release()
        nodes = walk_until(app, reader, lambda node: "It is 42." in node.content)
        mine, answer = [node for node in nodes if node.role == "list item" and node.content][-2:]
        assert mine.name == "You: what is 6*7?"
        assert answer.name.startswith("Neo: Let me see.")
        card = next(node for node in nodes if node.name == "Calculate, 6*7, = 42")
        assert card.actions == ["Press"]
        reader.act(card)
        walk_until(app, reader, lambda node: node.name == card.name and node.is_expanded)
    assert app.returncode == 0


def test_a_stored_conversation_is_read_after_the_next_start(
    tmp_path: Path, server: ScriptedServer
) -> None:
    server.reply(text("Good evening."), *end())
    with private_bus() as bus:
        with running(tmp_path, server, bus) as app, Reader(bus) as reader:
            say(app, "hello")
            walk_until(app, reader, lambda node: "Good evening." in node.content)
        with running(tmp_path, server, bus) as again, Reader(bus) as reader:
            walk_until(again, reader, lambda node: "Good evening." in node.content)
    assert (app.returncode, again.returncode) == (0, 0)


_ANSWER = """See [the **page**](https://example.org/a) and <https://example.org/b>.

| a | b |
|---|---|
| 1 | 2 |

$$x^2$$

![a cat](data:image/png;base64,iVBORw0KGgoiVBORw0KGgo)
"""


def focused(node: Node) -> bool:
    return node.is_focused and node.role not in ("frame", "window")


def child_of(reader: Reader, nodes: list[Node], node: Node) -> Node:
    """The parent of a node, among these nodes."""
    parent = reader.parent(node)
    return next(one for one in nodes if one.reference == parent)


def test_events_links_and_characters_of_a_reply(tmp_path: Path, server: ScriptedServer) -> None:
    reply = server.reply(text("First. "), HOLD, text(_ANSWER), *end())
    with (
        private_bus() as bus,
        Listener(bus) as heard,  # before the app, which asks once what is listened to
        running(tmp_path, server, bus) as app,
        Reader(bus) as reader,
    ):
        say(app, "hello")
        heard.until(lambda one: (one.kind, one.detail) == ("ChildrenChanged", "add"))
        first = heard.until(lambda one: one.detail == "insert" and "First." in str(one.value))
        assert first.numbers[0] == 0
        walk_until(app, reader, lambda node: "First." in node.content and node.is_busy)
        reply.release()
        heard.announcement("The reply is finished.")
        rest = heard.until(lambda one: one.detail == "insert" and "the page" in str(one.value))
        assert rest.source == first.source

        nodes = walk_until(app, reader, lambda node: "the page" in node.content)
        message = next(node for node in nodes if "the page" in node.content)
        assert not message.is_busy
        for words in ("Table, 2 columns, 2 rows", "Formula: x^2", "Picture a cat"):
            assert words in message.content
        assert "base64" not in message.content
        links = [node for node in nodes if node.role == "link"]
        assert [node.name for node in links] == ["the page", "https://example.org/b"]
        assert reader.description(links[0]) == "https://example.org/a"
        assert child_of(reader, nodes, links[0]) == message

        positions = [message.content.index(word) for word in ("First", "page", "a\tb")]
        rects = [reader.character_rect(message, position) for position in positions]
        assert len({rect[:2] for rect in rects}) == 3
        assert all(0 < rect[2] < 40 and 0 < rect[3] < 60 for rect in rects), rects
        for position, (left, top, width, height) in zip(positions, rects, strict=True):
            assert reader.position_at(message, left + width // 4, top + height // 2) == position

        reader.act(links[0])
        walk_until(app, reader, lambda node: node.name == "Full address" and node.content)
        say(app, "!key Esc")
        walk_until(app, reader, lambda node: focused(node) and node.name == "Message")
    assert app.returncode == 0


def test_a_question_its_forms_and_the_editor(tmp_path: Path, server: ScriptedServer) -> None:
    server.reply(*calling("native", ("note.add", {"text": "buy milk"})), *end("tool_calls"))
    server.reply(text("Fine."), *end())
    with (
        private_bus() as bus,
        Listener(bus) as heard,  # before the app, which asks once what is listened to
        running(tmp_path, server, bus) as app,
        Reader(bus) as reader,
    ):
        say(app, "note it")
        asked = heard.announcement("Ctrl+J goes to the answers.")
        assert "buy milk" in str(asked.value)
        assert asked.numbers[0] == ASSERTIVE
        say(app, "!key Ctrl+J")
        walk_until(app, reader, lambda node: focused(node) and node.name == "Don't add")
        for entry, field in (
            ("No, with a reason…", "Reason (optional)"),
            ("Edit before it runs…", "text"),
        ):
            say(app, f"!press {entry}")
            nodes = walk_until(app, reader, lambda node, n=field: focused(node) and node.name == n)
            form = next(node for node in nodes if node.role == "form")
            message = child_of(reader, nodes, form)
            assert message.role == "list item"
            assert [node for node in nodes if node.name == field and node.depth > form.depth]
            say(app, "!key Esc")  # while the reply runs
            nodes = walk_until(
                app, reader, lambda node: focused(node) and node.name == "More answers"
            )
            assert not [node for node in nodes if node.role == "form"]
        say(app, "!press Deny")
        walk_until(app, reader, lambda node: "Fine." in node.content)
        say(app, "!edit")
        nodes = walk_until(
            app, reader, lambda node: focused(node) and node.name == "Edit the message"
        )
        form = next(node for node in nodes if node.role == "form")
        assert child_of(reader, nodes, form).name.startswith("You:")
        say(app, "!key Esc")
        walk_until(app, reader, lambda node: focused(node) and node.name == "Edit")
    assert app.returncode == 0


def test_the_bubble_by_keyboard(tmp_path: Path, server: ScriptedServer) -> None:
    with (
        private_bus() as bus,
        Listener(bus) as heard,  # before the app, which asks once what is listened to
        running(tmp_path, server, bus) as app,
        Reader(bus) as reader,
    ):
        say(app, "!ask Shall I feed the cat?")
        asked = heard.announcement("Shall I feed the cat?")
        assert asked.numbers[0] == ASSERTIVE
        assert "Yes, Later" in str(asked.value)
        assert "Ctrl+Shift+A" in str(asked.value)
        nodes = walk_until(app, reader, lambda node: node.role == "notification")
        assert [node for node in nodes if node.name == "Shall I feed the cat?"]
        say(app, "!key Ctrl+Shift+A")
        walk_until(app, reader, lambda node: focused(node) and node.name == "Yes")
        say(app, "!key Tab")
        walk_until(app, reader, lambda node: focused(node) and node.name == "Later")
        say(app, "!key Esc")  # the question waits
        walk_until(app, reader, lambda node: focused(node) and node.name == "Message")
        say(app, "!key Ctrl+Shift+D")
        heard.events.clear()
        long = " ".join(f"Sentence {number} is long enough for a line." for number in range(20))
        say(app, f"!tell {long}")
        first = heard.announcement("Sentence 1 is")
        assert first.numbers[0] != ASSERTIVE
        say(app, "!key Ctrl+Shift+N")
        heard.until(lambda one: one.kind == first.kind and one.value != first.value)
        say(app, "!key Ctrl+Shift+D")
        walk_until(app, reader, lambda node: node.name == "Conversation")
    assert app.returncode == 0


def test_the_figure_is_a_window_with_actions(tmp_path: Path, server: ScriptedServer) -> None:
    with private_bus() as bus, running(tmp_path, server, bus) as app, Reader(bus) as reader:

        def is_figure(node: Node) -> bool:
            return node.actions == ["Press", "ShowMenu"]

        def is_chat(node: Node) -> bool:
            return node.role == "frame" and node.name.endswith("Chat") and node.is_visible

        nodes = walk_until(app, reader, is_figure)
        assert not next(filter(is_figure, nodes)).is_visible, "the app was started without it"
        say(app, "!figure")
        nodes = walk_until(app, reader, lambda node: is_figure(node) and node.is_visible)
        assert not any(map(is_chat, nodes))
        figure = next(filter(is_figure, nodes))
        assert (figure.name, figure.role, figure.depth) == ("Neo", "frame", 1)
        assert reader.description(figure) == "The figure on the desktop"
        reader.act(figure)
        walk_until(app, reader, is_chat)
    assert app.returncode == 0
