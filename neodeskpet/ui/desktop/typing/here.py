"""What tells of keys on this desktop."""

from __future__ import annotations

from neodeskpet.ui.desktop.typing.port import KeystrokeCounter
from neodeskpet.ui.desktop.typing.scripted import ScriptedKeystrokeCounter
from neodeskpet.ui.desktop.typing.x11 import X11KeystrokeCounter


def create_keystroke_counter(platform: str) -> KeystrokeCounter:
    """`platform` is Qt's name of it. Elsewhere than on X11 nobody tells."""
    return X11KeystrokeCounter() if platform == "xcb" else ScriptedKeystrokeCounter(able=False)
