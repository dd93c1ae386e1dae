"""Parsing of the calls in windows that a model wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.app_windows.window_calls import MOST_WINDOW_CALLS, WindowCall, read_calls
from neodeskpet.core.errors import InvalidArguments

ADD = {"window_id": "notes", "action_id": "add", "params": {"text": "milk"}}


def test_a_list_of_calls_and_the_single_form_are_read() -> None:
    call = WindowCall("notes", "add", {"text": "milk"})
    assert read_calls({"calls": [ADD, ADD]}) == [call, call]
    assert read_calls(ADD) == [call]
    assert call.name == "notes.add"


def test_keys_are_read_in_any_case_and_ids_and_modes_of_the_model_are_skipped() -> None:
    entry = {"Window_ID": "notes", "actionId": "add", "PARAMS": None, "id": "call_9", "mode": "x"}
    assert read_calls({"Calls": [entry]}) == [WindowCall("notes", "add", {})]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("notes.add", "calls[1] must be object."),
        ({"action_id": "add"}, "calls[1].window_id must be string."),
        ({"window_id": "notes", "action_id": ""}, "calls[1].action_id must be string."),
        ({**ADD, "params": ["milk"]}, "calls[1].params must be object."),
    ],
)
def test_a_bad_entry_has_its_path_and_does_not_affect_the_others(entry: object, said: str) -> None:
    good, bad = read_calls({"calls": [ADD, entry]})
    assert good.fault is None
    assert str(bad.fault) == said


def test_a_bad_single_call_has_its_path() -> None:
    (bad,) = read_calls({"window_id": 3, "action_id": "add"})
    assert (str(bad.fault), bad.name) == ("window_id must be string.", "?.add")
    assert WindowCall("notes").name == "notes.?"


@pytest.mark.parametrize("calls", [[], None, "x", [ADD] * (MOST_WINDOW_CALLS + 1)])
def test_no_calls_and_too_many_are_refused(calls: object) -> None:
    with pytest.raises(InvalidArguments, match="calls"):
        read_calls({"calls": calls})
    with pytest.raises(InvalidArguments, match="calls is required"):
        read_calls({"x": calls})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["calls", "window_id", "action_id", "params"]), inner)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["calls", "window_id", "Action_Id", "params"]), _JSON))
def test_any_text_is_read_or_refused(arguments: dict[str, object]) -> None:
    try:
        calls = read_calls(arguments)
    except InvalidArguments:
        return
    assert calls
    for call in calls:
        assert call.fault is not None or (call.window_id and call.action_id)
