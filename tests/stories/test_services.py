"""Someone has several model services, and sets them up in the settings window."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import ToolStatus
from neodeskpet.ui.settings.services.model_roles_page import ModelRolesPage
from neodeskpet.ui.settings.services.service_editor import ServiceEditor
from neodeskpet.ui.settings.services.services_page import ServicesPage
from neodeskpet.ui.widgets.model_picker import ModelField
from tests.support.desk import DeskStory, Values
from tests.support.replies import calling, end
from tests.support.sseserver import HOLD, Reply, Request, ScriptedServer, check_history, text

Play = Callable[..., None]
CONFIG = "llm-config.json"


@pytest.fixture
def other() -> Iterator[ScriptedServer]:
    with ScriptedServer(check_history) as running:
        running.pages["/v1/models"] = {"data": [{"id": "other-large"}, {"id": "other-small"}]}
        yield running


def simple(server: ScriptedServer) -> Values:
    """The settings of someone with one service."""
    return {"service": {"protocol": "openai", "base_url": server.url, "model": "first-model"}}


def name_of(server: ScriptedServer) -> str:
    return server.url.removeprefix("http://").removesuffix("/v1")


def service_page(person: DeskStory) -> ServicesPage:
    page = person.desk.side_windows.settings.pages["service"]
    assert isinstance(page, ServicesPage)
    person.desk.side_windows.settings.present("service")
    return page


def roles_page(person: DeskStory) -> ModelRolesPage:
    page = person.desk.side_windows.settings.pages["roles"]
    assert isinstance(page, ModelRolesPage)
    person.desk.side_windows.settings.present("roles")
    return page


def add(person: DeskStory, server: ScriptedServer) -> ServiceEditor:
    """Add a custom service by its address; return its form, which opens."""
    page = service_page(person)
    page.add.choose("custom")
    QTest.keyClicks(page.add.address, server.url)
    person.click(page.add.confirm)
    editor = page.services.editor
    assert editor is not None, page.add.error_label.text()
    return editor


async def pick(person: DeskStory, field: ModelField, search: str) -> None:
    """Choose the only model that matches."""
    person.click(field)
    picker = field.picker
    assert picker is not None
    picker.search.setText(search)
    await person.until(lambda: search in picker.row_texts()[0].split("“")[0], picker.note.text())
    QTest.keyClick(picker.search, Qt.Key.Key_Return)


def test_a_second_service_answers_and_the_first_is_the_fallback(
    desk_story: Play, server: ScriptedServer, other: ScriptedServer, tmp_path: Path
) -> None:
    async def story(person: DeskStory) -> None:
        page = service_page(person)
        first = page.services.editor
        assert first is not None
        assert first.model.value() == "first-model"

        editor = add(person, other)
        assert list(page.services.cards) == [name_of(server), name_of(other)]
        await pick(person, editor.model, "small")
        editor.trial.cancel()  # the replies of this server are for the chat
        roles = roles_page(person)
        roles.unfold()
        chat = roles.purposes["chat"]
        await pick(person, chat, "other-small")

        other.reply(text("The other speaks."), *end())
        person.type("hello")
        await person.until(lambda: "The other speaks." in person.shown())
        await person.idle()
        assert other.requests[-1].body["model"] == "other-small"
        assert server.requests == []
        assert "other-small" in person.desk.chat.window.header.model_button.toolTip()

        # A chain, by keyboard: the other first, then the first.
        chain = roles.chains["complex"]
        for model in ("first-model", "other-small"):
            chain.add.chosen.emit(model)
        chain.list.setCurrentRow(1)
        QTest.keyClick(chain.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        chat.chosen.emit("complex")
        assert "other-small → first-model" in roles._purpose_rows["chat"].note.text()

        other.reply({"error": {"message": "wrong key"}}, status=401)
        answer = server.reply(HOLD, text("The first stands in."), *end())
        person.type("and now?")
        await person.until(lambda: server.requests, "the chain wasn't followed")
        await person.until(lambda: "key" in person.shown().lower(), "nothing says why")
        answer.release()
        await person.until(lambda: "The first stands in." in person.shown())
        await person.idle()
        assert server.requests[0].body["model"] == "first-model"
        assert await person.texts() == ["The first stands in."]

    desk_story(story, mode=None, settings=simple(server))
    kept = json.loads((tmp_path / CONFIG).read_text(encoding="utf-8"))
    assert kept["tiers"] == {"complex": ["other-small", "first-model"]}
    assert kept["purposes"] == {"chat": "complex"}


def contents(home: Path, pattern: str = CONFIG) -> list[str]:
    return [file.read_text(encoding="utf-8") for file in home.glob(pattern)]


def test_a_file_broken_by_hand_is_named_and_the_last_valid_one_is_used(
    desk_story: Play, server: ScriptedServer, other: ScriptedServer, tmp_path: Path
) -> None:
    file = tmp_path / CONFIG
    broken = (
        '{\n "endpoints": [\n  {"name": "x", "protocol": "smtp", "base_url": "http://x"}\n ]\n}'
    )

    async def story(person: DeskStory) -> None:
        page = service_page(person)
        await pick(person, add(person, other).model, "large")
        services = person.desk.engine.models.catalog_file
        person.desk.engine.storage.file_thread.flush()
        file.write_text(broken, encoding="utf-8")
        server.reply(text("Still here."), *end())
        person.type("hello")
        await person.until(lambda: "Still here." in person.shown())
        await person.idle()
        assert "llm-config.json can't be read" in " ".join(
            person.desk.companion.bubble.page_text.split()
        )
        said = page.services.fault.text.text()
        assert "line 3, endpoints[0].protocol" in said
        assert "must be one of" in said

        editor = page.services.editor
        assert editor is not None
        person.click(editor.remove)
        assert "was not overwritten" in page.services.undo.text.text()
        assert broken in contents(tmp_path)

        person.click(page.services.fault.start_over)
        assert services.fault is None
        assert contents(tmp_path, "llm-config.broken-*.json") == [broken]
        person.click(editor.remove)
        assert list(page.services.cards) == [name_of(server)]
        person.click(page.services.undo.button)
        assert list(page.services.cards) == [name_of(server), name_of(other)]

    desk_story(story, mode=None, settings=simple(server))


def seeing(request: Request) -> Reply:
    """A service that refuses tools and sees."""
    if request.body.get("tools"):
        return Reply([{"error": {"message": "tools are not supported by this model"}}], 400)
    if "probe.echo" in str(request.body["messages"][0]):
        return Reply([*calling("text", ("probe.echo", {"word": "neo"})), *end()])
    if "TOOL_REQUEST" in str(request.body["messages"][0]) and len(request.body["messages"]) == 2:
        return Reply([*calling("text", ("calc.evaluate", {"expression": "6*7"})), *end()])
    return Reply([text("red, "), text("42"), *end()])


def test_use_this_sets_the_mode_and_stores_the_measurements(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    server.fallback = seeing
    server.pages["/v1/models"] = {"data": [{"id": "first-model"}]}

    async def story(person: DeskStory) -> None:
        page = service_page(person)
        editor = page.services.editor
        assert editor is not None
        person.click(editor.trial.button)
        await person.until(editor.trial.proposal.isVisible, "nothing is proposed")
        person.click(editor.trial.proposal.take)
        settings = person.desk.engine.settings.settings
        assert (settings.mode.mode, settings.mode.dialect) == ("text", "tool_request")
        (entry,) = person.desk.engine.models.turn_factory.catalog().models
        assert (entry.id, entry.tools, entry.vision) == ("first-model", False, True)
        assert page.services.editor is editor, "the card stays open"
        assert "Mode Text is set." in editor.trial.undo.text.text()
        person.click(editor.trial.undo.button)
        assert person.desk.engine.settings.settings.mode.mode == "auto"
        person.desk.engine.storage.file_thread.flush()
        assert not (tmp_path / CONFIG).exists()

        person.click(editor.trial.button)
        await person.until(editor.trial.proposal.isVisible, "nothing is proposed")
        person.click(editor.trial.proposal.take)
        person.type("6*7?")
        await person.until(lambda: "42" in person.shown())
        await person.idle()
        assert [call.status for call in await person.calls()] == [ToolStatus.SUCCESS]
        assert "Text" in person.desk.chat.window.header.model_button.toolTip()

    desk_story(story, mode=None, settings=simple(server))
