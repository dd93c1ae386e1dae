"""Sentences of ours in the core: English, marked for translation, which the language layer does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


def N_(text: str) -> str:
    """`text` itself; the extractor finds the call and puts the text into the catalogue."""
    return text


def fill(template: str, params: Mapping[str, str]) -> str:
    """`template` with its `{fields}` filled; a field without a value stays readable."""
    return re.sub(r"\{(\w+)\}", lambda found: params.get(found[1], found[0]), template)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something can't be done, to be rendered when it is shown: `text` is English, marked with
    `N_`; `params` fill its `{fields}`. `path` is the argument it is about ("steps[0].to"), if it
    is about one.
    """

    text: str
    params: Mapping[str, str] = field(default_factory=dict)
    path: str = ""

    def __str__(self) -> str:
        said = fill(self.text, self.params)
        return f"{self.path}: {said}" if self.path else said


class InvalidValue(ValueError):
    """A value that can't be taken, and why (`text`, `params` as in `Reason`)."""

    def __init__(self, text: str, /, **params: str) -> None:
        super().__init__(fill(text, params))
        self.text = text
        self.params = params

    def at(self, path: str) -> Reason:
        """The reason, said of the argument `path`."""
        return Reason(self.text, self.params, path)


def join_reasons(reasons: Iterable[Reason]) -> str:
    """In English."""
    out = ""
    for reason in reasons:
        out += ("; " if reason.path else " ") * bool(out) + str(reason)
    return out
