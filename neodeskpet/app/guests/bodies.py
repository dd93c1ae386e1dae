"""The body that tools move: that of whoever speaks in the open conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from neodeskpet.live2d.animation_script import ParameterRange
from neodeskpet.live2d.stage import Stage


class ActiveCompanionFigure:
    """A `Body` of the tools. `present` tells which one it is at each call: at first the one that
    the app began with.
    """

    def __init__(self, first: Stage) -> None:
        self.current_figure: Callable[[], Stage] = lambda: first

    def expressions(self) -> Sequence[str]:
        return self.current_figure().expressions()

    def motions(self) -> Mapping[str, int]:
        return self.current_figure().motions()

    def parameters(self) -> Mapping[str, ParameterRange]:
        return self.current_figure().parameters()

    def notes(self, kind: str) -> Mapping[str, str]:
        return self.current_figure().notes(kind)

    def express(self, name: str) -> None:
        self.current_figure().express(name)

    def play(self, group: str, index: int | None) -> None:
        self.current_figure().play(group, index)

    def animate(self, script: Sequence[Mapping[str, object]]) -> float:
        return self.current_figure().animate(script)
