"""Edits of tiers and purposes in the catalogue."""

from __future__ import annotations

import pytest

from neodeskpet.llm.catalog.catalog_editing import (
    EditRefused,
    add_to_tier,
    move_in_tier,
    remove_from_tier,
    set_purpose,
)
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, ModelEntry
from neodeskpet.llm.chain.model_selection import model_choices

HOME = Endpoint(name="home", protocol="openai", base_url="http://127.0.0.1:1/v1")
CATALOG = Catalog(
    endpoints=(HOME,),
    models=tuple(ModelEntry(endpoint="home", id=name) for name in ("a", "b", "c")),
)


def test_a_purpose_is_a_tier_a_model_or_nothing() -> None:
    changed = set_purpose(CATALOG, "chat", "b")
    assert [one.name for one in model_choices(changed, "chat")] == ["b"]
    assert set_purpose(changed, "chat", "") == CATALOG
    assert set_purpose(CATALOG, "title", "simple").purposes.title == "simple"
    with pytest.raises(EditRefused, match="“d”"):
        set_purpose(CATALOG, "chat", "d")


def test_a_chain_keeps_its_order() -> None:
    chain = add_to_tier(add_to_tier(CATALOG, "complex", "c"), "complex", "a")
    assert add_to_tier(chain, "complex", "c") is chain
    assert [one.name for one in model_choices(chain, "chat")] == ["c", "a"]
    moved = move_in_tier(chain, "complex", "a", -1)
    assert [one.name for one in model_choices(moved, "chat")] == ["a", "c"]
    assert move_in_tier(moved, "complex", "a", -1) == moved
    assert remove_from_tier(moved, "complex", "a").tiers.complex == ("c",)


def test_a_model_outside_of_a_chain_can_not_be_moved_or_removed() -> None:
    for change in (remove_from_tier, lambda *words: move_in_tier(*words, 1)):
        with pytest.raises(EditRefused, match="“a”"):
            change(CATALOG, "simple", "a")
    with pytest.raises(EditRefused):
        add_to_tier(CATALOG, "simple", "z")
