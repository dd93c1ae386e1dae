"""Families of leaked calls that are declared as data, by the app or by the user."""

from __future__ import annotations

from typing import Any

import pytest

from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.dialects.leaked.declaration import read_declarations
from neodeskpet.core.dialects.leaked.interpreter import families_of_user
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.dialects.leaked.template import BadDeclaration
from neodeskpet.core.wire import ResponseFinished, StopReason, TextDelta
from tests.unit.core.dialects.leaked.leaking import CLOCK, PARIS, TOOLS, Heard, hear
from tests.unit.core.dialects.splitting import cut_everywhere

FORM: dict[str, Any] = {
    "_note": "a form that no model writes",
    "name": "mine",
    "begin": ["⟪calls⟫"],
    "end": ["⟪/calls⟫"],
    "call": '⟪call name="{name}"⟫',
    "call_end": "⟪/call⟫",
    "argument": "⟪arg {key}⟫{value}⟪/arg⟫",
    "body": "⟪all⟫{json}⟪/all⟫",
    "noise": ["⟪-----⟫"],
    "thinking": ["⟪hm⟫", "⟪/hm⟫"],
    "hidden": ["⟪answer⟫"],
    "escaped": True,
}


def read(pieces: list[str], families: tuple[Family, ...]) -> Heard:
    reader = LeakReader(NATIVE.reader(), TOOLS, (), families)
    events = [made for piece in pieces for made in reader.read(TextDelta(0, piece))]
    return hear([*events, *list(reader.read(ResponseFinished(StopReason.END)))[:-1]])


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        (
            '⟪calls⟫⟪call name="get_weather"⟫⟪arg city⟫Paris⟪/arg⟫⟪/call⟫⟪/calls⟫',
            Heard(calls=[PARIS]),
        ),
        (
            'Hm.\n⟪call name="get_weather"⟫\n⟪-----⟫⟪all⟫{"city": "Paris"}⟪/all⟫ ⟪/call⟫',
            Heard("Hm.\n", calls=[PARIS]),
        ),
        (
            '⟪calls⟫⟪call name="get_weather"⟫⟪arg city⟫Paris⟪/arg⟫⟪/call⟫'
            '⟪call name="clock_now"⟫⟪/call⟫⟪/calls⟫.',
            Heard(".", calls=[PARIS, ("clock_now", {})]),
        ),
        ('⟪call name="nobody"⟫⟪/call⟫', Heard('⟪call name="nobody"⟫⟪/call⟫')),
        ("⟪hm⟫I think⟪/hm⟫⟪answer⟫Yes.", Heard("Yes.", "I think")),
        ('⟪call name="get_weather"⟫⟪arg city⟫Par', Heard(broken=["get_weather"])),
        (f'⟪call name="{"x" * 5000}"⟫', Heard(f'⟪call name="{"x" * 5000}"⟫')),
    ],
)
def test_a_declared_form_is_read_at_every_split(text: str, heard: Heard) -> None:
    families = families_of_user(read_declarations([FORM]))
    for pieces in cut_everywhere(text) if len(text) < 1000 else [[text]]:
        assert read(pieces, families) == heard, pieces


def test_all_arguments_may_be_in_the_head_of_a_call() -> None:
    form = {"name": "inline", "call": "#CALL {name} WITH {json} END#"}
    text = '#CALL get_weather WITH {"city": "Paris"} END#'
    for pieces in cut_everywhere(text):
        assert read(pieces, families_of_user(read_declarations([form]))) == Heard(calls=[PARIS])


def test_the_type_decides_what_is_read_as_json() -> None:
    form = {
        "name": "typed",
        "call": "#CALL {name}#",
        "argument": "#ARG {key} {type}#{value}#END#",
        "call_end": "#DONE#",
    }
    text = (
        "#CALL edit##ARG old string#7#END##ARG tags array#[1]#END#"
        "#ARG options object#{no}#END##DONE#"
    )
    found = read([text], families_of_user(read_declarations([form])))
    assert found.calls == [("edit", {"old": "7", "tags": [1], "options": "{no}"})]


