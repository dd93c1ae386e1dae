"""The user's permissions for external tools, as stored in the settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from neodeskpet.core.tool_settings import ToolRule
from neodeskpet.core.toolspec import Risk, ToolSpec
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


def refuse_tool(settings: SettingsStore, tool: str) -> None:
    """Turn a tool off because the user never wants its calls. Raises SettingsError."""
    rules = settings.settings.mode.tool_rules
    refused = replace(rules.get(tool, ToolRule()), on=False, refused=True)
    settings.change("mode", "tool_rules", {**rules, tool: refused})


class ListPermissions:
    """Stores whether the model may see and change lists of the user. A list is a family of tools
    ("todo" is the family of `todo.add`). A hidden list is stored by its name, because even the
    tools that read it are off; whether it may be changed is stored as the rules of the changing
    tools. `specs` returns all tools.
    """

    def __init__(self, settings: SettingsStore, specs: Callable[[], Iterable[ToolSpec]]) -> None:
        self._settings = settings
        self._specs = specs

    def may_see(self, families: Collection[str]) -> bool:
        return not set(families) & set(self._settings.settings.mode.hidden_lists)

    def set_may_see(self, families: Collection[str], on: bool) -> None:
        """Store the permission. Raises SettingsError."""
        hidden = set(self._settings.settings.mode.hidden_lists)
        hidden = hidden - set(families) if on else hidden | set(families)
        self._settings.change("mode", "hidden_lists", tuple(sorted(hidden)))

    def may_change(self, families: Collection[str]) -> bool:
        rules = self._settings.settings.mode.tool_rules
        return any(rules.get(tool, ToolRule()).on for tool in self._changing(families))

    def set_may_change(self, families: Collection[str], on: bool) -> None:
        """Store the permission. Raises SettingsError."""
        rules = dict(self._settings.settings.mode.tool_rules)
        for tool in self._changing(families):
            rules[tool] = replace(rules.get(tool, ToolRule()), on=on)
        self._settings.change("mode", "tool_rules", rules)

    def subscribe(self, observer: Callable[[], object]) -> Callable[[], None]:
        """Call `observer` after a change of these settings; returns a function that ends that."""

        def changed(section: str, name: str, _value: object) -> None:
            if section == "mode" and name in ("hidden_lists", "tool_rules"):
                observer()

        return self._settings.subscribe(changed)

    def _changing(self, families: Collection[str]) -> set[str]:
        """Return the ids of the tools that change something."""
        return {
            spec.id
            for spec in self._specs()
            if not spec.foreign
            and spec.family in families
            and spec.risk not in (Risk.READ, Risk.SENSITIVE_READ)
        }


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
