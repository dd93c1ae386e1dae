"""The commands that use a speech bubble by keyboard: answer it, turn its page, dismiss it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from neodeskpet.core.i18n import N_
from neodeskpet.ui.commands import Command
from neodeskpet.ui.pet.speech_bubble import ANSWER_KEYS, SpeechBubble


class BubbleCommands:
    """`bubbles` returns the bubbles of all companions, the first companion's first. `go_to_steps`
    moves the focus to the bubble of the first steps and returns False if it isn't shown.
    """

    def __init__(
        self, bubbles: Callable[[], Sequence[SpeechBubble]], go_to_steps: Callable[[], bool]
    ) -> None:
        self._bubbles = bubbles
        self._go_to_steps = go_to_steps
        self.commands = (
            Command(
                "bubble",
                N_("Answer the speech bubble"),
                self.answer,
                (ANSWER_KEYS,),
                icon="chat",
                search_terms="bubble 气泡",
            ),
            Command(
                "bubble_page",
                N_("Next page of the speech bubble"),
                self.next_page,
                ("Ctrl+Shift+N",),
                icon="chat",
            ),
            Command(
                "bubble_dismiss",
                N_("Dismiss the speech bubble"),
                self.dismiss,
                ("Ctrl+Shift+D",),
                icon="chat",
            ),
        )

    def answer(self) -> bool:
        """Move the keyboard focus to the bubble that asks, or else to one that is shown."""
        bubble = self._current()
        return bubble.take_keyboard() if bubble is not None else self._go_to_steps()

    def next_page(self) -> bool:
        bubble = self._current()
        return bubble is not None and bubble.next_page()

    def dismiss(self) -> bool:
        """Close the bubble; a question that must be answered gets the focus instead."""
        bubble = self._current()
        return bubble is not None and (bubble.dismiss() or bubble.take_keyboard())

    def _current(self) -> SpeechBubble | None:
        shown = [one for one in self._bubbles() if one.isVisible() and one.is_speaking]
        return next((one for one in shown if one.shows_question), next(iter(shown), None))
