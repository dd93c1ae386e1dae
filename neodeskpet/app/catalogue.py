"""The settings window's port onto the model catalogue: edits of `llm-config.json`, and undo."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from neodeskpet.app.endpoint import EndpointAdapter
from neodeskpet.core.errors import SettingsError
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog import Catalog
from neodeskpet.llm.catalog.edit import EditRefused, find_model, learn
from neodeskpet.llm.chain.choice import settle
from neodeskpet.observers import Observers
from neodeskpet.ui.settings.ports import Proposal, Undo, Verdict
from neodeskpet.ui.settings.service.presets import name_for

_TESTED = "services.tested"


class CatalogAdapter:
    """A `ui.settings.ports.CatalogPort` on the engine.

    While there is no file the simple settings are the catalogue: one endpoint with one model. The
    first edit writes it, under the name of its preset, and from then on the file is what counts.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._observers: Observers[[]] = Observers()
        self._tested: dict[str, Verdict] = {}
        engine.services.observe(self._observers.tell)

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
        name = name_for(endpoint.protocol, endpoint.base_url)
        models = (model for model in implied.models if model.id)
        placed = tuple(model.model_copy(update={"endpoint": name}) for model in models)
        return Catalog(endpoints=(endpoint.model_copy(update={"name": name}),), models=placed)

    def refresh(self) -> None:
        """Look whether the file was changed by hand."""
        self._engine.services.refresh()

    def edit(self, change: Callable[[Catalog], Catalog]) -> Undo:
        """Put a change in force and keep it. Raises KnownError."""
        services, settings = self._engine.services, self._engine.settings
        named = any(settings.overridden("service", n) for n in ("base_url", "protocol", "model"))
        if named and not self.kept:
            raise EditRefused(tr("the service of this run is set from outside"))
        return partial(services.put_back, services.edit(change, self.start()))

    def start_anew(self) -> Path | None:
        """Keep a copy of a broken file, and begin with what counts now; where the copy is. Raises
        KnownError.
        """
        return self._engine.services.start_anew(self.catalog)

    def observe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change; returns what ends it."""
        return self._observers.add(observer)

    def endpoint(self, name: str, model: str = "") -> EndpointAdapter:
        """A service by its name; a test is about `model` there. "" is that of the simple
        settings, whatever the file holds.
        """

        async def ended(made: Proposal | None) -> None:
            self._tested[self._tested_as(name)] = _verdict(made)
            self._observers.tell()
            found = {place: verdict.value for place, verdict in self._tested.items()}
            await self._engine.store.set_state(_TESTED, json.dumps(found))

        take = partial(self.take, endpoint=name)
        catalog = (lambda: self.catalog) if name else self.start
        return EndpointAdapter(self._engine, catalog, name, model, take=take, ended=ended)

    def tested(self, name: str) -> Verdict | None:
        """What the last test of a service came to; nothing of one that has another address now."""
        return self._tested.get(self._tested_as(name))

    async def restore(self) -> None:
        """Recall what tests came to before this start."""
        found = json.loads(await self._engine.store.get_state(_TESTED) or "{}")
        self._tested = {place: Verdict(value) for place, value in found.items()}
        self._observers.tell()

    def _tested_as(self, name: str) -> str:
        endpoint = self.catalog.endpoint(name) if name else next(iter(self.start().endpoints), None)
        return "" if endpoint is None else f"{endpoint.protocol} {endpoint.base_url}"

    # What a test advises

    def take(self, proposal: Proposal, endpoint: str = "") -> Undo:
        """Set mode and dialect, and note what was measured of the model: on `endpoint`, or for
        the simple settings, which need a file for it only where it isn't what counts anyway.
        Raises KnownError.
        """
        settings = self._engine.settings
        mode = settings.settings.mode
        before = {"mode": mode.mode, "dialect": mode.dialect}
        noted = self._note(proposal, endpoint)
        settings.change("mode", "mode", proposal.mode)
        if proposal.dialect:
            settings.change("mode", "dialect", proposal.dialect)

        def undo() -> None:
            if noted is not None:
                noted()
            for name, value in before.items():
                settings.change("mode", name, value)

        return undo

    def _note(self, proposal: Proposal, endpoint: str) -> Undo | None:
        if not proposal.measured or (not endpoint and self.outside):
            return None
        catalog = self.catalog
        endpoint = endpoint or next((one.name for one in catalog.endpoints), "")
        found = (one for one in catalog.models if one.endpoint == endpoint)
        entry = next((one for one in found if one.id == proposal.model), None)
        if entry is None or (not self.kept and _is_known(catalog, endpoint, proposal)):
            return None
        called = entry.called
        return self.edit(lambda now: learn(now, endpoint, called, proposal.measured))


def _is_known(catalog: Catalog, endpoint: str, proposal: Proposal) -> bool:
    """Whether what was measured is what counts anyway, by the model's name."""
    place = catalog.endpoint(endpoint)
    assert place is not None
    usual = settle(place, find_model(catalog, endpoint, proposal.model)).abilities
    return usual.items() >= proposal.measured.items()


def _verdict(proposal: Proposal | None) -> Verdict:
    if proposal is None:
        return Verdict.FAILED
    return Verdict.FAULT if proposal.mode == "text" else Verdict.GOOD
