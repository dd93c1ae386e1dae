"""Other programs speak, ask and store data through the companion; misuse is refused."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from neodeskpet.external_api.local_protocol import format_line
from neodeskpet.ui.companion_menu import URGENT
from neodeskpet.ui.local_server import LocalServer
from neodeskpet.ui.settings.integrations_page import IntegrationsPage
from neodeskpet.ui.widgets.controls import Switch
from tests.support.agents import Agent, RawVisitor, Said, tell_command, words_of
from tests.support.desk import DeskStory

Play = Callable[..., None]


def open_door(person: DeskStory) -> Path:
    """As the running app does it; return the data folder. The chat is closed: the bubble asks."""
    desk = person.desk
    desk.chat.window.hide()
    desk.set_local_server(LocalServer(desk.engine.storage.home, desk))
    return desk.engine.storage.home


def press(person: DeskStory, name: str) -> None:
    buttons = person.desk.companion.bubble.findChildren(QPushButton)
    wanted = [button for button in buttons if button.text() == name and button.isVisible()]
    assert wanted, person.desk.companion.bubble.choices
    QTest.mouseClick(wanted[0], Qt.MouseButton.LeftButton)


async def comes(person: DeskStory, future: Future[Said]) -> tuple[str, bool]:
    """Return the answer, and whether it failed."""
    await person.until(future.done, "no answer")
    said = future.result()
    return words_of(said), bool(said.is_error)


async def connects(person: DeskStory, agent: Agent) -> None:
    await person.until(lambda: agent.ready, "it doesn't connect", timeout=60)


async def asks(person: DeskStory, words: str) -> None:
    await person.until(
        lambda: words in person.desk.companion.bubble.page_text,
        person.desk.companion.bubble.page_text,
    )


def test_an_agent_speaks_moves_asks_and_stores(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, home = person.desk, open_door(person)
        await person.until(lambda: desk.companion.pet.description is not None, "no figure")
        with Agent("coder").over_stdio(home) as agent:
            await connects(person, agent)
            listed = agent.tools()
            await person.until(listed.done)
            own = {"say", "express", "play", "ask", "notify", "remind"}
            kept = {"note_add", "note_search", "note_delete", "timer_set", "timer_list"}
            assert own | kept <= set(listed.result())

            faces: list[str] = []
            desk.companion.pet.expression_changed.connect(faces.append)
            spoken = agent.call("say", text="<b>Built</b> in 4 s", mood="happy", wait=True)
            await asks(person, "coder: <b>Built</b> in 4 s")
            await person.until(lambda: faces, "its face stays as it was")
            QTest.mouseClick(desk.companion.bubble, Qt.MouseButton.LeftButton)
            assert await comes(person, spoken) == ("Shown at the companion.", False)

            moved = await comes(person, agent.call("express", name="LOVE"))
            assert moved == ("Its face shows “love”.", False)
            await person.until(lambda: faces[-1] == "love", str(faces))
            assert await comes(person, agent.call("play", group="Wave")) == (
                "It plays “Wave”.",
                False,
            )
            assert (await comes(person, agent.call("express", name="rage")))[1]

            asked = agent.call("ask", question="Deploy?", choices=["Yes", "No", "After tea"])
            await asks(person, "coder asks: Deploy?")
            assert desk.companion.bubble.choices == ["Yes", "No", "After tea", "Not now"]
            press(person, "After tea")
            assert await comes(person, asked) == ("The user chose “After tea”.", False)
            assert asked.result().structured_content == {"answer": "After tea"}
            assert not desk.companion.bubble.choices

            desk.menu.menu.actions["today"].trigger()
            notes = desk.side_windows.today.notes.pane.list
            added = await comes(person, agent.call("note_add", text="port [TOOL_REQUEST] 8080"))
            assert not added[1]
            role = Qt.ItemDataRole.AccessibleTextRole
            await person.until(
                lambda: notes.count() and "8080" in str(notes.item(0).data(role)), "not in the list"
            )
            told = str(notes.item(0).data(role))
            assert "coder" in told
            assert "[TOOL_REQUEST]" not in told, "no mark that some reader could misread"
            (note,) = await desk.engine.notebook.notes.search([], 10)

            deleted = agent.call("note_delete", id=note.id)
            await asks(person, "coder asks: Delete the note “")
            press(person, "Keep it")
            assert await comes(person, deleted) == ("The user didn't allow it.", True)
            deleted = agent.call("note_delete", id=note.id)
            await asks(person, "coder asks: Delete the note “")
            press(person, "Delete")
            assert not (await comes(person, deleted))[1]
            await person.until(lambda: notes.count() == 0, "it is still there")

            await comes(person, agent.call("remind", text="Stand up", at="2h"))
            assert [one.label for one in await desk.engine.notebook.timers.timers()] == [
                "coder: Stand up"
            ]

            # A program can withdraw its question; an unanswered one times out.
            given_up = agent.call("ask", question="Still there?")
            await asks(person, "Still there?")
            given_up.cancel()
            await person.until(lambda: not desk.companion.bubble.choices, "the question stays")
            late = await comes(person, agent.call("ask", question="Anybody?", seconds=1))
            assert late == ("Nobody answered in time.", True)

    desk_story(story, pet=True)


def test_two_agents_ask_one_disconnects_and_the_app_ends(desk_story: Play) -> None:
    left: list[Future[Said]] = []
    with ExitStack() as agents:

        async def story(person: DeskStory) -> None:
            desk, home = person.desk, open_door(person)
            one = agents.enter_context(Agent("one").over_stdio(home))
            two = agents.enter_context(Agent("two").over_stdio(home, "--name", "Two\u202e"))
            await connects(person, one)
            await connects(person, two)
            first = one.call("ask", question="First?")
            await asks(person, "one asks: First?")
            second = two.call("ask", question="Second?")
            await asks(person, "Two\\u202e asks: Second?")
            press(person, "Yes")
            assert (await comes(person, second))[0] == "The user chose “Yes”."
            await asks(person, "one asks: First?")
            assert not first.done()
            one.leave()
            await person.until(lambda: not desk.companion.bubble.choices, "the question stays")
            left.append(two.call("ask", question="Third?"))
            await asks(person, "Third?")

        desk_story(story)
        said = left[0].result(20)
        assert words_of(said) == "NeoDeskPet was closed before it answered."


async def told(person: DeskStory, visitor: RawVisitor, number: int) -> tuple[str, bool]:
    await person.until(lambda: visitor.answer(number), "no answer")
    answer = visitor.answer(number)
    assert answer is not None
    return answer.text, answer.failed


def test_hidden_or_quiet_it_shows_no_bubble(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, home = person.desk, open_door(person)
        make = RawVisitor(home)
        make.write(make.hello("make"))
        said, failed = await told(person, make, make.call("say", text="Done", mood="happy"))
        assert said.startswith("The companion is hidden; shown as a notice of the desktop.")
        assert not failed
        assert not desk.companion.bubble.is_speaking
        assert (await told(person, make, make.call("play", group="Wave")))[1]
        asked = make.call("ask", question="Hidden?", choices=["Fine"])
        await asks(person, "Hidden?")
        press(person, "Not now")
        closed = await told(person, make, asked)
        assert closed == ("The user closed the question without an answer.", True)
        desk.engine.settings.change("companion", "quiet", True)
        for tool, given in (("say", "text"), ("ask", "question"), ("notify", "text")):
            words, failed = await told(person, make, make.call(tool, **{given: "Psst"}))
            assert "the user wants quiet now" in words
            assert failed
        desk.engine.settings.change("programs", "allowed", False)
        refused = await told(person, make, make.call("note_add", text="x"))
        assert refused[0].startswith("The user has switched this off")
        make.close()

    desk_story(story)


def test_the_user_can_not_be_flooded(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        home = open_door(person)
        person.desk.companion.pet.show()
        chatty = RawVisitor(home)
        chatty.write(chatty.hello("chatty"))
        calls = [chatty.call("say", text=f"line {number}") for number in range(12)]
        ends = [await told(person, chatty, call) for call in calls]
        shown = [number for number, (_, failed) in enumerate(ends) if not failed]
        assert shown[:6] == [0, 1, 2, 3, 4, 5], ends
        # The newest replaces the waiting text of the same program.
        await asks(person, f"chatty: line {shown[-1]}")
        assert any(words.startswith("Too often. Wait") for words, failed in ends if failed)
        assert (await told(person, chatty, chatty.call("note_add", text="x" * 50_000)))[1]
        chatty.close()

    desk_story(story)


def test_a_client_with_another_protocol_is_disconnected(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        home = open_door(person)
        good = RawVisitor(home)
        hello = good.hello("raw")
        good.write(hello)
        bad = {
            "garbage": b"\x00\xff\xfe garbage\n",
            "no key": format_line({"key": "guess", "name": "raw"}),
            "a list": hello + b"[1, 2]\n",
            "deep": hello + b'{"id": 1, "do": "call", "x": ' + b"[" * 10_000 + b"\n",
            "no number": hello + format_line({"do": "tools"}),
            "no word": hello + format_line({"id": 1, "do": "approve"}),
            "not to be rung": hello + format_line({"id": 1, "do": "ring", "word": "quit"}),
            "10 MB": hello + b'{"id": 1, "text": "' + b"x" * 10_000_000,
        }
        for what, data in bad.items():
            visitor = RawVisitor(home)
            rest = data

            def gone(visitor: RawVisitor = visitor) -> bool:
                nonlocal rest
                rest = visitor.write(rest) if rest else rest
                return visitor.look()

            await person.until(gone, what)
            visitor.close()
        # The same for the next client: two that send at once, and one of them too much.
        good.write(format_line({"id": 7, "do": "tools"}))
        await person.until(lambda: good.look() or b"timer_list" in good.heard, "no tools")
        asking = format_line(
            {"id": 8, "do": "call", "tool": "ask", "arguments": {"question": "Eh?"}}
        )
        good.write(asking)
        await asks(person, "raw asks: Eh?")
        good.write(asking)  # the same number again
        await person.until(good.look, "it goes on")
        await person.until(lambda: not person.desk.companion.bubble.choices, "the question stays")
        good.close()

    desk_story(story)


def test_a_script_speaks_and_asks(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        home = open_door(person)
        person.desk.companion.pet.show()

        async def tell(*words: str) -> asyncio.Future[subprocess.CompletedProcess[str]]:
            command = tell_command(home, *words)
            loop = asyncio.get_running_loop()
            return loop.run_in_executor(
                None,
                lambda: subprocess.run(
                    command, capture_output=True, text=True, timeout=60, check=False
                ),
            )

        told = await tell("Build finished", "--mood", "nonsense", "--from", "make")
        await asks(person, "make: Build finished")
        assert (await told).returncode == 0
        asked = await tell("Deploy?", "--choices", "yes,no")
        await asks(person, "A program asks: Deploy?")
        press(person, "no")
        done = await asked
        assert (done.returncode, done.stdout) == (0, "no\n")
        nobody = await (await tell("Well?", "--choices", "yes", "--seconds", "1"))
        assert (nobody.returncode, nobody.stdout) == (1, "")
        assert nobody.stderr == "Nobody answered in time.\n"
        wrong = await (await tell())
        assert wrong.returncode == 64

    desk_story(story)


def post(address: str, token: str, length: int = 0, **headers: str) -> int:
    """The status of a first message to the port, made longer by that many bytes."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * length}}
    usual = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
    }
    return httpx.post(address, json=body, headers=usual | headers, timeout=20).status_code


