"""Tables of Markdown as rows, for the clipboard. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from neodeskpet.core.markdown.formulas import extract_formulas, restore_formulas

_BAR = re.compile(r"(?<!\\)\|")


def table_cells(line: str) -> list[str]:
    """What stands between the bars of a line. A bar in a formula parts nothing."""
    text, formulas = extract_formulas(line.strip())
    inner = text.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [
        restore_formulas(cell, formulas).strip().replace("\\|", "|") for cell in _BAR.split(inner)
    ]


def rows_as_tsv(rows: Sequence[Sequence[str]]) -> str:
    """Rows for a spreadsheet: a tab between cells, a line for each row."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
