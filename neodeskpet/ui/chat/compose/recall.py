"""What ↑ and ↓ bring back in the composer: a walk through what was sent."""

from __future__ import annotations

from collections.abc import Iterable

MAX_KEPT = 200


class InputHistory:
    """A walk that starts in an empty field and ends when the shown text was changed.

    Its steps give the text to show, or None when the key is to move the cursor as usual.
    """

    def __init__(self) -> None:
        self._sent: list[str] = []
        self._place: int | None = None

    def add(self, text: str) -> None:
        """A text was sent. The walk ends; equal neighbours are kept once."""
        if not self._sent or self._sent[-1] != text:
            self._sent.append(text)
        del self._sent[:-MAX_KEPT]
        self._place = None

    def replace(self, texts: Iterable[str]) -> None:
        """Another conversation: its sent texts, oldest first."""
        self._sent = list(texts)[-MAX_KEPT:]
        self._place = None

    def older(self, shown: str) -> str | None:
        if not self._walking(shown):
            if shown:
                return None
            self._place = len(self._sent)
        place = self._place if self._place is not None else len(self._sent)
        if place == 0:
            return None
        self._place = place - 1
        return self._sent[self._place]

    def newer(self, shown: str) -> str | None:
        if not self._walking(shown) or self._place is None:
            return None
        self._place += 1
        if self._place >= len(self._sent):
            self._place = None
            return ""
        return self._sent[self._place]

    def _walking(self, shown: str) -> bool:
        place = self._place
        return place is not None and place < len(self._sent) and self._sent[place] == shown
