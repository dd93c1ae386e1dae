"""What every test has: no service and no keyring of the person's own."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from functools import partialmethod

import keyring
import pytest
from hypothesis import HealthCheck, settings
from keyring.backends.null import Keyring as NoKeyring
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.language import language, set_language
from neodeskpet.ui.desktop.session import prevent_bus_autostart
from neodeskpet.ui.gc_scheduler import collect_due
from tests.support.ending import end_all

for _name in [name for name in os.environ if name.startswith("NEODESKPET_")]:
    del os.environ[_name]

# What tests throw away goes into a trash of their own.
_data = tempfile.TemporaryDirectory(prefix="neodeskpet-tests-")
os.environ["XDG_DATA_HOME"] = _data.name

prevent_bus_autostart(os.environ)  # of the tests' own applications, too, no bus is left behind

# Left to itself keyring takes the best backend it finds, doubles of the tests among them.
keyring.set_keyring(NoKeyring())

# The same examples everywhere, and no stop-watch: what fails in CI fails here too, and a busy
# machine fails nothing. To look for new ones: ./run test --hypothesis-profile=hunt tests/unit
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("hunt", deadline=None, max_examples=1000)
settings.load_profile("steady")

gc.disable()  # as in the app: no QObject of one test may be destroyed on a thread of another


def pytest_collection_finish() -> None:
    """All tests and what they import stay: to look through that for garbage takes half a second
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
"""A busy machine may keep a window waiting for longer than the five seconds of pytest-qt."""


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


@pytest.fixture(autouse=True)
def same_language() -> Iterator[None]:
    """What a test speaks isn't spoken in the next one."""
    before = language()
    yield
    set_language(before)


def pytest_sessionfinish() -> None:
    """End what runs beside, which nobody waits for later."""
    end_all()
