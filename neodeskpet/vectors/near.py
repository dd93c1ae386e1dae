"""What is near a question, in numbers that compare. Pure.

The cosines of a model have a scale of its own (those of e5 all lie between .7 and .9), so they
count by how far they are from the middle.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Near:
    """`best` are the ids of the nearest texts with their cosines, best first; `middle` is the
    median of all texts' cosines, `top` the highest.
    """

    best: tuple[tuple[str, float], ...]
    middle: float
    top: float

    def share(self, cosine: float) -> float:
        """How near beside the nearest: 0 to 1."""
        return _part(cosine - self.middle, self.top - self.middle)

    def worth(self, cosine: float) -> float:
        """How near in itself, whatever else there is: 0 to 1."""
        return _part(cosine - self.middle, 1.0 - self.middle)


def _part(much: float, whole: float) -> float:
    return min(max(much / whole, 0.0), 1.0) if whole > 1e-6 else 0.0
