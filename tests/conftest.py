"""The environment of every test: no service and no keyring of the user.

With `-p no:pytest-qt` (`./run test --fast`) nothing of Qt is loaded.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import keyring
import pytest
from hypothesis import HealthCheck, settings
from keyring.backends.null import Keyring as NoKeyring

from neodeskpet.language import language, set_language
from tests.support.ending import end_all

for _name in [name for name in os.environ if name.startswith("NEODESKPET_")]:
    del os.environ[_name]

# Files that tests delete go to a trash of their own.
_data = tempfile.TemporaryDirectory(prefix="neodeskpet-tests-")
os.environ["XDG_DATA_HOME"] = _data.name

# By default keyring uses the best backend it finds, also doubles of the tests.
keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]

# The same examples everywhere, and no deadline: a failure in CI fails here too, and a busy machine
# fails nothing. To search for new ones: ./run test --hypothesis-profile=hunt tests/unit
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "fast",
    derandomize=True,
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("hunt", deadline=None, max_examples=1000)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("pytest-qt"):
        from tests.support import qt_fixtures

        config.pluginmanager.register(qt_fixtures, "qt_fixtures")


_LONG = 240  # seconds


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that may take long come first: at the end of a run all processes have short ones left,
    and none of them waits for the others.
    """

    def is_short(item: pytest.Item) -> bool:
        mark = item.get_closest_marker("timeout")
        return mark is None or mark.args[0] < _LONG

    items.sort(key=is_short)


@pytest.fixture(autouse=True)
def same_language() -> Iterator[None]:
    """The language of one test isn't that of the next one."""
    before = language()
    yield
    set_language(before)


def pytest_sessionfinish() -> None:
    """End background processes, which nobody awaits later."""
    end_all()
