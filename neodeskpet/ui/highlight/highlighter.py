"""Asks a child process for colours, and never waits for it.

A text that takes too long stays plain.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

from PySide6.QtCore import QObject

from neodeskpet.ui.asked_child import QtChildWorker
from neodeskpet.ui.highlight.spans import CodeSpans

TIMEOUT_SECONDS = 5.0
"""What one text may take."""
MAX_CHARS = 150_000
_PLAIN = frozenset(("", "text", "plain", "txt"))

SpansCallback = Callable[[CodeSpans | None], None]
"""Takes the colours; None when the text has to stay plain."""


class Highlighter(QObject):
    """Starts the child when the first code is seen. `seconds` is what one text may take."""

    def __init__(self, parent: QObject | None = None, *, seconds: float = TIMEOUT_SECONDS) -> None:
        super().__init__(parent)
        self._child = QtChildWorker("colour", seconds, self)
        self._refused: set[bytes] = set()

    def ask(self, code: str, language: str, done: SpansCallback) -> None:
        """Call `done` when the colours are known, or at once where there will be none. What was
        asked last comes first, for it is what is looked at.
        """
        digest = sha256(f"{language}\n{code}".encode("utf-8", "surrogatepass")).digest()
        if language in _PLAIN or len(code) > MAX_CHARS or digest in self._refused:
            done(None)
            return

        def take(answer: bytes | None) -> None:
            if answer is None:
                self._refused.add(digest)
            done(None if answer is None else CodeSpans.unpacked(answer))

        self._child.ask(json.dumps({"code": code, "language": language}).encode(), take)
