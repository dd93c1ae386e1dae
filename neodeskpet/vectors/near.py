"""What is near a question, in numbers that compare. Pure.

The cosines of a model have a scale of its own (those of e5 all lie between .7 and .9), so they
count by how far they are from the middle.
"""

from __future__ import annotations

from dataclasses import dataclass

_CROWD_SIZE = 20


@dataclass(frozen=True, slots=True)
class NearestTexts:
    """`best` are the ids of the nearest texts with their cosines, best first; `middle` is the
    median of all texts' cosines, `top` the highest.
    """

    best: tuple[tuple[str, float], ...]
    median: float
    top: float

    def relative(self, cosine: float) -> float:
        """How near beside the nearest: 0 to 1."""
        return _share_of(cosine - self.median, self.top - self.median)

    def absolute(self, cosine: float) -> float:
        """How near in itself, whatever else there is: 0 to 1."""
        return _share_of(cosine - self.median, 1.0 - self.median)

    def distinct(self, cosine: float) -> float:
        """How far it stands out of the crowd of what is near: 0 to 1. All that is in the language
        of the question is near it where there are texts in two.
        """
        crowd = self.best[_CROWD_SIZE - 1][1] if len(self.best) >= _CROWD_SIZE else self.median
        return _share_of(cosine - crowd, 1.0 - crowd)


def _share_of(much: float, whole: float) -> float:
    return min(max(much / whole, 0.0), 1.0) if whole > 1e-6 else 0.0
