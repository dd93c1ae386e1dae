"""While another window fills its screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication

from neodeskpet.figure.behaviour.ground import DesktopArea, VisibleWindow
from neodeskpet.ui.desktop.window_watcher import ScriptedWindowWatcher
from neodeskpet.ui.pet.fullscreen_policy import FullscreenPolicy
from tests.unit.ui.pet.conftest import Theatre, heard


@pytest.fixture
def windows() -> ScriptedWindowWatcher:
    return ScriptedWindowWatcher()


@pytest.fixture
def hush(theatre: Theatre, windows: ScriptedWindowWatcher) -> Iterator[FullscreenPolicy]:
    made = FullscreenPolicy(theatre.pet, windows.windows)
    windows.subscribe(made.windows_changed)
    yield made
    made.close()
    made.deleteLater()
    theatre.pet.show()


def film() -> VisibleWindow:
    screen = QGuiApplication.primaryScreen().geometry()
    return VisibleWindow(9, DesktopArea(0, 0, screen.width(), screen.height()), full=True)


def test_it_hides_and_comes_back(
    theatre: Theatre, hush: FullscreenPolicy, windows: ScriptedWindowWatcher
) -> None:
    told = heard(hush.changed)
    hush.set_mode("hide")
    windows.set_windows(film())
    theatre.until(lambda: not theatre.pet.isVisible())
    assert hush.is_active
    windows.set_windows()
    theatre.until(theatre.pet.isVisible)
    assert told == [(True,), (False,)]


def test_in_quiet_mode_it_stays_visible(
    theatre: Theatre, hush: FullscreenPolicy, windows: ScriptedWindowWatcher
) -> None:
    hush.set_mode("quiet")
    windows.set_windows(film())
    theatre.until(lambda: hush.is_active)
    assert theatre.pet.isVisible()
    hush.set_mode("stay")
    assert not hush.is_active


def test_a_short_full_screen_changes_nothing(
    theatre: Theatre, hush: FullscreenPolicy, windows: ScriptedWindowWatcher
) -> None:
    told = heard(hush.changed)
    hush.set_mode("quiet")
    windows.set_windows(film())
    windows.set_windows()
    windows.set_windows(film())
    theatre.until(lambda: hush.is_active)
    assert told == [(True,)]


def test_shown_by_the_user_it_stays_and_hidden_by_the_user_it_stays_hidden(
    theatre: Theatre, hush: FullscreenPolicy, windows: ScriptedWindowWatcher
) -> None:
    pet = theatre.pet
    hush.set_mode("hide")
    windows.set_windows(film())
    theatre.until(lambda: not pet.isVisible())
    pet.show()
    windows.set_windows(film())
    assert pet.isVisible()
    pet.hide()
    windows.set_windows()
    theatre.until(lambda: not hush.is_active)
    assert not pet.isVisible()


def test_without_the_setting_nothing_is_queried(
    hush: FullscreenPolicy, windows: ScriptedWindowWatcher
) -> None:
    windows.set_windows(film())
    assert not hush.is_active
