"""Validation of the names of windows and actions."""

from __future__ import annotations

import pytest

from neodeskpet.core.app_windows.window import AppWindow, WindowAction


@pytest.mark.parametrize("name", ["close", "", "a b", '"', "1st"])
def test_an_action_needs_a_plain_name_that_is_not_reserved(name: str) -> None:
    with pytest.raises(ValueError, match="action"):
        WindowAction(name, "…")


def test_a_window_needs_a_plain_name_and_unique_actions() -> None:
    with pytest.raises(ValueError, match="named"):
        AppWindow("a>b", "", "", "")
    with pytest.raises(ValueError, match="two actions"):
        AppWindow("a", "", "", "", (WindowAction("x", ""), WindowAction("x", "")))
