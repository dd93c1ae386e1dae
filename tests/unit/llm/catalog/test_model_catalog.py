from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from neodeskpet.llm.catalog.model_catalog import (
    Catalog,
    Prices,
    catalog_of_service,
    json_schema,
    with_named_model,
)
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS

PUBLISHED = Path(__file__).resolve().parents[4] / "docs" / "llm-config.schema.json"


def test_the_simple_settings_are_a_catalogue_of_one() -> None:
    catalog = catalog_of_service("openai", "http://localhost:1234/v1", "m")
    (endpoint,) = catalog.endpoints
    (entry,) = catalog.models
    assert (endpoint.base_url, endpoint.protocol, endpoint.on) == (
        "http://localhost:1234/v1",
        "openai",
        True,
    )
    assert (entry.id, entry.display_name, entry.endpoint) == ("m", "m", endpoint.name)


def test_a_run_may_name_its_model() -> None:
    catalog = catalog_of_service("openai", "http://x", "m")
    entry = catalog.models[0].model_copy(update={"id": "real", "name": "nick"})
    catalog = catalog.model_copy(update={"models": (*catalog.models, entry)})
    for name in ("nick", "real"):
        assert with_named_model(catalog, name).purposes.chat == "nick"
        assert with_named_model(catalog, name).models == catalog.models
    new = with_named_model(catalog, "new")
    assert (new.purposes.chat, new.models[-1].id, new.models[-1].endpoint) == (
        "new",
        "new",
        "service",
    )
    assert with_named_model(Catalog(), "new") == Catalog()


@pytest.mark.parametrize(("protocol", "url"), [("offline", "http://x"), ("openai", "  ")])
def test_without_a_service_it_is_empty(protocol: str, url: str) -> None:
    assert catalog_of_service(protocol, url, "m") == Catalog()


def test_prices_are_for_a_million_tokens() -> None:
    prices = Prices(input=2.0, output=10.0, cached=0.5)
    assert prices.cost(1_000_000, 100_000) == 3.0
    assert prices.cost(1_000_000, 0, 500_000) == 1.25
    assert Prices(input=2.0, output=10.0).cost(1_000_000, 0, 500_000) == 2.0
    assert prices.cost(10, 0, 1_000_000) == 0.000005


@pytest.mark.parametrize(
    "fields",
    [
        {"protocol": "smoke signals"},
        {"proxy": "localhost"},
        {"proxy": "ftp://x"},
        {"requests_per_minute": 0},
        {"requests_per_minute": "60"},
        {"tokens_per_minute": -1},
        {"base_url": ""},
        {"name": " "},
        {"speed": 3},
    ],
)
def test_invalid_endpoints(fields: dict[str, object]) -> None:
    good = {"name": "a", "protocol": "openai", "base_url": "http://x"}
    Catalog.model_validate({"endpoints": [good]})
    with pytest.raises(ValidationError):
        Catalog.model_validate({"endpoints": [good | fields]})


def test_an_endpoint_is_found_by_its_name() -> None:
    catalog = catalog_of_service("openai", "http://x", "m")
    assert catalog.endpoint("service") is catalog.endpoints[0]
    assert catalog.endpoint("other") is None


def test_the_published_schema_is_current() -> None:
    """To publish a new version, write `json.dumps(json_schema(), indent=2)` to the file."""
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(json_schema()))


def test_the_schema_has_the_protocols_and_refuses_unknown_keys() -> None:
    schema = json_schema()
    endpoint = schema["$defs"]["Endpoint"]
    assert endpoint["properties"]["protocol"]["enum"] == sorted(PROTOCOLS)
    assert endpoint["additionalProperties"] is False
    assert "key" not in endpoint["properties"]
    assert endpoint["properties"]["key_variable"]["description"]


def test_background_prompts_may_have_the_purpose_schedule() -> None:
    for name in ("errand", "schedule"):
        read = Catalog.model_validate({"purposes": {name: "simple"}})
        assert read.purposes.errand == "simple"
    with pytest.raises(ValidationError):
        Catalog.model_validate({"purposes": {"errand": "simple", "schedule": "medium"}})
