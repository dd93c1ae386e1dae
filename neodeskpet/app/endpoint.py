"""The settings window's port onto one service: its key, models and test."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from urllib.parse import urlsplit

from neodeskpet.engine import Engine, search_service_of
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog import Catalog, Endpoint, ModelEntry
from neodeskpet.llm.catalog.edit import EditRefused
from neodeskpet.llm.chain.choice import ModelChoice, complete_choice
from neodeskpet.llm.protocols.adapters import PROTOCOLS
from neodeskpet.llm.protocols.protocol import is_unencrypted
from neodeskpet.llm.trial.advice import AdviceReason, advise
from neodeskpet.llm.trial.trial import EndpointTest, StepResult, list_models
from neodeskpet.minds import key_names
from neodeskpet.settings.plain_hosts import add_host, parse_hosts
from neodeskpet.settings.secrets import ENVIRONMENT_KEY, SecretPlace, Secrets, key_name
from neodeskpet.ui.settings.ports import EndpointTestFinding, EndpointTestProposal, KeyState, Undo
from neodeskpet.ui.settings.service.trial_words import finding_of, proposal_of, running_finding

_SHOWN_KEY_CHARS = 4


class EndpointAdapter:
    """A `ui.settings.ports.EndpointPort`. What is edited meanwhile counts: `catalog` gives what
    there is now. `name` is a service in it, `model` one there; "" is the only one of the simple
    settings. `take` puts a proposal into force, `ended` hears what a test came to.
    """

    def __init__(
        self,
        engine: Engine,
        catalog: Callable[[], Catalog],
        name: str,
        model: str,
        *,
        take: Callable[[EndpointTestProposal], Undo],
        ended: Callable[[EndpointTestProposal | None], Awaitable[None]],
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._name = name
        self._model = model
        self._take = take
        self._ended = ended

    async def key(self) -> KeyState:
        endpoint = self._endpoint()
        named = os.environ.get(endpoint.key_variable, "").strip() if endpoint.key_variable else ""
        if named:
            state = KeyState(masked_key(named), SecretPlace.ENVIRONMENT, endpoint.key_variable)
        else:
            alone = len(key_names(self._catalog())) == 1
            name = key_name(endpoint.base_url)
            state = await key_state(self._engine.secrets, name, environment=alone)
        return replace(state, exposed=unencrypted_host(self._engine, endpoint.base_url))

    async def store_key(self, key: str) -> None:
        await self._engine.secrets.set_async(key_name(self._endpoint().base_url), key)

    async def delete_key(self) -> None:
        await self._engine.secrets.delete_async(key_name(self._endpoint().base_url))

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.secrets.allow_file)

    def allow_plain(self) -> None:
        settings = self._engine.settings
        host = unencrypted_host(self._engine, self._endpoint().base_url)
        allowed = add_host(settings.settings.service.plain_hosts, host)
        settings.change("service", "plain_hosts", allowed)

    async def models(self) -> Sequence[str]:
        choice = self._choice()
        options = replace(
            choice.options(), key=await self._engine.turn_factory.key(choice.endpoint)
        )
        client = self._engine.connections(choice.endpoint.proxy)
        async with self._engine.local_model_host.place(options) as placed:
            found = await list_models(client, PROTOCOLS[choice.endpoint.protocol], placed)
        await self._engine.reported_models.update(choice.endpoint.base_url, found)
        return found

    async def test(
        self, found: Callable[[EndpointTestFinding], None]
    ) -> EndpointTestProposal | None:
        choice = self._choice()
        options = replace(
            choice.options(), key=await self._engine.turn_factory.key(choice.endpoint)
        )
        trials: list[StepResult] = []
        async with self._engine.local_model_host.place(options) as placed:
            trial = EndpointTest(
                self._engine.connections(choice.endpoint.proxy),
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
            self._engine.turn_factory.note_tool_test(
                choice, ignored=native is AdviceReason.NOT_CALLED
            )
        made = proposal_of(trials, choice.entry.id)
        await self._ended(made)
        return made

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
        """The model of that name, as the catalogue has it; one that isn't in it may be tried."""
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
    """A `ui.settings.ports.KeyPort` for the search that is chosen now. The environment's key is
    that of the model's service, so it is never used here.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def key(self) -> KeyState:
        return await key_state(self._engine.secrets, self._name(), environment=False)

    async def store_key(self, key: str) -> None:
        await self._engine.secrets.set_async(self._name(), key)

    async def delete_key(self) -> None:
        await self._engine.secrets.delete_async(self._name())

    async def allow_file(self) -> None:
        await asyncio.to_thread(self._engine.secrets.allow_file)

    def allow_plain(self) -> None:
        """Those services are asked over https alone."""

    def _name(self) -> str:
        return key_name(search_service_of(self._engine.settings.settings).endpoint)


def unencrypted_host(engine: Engine, address: str) -> str:
    """The computer that a key for `address` would reach without encryption, unless that is allowed;
    "" if there is none.
    """
    try:
        host = urlsplit(address).hostname or ""
        allowed = parse_hosts(engine.settings.settings.service.plain_hosts)
        return host if is_unencrypted(address) and host not in allowed else ""
    except ValueError:
        return ""


async def key_state(secrets: Secrets, name: str, *, environment: bool = True) -> KeyState:
    """What is kept under `name`, for the person."""
    key = await secrets.get_async(name, environment=environment)
    place = await secrets.where_async(name, environment=environment)
    where = {SecretPlace.ENVIRONMENT: ENVIRONMENT_KEY, SecretPlace.FILE: str(secrets.file)}
    return KeyState(masked_key(key), place, where.get(place, ""))


def masked_key(key: str) -> str:
    """The last letters of a key, dots for a short one, "" for none."""
    return key[-_SHOWN_KEY_CHARS:] if len(key) > 2 * _SHOWN_KEY_CHARS else "•" * bool(key)
