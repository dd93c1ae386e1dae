"""The application for all tests of the interface: a widget without one ends the whole process."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> QApplication:
    return qapp
