"""Every role that the settings offer is one that something asks for; the others stay hidden."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest

from neodeskpet.ui.settings.services.chain_list import ChainList
from neodeskpet.ui.widgets.controls import ComboBox
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import Reply, Request, ScriptedServer, text

HIDDEN = ("errand", "summary")
"""Roles of the file that nothing acts in yet, or that are no choice on this page."""


def offer(home: Path, url: str) -> None:
    """Models of plain names, none of which sees, but one that does."""
    names = ("plain", "first", "second", "third", *HIDDEN)
    document = {
        "endpoints": [{"name": "e", "protocol": "openai", "base_url": url}],
        "models": [{"endpoint": "e", "id": name, "vision": name == "third"} for name in names],
        "purposes": {"chat": "plain", **{role: role for role in HIDDEN}},
    }
    (home / "llm-config.json").write_text(json.dumps(document), encoding="utf-8")


def choose(choice: ComboBox, model: str) -> None:
    """Take this entry of the list, as the keyboard does."""
    choice.setFocus()
    QTest.keyClicks(choice, model)
    assert choice.currentText() == model


def paste_picture(desk: DeskStory) -> None:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    QGuiApplication.clipboard().setImage(image)
    field = desk.desk.window.composer.field
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def test_each_role_that_is_offered_is_asked_and_no_other(
    tmp_path: Path, desk_story: Callable[..., None], server: ScriptedServer
) -> None:
    offer(tmp_path, server.url)

    def answer(request: Request) -> Reply:
        return Reply([text("A red one."), *end()])

    server.fallback = answer

    async def story(desk: DeskStory) -> None:
        desk.desk.side_windows.settings.present("roles")
        page = desk.desk.side_windows.settings.pages["roles"]
        shown = [one for one in page.findChildren(ComboBox) if one.isVisible()]
        roles = [one for one in shown if not isinstance(one.parent(), ChainList)]
        names = ["Conversation", "Pictures", "Titles", "Meaning"]
        assert [one.accessibleName() for one in roles] == names
        choose(roles[-1], "None: words alone")  # else what is said is sent to that model, too
        chosen = ["first", "third", "second"]
        for role, model in zip(roles[:3], chosen, strict=True):
            choose(role, model)

        desk.desk.window.present()
        paste_picture(desk)
        await desk.until(lambda: desk.desk.window.composer.attachments.items())
        desk.type("What is it?")
        await desk.idle()
        await desk.until(lambda: len(server.requests) >= len(chosen), "not every role was asked")
        await desk.idle()
        asked = [request.body["model"] for request in server.requests]
        assert sorted(asked) == sorted(chosen), "one request for each role, no others"

    desk_story(story, settings={"service": {"titles": True}})
