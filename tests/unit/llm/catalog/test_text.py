from __future__ import annotations

import json

from neodeskpet.llm.catalog.catalog_file import write_catalog
from neodeskpet.llm.catalog.catalog_validation import read_catalog
from neodeskpet.llm.catalog.model_catalog import Catalog, Endpoint, ModelEntry, Tiers

BY_HAND = """{
  "_note": "mine",
  "models": [
    {"_why": "fast", "id": "m", "endpoint": "one", "tools": null, "prices":
      {"output": 2, "input": 1, "_from": "the site"}}
  ],
  "endpoints": [
    {"base_url": "http://one", "name": "one", "protocol": "openai", "priority": 100,
     "headers": {"_x": "sent"}}
  ],
  "tiers": {"_todo": "fill", "simple": ["m"]}
}"""


def parsed(text: str) -> Catalog:
    catalog = read_catalog(text).catalog
    assert catalog is not None
    return catalog


def test_without_a_change_the_text_is_unchanged() -> None:
    catalog = parsed(BY_HAND)
    assert catalog.endpoints[0].headers == {"_x": "sent"}
    written = write_catalog(catalog, BY_HAND)
    assert json.loads(written) == json.loads(BY_HAND)
    assert list(json.loads(written)) == ["_note", "models", "endpoints", "tiers"]
    assert list(json.loads(written)["endpoints"][0])[:2] == ["base_url", "name"]


def test_an_edit_changes_only_its_part() -> None:
    catalog = parsed(BY_HAND)
    other = Endpoint(name="two", protocol="gemini", base_url="http://two")
    entry = catalog.models[0].model_copy(update={"prices": None, "vision": True})
    changed = catalog.model_copy(
        update={"endpoints": (other, *catalog.endpoints), "models": (entry,), "tiers": Tiers()}
    )
    document = json.loads(write_catalog(changed, BY_HAND))
    assert [one["name"] for one in document["endpoints"]] == ["two", "one"]
    assert document["endpoints"][1]["priority"] == 100
    assert document["models"] == [
        {
            "_why": "fast",
            "id": "m",
            "endpoint": "one",
            "tools": None,
            "vision": True,
        }
    ]
    assert document["tiers"] == {"_todo": "fill"}
    assert parsed(json.dumps(document)) == changed


def test_renamed_entries_keep_their_comments() -> None:
    catalog = parsed(BY_HAND)
    entry = ModelEntry(endpoint="one", id="other")
    changed = catalog.model_copy(update={"models": (entry,), "tiers": Tiers()})
    (model,) = json.loads(write_catalog(changed, BY_HAND))["models"]
    assert (model["_why"], model["id"]) == ("fast", "other")


def test_a_text_that_was_no_catalogue_is_replaced() -> None:
    catalog = parsed(BY_HAND)
    for before in ("", "[1]", "{", '{"endpoints": 3, "tiers": [], "models": [1]}'):
        assert parsed(write_catalog(catalog, before)) == catalog
