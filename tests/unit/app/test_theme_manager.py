"""Theme, text size and language reach every window at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeDatabase, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.app.theme_manager import DisplayNames, ThemeManager
from neodeskpet.language import language, set_language
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.desktop.desktop_preferences import DesktopPreferences
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
def settings(tmp_path: Path, qapp: QApplication) -> Iterator[SettingsStore]:
    font, palette = qapp.font(), qapp.palette()
    yield SettingsStore(tmp_path / "settings.json", environ={})
    set_language("en")
    qapp.setFont(font)
    qapp.setPalette(palette)


def test_windows_are_styled_now_and_after_each_change(
    qapp: QApplication, settings: SettingsStore, qtbot: QtBot
) -> None:
    window = Window()
    appearance = ThemeManager(qapp, settings)
    appearance.apply_theme([window], window)
    settings.change("appearance", "theme", "dark")
    settings.change("appearance", "font_size", 20)
    assert len(window.worn) == 1  # each window has its own iteration of the loop
    qtbot.waitUntil(lambda: len(window.worn) == 2)
    assert window.worn[-1].name == "dark"
    assert window.worn[-1].font_px == 20
    assert appearance.theme == window.worn[-1]
    settings.change("appearance", "language", "zh_CN")
    assert window.spoken == ["zh_CN"]
    settings.change("appearance", "reduced_motion", "on")
    assert window.reduced == [False, True]


def test_punctuation_is_as_wide_as_the_language_writes_it(
    qapp: QApplication, settings: SettingsStore, qtbot: QtBot
) -> None:
    window = Window()
    appearance = ThemeManager(qapp, settings)
    appearance.apply_theme([window], window)
    narrow = QFont.Tag("pwid")
    assert qapp.font().isFeatureSet(narrow)
    settings.change("appearance", "language", "zh_CN")
    assert not qapp.font().isFeatureSet(narrow)
    qtbot.waitUntil(lambda: len(window.worn) == 2)  # windows have fonts of their own
    settings.change("appearance", "language", "en")
    assert qapp.font().isFeatureSet(narrow)
    appearance.stop()


def test_contrast_and_motion_follow_the_desktop_unless_they_are_chosen(
    qapp: QApplication, settings: SettingsStore, qtbot: QtBot
) -> None:
    window = Window()
    appearance = ThemeManager(qapp, settings)
    appearance.set_desktop_preferences(DesktopPreferences(reduced_motion=True))
    appearance.apply_theme([window], window)
    calmed: list[bool] = []
    appearance.reduced_motion_changed.connect(calmed.append)
    appearance.set_desktop_preferences(DesktopPreferences(contrast=True))
    qtbot.waitUntil(lambda: window.worn[-1].contrast)
    assert window.reduced == [True, False]
    settings.change("appearance", "contrast", "off")
    qtbot.waitUntil(lambda: not window.worn[-1].contrast)
    settings.change("appearance", "reduced_motion", "on")
    appearance.set_desktop_preferences(DesktopPreferences())
    assert appearance.reduced_motion
    settings.change("appearance", "reduced_motion", "off")
    appearance.set_desktop_preferences(DesktopPreferences(reduced_motion=True))
    assert not appearance.reduced_motion
    assert calmed[0] is False and calmed[-1] is False


class LargeWindow(Window):
    def set_theme_in_steps(self, theme: Theme) -> Iterator[None]:
        for _ in range(3):
            self.worn.append(theme)
            yield


def test_a_large_window_is_styled_in_steps(
    qapp: QApplication, settings: SettingsStore, qtbot: QtBot
) -> None:
    large, small = LargeWindow(), Window()
    appearance = ThemeManager(qapp, settings)
    appearance.apply_theme([small, large], small)
    seen: list[int] = []
    turn = QTimer(interval=0)
    turn.timeout.connect(lambda: seen.append(len(large.worn)))
    turn.start()
    settings.change("appearance", "theme", "dark")
    qtbot.waitUntil(lambda: len(small.worn) == 2)
    assert len(large.worn) == 4
    assert {1, 2, 3} <= set(seen)  # other tasks ran in between
    settings.change("appearance", "theme", "light")
    qtbot.waitUntil(lambda: len(large.worn) > 4)
    settings.change("appearance", "theme", "dark")  # while its theme may be being applied
    qtbot.waitUntil(lambda: [theme.name for theme in large.worn[-3:]] == ["dark"] * 3)
    qtbot.waitUntil(lambda: small.worn[-1].name == "dark")


def test_other_settings_restyle_nothing(qapp: QApplication, settings: SettingsStore) -> None:
    window = Window()
    ThemeManager(qapp, settings).apply_theme([window], window)
    settings.change("mode", "mode", "text")
    assert len(window.worn) == 1


def test_texts_of_qt_follow_the_language(qapp: QApplication, settings: SettingsStore) -> None:
    window = Window()
    ThemeManager(qapp, settings).apply_theme([window], window)
    settings.change("appearance", "language", "zh_CN")
    assert qapp.translate("QPlatformTheme", "Cancel") == "取消"
    assert qapp.translate("QFileDialog", "&Look in:") == "查找范围(&L)："
    assert qapp.translate("QFileSystemModel", "Size") == "大小"
    assert qapp.translate("QAbstractFileIconProvider", "%1 File") == "%1 文件"
    assert qapp.translate("QLineEdit", "&Undo") == "撤销(&U)"
    assert qapp.translate("QPrintSettingsOutput", "Page &Set:") == "打印哪些页(&S)："
    assert QMimeDatabase().mimeTypeForFile("notes.txt").comment() == "纯文本文档"
    assert qapp.translate("QFileDialog", "Nothing known") == "Nothing known"
    settings.change("appearance", "language", "en")
    assert QMimeDatabase().mimeTypeForFile("notes.txt").comment() == "plain text document"
    assert qapp.translate("QPlatformTheme", "Cancel") == "Cancel"
    assert qapp.translate("QAbstractFileIconProvider", "Folder") == "Folder"


def test_gestures_keep_their_names_with_every_figure() -> None:
    names, before = DisplayNames([]), language()
    try:
        set_language("zh_CN")
        assert names.part("smile") != "smile"
        set_language("en")
        assert names.part("thinking") == "pondering"
        assert names.part("exp_01") == "exp_01", "the name by its author"
    finally:
        set_language(before)


def test_nothing_is_styled_after_the_stop(
    qapp: QApplication, settings: SettingsStore, qtbot: QtBot
) -> None:
    window = Window()
    appearance = ThemeManager(qapp, settings)
    appearance.apply_theme([window], window)
    settings.change("appearance", "theme", "dark")
    appearance.stop()
    settings.change("appearance", "font_size", 20)
    turned: list[bool] = []
    QTimer.singleShot(20, lambda: turned.append(True))
    qtbot.waitUntil(lambda: bool(turned))
    assert len(window.worn) == 1
