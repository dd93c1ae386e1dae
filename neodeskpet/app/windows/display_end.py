"""The display may end before the app: with a session of X11 its server goes, and Qt ends the
process, leaves its loop, or falls, at once. It says so before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import (
    QMessageLogContext,
    QtMsgType,
    qFormatLogMessage,
    qInstallMessageHandler,
)

_BROKEN_CONNECTION_TEXT = "The X11 connection broke"
"""What Qt says of it (`QXcbConnection::processXcbEvents`)."""


@contextmanager
def watch_display_end(gone: Callable[[], None]) -> Iterator[None]:
    """`gone` is called once, before the process ends. What Qt says goes where it went before."""

    told = False

    def hear(kind: QtMsgType, context: QMessageLogContext, words: str) -> None:
        nonlocal told
        if words.startswith(_BROKEN_CONNECTION_TEXT) and not told:
            told = True
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
