"""The tools that other programs can use while NeoDeskPet isn't running: notes, to-dos and timers of
a data folder, and actions of its apps that need no user.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from neodeskpet.app.app_list import AppDependencies, open_apps
from neodeskpet.app.services import REPLACED_FILES_FOLDER, null_figure
from neodeskpet.app.turn_factory import allowed_folders, approval_policy, tool_rules
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.external_api.companion_tools import NoCompanion
from neodeskpet.external_api.tool_gateway import ToolGateway
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.note_tools import note_tools
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notebook.notes import SqliteNotes
from neodeskpet.notebook.timer_tools import timer_tools
from neodeskpet.notebook.timers import SqliteTimers, TimerService
from neodeskpet.notebook.todo_tools import todo_tools
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.settings.settings_model import Settings
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.tools.builtin.clipboard import clipboard_tools
from neodeskpet.tools.builtin.file_tools import file_tools
from neodeskpet.tools.builtin.live2d import live2d_tools
from neodeskpet.tools.files.allowed_folders import AllowedFolders
from neodeskpet.tools.files.text_files import FileBackups


async def open_headless_tools(home: Path) -> tuple[Notebook, ToolGateway]:
    """Return the notebook, which the caller must close, and a tool gateway for it; each call uses
    the current settings. Raises StoreError.
    """

    def now() -> Settings:
        return SettingsStore(home / SETTINGS_FILE).settings

    def asks(spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        return approval_policy(now()).asks(spec, arguments)

    def enabled(spec: ToolSpec) -> bool:
        return tool_rules(now()).on(spec)

    def hidden(spec: ToolSpec) -> bool:
        return tool_rules(now()).hides(spec)

    notebook = await Notebook.open(home / NOTEBOOK_FILE, required=True)
    timers = TimerService(SqliteTimers(notebook), lambda timer: None)
    notes, todos = SqliteNotes(notebook), TodoStore(notebook)
    folders = AllowedFolders(lambda: allowed_folders(now()), closed=[home])
    stage = null_figure(now())
    files = file_tools(folders, FileBackups(home / REPLACED_FILES_FOLDER))
    theirs = [*files, *clipboard_tools(None), *live2d_tools(stage)]
    appointments = AppointmentService(notebook)
    things = AppDependencies(
        notes,
        timers,
        todos,
        appointments,
        stage,
        theirs,
        enabled=enabled,
        asks=asks,
        hidden=hidden,
    )
    apps = await open_apps(notebook, things)
    toolbox = Toolbox(
        AppTools([*timer_tools(timers), *note_tools(notes), *todo_tools(todos)]),
        enabled=enabled,
        hidden=hidden,
    )
    gateway = ToolGateway(
        NoCompanion(), toolbox, asks, apps=apps, wanted=lambda: now().programs.allowed
    )
    return notebook, gateway
