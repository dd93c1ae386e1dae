"""Tables of Markdown as rows, for the clipboard. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from neodeskpet.core.markdown.formulas import put_back, set_apart

_BAR = re.compile(r"(?<!\\)\|")


def cells_of(line: str) -> list[str]:
    """What stands between the bars of a line. A bar in a formula parts nothing."""
    text, formulas = set_apart(line.strip())
    inner = text.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [put_back(cell, formulas).strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def tsv_of(rows: Sequence[Sequence[str]]) -> str:
    """Rows for a spreadsheet: a tab between cells, a line for each row."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
