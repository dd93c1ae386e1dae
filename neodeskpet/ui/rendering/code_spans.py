"""The coloured spans of code. Without Qt and Pygments, for both processes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

NAMES = ("comment", "string", "number", "keyword", "builtin", "name")
"""The classes of parts, as named in the theme (`Theme.syntax`)."""


def _numbers() -> array[int]:
    return array("I")


@dataclass(frozen=True, slots=True)
class CodeSpans:
    """Coloured parts in order: start, length (in UTF-16 units) and index in NAMES. Stored as
    arrays: long code has a hundred thousand parts, and the UI thread reads them at once.
    """

    starts: array[int] = field(default_factory=_numbers)
    lengths: array[int] = field(default_factory=_numbers)
    kinds: array[int] = field(default_factory=_numbers)

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, parts: Iterable[tuple[int, int, str]]) -> CodeSpans:
        """Create spans from (start, length, name of the class)."""
        made = cls()
        for start, length, name in parts:
            made.starts.append(start)
            made.lengths.append(length)
            made.kinds.append(NAMES.index(name))
        return made

    def as_parts(self, first: int = 0) -> Iterable[tuple[int, int, str]]:
        """Yield (start, length, name), starting with part number `first`."""
        for at in range(first, len(self.starts)):
            yield self.starts[at], self.lengths[at], NAMES[self.kinds[at]]

    def differ_from(self, other: CodeSpans) -> int:
        """Return the first character from which the two may differ."""
        mine, theirs = (zip(s.starts, s.lengths, s.kinds, strict=True) for s in (self, other))
        end = 0
        for one, two in zip(mine, theirs, strict=False):
            if one != two:
                return min(one[0], two[0])
            end = one[0] + one[1]
        return end

    def packed(self) -> bytes:
        """Serialize for a pipe between two processes of this computer."""
        return (self.starts + self.lengths + self.kinds).tobytes()

    @classmethod
    def unpacked(cls, data: bytes) -> CodeSpans:
        whole = _numbers()
        whole.frombytes(data)
        count = len(whole) // 3
        return cls(whole[:count], whole[count : 2 * count], whole[2 * count :])


def utf16_length(text: str) -> int:
    """Return the length of `text` in UTF-16 units: characters outside the BMP count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
