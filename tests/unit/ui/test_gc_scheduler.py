"""Garbage is collected on the interface's thread, and nowhere else."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from neodeskpet.ui.gc_scheduler import (
    collect_due,
    freeze_existing_objects,
    gc_on_this_thread,
    next_check_ms,
)


class Knot:
    """A reference cycle, which only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


def fill() -> None:
    """Make more young objects than the threshold."""
    kept = [[] for _ in range(gc.get_threshold()[0] * 3)]
    del kept


def test_a_thread_with_many_objects_collects_nothing(qtbot: QtBot) -> None:
    owner = QObject()
    with gc_on_this_thread(owner):
        gone = weakref.ref(Knot())
        worker = threading.Thread(target=fill)
        worker.start()
        worker.join()
        assert gone() is not None
        gc.collect()
        assert gone() is None


def test_the_timer_collects(qtbot: QtBot) -> None:
    owner = QObject()
    with gc_on_this_thread(owner):
        young: list[list[None]] = []
        gone = weakref.ref(Knot())

        def collected() -> bool:
            # Repeatedly: objects freed meanwhile count against the young ones.
            young.extend([] for _ in range(gc.get_threshold()[0] * 3))
            return gone() is None

        qtbot.waitUntil(collected)


def test_permanent_objects_are_not_examined(qtbot: QtBot) -> None:
    owner = QObject()
    with gc_on_this_thread(owner):
        gone = weakref.ref(Knot())
        freeze_existing_objects()
        gc.collect()
        assert gone() is not None
        later = weakref.ref(Knot())
        gc.collect()
        assert later() is None
    gc.collect()
    assert gone() is None, "it was only frozen while the loop ran"


def test_the_former_state_is_restored(qtbot: QtBot) -> None:
    owner = QObject()
    for automatic in (True, False):
        (gc.enable if automatic else gc.disable)()
        with gc_on_this_thread(owner):
            assert not gc.isenabled()
        assert gc.isenabled() is automatic
    assert gc.get_freeze_count() == 0


def test_nothing_is_done_before_it_is_due() -> None:
    gc.collect()
    assert collect_due() is None
    young = [[] for _ in range(gc.get_threshold()[0] * 3)]
    assert collect_due() == 0
    assert young


def test_while_idle_it_checks_less_and_less_often() -> None:
    waited, looks, passed = 1000, 0, 0
    while passed < 60 * 60 * 1000:
        passed += waited
        looks += 1
        waited = next_check_ms(waited, 7)
    assert looks < 60 * 60 / 15, "not each second"
    assert next_check_ms(waited, 5_000) == 1000, "activity: soon again"
    assert next_check_ms(waited, -5_000) == 1000, "others collected meanwhile"
