"""Whether streamed Markdown is inside a fenced code block right now."""

from __future__ import annotations

import copy
import re

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_KEPT = 256  # of a line: enough to see a fence, so an endless line costs nothing


class FenceTracker:
    """Feed it text in any pieces; `open` tells the state at the end of what it was fed."""

    def __init__(self) -> None:
        self._line = ""
        self._mark = ""  # the fence that is open, "" if none

    @property
    def open(self) -> bool:
        """Also true on the rest of the line that opens a fence."""
        return bool(self._mark) or self._opens(self._line)

    @property
    def inside(self) -> bool:
        """On the lines after the one that opens a fence: what is on them can't change that."""
        return bool(self._mark)

    def feed(self, text: str) -> None:
        *lines, last = text.split("\n")
        for line in lines:
            self._end_line((self._line + line[:_KEPT])[:_KEPT])
            self._line = ""
        self._line = (self._line + last[:_KEPT])[:_KEPT]

    def after(self, text: str) -> bool:
        """What `open` would be once `text` was fed."""
        ahead = copy.copy(self)
        ahead.feed(text)
        return ahead.open

    def _opens(self, line: str) -> bool:
        match = _FENCE.match(line)
        return match is not None and not (match["mark"][0] == "`" and "`" in match["info"])

    def _end_line(self, line: str) -> None:
        match = _FENCE.match(line)
        if match is None:
            return
        mark = match["mark"]
        if not self._mark:
            self._mark = mark if self._opens(line) else ""
        elif (
            mark[0] == self._mark[0] and len(mark) >= len(self._mark) and not match["info"].strip()
        ):
            self._mark = ""
