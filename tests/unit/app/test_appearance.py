"""Theme, text size and language reach every window at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.app.appearance import Appearance
from neodeskpet.language import language, set_language
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.theme import Theme


class Window:
    def __init__(self) -> None:
        self.worn: list[Theme] = []
        self.spoken: list[str] = []
        self.reduced: list[bool] = []

    def set_theme(self, theme: Theme) -> None:
        self.worn.append(theme)

    def retranslate(self) -> None:
        self.spoken.append(language())

    def set_reduced_motion(self, reduced: bool) -> None:
        self.reduced.append(reduced)


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[SettingsStore]:
    yield SettingsStore(tmp_path / "settings.json", environ={})
    set_language("en")


def test_windows_are_dressed_now_and_when_something_changes(
    qapp: QApplication, settings: SettingsStore, qtbot: QtBot
) -> None:
    window = Window()
    wardrobe = Appearance(qapp, settings)
    wardrobe.dress([window], window)
    settings.change("appearance", "theme", "dark")
    settings.change("appearance", "font_size", 20)
    assert len(window.worn) == 1  # each window has a turn of the loop for itself
    qtbot.waitUntil(lambda: len(window.worn) == 2)
    assert window.worn[-1].name == "dark"
    assert window.worn[-1].font_px == 20
    assert wardrobe.theme == window.worn[-1]
    settings.change("appearance", "language", "zh_CN")
    assert window.spoken == ["zh_CN"]
    settings.change("appearance", "reduced_motion", True)
    assert window.reduced == [False, True]


def test_other_settings_change_no_clothes(qapp: QApplication, settings: SettingsStore) -> None:
    window = Window()
    Appearance(qapp, settings).dress([window], window)
    settings.change("mode", "mode", "text")
    assert len(window.worn) == 1


def test_qts_own_texts_follow_the_language(qapp: QApplication, settings: SettingsStore) -> None:
    window = Window()
    Appearance(qapp, settings).dress([window], window)
    settings.change("appearance", "language", "zh_CN")
    assert qapp.translate("QPlatformTheme", "Cancel") == "取消"
    settings.change("appearance", "language", "en")
    assert qapp.translate("QPlatformTheme", "Cancel") == "Cancel"
