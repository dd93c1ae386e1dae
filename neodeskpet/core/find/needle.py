"""Where words stand in a text, whatever their case, accents and width."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

SCRIPTS_WITHOUT_SPACES = (
    "\u0e00-\u0e7f\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
"""Scripts that don't put spaces between words (or, as Korean, glue much to them)."""

TextSpan = tuple[int, int]
"""From this character up to that one."""


class _Folds(dict[int, str]):
    """One character for each, so that places in a text stay what they are."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        category = unicodedata.category(char)
        if category == "Cs":  # half an emoji
            folded = " "
        else:
            base = unicodedata.normalize("NFKD", char)
            if len(base) > 1 and unicodedata.combining(base[1]) and ord(base[0]) < 0x250:
                char = base[0]
            else:
                whole = unicodedata.normalize("NFKC", char)
                char = whole if len(whole) == 1 else char
            folded = char.casefold() if len(char.casefold()) == 1 else char
        self[code] = folded
        return folded


_FOLDS = _Folds({0x2018: "'", 0x2019: "'", 0x02BC: "'", 0x201C: '"', 0x201D: '"'})


def fold_for_search(text: str) -> str:
    """`text` with one form for what looks the same; as long as it was."""
    return text.lower() if text.isascii() else text.translate(_FOLDS)


class SearchPattern:
    """What is looked for: each of `words`, anywhere in a text, or only where a word begins
    (`at_starts`). White space stands for any white space. Nothing at all is found nowhere.
    """

    def __init__(self, words: Iterable[str], *, at_starts: bool = False) -> None:
        wanted = [fold_for_search(" ".join(word.split())) for word in words]
        self.words = tuple(dict.fromkeys(word for word in wanted if word))
        longest_first = sorted(self.words, key=len, reverse=True)
        patterns = [_pattern(word, at_starts=at_starts) for word in longest_first]
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def spans(self, text: str) -> list[TextSpan]:
        """Where they stand, in order; no two overlap."""
        if self._pattern is None:
            return []
        return [found.span() for found in self._pattern.finditer(fold_for_search(text))]

    def count(self, text: str) -> int:
        """How often they stand in `text`."""
        return len(self.spans(text))


def _pattern(word: str, *, at_starts: bool) -> str:
    """A space of no width, which is put beside marks, may stand between any two characters."""
    pattern = "\u200b?".join(r"\s+" if char == " " else re.escape(char) for char in word)
    spaced = word[0].isalnum() and not re.match(f"[{SCRIPTS_WITHOUT_SPACES}]", word)
    return rf"(?<![^\W_{SCRIPTS_WITHOUT_SPACES}]){pattern}" if at_starts and spaced else pattern


def utf16_spans(text: str, spans: Iterable[TextSpan]) -> list[TextSpan]:
    """The same places as Qt counts, for which an emoji is two."""
    if not text or max(text) <= "\uffff":
        return list(spans)
    wide = [at for at, char in enumerate(text) if char > "\uffff"]

    def moved(place: int) -> int:
        return place + sum(at < place for at in wide)

    return [(moved(start), moved(end)) for start, end in spans]
