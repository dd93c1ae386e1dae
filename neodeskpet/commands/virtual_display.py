"""A display that nobody sees (Xvfb), for machines without one."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from neodeskpet.language import tr

SCREEN_SIZE = "1600x1100x24"


class NoDisplay(Exception):
    """There is no display, and none could be made; the text says what to do."""


@contextmanager
def virtual_display() -> Iterator[bool]:
    """A display for Qt: the one there is (yields False), else an Xvfb of our own (yields True)
    that ends with the block. Raises NoDisplay.
    """
    if os.environ.get("DISPLAY"):
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        yield False
        return
    program = shutil.which("Xvfb")
    if program is None:
        raise NoDisplay(tr("There is no display, and Xvfb is not installed."))
    reader, writer = os.pipe()
    # Without -noreset it begins anew, and drops who is just coming, when its last window closes.
    command = [program, "-displayfd", str(writer), "-screen", "0", SCREEN_SIZE, "-nolisten", "tcp"]
    command.append("-noreset")
    server = subprocess.Popen(
        command, pass_fds=(writer,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if not number:
            raise NoDisplay(tr("Xvfb did not start."))
        os.environ["DISPLAY"] = f":{number}"
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        yield True
    finally:
        os.environ.pop("DISPLAY", None)
        server.terminate()
        server.wait()
