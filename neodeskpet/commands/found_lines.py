"""What was found, as a command prints it: for people, or one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from neodeskpet.language import tr


@dataclass(frozen=True, slots=True)
class FoundLine:
    """`head` is what stands before the `text`, beside how relevant it is (0 to 1); `fields` are
    those of the JSON object.
    """

    relevance: float
    head: str
    text: str
    fields: Mapping[str, object]


def print_found(found: Iterable[FoundLine], *, as_json: bool, nothing: str) -> None:
    """`nothing` is said to people where there is none."""
    count = 0
    for one in found:
        count += 1
        if as_json:
            told = {**one.fields, "relevance": one.relevance, "text": one.text}
            print(json.dumps(told, ensure_ascii=False))
            continue
        print(f"{one.relevance:4.0%}  {one.head}")
        print("      " + " ".join(one.text.split()))
    if not count and not as_json:
        print(tr(nothing))
