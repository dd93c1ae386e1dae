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
from neodeskpet.llm.catalog.edit import EditRefused, apply_measured, find_model
from neodeskpet.llm.chain.choice import complete_choice
from neodeskpet.observers import Observers
from neodeskpet.ui.settings.ports import EndpointTestProposal, EndpointTestVerdict, Undo
from neodeskpet.ui.settings.service.presets import name_for

_TEST_RESULTS_KEY = "services.tested"


class CatalogAdapter:
    """A `ui.settings.ports.CatalogPort` on the engine.

    While there is no file the simple settings are the catalogue: one endpoint with one model. The
    first edit writes it, under the name of its preset, and from then on the file is what counts.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._observers: Observers[[]] = Observers()
        self._tested: dict[str, EndpointTestVerdict] = {}
        engine.catalog_file.subscribe(self._observers.notify)

    @property
    def catalog(self) -> Catalog:
        """What counts; while the file is broken, the last good one."""
        written = self._engine.catalog_file.catalog
        return self.start() if written is None else written

    @property
    def kept(self) -> bool:
        """Whether there is a file, good or broken."""
        services = self._engine.catalog_file
        return services.catalog is not None or services.fault is not None

    @property
    def fault(self) -> SettingsError | None:
        """What is wrong with the file."""
        return self._engine.catalog_file.fault

    @property
    def file(self) -> Path:
        return self._engine.catalog_file.path

    @property
    def outside(self) -> bool:
        """Whether the service of this run is named from outside, so that the file waits."""
        return self._engine.turn_factory.is_service_overridden()

    def start(self) -> Catalog:
        """The simple settings, ready to be written."""
        implied = self._engine.turn_factory.default_catalog()
        if not implied.endpoints:
            return implied
        endpoint = implied.endpoints[0]
        name = name_for(endpoint.protocol, endpoint.base_url)
        models = (model for model in implied.models if model.id)
        placed = tuple(model.model_copy(update={"endpoint": name}) for model in models)
        return Catalog(endpoints=(endpoint.model_copy(update={"name": name}),), models=placed)

    def refresh(self) -> None:
        """Look whether the file was changed by hand."""
        self._engine.catalog_file.refresh()

    def edit(self, change: Callable[[Catalog], Catalog]) -> Undo:
        """Put a change in force and keep it. Raises KnownError."""
        services, settings = self._engine.catalog_file, self._engine.settings
        named = any(settings.overridden("service", n) for n in ("base_url", "protocol", "model"))
        if named and not self.kept:
            raise EditRefused(tr("the service of this run is set from outside"))
        return partial(services.revert, services.edit(change, self.start()))

    def start_anew(self) -> Path | None:
        """Keep a copy of a broken file, and begin with what counts now; where the copy is. Raises
        KnownError.
        """
        return self._engine.catalog_file.replace_broken(self.catalog)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change; returns what ends it."""
        return self._observers.subscribe(observer)

    def endpoint(self, name: str, model: str = "") -> EndpointAdapter:
        """A service by its name; a test is about `model` there. "" is that of the simple
        settings, whatever the file holds.
        """

        async def ended(made: EndpointTestProposal | None) -> None:
            self._tested[self._tested_as(name)] = _test_verdict(made)
            self._observers.notify()
            found = {place: verdict.value for place, verdict in self._tested.items()}
            await self._engine.store.set_state(_TEST_RESULTS_KEY, json.dumps(found))

        take = partial(self.take, endpoint=name)
        catalog = (lambda: self.catalog) if name else self.start
        return EndpointAdapter(self._engine, catalog, name, model, take=take, ended=ended)

    def tested(self, name: str) -> EndpointTestVerdict | None:
        """What the last test of a service came to; nothing of one that has another address now."""
        return self._tested.get(self._tested_as(name))

    async def restore(self) -> None:
        """Recall what tests came to before this start."""
        found = json.loads(await self._engine.store.get_state(_TEST_RESULTS_KEY) or "{}")
        self._tested = {place: EndpointTestVerdict(value) for place, value in found.items()}
        self._observers.notify()

    def _tested_as(self, name: str) -> str:
        endpoint = self.catalog.endpoint(name) if name else next(iter(self.start().endpoints), None)
        return "" if endpoint is None else f"{endpoint.protocol} {endpoint.base_url}"

    # What a test advises

    def take(self, proposal: EndpointTestProposal, endpoint: str = "") -> Undo:
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

    def _note(self, proposal: EndpointTestProposal, endpoint: str) -> Undo | None:
        if not proposal.measured or (not endpoint and self.outside):
            return None
        catalog = self.catalog
        endpoint = endpoint or next((one.name for one in catalog.endpoints), "")
        found = (one for one in catalog.models if one.endpoint == endpoint)
        entry = next((one for one in found if one.id == proposal.model), None)
        if entry is None or (not self.kept and _is_known(catalog, endpoint, proposal)):
            return None
        called = entry.display_name
        return self.edit(lambda now: apply_measured(now, endpoint, called, proposal.measured))


def _is_known(catalog: Catalog, endpoint: str, proposal: EndpointTestProposal) -> bool:
    """Whether what was measured is what counts anyway, by the model's name."""
    place = catalog.endpoint(endpoint)
    assert place is not None
    usual = complete_choice(place, find_model(catalog, endpoint, proposal.model)).abilities
    return usual.items() >= proposal.measured.items()


def _test_verdict(proposal: EndpointTestProposal | None) -> EndpointTestVerdict:
    if proposal is None:
        return EndpointTestVerdict.FAILED
    return EndpointTestVerdict.FAULT if proposal.mode == "text" else EndpointTestVerdict.GOOD
