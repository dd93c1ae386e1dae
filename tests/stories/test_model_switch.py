"""Someone changes the model in the chat: for one conversation, or for all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, check_history, text

Play = Callable[..., None]


@pytest.fixture
def other() -> Iterator[ScriptedServer]:
    with ScriptedServer(check_history) as running:
        yield running


def offer(home: Path, server: ScriptedServer, other: ScriptedServer) -> None:
    """Two services: one with two models, the other with one."""
    places = {"First": server, "Second": other}
    models = [("First", "first-large"), ("First", "first-small"), ("Second", "second-model")]
    document = {
        "endpoints": [
            {"name": name, "protocol": "openai", "base_url": place.url}
            for name, place in places.items()
        ],
        "models": [{"endpoint": place, "id": name} for place, name in models],
        "purposes": {"chat": "first-large"},
    }
    (home / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")


def pill(person: DeskStory) -> str:
    return person.desk.chat.window.header.model_button.accessibleName()


async def pick(person: DeskStory, words: str, *, for_all: bool = False) -> None:
    """Open the list, search, and press Enter."""
    header = person.desk.chat.window.header
    before = pill(person)
    person.click(header.model_button)
    picker = header.picker
    assert picker.isVisible()
    QTest.keyClicks(picker.search, words)
    if for_all:
        picker.for_all.click()
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert not picker.isVisible()
    await person.until(lambda: pill(person) != before, "the pill still names the old model")


async def ask(person: DeskStory, server: ScriptedServer) -> str:
    """Say something; return the requested model."""
    server.reply(text("Hello."), *end())
    person.type("hello")
    await person.idle()
    return str(server.requests[-1].body["model"])


def test_for_this_conversation_and_for_all(
    desk_story: Play, server: ScriptedServer, other: ScriptedServer, tmp_path: Path
) -> None:
    offer(tmp_path, server, other)
    kept: list[str] = []

    async def choose(person: DeskStory) -> None:
        chat, header = person.desk.engine.chat, person.desk.chat.window.header
        assert await ask(person, server) == "first-large"
        await pick(person, "second")
        await person.until(
            lambda: header.model_button.text().startswith("second-model"), "it is cut short"
        )
        assert "only in this conversation" in pill(person)
        assert await ask(person, other) == "second-model"

        first = chat.conversation
        assert first is not None
        kept.append(first.id)
        await chat.open_new()
        await person.until(lambda: "first-large" in pill(person), "the new one has it too")
        person.click(header.model_button)
        assert header.picker.row_texts() == [
            "Default (first-large)",
            "second-model",
            "first-large",
            "first-small",
        ]
        QTest.keyClick(header.picker.search, Qt.Key.Key_Escape)
        assert not header.picker.isVisible()
        await pick(person, "small", for_all=True)
        assert "in all conversations" in pill(person)
        assert await ask(person, server) == "first-small"

    async def next_day(person: DeskStory) -> None:
        assert "first-small" in pill(person)
        await person.desk.engine.chat.open(kept[0])
        await person.until(lambda: "second-model" in pill(person), "it is forgotten")
        assert await ask(person, other) == "second-model"
        await pick(person, "default")
        assert "first-small, in all conversations" in pill(person)
        assert await ask(person, server) == "first-small"

    desk_story(choose, mode=None)
    desk_story(next_day, mode=None)


def test_without_its_model_a_conversation_uses_the_common_one(
    desk_story: Play, server: ScriptedServer, other: ScriptedServer, tmp_path: Path
) -> None:
    offer(tmp_path, server, other)

    async def story(person: DeskStory) -> None:
        await pick(person, "second")
        document = json.loads((tmp_path / "llm-config.json").read_text(encoding="utf-8"))
        document["endpoints"][1]["on"] = False
        (tmp_path / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")
        assert await ask(person, server) == "first-large"

    desk_story(story, mode=None)


def test_a_reported_model_is_used_for_one_and_for_all(
    desk_story: Play, server: ScriptedServer
) -> None:
    server.pages["/v1/models"] = {"data": [{"id": name} for name in ("known", "large", "small")]}

    async def story(person: DeskStory) -> None:
        settings = person.desk.engine.settings
        for name, value in (("protocol", "openai"), ("base_url", server.url), ("model", "known")):
            settings.change("service", name, value)
        await person.until(lambda: "known" in pill(person))
        await person.desk.chat.catalogue.endpoint("").models()
        header = person.desk.chat.window.header
        person.click(header.model_button)
        assert header.picker.row_texts() == ["Default (known)", "known", "large", "small"]
        QTest.keyClick(header.picker.search, Qt.Key.Key_Escape)
        await pick(person, "large")
        assert await ask(person, server) == "large"
        assert settings.settings.service.model == "known"
        await pick(person, "small", for_all=True)
        assert await ask(person, server) == "small"
        assert settings.settings.service.model == "small"

    desk_story(story, mode=None)
