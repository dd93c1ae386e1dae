"""Every edit of the services gives a valid catalogue, or is refused by name."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.errors import SettingsError
from neodeskpet.language import translate_error
from neodeskpet.llm.catalog import catalog_editing as edit
from neodeskpet.llm.catalog import catalog_editing as roles
from neodeskpet.llm.catalog.catalog_editing import EditRefused
from neodeskpet.llm.catalog.catalog_file import write_catalog
from neodeskpet.llm.catalog.catalog_validation import read_catalog
from neodeskpet.llm.catalog.model_catalog import (
    PURPOSES,
    TIERS,
    Catalog,
    Endpoint,
    ModelEntry,
    Purposes,
    Tiers,
)
from neodeskpet.llm.chain.model_selection import model_choices

ONE = Endpoint(name="one", protocol="openai", base_url="https://one.example/v1")
TWO = Endpoint(name="two", protocol="anthropic", base_url="https://two.example")
FULL = Catalog(
    endpoints=(ONE, TWO),
    models=(
        ModelEntry(endpoint="one", id="big"),
        ModelEntry(endpoint="one", id="small"),
        ModelEntry(endpoint="two", id="claude", name="big"),
    ),
    tiers=Tiers(complex=("big", "small"), simple=("small",)),
    purposes=Purposes(chat="complex", title="small", vision="big"),
)


def refusal(error: pytest.ExceptionInfo[EditRefused]) -> str:
    return error.value.detail


class TestEndpoints:
    def test_a_second_endpoint_of_the_same_name_gets_a_number(self) -> None:
        changed = edit.add_endpoint(edit.add_endpoint(FULL, ONE), ONE)
        assert [one.name for one in changed.endpoints] == ["one", "two", "one 2", "one 3"]

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"base_url": "no address"}, "valid address"),
            ({"base_url": "  "}, "base_url"),
            ({"protocol": "smtp"}, "must be one of"),
            ({"name": "two"}, "called “two” too"),
            ({"name": ""}, "name"),
            ({"proxy": "socks"}, "proxy"),
            ({"requests_per_minute": 0}, "requests_per_minute"),
            ({"headers": {"Authorization": "Bearer abcdefgh"}}, "key"),
            ({"unknown": 1}, "unknown"),
        ],
    )
    def test_invalid_names_are_refused(self, fields: dict[str, Any], reason: str) -> None:
        with pytest.raises(EditRefused) as error:
            edit.change_endpoint(FULL, "one", **fields)
        assert reason in refusal(error)
        assert isinstance(error.value, SettingsError)
        assert translate_error(error.value)[1] == "Nothing was changed."

    def test_models_follow_a_renamed_endpoint(self) -> None:
        changed = edit.change_endpoint(FULL, "one", name="uno", priority=3)
        assert [model.endpoint for model in changed.models] == ["uno", "uno", "two"]
        assert changed.endpoints[0].priority == 3

    def test_removing_an_endpoint_removes_its_models_and_their_places(self) -> None:
        changed = edit.remove_endpoint(FULL, "one")
        assert [model.display_name for model in changed.models] == ["big"]
        assert changed.tiers == Tiers(complex=("big",))
        assert changed.purposes == Purposes(chat="complex", vision="big")
        assert edit.remove_endpoint(changed, "two") == Catalog(purposes=Purposes(chat="complex"))

    def test_the_first_endpoint_has_priority(self) -> None:
        plain = FULL.model_copy(update={"tiers": Tiers(), "purposes": Purposes()})
        assert model_choices(plain, "chat")[0].endpoint.name == "one"
        moved = edit.move_endpoint(plain, "two", -1)
        assert model_choices(moved, "chat")[0].endpoint.name == "two"
        assert edit.move_endpoint(moved, "two", -5) == moved
        assert edit.move_endpoint(moved, "two", 1) == plain

    def test_an_unknown_name_is_reported(self) -> None:
        with pytest.raises(EditRefused, match="three"):
            edit.remove_endpoint(FULL, "three")


class TestModels:
    def test_a_new_model_comes_after_those_of_its_endpoint(self) -> None:
        changed = edit.add_model(FULL, "one", " new ")
        assert [model.id for model in changed.models] == ["big", "small", "new", "claude"]
        assert edit.add_model(changed, "one", "new") is changed
        with pytest.raises(EditRefused):
            edit.add_model(FULL, "three", "new")
        with pytest.raises(EditRefused):
            edit.add_model(FULL, "one", "simple")
        with pytest.raises(EditRefused):
            edit.add_model(FULL, "one", "")

    def test_chains_follow_a_renamed_model_once_no_other_has_the_old_name(self) -> None:
        changed = edit.change_model(FULL, "one", "big", name="huge", context=9)
        assert changed.tiers.complex == ("big", "small")
        changed = edit.change_model(changed, "two", "big", name="huge")
        assert changed.tiers.complex == ("huge", "small")
        assert changed.purposes.vision == "huge"
        changed = edit.change_model(changed, "one", "small", id="huge2", name="huge3")
        assert changed.tiers == Tiers(complex=("huge", "huge3"), simple=("huge3",))

    @pytest.mark.parametrize(
        "fields", [{"context": -1}, {"prices": {"input": 1}}, {"effort": "much"}, {"id": " "}]
    )
    def test_wrong_values_are_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(EditRefused):
            edit.change_model(FULL, "one", "big", **fields)

    def test_removing_one_of_two_models_of_a_name_keeps_its_places(self) -> None:
        changed = edit.remove_model(FULL, "one", "big")
        assert changed.tiers.complex == ("big", "small")
        changed = edit.remove_model(changed, "two", "big")
        assert changed.tiers.complex == ("small",)
        assert changed.purposes == Purposes(chat="complex", title="small")

    def test_results_of_a_test_are_stored(self) -> None:
        measured = {"tools": False, "parallel": False, "vision": True, "streaming": True}
        changed = edit.apply_measured(FULL, "two", "big", measured)
        entry = changed.models[2]
        assert (entry.tools, entry.vision, entry.thinking) == (False, True, None)
        assert edit.apply_measured(changed, "two", "big", {}) == changed
        with pytest.raises(EditRefused):
            edit.apply_measured(FULL, "two", "gone", measured)


NAMES = st.sampled_from(
    ["one", "two", "uno", "big", "small", "新模型", "simple", "", " x ", "a" * 201]
)
TEXTS = NAMES | st.text(string.printable, max_size=12)
STEPS = st.integers(-3, 3)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "name": TEXTS,
        "base_url": TEXTS | st.just("http://三.example/v1"),
        "priority": st.integers(-5, 5) | TEXTS,
        "on": st.booleans(),
        "headers": st.dictionaries(TEXTS, TEXTS, max_size=2),
        "proxy": TEXTS,
        "tokens_per_minute": st.integers(-1, 9) | st.none(),
    },
)
MODEL_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "id": TEXTS,
        "name": TEXTS,
        "tools": st.booleans() | st.none(),
        "context": st.integers(-1, 9) | st.none(),
        "effort": st.sampled_from(["off", "high", "much", None]),
        "temperature": st.floats(),
        "prices": st.none() | st.fixed_dictionaries({"input": st.floats(), "output": st.just(1.0)}),
        "extra": st.dictionaries(TEXTS, TEXTS | st.integers(), max_size=2),
    },
)
EDITS = st.one_of(
    st.tuples(st.just(edit.add_model), st.tuples(NAMES, TEXTS), st.just({})),
    st.tuples(st.just(edit.change_model), st.tuples(NAMES, NAMES), MODEL_FIELDS),
    st.tuples(st.just(edit.remove_model), st.tuples(NAMES, NAMES), st.just({})),
    st.tuples(st.just(edit.change_endpoint), st.tuples(NAMES), FIELDS),
    st.tuples(st.just(edit.remove_endpoint), st.tuples(NAMES), st.just({})),
    st.tuples(st.just(edit.move_endpoint), st.tuples(NAMES, STEPS), st.just({})),
    st.tuples(st.just(edit.add_endpoint), st.sampled_from([(ONE,), (TWO,)]), st.just({})),
    st.tuples(st.just(roles.add_to_tier), st.tuples(st.sampled_from(TIERS), NAMES), st.just({})),
    st.tuples(
        st.just(roles.remove_from_tier), st.tuples(st.sampled_from(TIERS), NAMES), st.just({})
    ),
    st.tuples(
        st.just(roles.move_in_tier), st.tuples(st.sampled_from(TIERS), NAMES, STEPS), st.just({})
    ),
    st.tuples(st.just(roles.set_purpose), st.tuples(st.sampled_from(PURPOSES), NAMES), st.just({})),
)


@settings(max_examples=120, deadline=None)
@given(st.lists(EDITS, max_size=6))
def test_every_edit_is_valid_or_refused(edits: list[tuple[Any, tuple[Any, ...], Any]]) -> None:
    catalog, text = FULL, write_catalog(FULL)
    for change, arguments, fields in edits:
        try:
            changed = change(catalog, *arguments, **fields)
        except EditRefused as refused:
            assert refused.detail
            continue
        text = write_catalog(changed, text)
        assert read_catalog(text).catalog == changed
        catalog = changed
