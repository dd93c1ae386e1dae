"""The window says what happened, shows the report, and asks only when it should."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.theme import theme_for
from neodeskpet.ui.windows.crash_report_window import CrashReportWindow


class Opened(list[str]):
    def __init__(self, *, works: bool = True) -> None:
        super().__init__()
        self._works = works

    def __call__(self, url: QUrl) -> bool:
        self.append(url.toLocalFile())
        return self._works


def open_window(qtbot: QtBot, report: Path, *, asks: bool, opened: Opened) -> CrashReportWindow:
    window = CrashReportWindow(theme_for("light"), report, asks=asks, open_url=opened)
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def report(tmp_path: Path) -> Path:
    file = tmp_path / "crash-1.txt"
    file.write_text("Fatal Python error: <b>Aborted</b>", "utf-8")
    return file


def test_it_informs_and_closes(qtbot: QtBot, report: Path) -> None:
    window = open_window(qtbot, report, asks=False, opened=Opened())
    assert "last time" in window.title.text()
    assert window.safe_mode_button.isHidden()
    assert window.report_text.isHidden()
    window.start_button.click()
    assert window.isHidden()


def test_the_report_is_shown_unchanged(qtbot: QtBot, report: Path) -> None:
    window = open_window(qtbot, report, asks=False, opened=Opened())
    window.show_report.click()
    assert window.report_text.isVisible()
    assert window.report_text.toPlainText() == report.read_text("utf-8")
    assert window.show_report.text() == "Hide the report"
    window.show_report.click()
    assert window.report_text.isHidden()
    window.copy_button.click()
    assert QGuiApplication.clipboard().text() == report.read_text("utf-8")
    assert "copied" in window.note.text()


def test_the_folder(qtbot: QtBot, report: Path) -> None:
    opened = Opened()
    window = open_window(qtbot, report, asks=False, opened=opened)
    window.folder_button.click()
    assert opened == [str(report.parent)]
    assert window.note.isHidden()
    broken = open_window(qtbot, report, asks=False, opened=Opened(works=False))
    broken.folder_button.click()
    assert str(report.parent) in broken.note.text()


def test_a_deleted_report(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path / "gone.txt", asks=False, opened=Opened())
    window.show_report.click()
    assert "can't be read" in window.report_text.toPlainText()


@pytest.mark.parametrize(
    ("press", "safe"), [("safe_mode_button", True), ("start_button", False), ("close", False)]
)
def test_it_asks_and_is_answered_once(qtbot: QtBot, report: Path, press: str, safe: bool) -> None:
    window = open_window(qtbot, report, asks=True, opened=Opened())
    assert "twice in a row" in window.title.text()
    answers: list[bool] = []
    window.chosen.connect(answers.append)
    if press == "close":
        window.close()
    else:
        getattr(window, press).click()
    window.close()
    assert answers == [safe]
