"""Tables as rows."""

import pytest

from neodeskpet.core.markdown.preparation import rows_as_tsv, table_cells


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
def test_cells_of_a_row(line: str, cells: list[str]) -> None:
    assert table_cells(line) == cells


def test_rows_for_a_spreadsheet() -> None:
    assert rows_as_tsv([["a", "b\tc"], ["d\ne", ""]]) == "a\tb c\nd e\t"
