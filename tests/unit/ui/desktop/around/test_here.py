from __future__ import annotations

import pytest

from neodeskpet.ui.desktop.around.here import find_windows_around
from neodeskpet.ui.desktop.around.port import WindowsAround
from neodeskpet.ui.desktop.around.scripted import ScriptedWindows


@pytest.mark.parametrize(
    ("platform", "session", "known"),
    [("xcb", "x11", True), ("xcb", "", True), ("xcb", "wayland", False), ("cocoa", "", False)],
)
def test_only_x11_tells_where_windows_are(platform: str, session: str, known: bool) -> None:
    environ = {"XDG_SESSION_TYPE": session}
    found = find_windows_around(platform, environ, {"xcb": ScriptedWindows})
    assert (found is not None) is known


def test_where_nobody_answers_there_is_none() -> None:
    def refuse() -> WindowsAround:
        raise OSError("no X server")

    assert find_windows_around("xcb", {}, {"xcb": refuse}) is None
