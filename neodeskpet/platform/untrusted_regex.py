"""Regular expressions of others: schemas of tool servers, world books.

RE2 runs them in time linear in the text; the `re` module can take forever for "^(a+)+$".
Expressions that RE2 doesn't support (back references, lookarounds) are not run at all, and none are
run if the library is missing. It is loaded with the first expression.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

_LONGEST = 2_000
"""Highest number of characters of an expression."""
_MEMORY = 4 << 20
"""Highest number of bytes of a compiled expression."""
_UNICODE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|(\\))")


class UntrustedRegex(Protocol):
    """A compiled expression."""

    def search(self, text: str) -> object:
        """Return a true value if the expression is found."""
        ...


@lru_cache(maxsize=4096)
def compile_untrusted(source: str, *, flags: str = "") -> UntrustedRegex | None:
    """Return `source` compiled, None if it can't be run. `flags` are "i" (ignore case), "m" and "s"
    as in JavaScript.
    """
    if len(source) > _LONGEST:
        return None
    try:
        import re2
    except ImportError:  # some systems have no wheel of it
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    chosen = "".join(one for one in "ims" if one in flags)
    try:
        made: UntrustedRegex = re2.compile(
            f"(?{chosen}){_readable(source)}" if chosen else _readable(source), options
        )
    except (re2.error, UnicodeEncodeError, ValueError):
        return None
    return made


def untrusted_matches(source: str, text: str) -> bool | None:
    """Return whether the expression `source` is found in `text`; None if it can't be run."""
    pattern = compile_untrusted(source)
    return None if pattern is None else bool(pattern.search(without_surrogates(text)))


def without_surrogates(text: str) -> str:
    """Return `text` without lone surrogates, which RE2 doesn't accept."""
    return text.encode("utf-8", "replace").decode()


def _readable(source: str) -> str:
    r"""Return JavaScript's \u4e00 and \u{4e00} in RE2's syntax; an escaped backslash stays."""
    return _UNICODE.sub(lambda found: found[0] if found[3] else _code(found[1] or found[2]), source)


def _code(digits: str) -> str:
    return rf"\x{{{digits}}}"
