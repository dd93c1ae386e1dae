"""Arguments as received: coerced if that is unambiguous, refused with path and reason otherwise."""

import json
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from neodeskpet.core.call_arguments import coerce_value
from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.i18n import join_reasons
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.registry import tool


class Item(BaseModel):
    name: str
    count: int = 1


@tool("shop.order", risk=Risk.WRITE)
def order(
    who: Annotated[str, Field(description="For whom.")],
    index: Annotated[int, Field(ge=0, description="Number.")] = 0,
    price: Annotated[float, Field(description="Price.")] = 1.5,
    gift: Annotated[bool, Field(description="As a gift.")] = False,
    tags: Annotated[list[str] | None, Field(description="Words.")] = None,
    items: Annotated[list[Item] | None, Field(description="What.")] = None,
    extra: Annotated[dict[str, int] | None, Field(description="More.")] = None,
    code: Annotated[int | str, Field(description="Code.")] = 0,
) -> None:
    """Order things."""


def read(**given: object) -> dict[str, object]:
    return order.read({"who": "me", **given})


@pytest.mark.parametrize(
    ("name", "given", "meant"),
    [
        ("index", "3", 3),
        ("index", " 3 ", 3),
        ("index", 3.0, 3),
        ("index", "12345678901234567890", 12345678901234567890),
        ("price", "3", 3.0),
        ("price", "-.5e1", -5.0),
        ("price", 2, 2.0),
        ("gift", "true", True),
        ("gift", "No", False),
        ("tags", '["a"]', ["a"]),
        ("tags", "a, b，c、d", ["a", "b", "c", "d"]),
        ("tags", "", []),
        ("tags", ["1", "2"], ["1", "2"]),
        ("items", '[{"name": "x", "count": "2"}]', [Item(name="x", count=2)]),
        ("items", [{"name": "x", "count": 2.0}], [Item(name="x", count=2)]),
        ("extra", '{"a": 1}', {"a": 1}),
        ("code", "7", "7"),
        ("code", 7, 7),
    ],
)
def test_unambiguous_values_are_coerced(name: str, given: object, meant: object) -> None:
    value = read(**{name: given})[name]
    assert value == meant
    assert type(value) is type(meant)


def test_text_stays_text() -> None:
    assert order.read({"who": "3"})["who"] == "3"


def test_null_means_left_out() -> None:
    assert read(index=None, tags=None) == {"who": "me"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"index": "x"}, 'index: must be an integer, got "x"'),
        ({"index": 1.5}, "index: must be an integer, got 1.5"),
        ({"index": True}, "index: must be an integer, got true"),
        ({"index": -1}, "index: must be greater than or equal to 0, got -1"),
        ({"price": "12 €"}, 'price: must be a number, got "12 €"'),
        ({"gift": "maybe"}, 'gift: must be a boolean, got "maybe"'),
        ({"who": 5}, "who: must be a string, got 5"),
        ({"who": None}, "who: must be a string, got null"),
        ({"tags": ["a", 2]}, "tags[1]: must be a string, got 2"),
        ({"items": "[{]"}, 'items: must be an array, got "[{]"'),
        ({"items": [{"name": "x"}, {}]}, "items[1].name: is required"),
        ({"items": [{"name": []}]}, "items[0].name: must be a string, got []"),
        ({"extra": "[1]"}, 'extra: must be an object, got "[1]"'),
        ({"extra": {"a": "b"}}, 'extra.a: must be an integer, got "b"'),
        (
            {"code": [1]},
            "code: must be an integer, got [1]; code: must be a string, got [1]",
        ),
        (
            {"whom": 1},
            "whom: there is no such argument; whom: the arguments are: "
            "who, index, price, gift, tags, items, extra, code",
        ),
        ({"index": "9" * 200}, f'index: must be an integer, got "{"9" * 79}…'),
    ],
)
def test_an_error_has_path_and_reason(given: dict[str, object], reason: str) -> None:
    with pytest.raises(InvalidArguments) as failure:
        read(**given)
    assert join_reasons(failure.value.reasons) == reason


def test_every_error_is_reported() -> None:
    with pytest.raises(InvalidArguments) as failure:
        order.read({"index": "x", "gift": 3})
    assert join_reasons(failure.value.reasons) == (
        'who: is required; index: must be an integer, got "x"; gift: must be a boolean, got 3'
    )


def test_invalid_json_is_refused() -> None:
    with pytest.raises(InvalidArguments, match="Not a JSON object"):
        read(who={1, 2})
    with pytest.raises(InvalidArguments, match="Not valid JSON"):
        read(who="\ud800")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(sorted(order.parameters["properties"])) | st.text(), _json))
@settings(deadline=None)
def test_any_arguments_are_read_or_refused(given: dict[str, Any]) -> None:
    try:
        values = order.read(given)
    except InvalidArguments as error:
        assert error.reasons or error.detail
    else:
        order.function(**values)


@given(st.integers(-(10**20), 10**20) | st.booleans() | st.lists(st.integers()))
@settings(deadline=None)
def test_a_string_of_json_is_parsed(value: object) -> None:
    kind = {int: "integer", bool: "boolean", list: "array"}[type(value)]
    assert coerce_value(json.dumps(value), {"type": kind}) == value
