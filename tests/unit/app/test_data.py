"""The user's data on a real engine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from neodeskpet.app.engine import Engine
from neodeskpet.app.settings_adapters import DataAdapter, removal_instructions
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_text
from tests.unit.app.engines import with_engine


def test_all_conversations_can_be_deleted(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        await engine.chat.open()
        engine.chat.send("hello")
        await engine.chat.wait_idle()
        desk = DataAdapter(engine)
        assert desk.folder == tmp_path
        assert await desk.delete_conversations() == 1
        info = engine.chat.conversation
        assert info is not None
        assert await engine.storage.store.history(info.id) == []

    with_engine(tmp_path, work, model=ScriptedModel([scripted_text("hi")]))


def test_each_copy_has_instructions_for_its_removal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = removal_instructions()
    assert (Path(checkout.path) / "pyproject.toml").is_file()
    assert checkout.command == ""

    program = tmp_path / "a place" / "neodeskpet"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    unpacked = removal_instructions()
    assert unpacked.command == f"'{program.parent}/enter-menu.sh' --remove"
    assert unpacked.path == str(program.parent)
    for platform, where in (("win32", "Windows"), ("darwin", "Applications")):
        monkeypatch.setattr(sys, "platform", platform)
        assert where in removal_instructions().words
