"""While another window fills its screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication

from neodeskpet.live2d.place.ground import Area, Seen
from neodeskpet.ui.desktop.around.scripted import ScriptedWindows
from neodeskpet.ui.pet.place.hush import Hush
from tests.unit.ui.pet.conftest import Theatre, heard


@pytest.fixture
def windows() -> ScriptedWindows:
    return ScriptedWindows()


@pytest.fixture
def hush(theatre: Theatre, windows: ScriptedWindows) -> Iterator[Hush]:
    made = Hush(theatre.pet, windows.windows)
    windows.listen(made.look)
    yield made
    made.close()
    made.deleteLater()
    theatre.pet.show()


def film() -> Seen:
    screen = QGuiApplication.primaryScreen().geometry()
    return Seen(9, Area(0, 0, screen.width(), screen.height()), full=True)


def test_it_hides_and_comes_back(theatre: Theatre, hush: Hush, windows: ScriptedWindows) -> None:
    told = heard(hush.changed)
    hush.set_wanted("hide")
    windows.put(film())
    theatre.until(lambda: not theatre.pet.isVisible())
    assert hush.hushed
    windows.put()
    theatre.until(theatre.pet.isVisible)
    assert told == [(True,), (False,)]


def test_quiet_it_stays_to_be_seen(theatre: Theatre, hush: Hush, windows: ScriptedWindows) -> None:
    hush.set_wanted("quiet")
    windows.put(film())
    theatre.until(lambda: hush.hushed)
    assert theatre.pet.isVisible()
    hush.set_wanted("stay")
    assert not hush.hushed


def test_who_only_passes_a_full_screen_changes_nothing(
    theatre: Theatre, hush: Hush, windows: ScriptedWindows
) -> None:
    told = heard(hush.changed)
    hush.set_wanted("quiet")
    windows.put(film())
    windows.put()
    windows.put(film())
    theatre.until(lambda: hush.hushed)
    assert told == [(True,)]


def test_shown_by_the_person_it_stays_and_hidden_by_them_it_stays_hidden(
    theatre: Theatre, hush: Hush, windows: ScriptedWindows
) -> None:
    pet = theatre.pet
    hush.set_wanted("hide")
    windows.put(film())
    theatre.until(lambda: not pet.isVisible())
    pet.show()
    windows.put(film())
    assert pet.isVisible()
    pet.hide()
    windows.put()
    theatre.until(lambda: not hush.hushed)
    assert not pet.isVisible()


def test_without_the_wish_nobody_is_asked(hush: Hush, windows: ScriptedWindows) -> None:
    windows.put(film())
    assert not hush.hushed
