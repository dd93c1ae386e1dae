"""Scenarios: users and widgets on an event loop of their own, without the app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtWidgets import QApplication


def play(scenario: Coroutine[Any, Any, None]) -> None:
    """Run a scenario on an event loop of its own, on which the widgets start their work. Its
    windows are hidden at its end: a window that became active later would reload without a loop.
    """

    async def live() -> None:
        try:
            await scenario
        finally:
            for window in QApplication.topLevelWidgets():
                window.hide()

    asyncio.run(live())


async def settle() -> None:
    """Let everything continue that can, tasks and Qt's posted events alike."""
    for _ in range(8):
        await asyncio.sleep(0)
        QApplication.processEvents()


async def until(true: Callable[[], object]) -> None:
    """Run the loop until the condition holds. Raises TimeoutError if it never does."""
    async with asyncio.timeout(20):
        while not true():
            await settle()
