"""How the tools of each model service are called: the choice for one service, or for all."""

from __future__ import annotations

from collections.abc import Iterable

from neodeskpet.llm.chain.tool_support import service_of
from neodeskpet.settings.secrets import parse_hosts
from neodeskpet.settings.store import SettingsStore

AUTO, TEXT, NATIVE, NONE = "auto", "text", "native", "none"
_LISTS = {TEXT: "text_services", NONE: "toolless_services", NATIVE: "native_services"}
"""The settings that list the services with a choice of their own. They count in the mode AUTO."""
CHANGED_SETTINGS = ("dialect", *_LISTS.values(), "mode")
"""The settings of the section "mode" that `ToolCallModes` changes."""


class ToolCallModes:
    """Reads and changes the choices in the settings."""

    def __init__(self, settings: SettingsStore) -> None:
        self._settings = settings

    def mode_of(self, base_url: str) -> str:
        """Return "auto", "native" or "text" for a service, or "none" to send without tools."""
        mode = self._settings.settings.mode.mode
        if mode != AUTO:
            return mode
        service = service_of(base_url)
        return next((one for one in _LISTS if service in self._listed(one)), AUTO)

    def choose(self, base_url: str, chosen: str, others: Iterable[str] = ()) -> None:
        """Store the mode of one service. `others` are the addresses of the other services, which
        keep theirs; without any, the mode for all services is changed. Raises KnownError.
        """
        service = service_of(base_url)
        kept = {other: self.mode_of(other) for other in map(service_of, others)}
        kept.pop(service, None)
        alone = not kept and chosen != NONE
        listed = {one: [*self._listed(one)] for one in _LISTS}
        if self._settings.settings.mode.mode != AUTO:
            for services in listed.values():
                services[:] = [one for one in services if one not in kept]
            for other, mode in kept.items():
                listed[mode].append(other)
        for services in listed.values():
            if service in services:
                services.remove(service)
        if chosen in listed and not alone:
            listed[chosen].append(service)
        for one, services in listed.items():
            self._change(_LISTS[one], ", ".join(services))
        self._change("mode", chosen if alone else AUTO)

    def choose_format(self, dialect: str) -> None:
        """Store the text format of tool calls. Raises KnownError."""
        self._change("dialect", dialect)

    def snapshot(self) -> dict[str, str]:
        """Return the settings that `choose` and `choose_format` change, for `restore`."""
        return {name: str(self._settings.value("mode", name)) for name in CHANGED_SETTINGS}

    def restore(self, before: dict[str, str]) -> None:
        """Set the settings back to a snapshot. Raises KnownError."""
        for name, value in before.items():
            self._change(name, value)

    def _listed(self, mode: str) -> tuple[str, ...]:
        return parse_hosts(str(self._settings.value("mode", _LISTS[mode])))

    def _change(self, name: str, value: str) -> None:
        overridden = self._settings.overridden("mode", name)
        if overridden or self._settings.value("mode", name) != value:
            self._settings.change("mode", name, value)
