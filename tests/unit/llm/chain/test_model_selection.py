from __future__ import annotations

from typing import Any

import pytest

from neodeskpet.llm.catalog.model_catalog import Catalog, Purpose, catalog_of_service
from neodeskpet.llm.chain.model_selection import complete_choice, is_quick, model_choices


def catalog(**more: Any) -> Catalog:
    return Catalog.model_validate(
        {
            "endpoints": [
                {"name": "far", "protocol": "openai", "base_url": "http://far", "priority": 20},
                {"name": "near", "protocol": "openai", "base_url": "http://near", "priority": 10},
                {"name": "off", "protocol": "openai", "base_url": "http://off", "on": False},
                {"name": "a", "protocol": "anthropic", "base_url": "http://a"},
            ],
            "models": [
                {"endpoint": "far", "id": "gpt-4o"},
                {"endpoint": "near", "id": "openai/gpt-4o", "name": "gpt-4o"},
                {"endpoint": "off", "id": "gpt-5"},
                {"endpoint": "a", "id": "claude-sonnet-4-5", "name": "claude", "effort": "high"},
                {"endpoint": "near", "id": "qwen3-8b", "name": "small", "max_output": 4096},
                {"endpoint": "near", "id": "text-embedding-3-small"},
            ],
            **more,
        }
    )


def names(found: Catalog, purpose: Purpose) -> list[str]:
    return [f"{one.name}@{one.endpoint.name}" for one in model_choices(found, purpose)]


def test_a_name_on_several_endpoints_is_ordered_by_priority() -> None:
    found = catalog(tiers={"complex": ["gpt-4o", "small"]})
    assert names(found, "chat") == ["gpt-4o@near", "gpt-4o@far", "small@near"]


def test_a_purpose_names_a_tier_or_a_model() -> None:
    found = catalog(
        tiers={"simple": ["small"], "medium": ["claude"], "complex": ["gpt-4o"]},
        purposes={"chat": "medium", "title": "claude"},
    )
    assert names(found, "chat") == ["claude@a"]
    assert names(found, "title") == ["claude@a"]
    assert names(found, "errand") == ["claude@a"]
    assert names(found, "summary") == ["small@near"]


@pytest.mark.parametrize("tier", ["simple", "medium", "complex"])
def test_an_empty_tier_is_replaced_by_another(tier: str) -> None:
    found = catalog(tiers={tier: ["claude"]})
    for purpose in ("chat", "errand", "summary", "title"):
        assert names(found, purpose) == ["claude@a"]


def test_without_tiers_every_chat_model_is_used() -> None:
    everything = ["gpt-4o@far", "gpt-4o@near", "claude@a", "small@near"]
    assert names(catalog(), "chat") == everything


def test_an_endpoint_that_is_off_is_not_used() -> None:
    assert names(catalog(purposes={"chat": "gpt-5"}), "chat") == []


def test_models_that_see_describe_pictures() -> None:
    assert names(catalog(), "vision") == ["gpt-4o@far", "gpt-4o@near", "claude@a"]
    told = model_choices(catalog(purposes={"vision": "small"}), "vision")
    assert [(one.name, one.vision) for one in told] == [("small", True)]


def test_vectors_come_from_models_that_make_them() -> None:
    assert names(catalog(), "embedding") == ["text-embedding-3-small@near"]
    assert names(catalog(purposes={"embedding": "small"}), "embedding") == ["small@near"]
    assert names(catalog_of_service("openai", "http://x", "m"), "embedding") == []


def test_the_file_overrides_known_properties() -> None:
    endpoint = catalog().endpoints[0]
    entry = catalog().models[0]
    known = complete_choice(endpoint, entry)
    assert (known.tools, known.vision, known.context) == (True, True, 128_000)
    said = entry.model_copy(
        update={"tools": False, "vision": False, "context": 5, "thinking": True}
    )
    told = complete_choice(endpoint, said)
    assert (told.tools, told.vision, told.context) == (False, False, 5)
    assert told.thinking == "effort"
    mute = complete_choice(endpoint, entry.model_copy(update={"id": "o3", "thinking": False}))
    assert mute.thinking == "none"


def test_the_options_contain_the_choices() -> None:
    (claude,) = model_choices(catalog(purposes={"chat": "claude"}), "chat")
    assert claude.options().thinking == "high"
    assert claude.options().max_tokens == 32_000
    assert claude.options(quick=True).thinking == "off"
    (small,) = model_choices(catalog(purposes={"chat": "small"}), "chat")
    assert small.options().max_tokens == 4096
    assert small.options().extra == {"enable_thinking": True}
    never = small.entry.model_copy(update={"thinking": False})
    assert complete_choice(small.endpoint, never).options().extra == {"enable_thinking": False}
    assert small.options(quick=True).extra == {"enable_thinking": False}
    gpt = model_choices(catalog(purposes={"chat": "gpt-4o"}), "chat")[0]
    assert gpt.options().max_tokens is None
    assert gpt.options().model == "openai/gpt-4o"
    assert gpt.prices is None


def test_the_simple_settings_serve_every_purpose_but_two() -> None:
    simple = catalog_of_service("openai", "http://x", "llama3.1")
    for purpose in ("chat", "errand", "summary", "title"):
        assert names(simple, purpose) == ["llama3.1@service"]
    assert names(simple, "vision") == []


def test_no_thinking_is_requested_for_a_title() -> None:
    assert is_quick("title")
    assert not is_quick("chat")
