"""Whether a key of a world book was said. A key is a regular expression if its entry says so and it
is written as one: `/…/flags`.

Regular expressions of strangers are run in linear time (`foreign_patterns`). One that can't be run
so is looked for as the plain text it is, which `is_plain` tells.
"""

from __future__ import annotations

import re
from functools import lru_cache

from neodeskpet.foreign_patterns import UntrustedRegex, compile_untrusted, without_surrogates

_SLASHED = re.compile(r"/((?:[^/\\]|\\.)+)/([gimsuvy]{0,7})\Z", re.DOTALL)
"""How SillyTavern writes an expression; it marks all entries as expressions, and looks for keys in
any other form as plain text.
"""


def is_key_mentioned(
    key: str, text: str, *, regex: bool, case: bool, whole: bool, folded: str | None = None
) -> bool:
    """Whether `key` is in `text`, whose `folded` form may be known."""
    key = key.strip()
    if not key:
        return False
    pattern = _pattern(key) if regex else None
    if pattern is not None:
        return bool(pattern.search(without_surrogates(text)))
    inside = key in text if case else key.casefold() in (folded or text.casefold())
    return inside and (not whole or _whole(key, case).search(text) is not None)


def runs_as_plain_text(key: str, *, regex: bool) -> bool:
    """Whether an expression is looked for as plain text, because it might take for ever."""
    return regex and is_expression(key) and _pattern(key.strip()) is None


def is_expression(key: str) -> bool:
    """Whether it is written as a regular expression."""
    return _SLASHED.match(key.strip()) is not None


def _pattern(key: str) -> UntrustedRegex | None:
    slashed = _SLASHED.match(key)
    return compile_untrusted(slashed[1], flags=slashed[2]) if slashed is not None else None


@lru_cache(maxsize=4096)
def _whole(key: str, case: bool) -> re.Pattern[str]:
    """Scripts that set no spaces have no words to be whole."""
    before = r"(?<![A-Za-z0-9_])" if key[0].isascii() else ""
    after = r"(?![A-Za-z0-9_])" if key[-1].isascii() else ""
    return re.compile(before + re.escape(key) + after, 0 if case else re.IGNORECASE)
