"""An MCP server in the real windows: pasted, shown, allowed, used; it crashes and is restarted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

from neodeskpet.conversation.chat_events import ChatEvent, TurnAdvanced
from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.turn.turn_events import BlockChanged
from neodeskpet.language import translate_fault
from neodeskpet.mcp.server import ServerState
from neodeskpet.ui.chat.argument_form import ArgumentForm
from neodeskpet.ui.settings.mcp_server_card import McpServerCard
from neodeskpet.ui.settings.mcp_servers_page import McpServersPage
from tests.support.desk import DeskStory
from tests.support.mcpserver import command
from tests.support.replies import bare, calling, end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


class Progress:
    """The progress of the cards while a call runs."""

    def __init__(self) -> None:
        self.render: list[tuple[float | None, str]] = []

    def on_chat_event(self, event: ChatEvent) -> None:
        changed = event.event if isinstance(event, TurnAdvanced) else None
        if isinstance(changed, BlockChanged) and isinstance(changed.block, ToolUse):
            self.render.append((changed.block.progress, changed.block.progress_text))


def page(person: DeskStory) -> McpServersPage:
    person.desk.side_windows.show_settings("servers")
    found = person.desk.side_windows.settings.pages["servers"]
    assert isinstance(found, McpServersPage)
    return found


def card(person: DeskStory) -> McpServerCard:
    (only,) = page(person).cards.values()
    return only


def press(person: DeskStory, name: str, within: QWidget) -> None:
    person.click(person.button(name, within))


def state(person: DeskStory) -> ServerState:
    (view,) = person.desk.engine.tools.mcp_servers.servers()
    return view.state


async def set_up(person: DeskStory, mode: str = "few") -> None:
    """Paste the example of a README, check it, and allow it."""
    entry = {**command(mode), "env": {"SMALL_TOKEN": "sk-abcdefghijklmnop"}}
    made = page(person)
    made.paste.setPlainText(json.dumps({"mcpServers": {"small": entry}}))
    press(person, "Add", made)
    await person.until(lambda: made.cards and card(person).body, "it isn't shown")
    body = card(person).body
    assert body is not None
    assert "mcpserver.py" in body.runs.text()
    assert "SMALL_TOKEN=••••" in body.runs.text()
    assert state(person) is ServerState.NOT_ALLOWED
    press(person, "Allow and start", body)
    await person.until(lambda: state(person) is ServerState.READY, body.wrong.text())


async def ask_for(person: DeskStory, server: ScriptedServer, tool: str, **arguments: str) -> None:
    server.reply(*calling("native", (tool, dict(arguments))), *end())
    server.reply(text("So it is."), *end())
    person.type("please")
    await person.until(lambda: "Allow once" in person.buttons(), person.shown())


def test_from_a_paste_to_a_result(desk_story: Play, server: ScriptedServer, tmp_path: Path) -> None:
    async def story(person: DeskStory) -> None:
        await set_up(person)
        assert "runs · 4 tools" in card(person).head.about.full_text()
        person.desk.chat.window.present()
        await ask_for(person, server, "mcp.small.echo", text="hello")
        offered = [tool["function"]["name"] for tool in server.requests[0].body["tools"]]
        assert "mcp_small_echo" in offered
        person.press_in_message("Allow once")
        await person.idle()
        (call,) = await person.calls()
        assert (call.status, call.output) == (ToolStatus.SUCCESS, "hello")
        assert (await person.reply()).state is MessageState.DONE

    desk_story(story, server.url)
    (file,) = tmp_path.rglob("mcp.json")
    assert "sk-abc" not in file.read_text()


def test_progress_is_visible_and_stop_ends_the_call(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await set_up(person)
        person.desk.chat.window.present()
        progress = Progress()
        person.desk.engine.chat.subscribe(progress)
        await ask_for(person, server, "mcp.small.slow")
        person.press_in_message("Allow once")
        await person.until(lambda: (0.003, "step 3") in progress.render, str(progress.render))
        person.desk.engine.chat.stop()
        await person.idle()
        (call,) = await person.calls()
        assert call.status is ToolStatus.CANCELLED
        host = person.desk.engine.tools.mcp_servers
        await person.until(lambda: any("cancelled" in line for line in host.servers()[0].log))

    desk_story(story, server.url)


def test_a_crashed_server_is_reported_and_restarted(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await set_up(person)
        person.desk.chat.window.present()
        await ask_for(person, server, "mcp.small.die")
        person.press_in_message("Allow once")
        await person.idle()
        (call,) = await person.calls()
        assert call.status is ToolStatus.ERROR
        assert call.fault is not None
        assert "The MCP server small ended by itself." in translate_fault(call.fault)
        assert "small ended by itself" in person.desk.companion.bubble.page_text
        await person.until(lambda: state(person) is ServerState.READY)
        body = card(person).body
        assert body is not None
        await person.until(lambda: "segmentation fault, nearly" in body.log.toPlainText())

    desk_story(story, server.url)


def test_a_server_is_edited_switched_off_and_removed(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        await set_up(person)
        body = card(person).body
        assert body is not None
        press(person, "Edit", body)
        form = body.form
        assert form is not None
        await person.until(form.save.isVisible)
        assert "SMALL_TOKEN=${keyring:env.SMALL_TOKEN}" in form.variables.toPlainText()
        form.line.setText(form.line.text().replace("few", "noisy"))
        press(person, "Save", form)
        await person.until(lambda: state(person) is ServerState.NOT_ALLOWED)
        press(person, "Allow and start", body)
        await person.until(lambda: state(person) is ServerState.READY)
        person.click(card(person).switch)
        await person.until(lambda: state(person) is ServerState.OFF)
        press(person, "Remove…", body)
        press(person, "Remove it", body)
        await person.until(lambda: not page(person).cards)
        assert page(person).empty.isVisible()

    desk_story(story)


def test_a_question_of_the_server_is_answered_in_the_card(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await set_up(person)
        person.desk.chat.window.present()
        await ask_for(person, server, "mcp.small.wish")
        person.press_in_message("Allow once")
        await person.until(lambda: "small asks: Where to?" in person.shown(), person.shown())
        assert "has a question for you" in person.desk.companion.bubble.page_text
        form = form_in_card(person)
        city, nights = form.control_for("city"), form.control_for("nights")
        assert isinstance(city, QLineEdit)
        assert isinstance(nights, QLineEdit)
        QTest.keyClicks(nights, "many")
        press(person, "Answer", form)
        assert "whole number" in form.errors()
        nights.clear()
        QTest.keyClicks(nights, "2")
        QTest.keyClicks(city, "Shanghai")
        press(person, "Answer", form)
        await person.idle()
        (call,) = await person.calls()
        answer = {"action": "accept", "content": {"city": "Shanghai", "nights": 2}}
        assert json.loads(call.output) == answer
        assert not person.desk.chat.view.viewport().findChildren(ArgumentForm)

    desk_story(story, server.url)


def test_a_question_can_be_ignored_and_ends_with_its_call(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await set_up(person)
        person.desk.chat.window.present()
        await ask_for(person, server, "mcp.small.wish")
        person.press_in_message("Allow once")
        await person.until(lambda: "Where to?" in person.shown(), person.shown())
        press(person, "Don't answer", form_in_card(person))
        await person.idle()
        (call,) = await person.calls()
        assert json.loads(call.output) == {"action": "decline"}
        await ask_for(person, server, "mcp.small.wish")
        person.press_in_message("Allow once")
        await person.until(lambda: "Where to?" in person.shown(), person.shown())
        person.desk.engine.chat.stop()
        await person.idle()
        await person.until(lambda: not person.desk.chat.view.viewport().findChildren(ArgumentForm))
        assert [call.status for call in await person.calls()] == [ToolStatus.CANCELLED]

    desk_story(story, server.url)


def form_in_card(person: DeskStory) -> ArgumentForm:
    (form,) = person.desk.chat.view.viewport().findChildren(ArgumentForm)
    assert form.isVisible()
    return form


def test_a_prompt_and_a_resource_of_a_server_are_put_into_the_message(
    desk_story: Play, server: ScriptedServer
) -> None:
    async def story(person: DeskStory) -> None:
        await set_up(person)
        slash, composer = person.desk.chat.slash_menu, person.desk.chat.window.composer
        person.type("/etc/hosts", send=False)
        assert not slash.isVisible()
        composer.field.clear()
        person.type("/gre", send=False)
        assert slash.isVisible()
        assert slash.list.topLevelItemCount() == 1
        person.press(Qt.Key.Key_Escape)
        assert not slash.isVisible()
        person.type("e", send=False)
        person.press(Qt.Key.Key_Return)
        form = slash.form
        assert form is not None
        person.click(form.allow)
        assert form.errors() == "This is required."
        who = form.control_for("who")
        assert isinstance(who, QLineEdit)
        QTest.keyClicks(who, "Ada")
        person.click(form.allow)
        await person.until(lambda: "Greet Ada" in composer.draft(), composer.draft())
        assert composer.draft() == "From the server small (greet):\n\nGreet Ada"
        assert not slash.isVisible()
        assert not server.requests, "the user sends it"
        server.reply(text("Hello, Ada."), *end())
        person.press(Qt.Key.Key_Return)
        await person.until(lambda: "Hello, Ada." in person.shown(), person.shown())
        await person.idle()
        assert bare(server.requests[0].body["messages"][-1]["content"]).endswith("Greet Ada")
        person.type("/one", send=False)
        assert slash.isVisible()
        person.press(Qt.Key.Key_Return)
        await person.until(lambda: "memo" in composer.draft(), composer.draft())
        assert composer.draft() == "From the server small (One):\n\nin memo://one"

    desk_story(story, server.url)
