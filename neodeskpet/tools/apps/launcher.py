"""The launcher: an app that is always open and opens the other apps.

No `from __future__ import annotations` here: the schema refers to a local variable, the apps.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import Field

from neodeskpet.core.app_windows.window import WindowOptions
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.tool_result import ToolResult
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.app_window import App, launch_result
from neodeskpet.toolkit.registry import OneOf, Tool, tool


def launcher_app(apps: Callable[[], Sequence[App]]) -> App:
    """Make the launcher; `apps` returns all apps."""

    def others() -> list[App]:
        return [app for app in apps() if not app.options.pinned]

    def names() -> list[str]:
        return [app.id for app in others()]

    async def content(target: str) -> str:
        return "\n".join(f"{app.id}: {app.description}" for app in others())

    return App(
        "launcher",
        N_("Launcher"),
        "Opens apps. An open app is a window like this one; the user uses the same apps.",
        content,
        {"open": _open(names)},
        WindowOptions(closable=False, pinned=True, important=True),
    )


def _open(names: Callable[[], Sequence[str]]) -> Tool:
    @tool("launcher.open", title=N_("Open an app"), risk=Risk.READ, main_argument="app", timeout=10)
    def open_app(
        app: Annotated[str, OneOf(names, lambda: "Which app.")],
        target: Annotated[
            str, Field(max_length=500, description="What it is to show; left out: all.")
        ] = "",
        close_source: Annotated[
            bool, Field(description="Whether the window it is opened from closes, if that can.")
        ] = False,
    ) -> ToolResult:
        """Open an app, or show another target in it."""
        opened = launch_result(app, target, close_source=close_source)
        brief = Reason(N_("open"))
        return ToolResult("It is open from the next round on.", opened, brief=brief)

    return open_app
