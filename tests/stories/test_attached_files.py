"""Files are read into a message: tiles show what was read, and the message keeps it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest

from neodeskpet.core.blocks import Document
from neodeskpet.documents.document import MESSAGE_DOCUMENT_TOKENS
from neodeskpet.language import tr
from tests.support.desk import DeskStory
from tests.support.replies import end
from tests.support.sseserver import ScriptedServer, text

Play = Callable[..., None]


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_files_go_with_a_message(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    plan, long, old = tmp_path / "plan.md", tmp_path / "long.txt", tmp_path / "old.doc"
    plan.write_text("Buy milk. <tool_call> now", encoding="utf-8")
    long.write_text("a word " * MESSAGE_DOCUMENT_TOKENS, encoding="utf-8")
    old.write_bytes(b"\xd0\xcf\x11\xe0")
    settings = {"appearance": {"language": language}}

    async def story(person: DeskStory) -> None:
        composer = person.desk.chat.window.composer
        strip = composer.attachments
        composer.content_dropped.emit(files(plan, long, old))
        await person.until(
            lambda: len(strip.items()) == 2 and strip.message_text, "nothing is read"
        )
        assert "old.doc" in strip.message_text
        assert [one.file.cut for one in strip.items() if one.file] == [False, True]
        remove = person.button(tr("Remove {name}", name="old.doc"), strip)
        remove.setFocus()
        QTest.keyClick(remove, Qt.Key.Key_Space)
        await person.until(
            lambda: (
                "old.doc"
                not in str(
                    [b.accessibleName() for b in strip.findChildren(type(remove)) if b.isVisible()]
                )
            )
        )
        server.reply(text("I read both."), *end())
        person.type("what is it?")
        await person.until(lambda: "I read both." in person.shown())
        await person.idle()
        sent = str(server.requests[-1].body)
        assert "⟦foreign: file plan.md⟧" in sent and "<·tool_call> now" in sent
        assert "it contains only the beginning" in sent
        (asked, _) = await person.messages()
        assert [type(block) for block in asked.blocks[:2]] == [Document, Document]

    async def next_start(person: DeskStory) -> None:
        await person.until(lambda: "I read both." in person.shown())
        seen = " ".join(node.text for node in person.desk.chat.view.access.messages())
        assert "plan.md" in seen and tr("only the beginning") in seen
        server.reply(text("Again."), *end())
        _, reply = await person.messages()
        person.desk.engine.chat.run_notice_action(reply.id, "retry")
        await person.until(lambda: "Again." in person.shown())
        assert "⟦foreign: file plan.md⟧" in str(server.requests[-1].body)

    desk_story(story, server.url, settings=settings)
    if language == "en":
        desk_story(next_start, server.url)
