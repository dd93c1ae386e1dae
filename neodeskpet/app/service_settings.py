"""The adapters between the settings window and model services: the catalogue `llm-config.json`
(with undo), and one service with its key, models and test.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from neodeskpet.app.engine import Engine
from neodeskpet.app.services import search_service_of
from neodeskpet.app.turn_factory import key_names
from neodeskpet.core.errors import SettingsError
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import EditRefused, apply_measured, find_model
from neodeskpet.llm.catalog.model_catalog import (
    Catalog,
    Endpoint,
    ModelEntry,
    Purposes,
    Tiers,
)
from neodeskpet.llm.chain.model_selection import ModelChoice, complete_choice
from neodeskpet.llm.chain.tool_support import CHANGED_SETTINGS, ToolCallModes
from neodeskpet.llm.endpoint_test.endpoint_advice import AdviceReason, advise
from neodeskpet.llm.endpoint_test.endpoint_tester import EndpointTest, StepResult, list_models
from neodeskpet.llm.local.model_file import is_model_file
from neodeskpet.llm.protocols.protocol import is_unencrypted
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.platform.observers import Observers
from neodeskpet.settings.secrets import (
    ENVIRONMENT_KEY,
    SecretPlace,
    Secrets,
    add_host,
    key_name,
    parse_hosts,
)
from neodeskpet.ui.settings.services.endpoint_test_findings import (
    finding_of,
    proposal_of,
    running_finding,
)
from neodeskpet.ui.settings.services.service_presets import OFFLINE, name_for
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
    KeyState,
    ToolCalls,
    Undo,
)

_SHOWN_KEY_CHARS = 4


class EndpointAdapter:
    """A `ui.settings.settings_ports.EndpointPort`. `catalog` returns the current catalogue, with
    edits made meanwhile. `name` is a service in it, `model` one of its models; "" is the only one
    of the simple settings. `take` applies a proposal; `ended` gets the result of a test.
    """

    def __init__(
        self,
        engine: Engine,
        catalog: Callable[[], Catalog],
        name: str,
        model: str,
        *,
        take: Callable[[EndpointTestProposal], Undo],
        needed: Callable[[EndpointTestProposal], bool],
        ended: Callable[[EndpointTestProposal | None], Awaitable[None]],
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._name = name
        self._model = model
        self._take = take
        self._needed = needed
        self._ended = ended

    async def key(self) -> KeyState:
        endpoint = self._endpoint()
        named = os.environ.get(endpoint.key_variable, "").strip() if endpoint.key_variable else ""
        if named:
            state = KeyState(masked_key(named), SecretPlace.ENVIRONMENT, endpoint.key_variable)
        else:
            alone = len(key_names(self._catalog())) == 1
            name = key_name(endpoint.base_url)
            state = await key_state(self._engine.storage.secrets, name, environment=alone)
        return replace(state, exposed=unencrypted_host(self._engine, endpoint.base_url))

    async def store_key(self, key: str) -> None:
        await self._engine.storage.secrets.set_async(key_name(self._endpoint().base_url), key)

    async def delete_key(self) -> None:
        await self._engine.storage.secrets.delete_async(key_name(self._endpoint().base_url))

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.storage.secrets.allow_file)

    def allow_plain(self) -> None:
        settings = self._engine.settings
        host = unencrypted_host(self._engine, self._endpoint().base_url)
        allowed = add_host(settings.settings.service.plain_hosts, host)
        settings.change("service", "plain_hosts", allowed)

    async def models(self) -> Sequence[str]:
        choice = self._choice()
        options = replace(
            choice.options(), key=await self._engine.models.turn_factory.key(choice.endpoint)
        )
        client = self._engine.models.connections(choice.endpoint.proxy)
        async with self._engine.models.local_host.place(options) as placed:
            found = await list_models(client, PROTOCOLS[choice.endpoint.protocol], placed)
        await self._engine.models.reported.update(choice.endpoint.base_url, found)
        return found

    async def test(
        self, found: Callable[[EndpointTestFinding], None]
    ) -> EndpointTestProposal | None:
        choice = self._choice()
        options = replace(
            choice.options(), key=await self._engine.models.turn_factory.key(choice.endpoint)
        )
        trials: list[StepResult] = []
        async with self._engine.models.local_host.place(options) as placed:
            trial = EndpointTest(
                self._engine.models.connections(choice.endpoint.proxy),
                PROTOCOLS[choice.endpoint.protocol],
                placed,
                thinking=choice.thinking,
            )
            async with aclosing(trial.run(lambda step: found(running_finding(step)))) as ended:
                async for one in ended:
                    trials.append(one)
                    found(finding_of(one))
        native = advise(trials).native
        if native in (AdviceReason.NOT_CALLED, AdviceReason.WORKS):
            self._engine.models.turn_factory.note_tool_test(
                choice, ignored=native is AdviceReason.NOT_CALLED
            )
        made = proposal_of(trials, choice.entry.id)
        await self._ended(made)
        return made

    def is_needed(self, proposal: EndpointTestProposal) -> bool:
        return self._needed(proposal)

    def take(self, proposal: EndpointTestProposal) -> Undo:
        return self._take(proposal)

    def _endpoint(self) -> Endpoint:
        catalog = self._catalog()
        found = catalog.endpoint(self._name) if self._name else next(iter(catalog.endpoints), None)
        if found is None:
            raise EditRefused(
                tr("there is no endpoint “{name}”", name=self._name)
                if self._name
                else tr("there is no service yet")
            )
        return found

    def _choice(self) -> ModelChoice:
        """Return the model of that name from the catalogue; a model outside the catalogue can be
        tested, too.
        """
        endpoint = self._endpoint()
        here = [one for one in self._catalog().models if one.endpoint == endpoint.name]
        named = (
            [one for one in here if self._model in (one.id, one.display_name)]
            if self._name
            else here
        )
        entry = next(iter(named), None)
        return complete_choice(
            endpoint, entry or ModelEntry(endpoint=endpoint.name, id=self._model)
        )


class SearchKeyAdapter:
    """A `ui.settings.settings_ports.KeyPort` for the current search service. The key of the
    environment belongs to the model's service, so it is never used here.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def key(self) -> KeyState:
        return await key_state(self._engine.storage.secrets, self._name(), environment=False)

    async def store_key(self, key: str) -> None:
        await self._engine.storage.secrets.set_async(self._name(), key)

    async def delete_key(self) -> None:
        await self._engine.storage.secrets.delete_async(self._name())

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.storage.secrets.allow_file)

    def allow_plain(self) -> None:
        """Do nothing: the search services use HTTPS only."""

    def _name(self) -> str:
        return key_name(search_service_of(self._engine.settings.settings).endpoint)


