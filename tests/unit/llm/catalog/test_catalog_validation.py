from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.llm.catalog.catalog_validation import read_catalog, without_keys

GOOD: dict[str, Any] = {
    "endpoints": [{"name": "a", "protocol": "openai", "base_url": "api.example.com/v1"}],
    "models": [{"endpoint": "a", "id": "m"}],
    "tiers": {"simple": ["m"]},
    "purposes": {"chat": "simple", "title": "m"},
}


def told(text: str) -> list[str]:
    reading = read_catalog(text)
    assert (reading.catalog is None) == bool(reading.faults)
    return [str(fault) for fault in reading.faults]


def changed(**parts: Any) -> str:
    return json.dumps(GOOD | parts, indent=1)


def test_a_valid_file() -> None:
    reading = read_catalog(changed(**{"$schema": "./x.json"}))
    assert reading.faults == ()
    assert reading.catalog is not None
    assert reading.catalog.models[0].display_name == "m"


def test_an_empty_file_is_an_error_and_an_empty_object_is_not() -> None:
    assert told("") == ["line 1: Expecting value"]
    assert told("{}") == []


def test_broken_json_is_reported_with_its_line() -> None:
    assert told('{\n "endpoints": [\n  {]\n}') == [
        "line 3: Expecting property name enclosed in double quotes"
    ]
    assert told("[" * 100_000) == ["line 1: nested too deeply"]


def test_each_error_has_its_line_and_place() -> None:
    text = """{
  "endpoints": [
    {"name": "a", "protocol": "opnai", "base_url": "http://x",
     "prioriti": 3}
  ],
  "models": [
    {"endpoint": "a", "id": "m",
     "prices": {"input": 1, "outptu": 2}},
    {"id": "x"}
  ],
  "tiers": {"simple": ["m"], "simple": []}
}"""
    lines = told(text)
    assert lines[0].startswith("line 3, endpoints[0].protocol: must be one of: ")
    assert lines[1:] == [
        "line 4, endpoints[0].prioriti: there is no such field here (did you mean “priority”?)",
        "line 8, models[0].prices.output: Field required",
        "line 8, models[0].prices.outptu: there is no such field here (did you mean “output”?)",
        "line 9, models[1].endpoint: Field required",
        "line 11, tiers.simple: this field occurs twice",
    ]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"models": [{"endpoint": "b", "id": "m"}]}, "there is no endpoint “b”"),
        ({"models": [{"endpoint": "aa", "id": "m"}]}, "(did you mean “a”?)"),
        ({"models": [{"endpoint": "a", "id": "m"}] * 2}, "“m” is on this endpoint twice"),
        ({"models": [{"endpoint": "a", "id": " "}]}, "the model's name is missing"),
        ({"tiers": {"medium": ["n"]}}, "there is no model “n”"),
        ({"purposes": {"chat": "complexx"}}, "there is no model “complexx” (did you mean “compl"),
        ({"endpoints": GOOD["endpoints"] * 2}, "another endpoint is called “a” too"),
        ({"$schema": 3}, "Input should be a valid string"),
        ({"modles": []}, "there is no such field here (did you mean “models”?)"),
        ({"tiers": []}, "Input should be a valid dictionary"),
    ],
)
def test_contradictions(parts: dict[str, Any], expected: str) -> None:
    assert any(expected in line for line in told(changed(**parts)))


@pytest.mark.parametrize("address", ["http://[x", "http://", "http://x:99999", "http://x:0"])
def test_an_invalid_address(address: str) -> None:
    endpoint = GOOD["endpoints"][0] | {"base_url": address}
    assert told(changed(endpoints=[endpoint])) == [
        "line 6, endpoints[0].base_url: this isn't a valid address"
    ]


def test_a_model_can_not_have_the_name_of_a_tier() -> None:
    entry = {"endpoint": "a", "id": "m", "name": "simple"}
    assert "“simple” is the name of a tier" in told(changed(models=[entry]))[0]


KEY = "sk-0123456789abcdefghij"


@pytest.mark.parametrize(
    "fields",
    [
        {"api_key": "anything"},
        {"apiKey": "anything"},
        {"key": "anything"},
        {"headers": {"Authorization": "Basic eHg6eXk="}},
        {"headers": {"X-API-Key": "anything"}},
        {"headers": {"X-Other": f"Bearer {KEY}"}},
        {"base_url": f"http://x/v1?key={KEY}"},
        {"base_url": "http://me:anything@x/v1"},
        {"proxy": "http://me:anything@localhost:1"},
        {"key_variable": KEY},
        {"name": KEY},
    ],
)
def test_a_key_is_refused_with_its_line_and_never_repeated(fields: dict[str, Any]) -> None:
    text = changed(endpoints=[GOOD["endpoints"][0] | fields])
    lines = told(text)
    assert any(
        "a key doesn't belong in this file" in line and "Settings › Models › Services" in line
        for line in lines
    )
    for secret in (KEY, "anything", "eHg6eXk="):
        assert secret not in "".join(lines)
        assert secret not in without_keys(text)
    assert json.loads(without_keys(text))["models"] == GOOD["models"]


def test_text_that_only_looks_like_a_key_stays() -> None:
    entry = {"endpoint": "a", "id": "m", "extra": {"max_tokens": "12", "top_key": "x"}}
    endpoint = GOOD["endpoints"][0] | {"key_variable": "MY_API_KEY", "headers": {"X-Title": "Neo"}}
    text = changed(endpoints=[endpoint], models=[entry])
    assert told(text) == []
    assert json.loads(without_keys(text)) == json.loads(text)


def test_keys_are_removed_from_unreadable_files_too() -> None:
    assert KEY not in without_keys(f'{{"api_key": "{KEY}",')
    assert KEY not in without_keys(f'{{"key": "{KEY}", "key": "x"}}')


@given(st.text() | st.dictionaries(st.sampled_from([*GOOD, "x"]), st.text()).map(json.dumps))
def test_any_text_is_read_without_raising(text: str) -> None:
    reading = read_catalog(text)
    assert (reading.catalog is None) == bool(reading.faults)
    without_keys(text)


@given(st.data())
def test_any_change_of_one_value_is_read_without_raising(data: st.DataObject) -> None:
    value = st.none() | st.booleans() | st.integers() | st.text() | st.just([]) | st.just({})
    document = json.loads(json.dumps(GOOD))
    part = data.draw(st.sampled_from(sorted(document)))
    inside = document[part]
    if isinstance(inside, list):
        inside = inside[0]
    inside[data.draw(st.sampled_from([*sorted(inside), "x"]))] = data.draw(value)
    for fault in read_catalog(json.dumps(document, indent=1)).faults:
        assert fault.line > 1
        assert fault.reason


@pytest.mark.parametrize(
    ("address", "right"),
    [("local:/models/a.gguf", True), ("local:C:\\a b.gguf", True), ("local:", False)],
)
def test_a_model_file_is_an_address(address: str, right: bool) -> None:
    endpoint = {"name": "mine", "protocol": "openai", "base_url": address}
    reading = read_catalog(json.dumps({"endpoints": [endpoint]}))
    assert (reading.catalog is not None) is right
