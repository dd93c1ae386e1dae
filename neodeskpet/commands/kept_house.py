"""What other programs can use while no NeoDeskPet runs: the notes and timers of a data folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.engine import approval_policy, tool_rules
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notes.store import SqliteNotes
from neodeskpet.settings.model import Settings
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.timers.book import TimerBook
from neodeskpet.timers.store import SqliteTimers
from neodeskpet.tools.builtin.note import note_tools
from neodeskpet.tools.builtin.timer import timer_tools
from neodeskpet.tools.toolbox import OwnTools, Toolbox
from neodeskpet.visitors.reception import Reception
from neodeskpet.visitors.tools import Nobody


async def open_kept(home: Path) -> tuple[Notebook, Reception]:
    """The notebook, to be closed, and a house on it; the settings count as they are at each call.
    Raises StoreError.
    """

    def now() -> Settings:
        return SettingsStore(home / SETTINGS_FILE).settings

    def asks(spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        return approval_policy(now()).asks(spec, arguments)

    notebook = await Notebook.open(home / NOTEBOOK_FILE)
    timers = TimerBook(SqliteTimers(notebook), lambda timer: None)
    toolbox = Toolbox(
        OwnTools([*timer_tools(timers), *note_tools(SqliteNotes(notebook))]),
        enabled=lambda spec: tool_rules(now()).on(spec),
    )
    return notebook, Reception(Nobody(), toolbox, asks, wanted=lambda: now().programs.allowed)
