"""The body that tools move: that of whoever speaks in the open conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from neodeskpet.live2d.animation_script import Range
from neodeskpet.live2d.stage import Stage


class SpeakersBody:
    """A `Body` of the tools. `present` tells which one it is at each call: at first the one that
    the app began with.
    """

    def __init__(self, first: Stage) -> None:
        self.present: Callable[[], Stage] = lambda: first

    def expressions(self) -> Sequence[str]:
        return self.present().expressions()

    def motions(self) -> Mapping[str, int]:
        return self.present().motions()

    def parameters(self) -> Mapping[str, Range]:
        return self.present().parameters()

    def notes(self, kind: str) -> Mapping[str, str]:
        return self.present().notes(kind)

    def express(self, name: str) -> None:
        self.present().express(name)

    def play(self, group: str, index: int | None) -> None:
        self.present().play(group, index)

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        return self.present().animate(script)
