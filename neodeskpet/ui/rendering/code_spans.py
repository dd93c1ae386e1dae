"""Which characters of a code have a colour. No Qt and no Pygments: both sides know it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

NAMES = ("comment", "string", "number", "keyword", "builtin", "name")
"""The classes, as the theme's `syntax` names them."""


def _numbers() -> array[int]:
    return array("I")


@dataclass(frozen=True, slots=True)
class CodeSpans:
    """Coloured parts in order: where each starts, its length (as Qt counts), its number in NAMES.

    Arrays, because a long code has a hundred thousand and the interface takes them in at once.
    """

    starts: array[int] = field(default_factory=_numbers)
    lengths: array[int] = field(default_factory=_numbers)
    kinds: array[int] = field(default_factory=_numbers)

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def of(cls, parts: Iterable[tuple[int, int, str]]) -> CodeSpans:
        """From (start, length, name of the class)."""
        made = cls()
        for start, length, name in parts:
            made.starts.append(start)
            made.lengths.append(length)
            made.kinds.append(NAMES.index(name))
        return made

    def as_parts(self, first: int = 0) -> Iterable[tuple[int, int, str]]:
        """(start, length, name), from number `first` on."""
        for at in range(first, len(self.starts)):
            yield self.starts[at], self.lengths[at], NAMES[self.kinds[at]]

    def differ_from(self, other: CodeSpans) -> int:
        """The first character at which the two may differ; both agree before it."""
        mine, theirs = (zip(s.starts, s.lengths, s.kinds, strict=True) for s in (self, other))
        end = 0
        for one, two in zip(mine, theirs, strict=False):
            if one != two:
                return min(one[0], two[0])
            end = one[0] + one[1]
        return end

    def packed(self) -> bytes:
        """For a pipe between two processes of this machine."""
        return (self.starts + self.lengths + self.kinds).tobytes()

    @classmethod
    def unpacked(cls, data: bytes) -> CodeSpans:
        whole = _numbers()
        whole.frombytes(data)
        count = len(whole) // 3
        return cls(whole[:count], whole[count : 2 * count], whole[2 * count :])


def utf16_length(text: str) -> int:
    """Length of `text` as Qt counts: characters beyond the base plane are two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
