"""Background work of a test in which no error may occur."""

from __future__ import annotations

import pytest

from neodeskpet.core.errors import KnownError
from neodeskpet.ui.task_runner import TaskRunner


def new_work() -> TaskRunner:
    return TaskRunner("a test", failed=_fail)


def _fail(error: KnownError) -> None:
    pytest.fail(str(error))