def test_a_mark_may_have_several_spellings_and_may_be_missing() -> None:
    form: dict[str, Any] = {
        "name": "spelled",
        "marks": {"sep": ["::", "=>"], "end": ["<|/f|>"]},
        "needs_begin": True,
        "begin": ["<|calls{any}|>"],
        "noise": ["--"],
        "end": ["<|/calls|>"],
        "call": ["<|f|>{space}{name}{space}{sep}{json}{end?}"],
    }
    families = families_of_user(read_declarations([form]))
    call = '<|f|>get_weather :: {"city": "Paris"}<|/f|>'
    other = "<|f|>\nclock_now=>{}"
    for pieces in cut_everywhere(f"<|calls 2|>{call}--{other}--<|/calls|>."):
        assert read(pieces, families) == Heard(".", calls=[PARIS, CLOCK]), pieces
    for pieces in cut_everywhere(f"<|calls\n|>{call}"):
        assert read(pieces, families) == Heard(f"<|calls\n|>{call}"), pieces
    assert read([f"<|calls 2|>{call}<|f|>cloc"], families).calls == [PARIS]
    assert read([f"<|calls 2|>{call}<|f|>Hm {{"], families) == Heard("<|f|>Hm {", calls=[PARIS])


def test_a_key_determines_the_end_of_its_argument() -> None:
    form = {"name": "keyed", "call": "#CALL {name}#", "argument": "<{key}>{value}</{key}>"}
    families = families_of_user(read_declarations([form]))
    for pieces in cut_everywhere("#CALL search#<query>a <b>cat</b></query> Yes."):
        heard = read(pieces, families)
        assert heard == Heard(" Yes.", calls=[("search", {"query": "a <b>cat</b>"})]), pieces


def test_where_a_word_is_recognised_within_a_line() -> None:
    text = 'So CALL search{"query": "x"}'
    calls: list[tuple[str, object]] = [("search", {"query": "x"})]
    for within, heard in (("apart", Heard("So ", calls=calls)), ("never", Heard(text))):
        form = {"name": "word", "call": "CALL {tool}{json}", "within_line": within}
        families = families_of_user(read_declarations([form]))
        for pieces in cut_everywhere(text):
            assert read(pieces, families) == heard, pieces


def test_a_form_that_people_also_write_is_recognised_only_in_its_context() -> None:
    form: dict[str, Any] = {
        "name": "weak",
        "begin": ["#DO#"],
        "needs_begin": True,
        "call": "{python}",
        "end": ["#OD#"],
        "line_start": True,
        "weak": True,
    }
    families = families_of_user(read_declarations([form]))
    for pieces in cut_everywhere("#DO#clock_now()#OD#"):
        assert read(pieces, families) == Heard(calls=[CLOCK]), pieces
    for text in (
        "So #DO#clock_now()#OD#",
        "#DO#clock_now() and so on",
        "For example:\n#DO#clock_now()#OD#",
    ):
        for pieces in cut_everywhere(text):
            assert read(pieces, families) == Heard(text), pieces


def test_a_name_without_an_end_holds_no_text_back() -> None:
    families = families_of_user(read_declarations([FORM]))
    reader = LeakReader(NATIVE.reader(), TOOLS, (), families)
    text = '⟪call name="' + "x" * 400
    events = [made for letter in text for made in reader.read(TextDelta(0, letter))]
    assert hear(events) == Heard(text)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "a list"),
        ([7], "an object"),
        ([{"call": "⟪call {name}⟫{json}⟪⟫"}], "a name"),
        ([{"name": "x"}], "a call, thinking or hidden marks"),
        ([FORM | {"call": 7}], "'call'"),
        ([FORM | {"begin": [7]}], "'begin'"),
        ([FORM | {"begin": []}], "'begin'"),
        ([FORM | {"marks": {"a": "b"}}], "'marks'"),
        ([FORM | {"within_line": "always"}], "'within_line'"),
        ([FORM | {"fenced": True}], "'fenced'"),
        ([FORM | {"call": "⟪call {nam}⟫"}], "neither a place nor a mark"),
        ([FORM | {"call": "⟪call {name?}⟫"}], "only marks"),
        ([{"name": "x", "call": "{name}⟫{json}"}], "text to begin with"),
        ([FORM | {"call": "⟪call {any}{name}⟫"}], "after {any}"),
        ([FORM | {"call": "⟪" + "{a}" * 5 + "{name}⟫", "marks": {"a": list("abcd")}}], "too many"),
        ([FORM | {"thinking": ["x"]}], "'thinking'"),
        ([FORM | {"escaped": "yes"}], "'escaped'"),
        ([FORM | {"colour": "red"}], "'colour'"),
        ([FORM | {"call": "⟪call⟫"}], "{name}"),
        ([{"name": "x", "call": "⟪call {name}⟫"}], "arguments"),
        ([FORM | {"hidden": ["⟪"]}], "shorter"),
    ],
)
def test_invalid_declarations_are_refused_with_a_reason(value: Any, reason: str) -> None:
    with pytest.raises(BadDeclaration) as refused:
        families_of_user(read_declarations(value))
    assert reason in str(refused.value)
