"""An import that was killed is listed, can be continued, and can be undone."""

from __future__ import annotations

import asyncio
import io
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from neodeskpet.cli import import_command
from neodeskpet.conversation.import_chats.chat_importer import interrupted_imports, last_import
from neodeskpet.core.blocks import Image
from neodeskpet.language import tr
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.ui.windows.import_dialog import ImportDialog
from tests.stories.test_take_along import chooses
from tests.support.desk import DeskStory
from tests.support.killedimport import count_conversations, kill_import
from tests.support.pasts import BEGUN, archive, chatgpt_conversation, chatgpt_message, chatgpt_talk
from tests.support.sseserver import ScriptedServer

Play = Callable[..., None]

COUNT = 60
KILLS = 6
SEED = 20261124


def drawn(key: int) -> bytes:
    """A unique picture; it takes a while to be encoded."""
    raw = io.BytesIO()
    noise = random.Random(key).randbytes(300 * 300 * 3)
    Pillow.frombytes("RGB", (300, 300), noise).save(raw, "PNG")
    return raw.getvalue()


def long_archive(path: Path) -> Path:
    """Each of its conversations has a picture."""
    talks, pictures = _long_past()
    return archive(path, talks, pictures)


@cache
def _long_past() -> tuple[list[dict[str, Any]], dict[str, bytes]]:
    """Made once for all tests: the pictures take a second."""
    talks = []
    for n in range(COUNT):
        pointer = {
            "content_type": "image_asset_pointer",
            "asset_pointer": f"file-service://file-P{n}",
        }
        shown = {"content_type": "multimodal_text", "parts": [pointer, f"zyxxyqword {n}"]}
        nodes = [
            (f"{n}r", None, None),
            (f"{n}q", f"{n}r", chatgpt_message("user", shown, at=BEGUN + n)),
            (f"{n}a", f"{n}q", chatgpt_message("assistant", "zyxxyqword too", at=BEGUN + n + 0.5)),
        ]
        talks.append(chatgpt_conversation(f"c{n}", f"Talk {n}", nodes, current_node=f"{n}a"))
    return talks, {f"file-P{n}-x.png": drawn(n) for n in range(COUNT)}


async def check_all_is_known(home: Path) -> None:
    """All data here is known to belong to the one import, pictures too."""
    store = await SqliteStore.open(home / CONVERSATIONS_FILE)
    assert store.fault is None
    (known,) = await interrupted_imports(store)
    here = {info.id for info in await store.conversations()}
    assert here == set(known.messages) and known.name == "past.zip"
    shown = set()
    for one in here:
        history = await store.history(one)
        assert [message.id for message in history] == known.messages[one]
        shown |= {b.digest for m in history for b in m.blocks if isinstance(b, Image)}
    assert {file.name for file in (home / "pictures").iterdir()} == shown
    await store.aclose()


def test_killed_repeatedly_it_continues_and_is_undone_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, path = tmp_path / "home", long_archive(tmp_path / "past.zip")
    data = ["--data-dir", str(home)]
    chance = random.Random(SEED)
    count = 0
    for kill in range(KILLS):
        moment = chance.uniform(0.0, 0.08) if kill % 2 else -1.0
        count = kill_import(home, path, count + 1, moment)
        asyncio.run(check_all_is_known(home))
    assert 0 < count < COUNT
    assert import_command.run([str(path), *data]) == 0
    said = capsys.readouterr()
    assert "was interrupted" in said.err and f"{COUNT * 2} messages in {COUNT}" in said.out
    assert import_command.run(["--take-back", *data]) == 0
    assert f"Taken back: {COUNT * 2}" in capsys.readouterr().out
    check_nothing_is_left(home)


def test_killed_once_it_is_undone_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, path = tmp_path / "home", long_archive(tmp_path / "past.zip")
    data = ["--data-dir", str(home)]
    kill_import(home, path, 4)
    assert import_command.run(["--take-back", *data]) == 0
    assert "Taken back" in capsys.readouterr().out
    check_nothing_is_left(home)
    assert import_command.run(["--take-back", *data]) == 0
    assert "There is no import" in capsys.readouterr().out


def check_nothing_is_left(home: Path) -> None:
    assert count_conversations(home) == 0
    assert list((home / "pictures").iterdir()) == []
    for file in home.rglob("*"):
        assert not file.is_file() or b"zyxxyqword" not in file.read_bytes(), file


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_next_start_reports_it_and_undoes_it(
    desk_story: Play, server: ScriptedServer, tmp_path: Path, language: str
) -> None:
    path = long_archive(tmp_path / "past.zip")
    home = tmp_path
    count = kill_import(home, path, 3)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        bar = desk.chat.window.interrupted_bar
        store = desk.engine.storage.store
        await person.until(bar.isVisible)
        assert "past.zip" in bar.message_label.text() and str(count * 2) in bar.message_label.text()
        assert count == count_conversations(home)
        person.click(person.button(tr("Undo the import"), bar))
        await person.until(lambda: not bar.isVisible())
        assert not {one.title for one in await store.conversations()} & titles()
        assert list((home / "pictures").iterdir()) == []
        assert await last_import(store) is None

    desk_story(story, server.url, settings={"appearance": {"language": language}})


def titles() -> set[str]:
    return {f"Talk {n}" for n in range(COUNT)}


def test_the_rest_is_imported_and_both_parts_are_undone(
    desk_story: Play, server: ScriptedServer, tmp_path: Path
) -> None:
    path = long_archive(tmp_path / "past.zip")
    other = archive(tmp_path / "other.zip", [chatgpt_talk("o", "Others", "q", "a")])
    kill_import(tmp_path, path, 3)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        bar, store = desk.chat.window.interrupted_bar, desk.engine.storage.store
        await person.until(bar.isVisible)

        async def brings(archive: Path) -> None:
            await chooses(person, archive, "Import conversations…")
            await person.until(lambda: desk.chat.window.findChildren(ImportDialog))
            (dialog,) = desk.chat.window.findChildren(ImportDialog)
            await person.until(dialog.import_button.isEnabled)
            assert (
                "was interrupted" in dialog.interrupted_label.text()
                and dialog.interrupted_label.isVisible()
            )
            assert dialog.undo_button.isVisible() and dialog.undo_button.text() == "Undo the import"
            person.click(dialog.import_button)
            await person.until(desk.chat.window.undo.isVisible)
            await person.until(lambda: not desk.chat.window.findChildren(ImportDialog))
            await person.until(lambda: not desk.chat.presenter._work.busy("end of a past"))

        await brings(other)  # another archive is no part of it
        assert bar.isVisible()
        await brings(path)
        await person.until(lambda: not bar.isVisible())
        here = {one.title for one in await store.conversations()}
        assert here >= titles() | {"Others"}
        person.click(desk.chat.window.undo.button)
        await person.until(lambda: not desk.chat.presenter._work.busy("take back"))
        here = {one.title for one in await store.conversations()}
        assert "Others" in here and not here & titles()

    desk_story(story, server.url)


def test_imported_data_is_kept(desk_story: Play, server: ScriptedServer, tmp_path: Path) -> None:
    count = kill_import(tmp_path, long_archive(tmp_path / "past.zip"), 3)

    async def story(person: DeskStory) -> None:
        desk = person.desk
        bar, store = desk.chat.window.interrupted_bar, desk.engine.storage.store
        await person.until(bar.isVisible)
        person.click(person.button("Keep it", bar))
        await person.until(lambda: not bar.isVisible())
        last = await last_import(store)
        assert last is not None and last.count == count * 2 and not await interrupted_imports(store)

    desk_story(story, server.url)
