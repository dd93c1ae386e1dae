"""The user's permissions for external tools, as stored in the settings."""

from __future__ import annotations

from collections.abc import Mapping

from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.settings.store import SettingsStore


def forget_source(settings: SettingsStore, source: str) -> None:
    """Delete all rules for the tools of `source`, so that they don't apply to a later source with
    the same name. Raises SettingsError.
    """
    mode = settings.settings.mode
    first = ToolSpec("", "", source=source).id  # all ids of its tools start with this
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
    """Stores whether the folder of the user's tools is scanned, and which file contents may run: a
    `tools.user_tools.tool_loader.ToolFilePermissionStore`.
    """

    def __init__(self, settings: SettingsStore) -> None:
        self._settings = settings

    def folder(self) -> bool:
        return self._settings.settings.mode.tool_files

    def files(self) -> Mapping[str, str]:
        return self._settings.settings.mode.allowed_tool_files

    def keep(self, files: Mapping[str, str]) -> None:
        """Store the permissions. Raises SettingsError."""
        self._settings.change("mode", "allowed_tool_files", dict(files))

    def forget(self, source: str) -> None:
        forget_source(self._settings, source)
