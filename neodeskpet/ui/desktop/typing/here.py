"""What tells of keys on this desktop."""

from __future__ import annotations

from neodeskpet.ui.desktop.typing.port import Keystrokes
from neodeskpet.ui.desktop.typing.scripted import ScriptedKeystrokes
from neodeskpet.ui.desktop.typing.x11 import X11Keystrokes


def find_keystrokes(platform: str) -> Keystrokes:
    """`platform` is Qt's name of it. Elsewhere than on X11 nobody tells."""
    return X11Keystrokes() if platform == "xcb" else ScriptedKeystrokes(able=False)
