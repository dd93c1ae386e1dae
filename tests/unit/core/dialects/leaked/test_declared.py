"""Families that are declared as data, those of the program and a user's."""

from __future__ import annotations

from typing import Any

import pytest

from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.dialects.leaked.declared import BadDeclaration, read_declarations
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.wire import ResponseFinished, Stop, TextDelta
from tests.unit.core.dialects.leaked.leaking import PARIS, TOOLS, Heard, hear
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
    return hear([*events, *list(reader.read(ResponseFinished(Stop.END)))[:-1]])


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
    families = read_declarations([FORM])
    for pieces in cut_everywhere(text) if len(text) < 1000 else [[text]]:
        assert read(pieces, families) == heard, pieces


def test_all_arguments_may_stand_in_the_head_of_a_call() -> None:
    form = {"name": "inline", "call": "#CALL {name} WITH {json} END#"}
    text = '#CALL get_weather WITH {"city": "Paris"} END#'
    for pieces in cut_everywhere(text):
        assert read(pieces, read_declarations([form])) == Heard(calls=[PARIS])


def test_a_type_says_what_is_json() -> None:
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
    found = read([text], read_declarations([form]))
    assert found.calls == [("edit", {"old": "7", "tags": [1], "options": "{no}"})]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({}, "a list"),
        ([7], "an object"),
        ([{"name": "x"}], "a name and a call"),
        ([FORM | {"call": 7}], "'call'"),
        ([FORM | {"begin": "x"}], "'begin'"),
        ([FORM | {"thinking": ["x"]}], "'thinking'"),
        ([FORM | {"escaped": "yes"}], "'escaped'"),
        ([FORM | {"colour": "red"}], "'colour'"),
        ([FORM | {"call": "⟪call⟫"}], "{name}"),
        ([FORM | {"call": "⟪call {name}"}], "behind each place"),
        ([{"name": "x", "call": "⟪call {name}⟫"}], "arguments"),
        ([FORM | {"hidden": ["⟪"]}], "shorter"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(value: Any, reason: str) -> None:
    with pytest.raises(BadDeclaration) as refused:
        read_declarations(value)
    assert reason in str(refused.value)
