"""What stands in a block up to its end mark, which is looked for outside the strings of JSON.

Where the quotes are so wrong that none is found, the first mark ends it once the reply is over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_STEP = re.compile(r'[^"\\<]+|\\.|["<\\]', re.DOTALL)
_LONGEST = 24
"""Characters that an end mark has at most."""


@dataclass(frozen=True, slots=True)
class BlockBody:
    """What stood in a block, what follows its end, and the `mark` between the two."""

    text: str
    rest: str
    mark: str = field(default="", compare=False)


class BlockBodyReader:
    """Feed text until a `Body` is returned. `closing` is the end mark, which begins with "<"."""

    def __init__(self, closing: re.Pattern[str]) -> None:
        self.text = ""
        """All that was fed."""
        self._closing = closing
        self._at = 0  # looked at so far
        self._quoted = False

    def feed(self, text: str) -> BlockBody | None:
        self.text += text
        return self._look(whole=False)

    def finish(self) -> BlockBody | None:
        """The reply is over; None where no end mark is in it."""
        found = self._look(whole=True)
        if found is None:
            mark = self._closing.search(self.text)
            found = mark and self._body(mark)
        return found

    def _look(self, *, whole: bool) -> BlockBody | None:
        for step in _STEP.finditer(self.text, self._at):
            sign = step[0]
            if sign == "<" and not self._quoted:
                mark = self._closing.match(self.text, self._at)
                if mark is not None:
                    return self._body(mark)
                if not whole and len(self.text) - self._at < _LONGEST:
                    break
            elif sign == "\\" and not whole and self._at + 1 == len(self.text):
                break  # what it escapes is still to come
            elif sign == '"':
                self._quoted = not self._quoted
            self._at = step.end()
        return None

    def _body(self, mark: re.Match[str]) -> BlockBody:
        return BlockBody(self.text[: mark.start()], self.text[mark.end() :], mark[0])
