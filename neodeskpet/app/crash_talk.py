"""The window that tells of a run that ended badly, and asks whether to start in safe mode."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from neodeskpet.ui.crash_window import CrashReportWindow
from neodeskpet.ui.theme import Theme


class CrashNotifier:
    """`theme` gives that of the moment."""

    def __init__(self, theme: Callable[[], Theme]) -> None:
        self._theme = theme
        self._window: CrashReportWindow | None = None

    def show_report(self, report: Path) -> None:
        """The last run ended badly: say so, with its report."""
        self._show(report, asks=False)

    async def ask_safe_mode(self, report: Path) -> bool:
        """Whether to start in safe mode; nothing is loaded before the person said it."""
        window = self._show(report, asks=True)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        window.chosen.connect(answer.set_result)
        safe = await answer
        window.close()
        return safe

    def close(self) -> None:
        if self._window is not None:
            self._window.close()

    def delete(self) -> None:
        if self._window is not None:
            self._window.deleteLater()

    def _show(self, report: Path, *, asks: bool) -> CrashReportWindow:
        self._window = CrashReportWindow(self._theme(), report, asks=asks)
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()
        return self._window
