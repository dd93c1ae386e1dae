"""Files that are opened with the app where the system tells so by an event: macOS, also to an app
that runs already. Elsewhere they are words of the command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class OpenedFiles:
    """What came before somebody hears is kept until then."""

    def __init__(self) -> None:
        self._waiting: list[Path] = []
        self._take: Callable[[Sequence[Path]], object] | None = None

    def set_receiver(self, take: Callable[[Sequence[Path]], object] | None) -> None:
        """`take` gets the files from now on; None keeps them again."""
        self._take = take
        if take is not None and self._waiting:
            waiting, self._waiting = self._waiting, []
            take(waiting)

    def handle_event(self, event: QEvent) -> bool:
        """Whether the event told of a file, which is taken."""
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return False
        file = Path(event.file())
        if self._take is not None:
            self._take((file,))
        else:
            self._waiting.append(file)
        return True


class FileOpenApplication(QApplication):
    """One that is told so: the event comes to the application itself."""

    def __init__(self, words: list[str]) -> None:
        self.files = OpenedFiles()
        super().__init__(words)

    def event(self, event: QEvent) -> bool:
        return self.files.handle_event(event) or super().event(event)
