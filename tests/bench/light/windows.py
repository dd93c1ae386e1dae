"""How soon windows and keys are seen: times until a window is painted with its content, and until a
typed character is painted. Input comes through XTest, as from a real keyboard and mouse.
"""

from __future__ import annotations

import select
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from Xlib import XK, X, error
from Xlib.display import Display
from Xlib.ext import damage, xtest

from tests.bench.light.paints import Paints
from tests.soak.process import taken

_WIDTH, _HEIGHT = 300, 500
"""A smaller window is no chat."""
_CONTENT_SHARE = 0.01
"""The share of pixels that differ from the most frequent one in a window with content."""
_POINTER_SECONDS = 0.7
"""Until the figure has noticed the pointer above it."""
_STARTED_SECONDS = 3.0
"""Until a started app is complete, so that it can be ended."""
_LOADED_SECONDS, _SETTLED_SECONDS, _SETTLED_MIB = 25.0, 4.0, 1.0
"""A started app has loaded what it loads by itself, and its idle child processes have ended, when
it runs for so long, and its memory changed by so little since then.
"""
_NEVER_SETTLED_SECONDS = 90.0
_KEYS, _LEFT = "etaoinshrdlu", 1


class WindowWatch:
    """Watches for a window that is shown and painted; create it before the window is shown."""

    def __init__(self) -> None:
        self._display = Display()
        self._display.damage_query_version()
        self._display.set_error_handler(lambda *_error: None)  # windows without a picture
        self._root = self._display.screen().root
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask)
        for window in self._root.query_tree().children:
            if window.get_attributes().map_state == X.IsUnmapped:
                self._follow(window.id)
        self._display.sync()

    def wait_until_painted(self, timeout: float = 30.0) -> float:
        """Return when a large window was first painted with content (`time.monotonic`)."""
        notify = self._display.extension_event.DamageNotify
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            select.select([self._display], [], [], 0.05)
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == X.CreateNotify:
                    self._follow(event.window.id)
                elif event.type == notify:
                    now = time.monotonic()
                    self._display.damage_subtract(event.damage, X.NONE, X.NONE)
                    if self._has_content(event.drawable):
                        return now
        raise LookupError("no window was painted")

    def close(self) -> None:
        self._display.close()

    def _follow(self, window: int) -> None:
        one = self._display.create_resource_object("window", window)
        one.damage_create(damage.DamageReportNonEmpty)

    def _has_content(self, window: object) -> bool:
        try:
            size = window.get_geometry()  # type: ignore[attr-defined]
            if size.width < _WIDTH or size.height < _HEIGHT:
                return False
            image = window.get_image(  # type: ignore[attr-defined]
                0, 0, size.width, size.height, X.ZPixmap, 0xFFFFFFFF
            )
        except error.XError:  # it isn't visible
            return False
        pixels = memoryview(image.data).cast("I")
        ((colour, most),) = Counter(pixels).most_common(1)
        # A window that is visible and not painted yet shows the black desktop.
        painted = colour & 0xFFFFFF != 0
        return painted and len(pixels) - most > len(pixels) * _CONTENT_SHARE


class UserInput:
    """The pointer and the keyboard of the display."""

    def __init__(self) -> None:
        self._display = Display()

    def point(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        self._display.sync()
        time.sleep(_POINTER_SECONDS)

    def double_click(self) -> float:
        """Double-click where the pointer is; return when the button was pressed the second time."""
        self._click()
        time.sleep(0.08)
        at = time.monotonic()
        self._click()
        return at

    def _click(self) -> None:
        for kind in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(self._display, kind, _LEFT)
        self._display.sync()

    def focus(self, window: int) -> None:
        one = self._display.create_resource_object("window", window)
        one.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()

    def press(self, letter: str) -> float:
        """Press a key; return when (`time.perf_counter`)."""
        code = self._display.keysym_to_keycode(XK.string_to_keysym(letter))
        at = time.perf_counter()
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, kind, code)
        self._display.sync()
        return at

    def close(self) -> None:
        self._display.close()


def time_until_painted(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Start a program that shows a window; return the seconds until the window is painted."""
    watch = WindowWatch()
    begun = time.monotonic()
    try:
        with _started(command, environment):
            painted = watch.wait_until_painted()
            time.sleep(_STARTED_SECONDS)
    finally:
        watch.close()
    return painted - begun


def memory_after_start(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Start a program that shows a window and wait until it has settled; return the memory of its
    tree (PSS, MiB).
    """
    watch = WindowWatch()
    try:
        with _started(command, environment) as process:
            watch.wait_until_painted()
            time.sleep(_LOADED_SECONDS)
            end = time.monotonic() + _NEVER_SETTLED_SECONDS
            before, now = 0.0, _pss(process.pid)
            while abs(now - before) > _SETTLED_MIB and time.monotonic() < end:
                time.sleep(_SETTLED_SECONDS)
                before, now = now, _pss(process.pid)
    finally:
        watch.close()
    return now


def _pss(pid: int) -> float:
    found = taken(pid)
    return found.pss if found else float("nan")


@contextmanager
def _started(
    command: Sequence[str], environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is ended with the block."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def key_times(window: int, count: int, pauses: Sequence[float]) -> list[float]:
    """Type `count` characters into `window`, with these pauses in turn (s); return the
    milliseconds from each key to its paint, sorted.
    """
    user, paints = UserInput(), Paints([window])
    try:
        user.focus(window)
        time.sleep(0.5)
        pressed = []
        for number in range(count):
            pressed.append(user.press(_KEYS[number % len(_KEYS)]))
            time.sleep(pauses[number % len(pauses)])
        # Each part counts: a key may follow within milliseconds on another paint, such as that of
        # the blinking caret, and was counted as painted with the next key then.
        times = paints.part_times(window)
    finally:
        paints.close()
        user.close()
    first = (next((at - begun for at in times if at >= begun), float("nan")) for begun in pressed)
    return sorted(seconds * 1000 for seconds in first)
