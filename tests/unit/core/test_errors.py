"""The tree of known errors: the docstring and the classes agree."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core import errors
from neodeskpet.core.errors import (
    Action,
    InvalidArguments,
    KnownError,
    LlmError,
    NoticeContent,
    RepeatedCall,
    ServiceFailed,
    ToolError,
    TurnLimit,
    Unreachable,
    content_class,
)
from neodeskpet.core.i18n import Reason, fill


def kinds(kind: type[NoticeContent] = NoticeContent) -> Iterator[type[NoticeContent]]:
    """The classes of the core (not a subclass elsewhere, such as in a test)."""
    if kind.__module__ == errors.__name__:
        yield kind
        for child in kind.__subclasses__():
            yield from kinds(child)


ALL = sorted(kinds(), key=lambda kind: kind.__name__)
_PARENTS = {base for kind in ALL for base in kind.__bases__}
ROOTS = (NoticeContent, KnownError)
LEAVES = [kind for kind in ALL if kind not in _PARENTS]


def drawn() -> dict[str, tuple[str, str | None]]:
    """The tree in the docstring: name → (parent, code)."""
    found: dict[str, tuple[str, str | None]] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(
            r"(?P<lead>[ |]*(?:[+`]-- )?)(?P<name>[A-Z]\w+)(?: +\[(?P<code>\w+)\])?", line
        )
        if match is None or not line.startswith("    "):
            continue
        depth = len(match["lead"])
        above = [(d, name) for d, name in above if d < depth]
        found[match["name"]] = (above[-1][1] if above else "", match["code"])
        above.append((depth, match["name"]))
    return found


def test_the_docstring_draws_every_class_under_its_parent() -> None:
    parents = {name: parent for name, (parent, _) in drawn().items()}
    assert parents == {
        kind.__name__: "" if kind in ROOTS else kind.__bases__[0].__name__ for kind in ALL
    }


def test_the_docstring_gives_the_code_of_every_leaf() -> None:
    codes = {name: code for name, (_, code) in drawn().items() if code is not None}
    assert {kind.__name__ for kind in LEAVES} <= set(codes)
    assert codes == {kind.__name__: kind.code for kind in ALL if kind.__name__ in codes}


def test_codes_are_unique_and_lead_to_their_class() -> None:
    assert max(Counter(kind.code for kind in ALL if kind is not NoticeContent).values()) == 1
    assert all(content_class(kind.code) is kind for kind in ALL if kind is not NoticeContent)
    assert content_class("of another version") is KnownError


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_says_what_happened_and_what_to_do(kind: type[NoticeContent]) -> None:
    assert kind.what.endswith((".", "?"))
    assert kind.hint.endswith((".", "?"))
    assert all(isinstance(action, Action) for action in kind.actions)


@pytest.mark.parametrize("kind", [kind for kind in ALL if issubclass(kind, TurnLimit | LlmError)])
def test_an_error_that_ends_a_turn_offers_a_button(kind: type[KnownError]) -> None:
    assert kind.actions


def test_only_errors_of_native_tools_offer_text_mode() -> None:
    offering = {kind.code for kind in ALL if Action.SWITCH_TO_TEXT in kind.actions}
    assert offering == {"call_malformed", "tools_doubted", "tools_ignored", "tools_unsupported"}


def test_which_errors_of_a_service_are_retried() -> None:
    again = {kind.code for kind in ALL if issubclass(kind, LlmError) and kind.retryable}
    assert again == {"unreachable", "rate_limited", "service_failed", "stream_broken"}


def test_an_error_is_formatted_as_a_sentence_with_the_foreign_text_at_the_end() -> None:
    assert str(Unreachable()) == "The model service can't be reached."
    assert str(Unreachable("ECONNREFUSED")) == "The model service can't be reached. ECONNREFUSED"
    assert str(RepeatedCall(tool="clock", count="3")) == (
        "Paused: clock was called 3 times in a row with the same arguments."
    )
    assert str(ToolError("No.", anything="x")) == "Something went wrong. No."


def test_the_text_of_a_service_is_kept() -> None:
    error = ServiceFailed("Oops", status=503, retry_after=2.5, raw={"error": 1})
    assert (error.status, error.retry_after, error.raw) == (503, 2.5, {"error": 1})
    assert (error.detail, error.params) == ("Oops", {})


class TestFill:
    def test_fields_without_a_value_are_readable(self) -> None:
        assert fill("{a} of {b}", {"a": "1"}) == "1 of {b}"
        assert fill("no fields", {"a": "1"}) == "no fields"
        assert fill("{} {a b}", {"a": "1"}) == "{} {a b}"

    def test_a_value_is_never_read_as_a_template(self) -> None:
        assert fill("{a}{b}", {"a": "{b}", "b": "{a}"}) == "{b}{a}"
        assert fill("{a}", {"a": r"\1 \g<0>"}) == r"\1 \g<0>"

    @given(st.dictionaries(st.sampled_from("abc"), st.text()))
    def test_each_field_gets_its_own_value(self, params: dict[str, str]) -> None:
        whole = "|".join(params.get(name, "{" + name + "}") for name in "abc")
        assert fill("{a}|{b}|{c}", params) == whole


def test_invalid_arguments_name_the_wrong_one() -> None:
    error = InvalidArguments.at("steps[0].to", "{word} is no place.", word="x")
    assert error.reasons == (Reason("{word} is no place.", {"word": "x"}, "steps[0].to"),)
    assert "steps[0].to: x is no place." in str(error)
