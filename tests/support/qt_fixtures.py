"""Fixtures for tests with Qt: garbage collection as in the app, and a bot that waits longer.

`tests/conftest.py` registers this module as a plugin if pytest-qt is loaded.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import partialmethod

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.ui.desktop.session import prevent_bus_autostart
from neodeskpet.ui.gc_scheduler import collect_due

prevent_bus_autostart(os.environ)  # the tests' own applications leave no bus behind either

gc.disable()  # as in the app: no QObject of one test may be destroyed on a thread of another


def pytest_collection_finish() -> None:
    """All tests and their imports stay: examining them for garbage takes half a second
    each time.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    yield
    if collect_due() == 2 and gc.get_freeze_count() == 0:  # a test has run the app's loop
        gc.freeze()


_PATIENCE_MS = 60_000
"""A busy machine may delay a window for longer than the five seconds of pytest-qt."""


_WAITS = ("waitActive", "waitExposed", "waitSignal", "waitUntil")
PatientBot = type(
    "PatientBot",
    (QtBot,),
    {name: partialmethod(getattr(QtBot, name), timeout=_PATIENCE_MS) for name in _WAITS},
)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    bot: QtBot = PatientBot(request)
    return bot
