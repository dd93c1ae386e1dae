"""Translatable texts in the core: English, marked for translation. The language layer translates
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


def N_(text: str) -> str:
    """Return `text`; marks it for the extractor, which adds it to the catalogue."""
    return text


def fill(template: str, params: Mapping[str, str]) -> str:
    """Return `template` with its `{fields}` filled; a field without a value is left as it is."""
    return re.sub(r"\{(\w+)\}", lambda found: params.get(found[1], found[0]), template)


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason that is translated when it is shown. `text` is English, marked with `N_`; `params`
    fill its `{fields}`. `path` is the argument concerned ("steps[0].to"), if any.
    """

    text: str
    params: Mapping[str, str] = field(default_factory=dict)
    path: str = ""

    def __str__(self) -> str:
        said = fill(self.text, self.params)
        return f"{self.path}: {said}" if self.path else said


class InvalidValue(ValueError):
    """An invalid value, with the reason (`text`, `params` as in `Reason`)."""

    def __init__(self, text: str, /, **params: str) -> None:
        super().__init__(fill(text, params))
        self.text = text
        self.params = params

    def at(self, path: str) -> Reason:
        """Return the reason for the argument `path`."""
        return Reason(self.text, self.params, path)


def join_reasons(reasons: Iterable[Reason]) -> str:
    """Return the reasons in English as one text."""
    out = ""
    for reason in reasons:
        out += ("; " if reason.path else " ") * bool(out) + str(reason)
    return out
