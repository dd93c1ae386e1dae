"""Files that macOS reports as opened with the app, before and after the desk exists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QUrl
from PySide6.QtGui import QFileOpenEvent

from neodeskpet.app.desktop_session import OpenedFiles


def opening(name: str) -> QFileOpenEvent:
    return QFileOpenEvent(QUrl.fromLocalFile(name))


def test_early_files_wait_and_later_ones_are_opened_at_once() -> None:
    files = OpenedFiles()
    taken: list[Sequence[Path]] = []
    assert files.handle_event(opening("/a b/mira.charx"))
    assert files.handle_event(opening("/a b/cat.zip"))
    assert taken == []
    files.set_receiver(taken.append)
    assert taken == [[Path("/a b/mira.charx"), Path("/a b/cat.zip")]]
    assert files.handle_event(opening("/late.png"))
    assert taken[1:] == [(Path("/late.png"),)]
    files.set_receiver(None)
    assert files.handle_event(opening("/in between.png"))
    files.set_receiver(taken.append)
    assert taken[2:] == [[Path("/in between.png")]]


def test_other_events_and_addresses_are_passed_on() -> None:
    files = OpenedFiles()
    assert not files.handle_event(QEvent(QEvent.Type.ApplicationActivate))
    assert not files.handle_event(QFileOpenEvent(QUrl("https://example.org/")))
