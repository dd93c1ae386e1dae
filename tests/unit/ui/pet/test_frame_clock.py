from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from neodeskpet.figure.frame_rate import FULL_RATES, SOFTWARE_RATES, STREAMING_RATES
from neodeskpet.ui.pet.frame_clock import FrameClock
from tests.unit.ui.pet.conftest import Theatre

LEFT = Qt.MouseButton.LeftButton


def test_hidden_no_timer_runs(theatre: Theatre) -> None:
    pet = theatre.pet
    theatre.until(lambda: pet.frames.is_running)
    pet.hide()
    theatre.wait(0.05)
    assert not pet.frames.is_running
    pet.express(pet.expressions()[0])
    assert not pet.frames.is_running
    pet.show()
    theatre.until(lambda: pet.frames.is_running)


def test_at_rest_it_is_drawn_rarely(theatre: Theatre) -> None:
    QCursor.setPos(5, 5)
    theatre.until(lambda: theatre.pet.frames.frames_per_second() == SOFTWARE_RATES.idle)


def test_with_a_graphics_card_it_has_the_usual_rates(theatre: Theatre) -> None:
    QCursor.setPos(5, 5)
    theatre.pet.frames.set_calm(False)
    theatre.until(lambda: theatre.pet.frames.frames_per_second() == FULL_RATES.idle)
    theatre.pet.frames.set_calm(True)


def test_while_a_reply_streams_there_are_fewer_frames(qapp: QApplication) -> None:
    streams = False
    frames = FrameClock(QObject(qapp), lambda: 5.0)
    frames.set_yielding(lambda: False, lambda: streams)
    frames.set_calm(True)
    frames.set_visible(True)
    frames.wake(1.0)
    assert frames.frames_per_second() == SOFTWARE_RATES.active
    streams = True
    assert frames.frames_per_second() == STREAMING_RATES.active
    frames.set_visible(False)


def test_pending_text_is_shown_first(theatre: Theatre) -> None:
    pet, waiting = theatre.pet, True
    seen: list[bool] = []
    pet.frames.set_yielding(lambda: waiting)
    connection = pet.frames.due.connect(lambda _now: seen.append(waiting))
    pet.frames.wake(1.0)
    theatre.wait(0.03)
    waiting = False
    theatre.until(lambda: len(seen) >= 2)
    pet.frames.due.disconnect(connection)
    pet.frames.set_yielding(lambda: False)
    assert not seen[-1]


def test_a_frame_comes_after_the_typed_character(theatre: Theatre) -> None:
    pet = theatre.pet
    seen: list[float] = []
    connection = pet.frames.due.connect(lambda _now: seen.append(time.monotonic()))
    pet.frames.wake(3.0)
    theatre.until(lambda: bool(seen))
    for _ in range(5):
        typed = time.monotonic()
        seen.clear()
        pet.frames.note_typing()
        theatre.until(lambda: bool(seen))
        assert seen[0] - typed >= 0.014
    pet.frames.due.disconnect(connection)
