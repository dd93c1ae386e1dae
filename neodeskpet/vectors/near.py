"""What is near a question, in numbers that compare. Pure.

The cosines of a model have a scale of its own (those of e5 all lie between .7 and .9), so they
count by how far they are from the middle.
"""

from __future__ import annotations

from dataclasses import dataclass

_CROWD = 20


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

    def apart(self, cosine: float) -> float:
        """How far it stands out of the crowd of what is near: 0 to 1. All that is in the language
        of the question is near it where there are texts in two.
        """
        crowd = self.best[_CROWD - 1][1] if len(self.best) >= _CROWD else self.middle
        return _part(cosine - crowd, 1.0 - crowd)


def _part(much: float, whole: float) -> float:
    return min(max(much / whole, 0.0), 1.0) if whole > 1e-6 else 0.0
