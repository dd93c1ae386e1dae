"""Tables as rows."""

import pytest

from neodeskpet.core.markdown.tables import cells_of, tsv_of


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("a|b", ["a", "b"]),
        ("|a||", ["a", ""]),
        (r"| a \| b | c \|", ["a | b", "c |"]),
        ("| $|x|$ | y |", ["$|x|$", "y"]),
        ("", [""]),
    ],
)
def test_cells(line: str, cells: list[str]) -> None:
    assert cells_of(line) == cells


def test_rows_for_a_spreadsheet() -> None:
    assert tsv_of([["a", "b\tc"], ["d\ne", ""]]) == "a\tb c\nd e\t"
