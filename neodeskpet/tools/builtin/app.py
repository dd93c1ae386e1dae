"""The person's programs as a tool: one is opened by its name, never through a shell."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import Field

from neodeskpet.children import allowed_environment
from neodeskpet.core.errors import InvalidArguments, ToolFailed
from neodeskpet.core.scope import ScopeKind
from neodeskpet.core.tool_result import ShownText
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.wording import N_, Reason
from neodeskpet.tools.applications import (
    Application,
    application_named,
    installed_applications,
    similar_applications,
)
from neodeskpet.tools.registry import Tool, tool

_SOON = 1.0
"""Seconds: what ends with a fault before that was never open."""


def application_tools(
    find: Callable[[], Sequence[Application]] = installed_applications,
) -> list[Tool]:
    """`find` gives the programs there are; it is asked anew for each call."""

    def preview(name: str) -> ShownText | None:
        found = application_named(name, find())
        return None if found is None else ShownText(f"{found.name}\n{_command_of(found)}")

    @tool(
        "app.open",
        title=N_("Open a program"),
        risk=Risk.RUN,
        main_argument="name",
        timeout=30,
        scope={"name": ScopeKind.VALUE},
        preview=preview,
    )
    def open_app(
        name: Annotated[str, Field(min_length=1, max_length=200, description="Its name.")],
    ) -> str:
        """Open a program that is installed on the person's computer."""
        known = find()
        found = application_named(name, known)
        if found is None:
            raise _unknown(name, similar_applications(name, known))
        _start(found)
        return f"{found.name} was opened."

    return [open_app]


def _unknown(name: str, like: Sequence[str]) -> InvalidArguments:
    if not like:
        return InvalidArguments.at("name", N_("no program is called {name}."), name=name)
    words = N_("no program is called {name}. There are: {names}.")
    return InvalidArguments(
        reasons=[Reason(words, {"name": name, "names": ", ".join(like)}, "name")]
    )


def _command_of(found: Application) -> str:
    return shlex.join(found.command) if found.command else str(found.file)


def _start(found: Application) -> None:
    """Raises OSError and ToolFailed."""
    if sys.platform == "win32":
        os.startfile(found.place)
        return
    command = found.command or ("open", str(found.file))
    process = subprocess.Popen(
        command,
        env=allowed_environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(_SOON)
    except subprocess.TimeoutExpired:  # it runs; its end is waited for, so that it leaves nothing
        threading.Thread(target=process.wait, name="app", daemon=True).start()
        return
    if code != 0:
        raise ToolFailed(f"It ended at once (exit code {code}).")