def unencrypted_host(engine: Engine, address: str) -> str:
    """Return the host that would receive a key for `address` without encryption; "" if there is
    none or the user allowed it.
    """
    try:
        host = urlsplit(address).hostname or ""
        allowed = parse_hosts(engine.settings.settings.service.plain_hosts)
        return host if is_unencrypted(address) and host not in allowed else ""
    except ValueError:
        return ""


async def key_state(secrets: Secrets, name: str, *, environment: bool = True) -> KeyState:
    """Return the state of the key that is stored under `name`, for display."""
    key = await secrets.get_async(name, environment=environment)
    place = await secrets.where_async(name, environment=environment)
    where = {SecretPlace.ENVIRONMENT: ENVIRONMENT_KEY, SecretPlace.FILE: str(secrets.file)}
    return KeyState(masked_key(key), place, where.get(place, ""))


def masked_key(key: str) -> str:
    """Return the last characters of a key, dots for a short one, "" for none."""
    return key[-_SHOWN_KEY_CHARS:] if len(key) > 2 * _SHOWN_KEY_CHARS else "•" * bool(key)


_TEST_RESULTS_KEY = "services.tested"


_SIMPLE = ("protocol", "base_url", "model")
"""The settings of the section "service" that hold one service."""


class CatalogAdapter:
    """A `ui.settings.settings_ports.CatalogPort` on the engine.

    Without a file the settings hold one service with one model, under the name of its preset. An
    edit goes to the settings as long as they can hold the result. Otherwise it writes the file,
    which is in force from then on.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._modes = ToolCallModes(engine.settings)
        self._observers: Observers[[]] = Observers()
        self._tested: dict[str, EndpointTestVerdict] = {}
        self._is_editing = False
        engine.models.catalog_file.subscribe(self._observers.notify)
        engine.settings.subscribe(self._on_setting_changed)

    @property
    def catalog(self) -> Catalog:
        """The catalogue in use; while the file is broken, the last good one."""
        written = self._engine.models.catalog_file.catalog
        return self.start() if written is None else written

    @property
    def kept(self) -> bool:
        """Whether the file exists, valid or broken."""
        services = self._engine.models.catalog_file
        return services.catalog is not None or services.fault is not None

    @property
    def fault(self) -> SettingsError | None:
        """The error in the file, if any."""
        return self._engine.models.catalog_file.fault

    @property
    def file(self) -> Path:
        return self._engine.models.catalog_file.path

    @property
    def outside(self) -> bool:
        """Whether the command line or the environment sets the service of this run, so that the
        file is not used.
        """
        return self._engine.models.turn_factory.is_service_overridden()

    def start(self) -> Catalog:
        """Return a catalogue made of the simple settings, ready to be written."""
        implied = self._engine.models.turn_factory.default_catalog()
        if not implied.endpoints:
            return implied
        endpoint = implied.endpoints[0]
        name = name_for(endpoint.protocol, endpoint.base_url)
        models = (model for model in implied.models if model.id)
        placed = tuple(model.model_copy(update={"endpoint": name}) for model in models)
        return Catalog(endpoints=(endpoint.model_copy(update={"name": name}),), models=placed)

    def refresh(self) -> None:
        """Read the file again if it was edited outside the app."""
        self._engine.models.catalog_file.refresh()

    def edit(self, change: Callable[[Catalog], Catalog]) -> Undo:
        """Put a change in force and store it. Raises KnownError."""
        services, settings = self._engine.models.catalog_file, self._engine.settings
        if not self.kept:
            simple = simple_service(change(self.start()))
            if simple is not None:
                return self._edit_settings(simple)
            if any(settings.overridden("service", name) for name in _SIMPLE):
                raise EditRefused(tr("the service of this run is set from outside"))
        return partial(services.revert, services.edit(change, self.start()))

    def _edit_settings(self, values: Mapping[str, str]) -> Undo:
        service = self._engine.settings.settings.service
        before = {name: str(getattr(service, name)) for name in values}
        self._put(values)
        return partial(self._put, before)

    def _put(self, values: Mapping[str, str]) -> None:
        """Change the settings together, and notify once."""
        settings = self._engine.settings
        self._is_editing = True
        try:
            for name, value in values.items():
                if settings.value("service", name) != value:
                    settings.change("service", name, value)
        finally:
            self._is_editing = False
        self._observers.notify()

    def _on_setting_changed(self, section: str, name: str, _value: object) -> None:
        simple = section == "service" and name in _SIMPLE and not self._is_editing
        if simple or (section == "mode" and name in CHANGED_SETTINGS):
            self._observers.notify()

    def reported(self, name: str) -> Sequence[str]:
        """The models that a service reported when it was last asked."""
        endpoint = self.catalog.endpoint(name)
        return () if endpoint is None else self._engine.models.reported.get(endpoint.base_url)

    def start_over(self) -> Path | None:
        """Copy a broken file and start with the catalogue in use; return the path of the copy.
        Raises KnownError.
        """
        return self._engine.models.catalog_file.replace_broken(self.catalog)

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change; return the function that ends the subscription."""
        return self._observers.subscribe(observer)

    def endpoint(self, name: str, model: str = "") -> EndpointAdapter:
        """Return a service by its name; a test uses its model `model`. "" is the service of the
        simple settings, whatever the file contains.
        """

        async def ended(made: EndpointTestProposal | None) -> None:
            self._tested[self._tested_as(name)] = _test_verdict(made)
            self._observers.notify()
            found = {place: verdict.value for place, verdict in self._tested.items()}
            await self._engine.storage.store.set_state(_TEST_RESULTS_KEY, json.dumps(found))

        take = partial(self.take, endpoint=name)
        catalog = (lambda: self.catalog) if name else self.start
        needed = partial(self.is_needed, endpoint=name)
        return EndpointAdapter(
            self._engine, catalog, name, model, take=take, needed=needed, ended=ended
        )

    def tested(self, name: str) -> EndpointTestVerdict | None:
        """Return the result of the last test of a service; None if its address has
        changed since.
        """
        return self._tested.get(self._tested_as(name))

    async def restore(self) -> None:
        """Load the results of earlier tests."""
        found = json.loads(await self._engine.storage.store.get_state(_TEST_RESULTS_KEY) or "{}")
        self._tested = {place: EndpointTestVerdict(value) for place, value in found.items()}
        self._observers.notify()

    def _tested_as(self, name: str) -> str:
        endpoint = self._service(name)
        return "" if endpoint is None else f"{endpoint.protocol} {endpoint.base_url}"

    def _service(self, name: str) -> Endpoint | None:
        """Return the service of this name, "" for that of the simple settings."""
        return self.catalog.endpoint(name) if name else next(iter(self.start().endpoints), None)

    # Tool calls

    def tool_calls(self, name: str) -> ToolCalls:
        """Return how the tools of a service are called."""
        endpoint = self._service(name)
        address = "" if endpoint is None else endpoint.base_url
        dialect = self._engine.settings.settings.mode.dialect
        return ToolCalls(self._modes.mode_of(address), dialect)

    def choose_text_format(self, dialect: str) -> None:
        """Store the text format of all services. Raises KnownError."""
        self._modes.choose_format(dialect)

    def choose_tool_mode(self, name: str, mode: str) -> None:
        """Store the mode of a service. Raises KnownError."""
        endpoint = self._service(name)
        others = [one.base_url for one in self.catalog.endpoints]
        self._modes.choose("" if endpoint is None else endpoint.base_url, mode, others)

    # Proposals of a test

    def take(self, proposal: EndpointTestProposal, endpoint: str = "") -> Undo:
        """Set mode and dialect, and store the measured properties of the model: on `endpoint`, or
        for the simple settings, which need a file only if the properties differ from the known
        ones. Raises KnownError.
        """
        before = self._modes.snapshot()
        noted = self._note(proposal, endpoint)
        self.choose_tool_mode(endpoint, proposal.mode)
        if proposal.dialect:
            self._modes.choose_format(proposal.dialect)

        def undo() -> None:
            if noted is not None:
                noted()
            self._modes.restore(before)

        return undo

    def is_needed(self, proposal: EndpointTestProposal, endpoint: str = "") -> bool:
        """Whether taking the proposal would change the mode, or what is known about the model."""
        catalog, used = self.catalog, self.tool_calls(endpoint)
        if proposal.mode != used.mode or proposal.dialect not in ("", used.dialect):
            return True
        endpoint = endpoint or next((one.name for one in catalog.endpoints), "")
        models = {one.id for one in catalog.models if one.endpoint == endpoint}
        return proposal.model in models and not _is_known(catalog, endpoint, proposal)

    def _note(self, proposal: EndpointTestProposal, endpoint: str) -> Undo | None:
        if not proposal.measured or (self.outside and not (endpoint and self.kept)):
            return None
        catalog = self.catalog
        endpoint = endpoint or next((one.name for one in catalog.endpoints), "")
        found = (one for one in catalog.models if one.endpoint == endpoint)
        entry = next((one for one in found if one.id == proposal.model), None)
        if entry is None or (not self.kept and _is_known(catalog, endpoint, proposal)):
            return None
        called = entry.display_name
        return self.edit(lambda now: apply_measured(now, endpoint, called, proposal.measured))