def test_the_port_works_with_the_token(desk_story: Play) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = free.getsockname()[1]

    async def story(person: DeskStory) -> None:
        desk = person.desk
        desk.side_windows.show_settings("programs")
        page = desk.side_windows.settings.pages["programs"]
        assert isinstance(page, IntegrationsPage)
        gate = desk.external_api.http_server
        assert not gate.address, "off by default"
        person.click(page.fields["http"].control.findChildren(Switch)[0])
        await person.until(lambda: gate.address, "nobody listens", timeout=60)
        token = page.token.full_text()
        person.click(page.copy_token)
        assert QGuiApplication.clipboard().text() == token
        person.click(page.copy_reached)
        table = json.loads(QGuiApplication.clipboard().text())["mcpServers"]["neodeskpet"]
        assert table["url"] == gate.address
        written = (desk.engine.storage.home / "settings.json").read_text()
        assert token not in written
        desk.side_windows.show_settings("companion")
        desk.side_windows.show_settings("programs")
        assert token not in page.token.full_text(), "it is shown once"

        def status(token: str = token, length: int = 0, **headers: str) -> asyncio.Future[int]:
            loop = asyncio.get_running_loop()
            return loop.run_in_executor(None, lambda: post(gate.address, token, length, **headers))

        assert await status("wrong") == 401
        assert await status("-") == 401
        assert await status(Host="evil.example") == 421
        assert await status(Host=f"127.0.0.1:{number + 1}") == 421
        assert await status(Origin="http://evil.example") == 403
        modern = {"MCP-Protocol-Version": "2026-07-28"}
        assert await status(Origin="http://evil.example", **modern) == 403
        assert await status(Host="evil.example", **modern) == 421
        assert await status(length=10_000_000) == 413

        for mode in ("auto", "legacy"):
            with Agent("over http", mode=mode).over_http(gate.address, token) as agent:
                await connects(person, agent)
                asked = agent.call("ask", question="Really?")
                await asks(person, "over http asks: Really?")
                press(person, "No")
                assert (await comes(person, asked))[0] == "The user chose “No”."
                added = agent.call("todo_add", text=f"{mode} form", due="2090-12-04 17:00")
                assert (await comes(person, added))[0].endswith("due 2090-12-04 Mon 17:00")
        todos = await desk.engine.notebook.todos.todos()
        assert [str(todo.due) for todo in todos] == ["2090-12-04 17:00"] * 2
        person.click(page.renew)
        assert await status(token) == 401, "a new token ends the old one"
        desk.engine.settings.change("programs", "http", False)
        await person.until(lambda: not gate.address, "it still listens")
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", number)

    desk_story(story, settings={"programs": {"port": number}})


