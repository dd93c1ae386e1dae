"""What was found, for people and for programs."""

from __future__ import annotations

import json

import pytest

from neodeskpet.commands.found_lines import FoundLine, print_found

FOUND = (FoundLine(0.5, "[a.md]", "two\nlines", {"source": "a.md"}),)


def test_people_read_two_lines_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    print_found(FOUND, as_json=False, nothing="Nothing.")
    assert capsys.readouterr().out == " 50%  [a.md]\n      two lines\n"
    print_found((), as_json=False, nothing="Nothing.")
    assert capsys.readouterr().out == "Nothing.\n"


def test_programs_read_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_found(FOUND, as_json=True, nothing="Nothing.")
    told = json.loads(capsys.readouterr().out)
    assert told == {"source": "a.md", "relevance": 0.5, "text": "two\nlines"}
    print_found((), as_json=True, nothing="Nothing.")
    assert capsys.readouterr().out == ""
