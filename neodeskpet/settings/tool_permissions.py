"""What the person allowed to tools of others, as the settings keep it."""

from __future__ import annotations

from collections.abc import Mapping

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.settings.store import SettingsStore


def forget_source(settings: SettingsStore, source: str) -> None:
    """What was allowed to the tools of `source` doesn't hold for those that come after it under
    the same name. Raises SettingsError.
    """
    mode = settings.settings.mode
    first = ToolSpec("", "", source=source).id  # its tools' ids all begin so
    changed = {
        "always_allowed": tuple(
            one for one in mode.always_allowed if not one.tool.startswith(first)
        ),
        "tool_rules": {
            tool: rule for tool, rule in mode.tool_rules.items() if not tool.startswith(first)
        },
        "source_rules": {name: rule for name, rule in mode.source_rules.items() if name != source},
        "met_tools": {name: ids for name, ids in mode.met_tools.items() if name != source},
    }
    for name, value in changed.items():
        if value != getattr(mode, name):
            settings.change("mode", name, value)


class ToolFilePermissions:
    """Whether the folder of one's own tools is looked at, and which contents of files may run: a
    `tools.user_tools.user_tools.ToolFilePermissionStore`.
    """

    def __init__(self, settings: SettingsStore) -> None:
        self._settings = settings

    def folder(self) -> bool:
        return self._settings.settings.mode.tool_files

    def files(self) -> Mapping[str, str]:
        return self._settings.settings.mode.allowed_tool_files

    def keep(self, files: Mapping[str, str]) -> None:
        """Raises SettingsError."""
        self._settings.change("mode", "allowed_tool_files", dict(files))

    def forget(self, source: str) -> None:
        forget_source(self._settings, source)