async def hook(home: Path, **event: object) -> asyncio.subprocess.Process:
    """A hook of Claude Code, as `neodeskpet agents install claude` writes it."""
    words = ("-m", "neodeskpet", "agents", "hook", "claude", "--data-dir", str(home))
    run = await asyncio.create_subprocess_exec(
        sys.executable, *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert run.stdin is not None
    run.stdin.write(json.dumps({"session_id": "s1", **event}).encode())
    run.stdin.close()
    return run


def test_a_permission_is_asked_with_its_command_and_withdrawn(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, home = person.desk, open_door(person)
        request = {"hook_event_name": "PermissionRequest", "tool_name": "Bash"}
        given = {"tool_input": {"command": "make deploy"}, "cwd": str(Path.home() / "app")}
        allowed = await hook(home, **request, **given)
        await asks(person, "Run “make deploy”? Claude Code asks in ~/app")
        assert desk.companion.bubble.choices == ["Run", "Don't run", "Not now"]
        press(person, "Run")
        out, _ = await allowed.communicate()
        decision = json.loads(out)["hookSpecificOutput"]["decision"]
        assert decision == {"behavior": "allow"}

        # In the chat the same question stands above the composer; both close together.
        window = desk.chat.window
        window.present()
        denied = await hook(home, **request, **given)
        card = window.program_questions
        await person.until(lambda: card.shown_key, "it isn't in the chat")
        assert card.title.text() == "Run “make deploy”?"
        assert card.origin.text() == "Claude Code asks in ~/app"
        assert [one.text() for one in card.buttons] == ["Run", "Don't run", "Not now"]
        await person.until(lambda: not desk.companion.bubble.choices, "the bubble asks as well")
        window.composer.field.setFocus()
        assert desk.menu.menu.actions[URGENT].isVisible()
        desk.menu.menu.actions[URGENT].trigger()
        assert card.buttons[-1].hasFocus(), "the menu leads to the question"
        person.click(card.buttons[1])
        await person.until(lambda: not card.shown_key, "the question stays")
        assert not desk.companion.bubble.has_question
        assert not desk.menu.menu.actions[URGENT].isVisible()
        out, _ = await denied.communicate()
        decision = json.loads(out)["hookSpecificOutput"]["decision"]
        assert decision["behavior"] == "deny"

        again = await hook(home, **request, **given)
        await person.until(lambda: card.shown_key, "it isn't in the chat")
        window.showMinimized()  # so the bubble asks, and its answer closes the card
        await asks(person, "make deploy")
        press(person, "Run")
        await again.communicate()
        assert not card.shown_key
        assert await person.messages() == [], "no model reads it"

        elsewhere = await hook(home, **request, **given)
        await asks(person, "make deploy")
        other = await hook(home, hook_event_name="PostToolUse", session_id="s2")
        await other.communicate()
        assert desk.companion.bubble.choices, "another session continued"
        went_on = await hook(home, hook_event_name="PostToolUse")
        assert await went_on.communicate() == (b"", None)
        await person.until(lambda: not desk.companion.bubble.choices, "the question stays")
        assert await elsewhere.communicate() == (b"", None)

    desk_story(story, pet=True)


def test_a_long_change_is_allowed_only_after_all_of_it_was_shown(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, home = person.desk, open_door(person)
        request = {"hook_event_name": "PermissionRequest", "tool_name": "Edit", "cwd": "/work"}
        old = "\n".join(f"old {number}" for number in range(20))
        edit = {"file_path": "/work/src/app.py", "old_string": old, "new_string": "<b>new</b>"}
        changed = await hook(home, **request, tool_input=edit)
        await asks(person, "Change “src/app.py”? Claude Code asks in /work")
        bubble = desk.companion.bubble
        assert bubble.choices == ["Show all", "Leave it", "Not now"]
        seen = [bubble.page_text]
        while bubble.next_page():
            seen.append(bubble.page_text)
        shown = " ".join(seen)
        for words in ("- old 2", "… + 16 lines", "- old 19", "+ <b>new</b>"):
            assert words in shown, shown
        assert "old 9" not in shown
        press(person, "Show all")
        seen = [bubble.page_text]
        assert bubble.choices == [], "the rest isn't read yet"
        while bubble.next_page():
            seen.append(bubble.page_text)
        shown = " ".join(seen)
        assert all(f"- old {number}" in shown for number in range(20)), shown
        assert bubble.choices == ["Change", "Leave it", "Not now"]
        press(person, "Change")
        out, _ = await changed.communicate()
        assert json.loads(out)["hookSpecificOutput"]["decision"] == {"behavior": "allow"}

        # What doesn't fit into the bubble to its end is left to the terminal.
        command = {"command": "\n".join(["echo"] * 300 + ["rm -rf x"])}
        ran = await hook(home, **request | {"tool_name": "Bash"}, tool_input=command)
        assert await ran.communicate() == (b"", None)
        await asks(person, "I need your permission in the terminal: echo")
        assert bubble.choices == []

    desk_story(story, pet=True)
