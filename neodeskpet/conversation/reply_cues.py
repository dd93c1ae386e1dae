"""Moves the companion when a cue in a reply is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from neodeskpet.conversation.chat_events import ChatEvent, TurnAdvanced
from neodeskpet.core.wire import CueKind, CueReached
from neodeskpet.tools.builtin.live2d import FigureControls


class FigureCues:
    """A chat listener that moves `body`. Names that the current figure lacks are ignored, because a
    cue has no result, unlike a tool. Expressions of lines (`CueKind.LINE`) are shown when the
    bubble shows the line. `when_heard` calls a function with the sound of the reply, at once if
    the reply isn't spoken.
    """

    def __init__(
        self,
        body: FigureControls,
        when_heard: Callable[[Callable[[], None]], None] = lambda move: move(),
    ) -> None:
        self._body = body
        self._when_heard = when_heard

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case TurnAdvanced(event=CueReached(kind=CueKind.EXPRESSION, name=name)):
                face = _find_expression(name, self._body.expressions())
                if face is not None:
                    self._when_heard(partial(self._body.express, face))
            case TurnAdvanced(event=CueReached(kind=CueKind.MOTION, name=name)):
                group = _find_expression(name, self._body.motions())
                if group is not None:
                    self._when_heard(partial(self._body.play, group, None))


def _find_expression(name: str, known: Iterable[str]) -> str | None:
    return next((one for one in known if one.casefold() == name.casefold()), None)
