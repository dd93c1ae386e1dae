"""A screen reader in another process: it reads the real window over D-Bus.

Tests that call the methods of our accessible objects from Python don't cross the binding, and can't
see what Qt does with the returned values.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.atspi import Node, Reader, private_bus
from tests.support.replies import calling, end
from tests.support.sseserver import HOLD, ScriptedServer, text
from tests.support.unmeasured import unmeasured_children

_ROOT = Path(__file__).resolve().parents[2]
_WALKS = 100


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
    for _ in range(_WALKS):
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
