"""The models that are chosen for conversation, pictures and titles are used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest

from neodeskpet.ui.settings.services.model_roles_page import ModelRolesPage
from neodeskpet.ui.widgets.model_picker import ModelField
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

UNUSED = ("errand", "summary")
"""Roles that this story doesn't need."""


def offer(home: Path, url: str) -> None:
    """Models with plain names, of which only one sees."""
    names = ("plain", "first", "second", "third", *UNUSED)
    document = {
        "endpoints": [{"name": "e", "protocol": "openai", "base_url": url}],
        "models": [{"endpoint": "e", "id": name, "vision": name == "third"} for name in names],
        "purposes": {"chat": "plain", **{role: role for role in UNUSED}},
    }
    (home / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")


def choose(desk: DeskStory, field: ModelField, model: str) -> None:
    """Search for this model in the list, and choose it."""
    desk.click(field)
    assert field.picker is not None
    QTest.keyClicks(field.picker.search, model)
    QTest.keyClick(field.picker.search, Qt.Key.Key_Return)
    assert model in field.accessibleName()


def paste_picture(desk: DeskStory) -> None:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    QGuiApplication.clipboard().setImage(image)
    field = desk.desk.chat.window.composer.field
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def test_only_the_chosen_models_are_used(
    tmp_path: Path, desk_story: Callable[..., None], server: ScriptedServer
) -> None:
    offer(tmp_path, server.url)

    def answer(request: Request) -> Reply:
        return Reply([text("A red one."), *end()])

    server.fallback = answer

    async def story(desk: DeskStory) -> None:
        desk.desk.side_windows.settings.present("roles")
        page = desk.desk.side_windows.settings.pages["roles"]
        assert isinstance(page, ModelRolesPage)
        page.unfold()
        await desk.until(page.purposes["title"].isVisible)
        # otherwise texts are sent there, too
        choose(desk, page.purposes["embedding"], "None (keyword")
        chosen = {"chat": "first", "vision": "third", "title": "second"}
        for role, model in chosen.items():
            choose(desk, page.purposes[role], model)

        desk.desk.chat.window.present()
        paste_picture(desk)
        await desk.until(lambda: desk.desk.chat.window.composer.attachments.items())
        desk.type("What is it?")
        await desk.idle()
        await desk.until(lambda: len(server.requests) >= len(chosen), "not every role was asked")
        await desk.idle()
        asked = [request.body["model"] for request in server.requests]
        assert sorted(asked) == sorted(chosen.values()), "one request for each role, no others"

    desk_story(story, settings={"service": {"titles": True}})
