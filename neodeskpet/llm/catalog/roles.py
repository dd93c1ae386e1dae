"""Changes to who does what: the chains of the tiers, and what answers for which purpose.

Pure functions, as in `catalog_edit.py`.
"""

from __future__ import annotations

from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog import Catalog, Purpose, Tier
from neodeskpet.llm.catalog.edit import (
    EditRefused,
    add_endpoint,
    add_model,
    checked_catalog,
    make_endpoint,
)


def set_purpose(catalog: Catalog, purpose: Purpose, target: str) -> Catalog:
    """`target` is a tier, a model's name, or "" for NeoDeskPet's own choice."""
    purposes = catalog.purposes.model_copy(update={purpose: target})
    return checked_catalog(catalog.model_copy(update={"purposes": purposes}))


def use_local_model(
    catalog: Catalog, purpose: Purpose, address: str, model: str, title: str
) -> Catalog:
    """`purpose` done by the `model` of this computer at `address`, which is added where it isn't
    there yet, with `title` as its endpoint's name.
    """
    here = next((one.name for one in catalog.endpoints if one.base_url == address), "")
    if not here:
        made = make_endpoint(name=title, protocol="openai", base_url=address)
        catalog = add_endpoint(catalog, made)
        here = catalog.endpoints[-1].name
    return set_purpose(add_model(catalog, here, model), purpose, model)


def add_to_tier(catalog: Catalog, tier: Tier, model: str) -> Catalog:
    """At the end of the chain; a model that is in it stays where it is."""
    chain = _chain(catalog, tier)
    return catalog if model in chain else _put(catalog, tier, (*chain, model))


def remove_from_tier(catalog: Catalog, tier: Tier, model: str) -> Catalog:
    chain = _chain(catalog, tier)
    _place(chain, model)
    return _put(catalog, tier, tuple(one for one in chain if one != model))


def move_in_tier(catalog: Catalog, tier: Tier, model: str, by: int) -> Catalog:
    """Before or behind others; at the ends it stays."""
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
