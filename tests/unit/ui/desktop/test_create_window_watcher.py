"""The window watcher that is chosen on each desktop."""

from __future__ import annotations

import pytest

from neodeskpet.ui.desktop.window_watcher import (
    ScriptedWindowWatcher,
    WindowWatcher,
    create_window_watcher,
)


@pytest.mark.parametrize(
    ("platform", "session", "known"),
    [("xcb", "x11", True), ("xcb", "", True), ("xcb", "wayland", False), ("cocoa", "", False)],
)
def test_only_x11_reports_the_places_of_windows(platform: str, session: str, known: bool) -> None:
    environ = {"XDG_SESSION_TYPE": session}
    found = create_window_watcher(platform, environ, {"xcb": ScriptedWindowWatcher})
    assert (found is not None) is known


def test_without_an_answer_there_is_none() -> None:
    def refuse() -> WindowWatcher:
        raise OSError("no X server")

    assert create_window_watcher("xcb", {}, {"xcb": refuse}) is None
