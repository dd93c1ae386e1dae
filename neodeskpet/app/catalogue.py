"""The settings window's port onto the model catalogue: edits of `llm-config.json`, and undo."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from neodeskpet.core.errors import SettingsError
from neodeskpet.engine import Engine
from neodeskpet.llm.catalog import Catalog
from neodeskpet.llm.catalog_edit import learn
from neodeskpet.ui.settings.ports import Proposal, Undo
from neodeskpet.ui.settings.presets import PRESETS, preset_of


class CatalogDesk:
    """A `ui.settings.ports.CatalogPort` on the engine.

    While there is no file the simple settings are the catalogue: one endpoint with one model. The
    first edit writes it, under the name of its preset, and from then on the file is what counts.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._observers: list[Callable[[], None]] = []

    @property
    def catalog(self) -> Catalog:
        """What counts; while the file is broken, the last good one."""
        written = self._engine.services.catalog
        return self.start() if written is None else written

    @property
    def kept(self) -> bool:
        """Whether there is a file, good or broken."""
        services = self._engine.services
        return services.catalog is not None or services.fault is not None

    @property
    def fault(self) -> SettingsError | None:
        """What is wrong with the file."""
        return self._engine.services.fault

    @property
    def file(self) -> Path:
        return self._engine.services.path

    @property
    def outside(self) -> bool:
        """Whether the service of this run is named from outside, so that the file waits."""
        return self._engine.minds.named_outside()

    def start(self) -> Catalog:
        """The simple settings, ready to be written."""
        implied = self._engine.minds.implied()
        if not implied.endpoints:
            return implied
        endpoint = implied.endpoints[0]
        preset = preset_of(PRESETS, endpoint.protocol, endpoint.base_url)
        name = {"name": preset.title if preset.base_url else _host(endpoint.base_url)}
        models = (model for model in implied.models if model.id)
        placed = tuple(model.model_copy(update={"endpoint": name["name"]}) for model in models)
        return Catalog(endpoints=(endpoint.model_copy(update=name),), models=placed)

    def refresh(self) -> None:
        """Look whether the file was changed by hand."""
        if self._engine.services.refresh():
            self._tell()

    def edit(self, change: Callable[[Catalog], Catalog]) -> Undo:
        """Put a change in force and keep it. Raises KnownError."""
        services = self._engine.services
        before = services.edit(change, self.start())
        self._tell()

        def undo() -> None:
            services.put_back(before)
            self._tell()

        return undo

    def start_anew(self) -> Path | None:
        """Keep a copy of a broken file, and begin with what counts now; where the copy is. Raises
        KnownError.
        """
        copy = self._engine.services.start_anew(self.catalog)
        self._tell()
        return copy

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change; returns what ends it."""
        self._observers.append(observer)

        def end() -> None:
            with suppress(ValueError):
                self._observers.remove(observer)

        return end

    # What a test advises

    def take(self, proposal: Proposal, endpoint: str = "") -> Undo:
        """Set mode and dialect, and note what was measured of the model: on `endpoint`, or for
        the simple settings, which have no place for it. Raises KnownError.
        """
        settings = self._engine.settings
        mode = settings.settings.mode
        before = {"mode": mode.mode, "dialect": mode.dialect}
        noted = self._note(proposal, endpoint)
        settings.change("mode", "mode", proposal.mode)
        if proposal.dialect:
            settings.change("mode", "dialect", proposal.dialect)

        def undo() -> None:
            for name, value in before.items():
                settings.change("mode", name, value)
            if noted is not None:
                noted()

        return undo

    def _note(self, proposal: Proposal, endpoint: str) -> Undo | None:
        if not proposal.measured or (not endpoint and self.outside):
            return None
        catalog = self.catalog
        endpoint = endpoint or next((one.name for one in catalog.endpoints), "")
        found = (one for one in catalog.models if one.endpoint == endpoint)
        entry = next((one for one in found if one.id == proposal.model), None)
        if entry is None or not self.kept:
            return None
        called = entry.called
        return self.edit(lambda now: learn(now, endpoint, called, proposal.measured))

    def _tell(self) -> None:
        for observer in tuple(self._observers):
            observer()


def _host(address: str) -> str:
    """A name for the service at `address`."""
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        return parts.hostname or address
    except ValueError:
        return address
