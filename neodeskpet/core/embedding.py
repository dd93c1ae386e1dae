"""Texts as vectors: the port, and what comes of it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector for each text, in their order and all of one length; of four-byte floats ("f"), in
    the service's own scale. `model` is what made them, as the service calls it: vectors of another
    model can't be compared with them. `tokens` is 0 where the service doesn't tell.
    """

    rows: tuple[array[float], ...]
    model: str
    tokens: int = 0


class Embedder(Protocol):
    """What makes vectors of texts: always the same model."""

    @property
    def label(self) -> str:
        """The model's name, for the person."""
        ...

    @property
    def model(self) -> str:
        """What its vectors can be compared by: those of another are of another kind."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Any number of texts, none of them empty. `query`: they are what is searched for, not what
        is found; some models make a difference. Raises LlmError.
        """
        ...