def simple_service(catalog: Catalog) -> Mapping[str, str] | None:
    """Return the settings that hold the whole catalogue: at most one service with at most one
    model, and nothing else set. None if it needs the file.
    """
    if (catalog.tiers, catalog.purposes) != (Tiers(), Purposes()):
        return None
    if not catalog.endpoints:
        return {"protocol": OFFLINE}
    endpoint, models = catalog.endpoints[0], catalog.models
    protocol, address = endpoint.protocol, endpoint.base_url
    plain = Endpoint(name=name_for(protocol, address), protocol=protocol, base_url=address)
    model = models[0].id if models else ""
    if catalog.endpoints != (plain,) or is_model_file(address):
        return None
    if models not in ((), (ModelEntry(endpoint=plain.name, id=model),)):
        return None
    return {"protocol": protocol, "base_url": address, "model": model}


def _is_known(catalog: Catalog, endpoint: str, proposal: EndpointTestProposal) -> bool:
    """Return whether the measured properties are the ones known for the model's name."""
    place = catalog.endpoint(endpoint)
    assert place is not None
    usual = complete_choice(place, find_model(catalog, endpoint, proposal.model)).abilities
    return usual.items() >= proposal.measured.items()


def _test_verdict(proposal: EndpointTestProposal | None) -> EndpointTestVerdict:
    if proposal is None:
        return EndpointTestVerdict.FAILED
    return (
        EndpointTestVerdict.FAULT if proposal.mode in ("text", "none") else EndpointTestVerdict.GOOD
    )
