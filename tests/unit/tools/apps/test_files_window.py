"""The files app: within the allowed folders, and nothing is shown that would need a question."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.unit.tools.apps.house import call, house


def test_a_folder_is_opened_and_stays_in_the_window(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "list.txt").write_text("oats", encoding="utf-8")

    async def run() -> None:
        async with house(folders=[tmp_path]) as home:
            await home.apps.host.open("files")
            assert f"Allowed folders:\n{tmp_path}</content>" in await home.render()
            opened = await home.act(call("files", "open", path=str(tmp_path / "in")))
            assert "list.txt" in opened.text
            assert f"{tmp_path / 'in'}:\nlist.txt" in await home.render()
            outside = await home.act(
                call("files", "open", path="/etc"), call("files", "read", path="/etc/passwd")
            )
            assert outside.failed
            await home.apps.host.open("files", "/etc")
            assert "hostname" not in await home.render()

    asyncio.run(run())


def test_if_listing_asks_or_is_off_no_folder_is_shown(tmp_path: Path) -> None:
    (tmp_path / "diary").mkdir()

    async def run() -> None:
        async with house(folders=[tmp_path], asks=lambda spec, _: spec.name == "file.list") as home:
            await home.apps.host.open("files", str(tmp_path))
            assert "diary" not in await home.render()
            assert "it asks the user" in await home.render()
        async with house(folders=[tmp_path], enabled=lambda spec: spec.name != "file.list") as home:
            await home.apps.host.open("files", str(tmp_path))
            assert "Folders aren't shown." in await home.render()
            assert '<action id="list"' not in await home.render()

    asyncio.run(run())


def test_the_clipboard_is_never_shown_without_a_question() -> None:
    async def run() -> None:
        async with house() as home:
            await home.apps.host.open("clipboard")
            assert "it asks the user" in await home.render()
            assert '<action id="read"' in await home.render()

    asyncio.run(run())
