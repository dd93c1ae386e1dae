"""The source of the idle time that is chosen on each desktop."""

from __future__ import annotations

from neodeskpet.ui.desktop.idle_time import IdleTime, create_idle_time


class Told:
    def seconds(self) -> float | None:
        return 3.0

    def close(self) -> None: ...


def refuse() -> IdleTime:
    raise OSError("not here")


def test_each_desktop_has_its_own() -> None:
    told = Told()
    makers = {"xcb": refuse, "wayland": lambda: told, "windows": refuse}
    assert create_idle_time("wayland", {}, makers) is told
    assert create_idle_time("windows", {}, makers) is None
    assert create_idle_time("offscreen", {}, makers) is None
    assert create_idle_time("xcb", {}, makers) is None
    assert create_idle_time("xcb", {"XDG_SESSION_TYPE": "wayland"}, makers) is told


def test_the_source_of_another_system_is_not_used() -> None:
    assert create_idle_time("windows", {}) is None
    assert create_idle_time("cocoa", {}) is None
    assert create_idle_time("wayland", {}) is None
