"""Edits of the catalogue: services, models, the chains of the tiers, and purposes. Each function is
pure: it takes a valid catalogue and returns another valid one, or raises EditRefused with the
reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from neodeskpet.core.errors import SettingsError
from neodeskpet.core.i18n import N_
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_file import write_catalog
from neodeskpet.llm.catalog.catalog_validation import read_catalog
from neodeskpet.llm.catalog.model_catalog import (
    PURPOSES,
    TIERS,
    Catalog,
    Endpoint,
    ModelEntry,
    Purpose,
    Purposes,
    Tier,
    Tiers,
)


class EditRefused(SettingsError):
    """`detail` is the reason, in the user's language."""

    code = "llm_config_refused"
    what = N_("This isn't possible:")
    hint = N_("Nothing was changed.")


def checked_catalog(catalog: Catalog) -> Catalog:
    """Return `catalog` as it will be read from the file. Raises EditRefused if it would not be
    valid.
    """
    reading = read_catalog(write_catalog(catalog))
    if reading.catalog is None:
        raise EditRefused("\n".join(fault.reason for fault in reading.faults[:3]))
    return reading.catalog


# Endpoints


def make_endpoint(**fields: Any) -> Endpoint:
    """Make an endpoint from the user's input. Raises EditRefused."""
    try:
        return Endpoint(**fields)
    except ValidationError as error:
        raise EditRefused(_reason(error)) from error


def add_endpoint(catalog: Catalog, endpoint: Endpoint) -> Catalog:
    """Add `endpoint` at the end. If its name is taken, append a number to it."""
    names = {known.name for known in catalog.endpoints}
    endpoint = endpoint.model_copy(update={"name": free_name(endpoint.name, names)})
    return checked_catalog(_with(catalog, endpoints=(*catalog.endpoints, endpoint)))


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return `name`, with a number appended if it is among `taken`."""
    used = set(taken)
    names = (name, *(f"{name} {number}" for number in range(2, len(used) + 3)))
    return next(one for one in names if one not in used)


def change_endpoint(catalog: Catalog, known: str, /, **changes: object) -> Catalog:
    """Change some fields. A renamed endpoint keeps its models."""
    endpoint = _endpoint(catalog, known)
    changed = make_endpoint(**(endpoint.model_dump() | changes))
    models = (
        model.model_copy(update={"endpoint": changed.name}) if model.endpoint == known else model
        for model in catalog.models
    )
    endpoints = (changed if one is endpoint else one for one in catalog.endpoints)
    return checked_catalog(_with(catalog, endpoints=tuple(endpoints), models=tuple(models)))


def remove_endpoint(catalog: Catalog, name: str) -> Catalog:
    """Remove the endpoint and its models."""
    gone = _endpoint(catalog, name)
    endpoints = tuple(one for one in catalog.endpoints if one is not gone)
    models = tuple(model for model in catalog.models if model.endpoint != name)
    return checked_catalog(_forget(_with(catalog, endpoints=endpoints, models=models)))


def move_endpoint(catalog: Catalog, name: str, by: int) -> Catalog:
    """Move an endpoint and its models by `by` places, stopping at either end. Where no chain
    defines an order, the first endpoint is asked first.
    """
    endpoints = list(catalog.endpoints)
    at = endpoints.index(_endpoint(catalog, name))
    endpoints.insert(max(0, min(len(endpoints) - 1, at + by)), endpoints.pop(at))
    order = {endpoint.name: number for number, endpoint in enumerate(endpoints)}
    models = sorted(catalog.models, key=lambda model: order[model.endpoint])
    return checked_catalog(_with(catalog, endpoints=tuple(endpoints), models=tuple(models)))


# Models


def add_model(catalog: Catalog, endpoint: str, model_id: str) -> Catalog:
    """Add a model at the end of the endpoint's models. An existing one is left as it is."""
    _endpoint(catalog, endpoint)
    model_id = model_id.strip()
    if any(one.endpoint == endpoint and one.id == model_id for one in catalog.models):
        return catalog
    models = list(catalog.models)
    last = max((n for n, one in enumerate(models) if one.endpoint == endpoint), default=None)
    at = len(models) if last is None else last + 1
    models.insert(at, ModelEntry(endpoint=endpoint, id=model_id))
    return checked_catalog(_with(catalog, models=tuple(models)))


def use_model(catalog: Catalog, endpoint: str, model_id: str) -> Catalog:
    """Make `model_id` the first model of the endpoint, and the chat model if a model of this
    endpoint was. It replaces the endpoint's only model, unless properties were set for that one.
    """
    _endpoint(catalog, endpoint)
    model_id = model_id.strip()
    here = [one for one in catalog.models if one.endpoint == endpoint]
    entry = next((one for one in here if one.id == model_id), None)
    entry = entry or ModelEntry(endpoint=endpoint, id=model_id)
    plain = len(here) == 1 and here[0] == ModelEntry(endpoint=endpoint, id=here[0].id)
    others = [] if plain else [one for one in here if one != entry]
    at = next((n for n, one in enumerate(catalog.models) if one in here), len(catalog.models))
    before = catalog.models[:at]
    after = [one for one in catalog.models[at:] if one not in here]
    edited = _with(catalog, models=(*before, entry, *others, *after))
    names = {one.display_name for one in here}
    if plain and not names & {one.display_name for one in (*before, *after)}:
        edited = _rename(edited, here[0].display_name, entry.display_name)
    if catalog.purposes.chat in names:
        purposes = edited.purposes.model_copy(update={"chat": entry.display_name})
        edited = _with(edited, purposes=purposes)
    return checked_catalog(edited)


