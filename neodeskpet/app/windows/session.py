"""The desktop's session: its end ends the app, and its next beginning brings back what was open."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from neodeskpet.files import write_private
from neodeskpet.paths import data_path, own_command

_log = logging.getLogger(__name__)

_SESSION_FILE = "session.json"


class SessionManager(Protocol):
    """Qt's `QSessionManager`, as far as it is used."""

    def setRestartCommand(self, command: list[str], /) -> None: ...


class DesktopSession(QObject):
    """`shown()` tells whether the chat and whether the companion are seen; `end` is called when the
    session ends.
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
        """Say what starts us again as we are now."""
        manager.setRestartCommand(restart_command(self._home, *self._shown()))

    def finish(self, _manager: object) -> None:
        self.save_visible()
        self._end()

    def save_visible(self) -> None:
        """The session ends: note what is seen, for the start at the next login."""
        chat, companion = self._shown()
        try:
            write_private(
                self._home / _SESSION_FILE, json.dumps({"chat": chat, "companion": companion})
            )
        except OSError as error:
            _log.warning("What was open can't be noted: %s", error)


def take_saved_state(home: Path) -> tuple[bool, bool]:
    """Whether the chat and the companion were seen when the session ended; as usual where it didn't
    end since the last start, for the note is taken away.
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
    """What starts the app with this data folder, with the chat and the companion seen or not."""
    usual = data_path().resolve() == home.resolve()
    words = [] if usual else ["--data-dir", str(home)]
    words += ["--chat"] if chat else []
    words += [] if companion else ["--hidden"]
    return [*own_command(), *words]
