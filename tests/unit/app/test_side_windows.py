"""The windows beside the chat, by their menu entries."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from PySide6.QtWidgets import QApplication

from neodeskpet.app.side_windows import APP_PANELS, SideWindows
from neodeskpet.settings.store import SettingsStore
from neodeskpet.toolkit.undo import WindowCallsUndo
from neodeskpet.tools.apps.window_log import Actor
from neodeskpet.ui.theme import LIGHT
from neodeskpet.ui.windows.window_registry import WindowRegistry
from tests.support.scenario import play
from tests.unit.tools.apps.house import house


def test_nothing_is_created_or_requested_before_a_window_is_opened(qapp: QApplication) -> None:
    windows = WindowRegistry()
    untouched = cast(Any, object())  # any access to the engine or the theme would fail
    SideWindows(windows, untouched, untouched, untouched, untouched)
    assert windows.created_windows() == []
    menu = list(windows.in_menu())
    assert len({entry.title for entry in menu}) == len(menu)
    assert len({entry.icon for entry in menu}) > 1
    assert [entry.key for entry in menu if entry.at_bottom] == ["settings"]
    assert {f"panel {name}" for name, _title, _icon in APP_PANELS} <= {
        entry.key for entry in windows
    }


def test_the_users_actions_in_a_window_are_in_the_log(qapp: QApplication, tmp_path: Path) -> None:
    async def scene() -> None:
        async with house() as home:
            book = SimpleNamespace(
                settings=SettingsStore(tmp_path / "settings.json", environ={}),
                tools=SimpleNamespace(
                    apps=home.apps,
                    calls_undo=WindowCallsUndo({}),
                    toolbox=SimpleNamespace(all_specs=tuple),
                ),
                notebook=SimpleNamespace(
                    timers=home.timers,
                    notes=home.notes,
                    todos=home.todos,
                    appointments=home.appointments,
                ),
                storage=SimpleNamespace(
                    store=None, personas=SimpleNamespace(current=SimpleNamespace(name="Neo"))
                ),
            )
            dress = SimpleNamespace(theme=LIGHT)
            none = cast(Any, object())
            side = SideWindows(WindowRegistry(), cast(Any, book), cast(Any, dress), none, none)
            window = side._make_today()
            window.notes.pane.add.click()
            window.notes.form.text.setPlainText("milk")
            window.notes._save()
            for _ in range(200):
                await asyncio.sleep(0.01)
                acts = await home.apps.record.list_entries()
                if acts:
                    break
            found = [(one.actor, one.window, one.action, one.summary) for one in acts]
            assert found == [(Actor.PERSON, "notes", "add", "milk")]
            await window.aclose()
            window.deleteLater()

    play(scene())
