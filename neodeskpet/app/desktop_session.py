"""The app's relation to the desktop session: the end of the session and the state for the next
login, the end of the display, files that the system opens with the app, and what follows when the
app closes.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QObject,
    QtMsgType,
    qFormatLogMessage,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFileOpenEvent, QGuiApplication
from PySide6.QtWidgets import QApplication

from neodeskpet.platform.installation import data_path, own_command
from neodeskpet.platform.private_files import write_private


class ExitAction(Enum):
    QUIT = auto()
    RESTART = auto()
    RESTART_SAFE = auto()


_BROKEN_CONNECTION_TEXT = "The X11 connection broke"
"""Qt's message for it (`QXcbConnection::processXcbEvents`)."""


@contextmanager
def watch_display_end(gone: Callable[[], None]) -> Iterator[None]:
    """Call `gone` once before the process ends because the display was closed. Qt's messages still
    go to their previous handler.
    """

    is_reported = False

    def hear(kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
        nonlocal is_reported
        if words.startswith(_BROKEN_CONNECTION_TEXT) and not is_reported:
            is_reported = True
            gone()
        if before is not None:
            before(kind, context, words)
        elif sys.stderr is not None:  # a windowed bundle has none
            print(qFormatLogMessage(kind, context, words), file=sys.stderr)

    before = qInstallMessageHandler(hear)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


class OpenedFiles:
    """Files to open. They are kept until a receiver is set."""

    def __init__(self) -> None:
        self._waiting: list[Path] = []
        self._take: Callable[[Sequence[Path]], object] | None = None

    def set_receiver(self, take: Callable[[Sequence[Path]], object] | None) -> None:
        """Pass the files to `take` from now on; with None they are kept again."""
        self._take = take
        if take is not None and self._waiting:
            waiting, self._waiting = self._waiting, []
            take(waiting)

    def handle_event(self, event: QEvent) -> bool:
        """Take the file of an open-file event; return whether the event was one."""
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return False
        file = Path(event.file())
        if self._take is not None:
            self._take((file,))
        else:
            self._waiting.append(file)
        return True


class FileOpenApplication(QApplication):
    """An application that receives open-file events: Qt sends them to the application itself."""

    def __init__(self, words: list[str]) -> None:
        self.files = OpenedFiles()
        super().__init__(words)

    def event(self, event: QEvent) -> bool:
        return self.files.handle_event(event) or super().event(event)


_log = logging.getLogger(__name__)

_SESSION_FILE = "session.json"


class SessionManager(Protocol):
    """The part of Qt's `QSessionManager` that is used."""

    def setRestartCommand(self, command: list[str], /) -> None: ...


class DesktopSession(QObject):
    """Saves the state at the end of the session. `shown()` returns whether the chat and the
    companion are visible; `end` is called when the session ends.
    """

    def __init__(
        self,
        app: QGuiApplication,
        home: Path,
        shown: Callable[[], tuple[bool, bool]],
        end: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._home = home
        self._shown = shown
        self._end = end
        app.saveStateRequest.connect(self.save)
        app.commitDataRequest.connect(self.finish)

    def save(self, manager: SessionManager) -> None:
        """Set the command that restores the app in its current state."""
        manager.setRestartCommand(restart_command(self._home, *self._shown()))

    def finish(self, _manager: object) -> None:
        self.save_visible()
        self._end()

    def save_visible(self) -> None:
        """Store which windows are visible, for the start at the next login."""
        chat, companion = self._shown()
        try:
            write_private(
                self._home / _SESSION_FILE, json.dumps({"chat": chat, "companion": companion})
            )
        except OSError as error:
            _log.warning("The state of the windows can't be stored: %s", error)


def take_saved_state(home: Path) -> tuple[bool, bool]:
    """Return whether the chat and the companion were visible when the session ended, and delete the
    stored state. Return the defaults if the session has not ended since the last start.
    """
    file = home / _SESSION_FILE
    try:
        kept = json.loads(file.read_text("utf-8"))
        return kept["chat"] is True, kept["companion"] is not False
    except (OSError, ValueError, LookupError, TypeError):
        return False, True
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def restart_command(home: Path, chat: bool, companion: bool) -> list[str]:
    """Return the command that starts the app with this data folder, with the chat and the companion
    visible or not.
    """
    usual = data_path().resolve() == home.resolve()
    words = [] if usual else ["--data-dir", str(home)]
    words += ["--chat"] if chat else []
    words += [] if companion else ["--hidden"]
    return [*own_command(), *words]