def change_model(catalog: Catalog, place: str, called: str, /, **changes: object) -> Catalog:
    """Change some fields of a model. None means: use what is known by the model's name."""
    entry = find_model(catalog, place, called)
    try:
        changed = ModelEntry.model_validate(entry.model_dump() | changes)
    except ValidationError as error:
        raise EditRefused(_reason(error)) from error
    models = tuple(changed if one is entry else one for one in catalog.models)
    edited = _with(catalog, models=models)
    if called not in {one.display_name for one in models}:
        edited = _rename(edited, called, changed.display_name)
    return checked_catalog(edited)


def remove_model(catalog: Catalog, endpoint: str, called: str) -> Catalog:
    gone = find_model(catalog, endpoint, called)
    models = tuple(one for one in catalog.models if one is not gone)
    return checked_catalog(_forget(_with(catalog, models=models)))


def find_model(catalog: Catalog, endpoint: str, called: str) -> ModelEntry:
    """Return the model. Raises EditRefused if it does not exist (any more)."""
    for entry in catalog.models:
        if entry.endpoint == endpoint and entry.display_name == called:
            return entry
    raise EditRefused(tr("there is no model “{name}”", name=called))


def apply_measured(
    catalog: Catalog, endpoint: str, called: str, measured: Mapping[str, bool]
) -> Catalog:
    """Store what a test measured about a model (`Advice.measured`)."""
    return change_model(catalog, endpoint, called, **measured)


# Consequences of a change


def _endpoint(catalog: Catalog, name: str) -> Endpoint:
    found = catalog.endpoint(name)
    if found is None:
        raise EditRefused(tr("there is no endpoint “{name}”", name=name))
    return found


def _with(catalog: Catalog, **parts: object) -> Catalog:
    return catalog.model_copy(update=parts)


def _rename(catalog: Catalog, before: str, after: str) -> Catalog:
    chains = {
        tier: tuple(dict.fromkeys(after if one == before else one for one in chain))
        for tier, chain in _chains(catalog).items()
    }
    named = {
        purpose: after if name == before else name for purpose, name in _purposes(catalog).items()
    }
    tiers = catalog.tiers.model_copy(update=chains)
    return _with(catalog, tiers=tiers, purposes=catalog.purposes.model_copy(update=named))


def _forget(catalog: Catalog) -> Catalog:
    """Remove models that no longer exist from chains and purposes."""
    names = {entry.display_name for entry in catalog.models}
    chains = {
        tier: tuple(one for one in chain if one in names)
        for tier, chain in _chains(catalog).items()
    }
    named = {
        purpose: name if name in names or name in TIERS else ""
        for purpose, name in _purposes(catalog).items()
    }
    return _with(catalog, tiers=Tiers(**chains), purposes=Purposes(**named))


def _chains(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    return {tier: getattr(catalog.tiers, tier) for tier in TIERS}


def _purposes(catalog: Catalog) -> dict[str, str]:
    return {purpose: getattr(catalog.purposes, purpose) for purpose in PURPOSES}


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg'].removeprefix('Value error, ')}"


def set_purpose(catalog: Catalog, purpose: Purpose, target: str) -> Catalog:
    """`target` is a tier, a model's name, or "" for NeoDeskPet's own choice."""
    purposes = catalog.purposes.model_copy(update={purpose: target})
    return checked_catalog(catalog.model_copy(update={"purposes": purposes}))


def use_local_model(
    catalog: Catalog, purpose: Purpose, address: str, model: str, title: str
) -> Catalog:
    """Assign `purpose` to the local `model` at `address`. If the endpoint does not exist, add it
    with the name `title`.
    """
    here = next((one.name for one in catalog.endpoints if one.base_url == address), "")
    if not here:
        made = make_endpoint(name=title, protocol="openai", base_url=address)
        catalog = add_endpoint(catalog, made)
        here = catalog.endpoints[-1].name
    return set_purpose(add_model(catalog, here, model), purpose, model)


def add_to_tier(catalog: Catalog, tier: Tier, model: str) -> Catalog:
    """Add a model at the end of the chain, unless the chain has it already."""
    chain = _chain(catalog, tier)
    return catalog if model in chain else _put(catalog, tier, (*chain, model))


def remove_from_tier(catalog: Catalog, tier: Tier, model: str) -> Catalog:
    chain = _chain(catalog, tier)
    _place(chain, model)
    return _put(catalog, tier, tuple(one for one in chain if one != model))


def move_in_tier(catalog: Catalog, tier: Tier, model: str, by: int) -> Catalog:
    """Move a model within its chain by `by` places, stopping at either end."""
    chain = list(_chain(catalog, tier))
    at = _place(chain, model)
    chain.insert(max(0, min(len(chain) - 1, at + by)), chain.pop(at))
    return _put(catalog, tier, tuple(chain))


def _chain(catalog: Catalog, tier: Tier) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(catalog.tiers, tier)
    return found


def _place(chain: tuple[str, ...] | list[str], model: str) -> int:
    if model not in chain:
        raise EditRefused(tr("there is no model “{name}”", name=model))
    return chain.index(model)


def _put(catalog: Catalog, tier: Tier, chain: tuple[str, ...]) -> Catalog:
    tiers = catalog.tiers.model_copy(update={tier: chain})
    return checked_catalog(catalog.model_copy(update={"tiers": tiers}))
