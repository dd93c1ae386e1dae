"""Checks whether the licence of a figure allows sharing its files. Without such a licence a figure
isn't shared.
"""

from __future__ import annotations

import re
from pathlib import Path

_MOST_BYTES = 200_000
_NAMES = re.compile(r"licen[cs]e|copying|readme|terms|利用規約|使用条款|许可|授权", re.IGNORECASE)
_PERMITS = re.compile(
    r"CC0|CC[ -]BY\b|Creative Commons Attribution|"
    r"creativecommons\.org/(?:licenses/by|publicdomain)|"
    r"\bMIT Licen[cs]e|Apache License|\bBSD\b|public domain|SIL Open Font|可自由(?:转载|分发)",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"non-?commercial|no-?deriv|\bBY-(?:NC|ND)|(?:not|don't|never|without).{0,40}redistribut|"
    r"redistribut\w*.{0,40}(?:not|prohibit|forbid)|all rights reserved|Free Material License|"
    r"禁止.{0,10}(?:转载|分发|配布)|(?:転載|配布|转载|分发).{0,10}(?:禁止|不可)",
    re.IGNORECASE | re.DOTALL,
)


def licence_name(folder: Path) -> str:
    """Return the words of the licence files that name the licence; "" if there are none. Slow: call
    it in a thread. Raises OSError.
    """
    for text in _licence_texts(folder):
        found = _PERMITS.search(text) or _FORBIDS.search(text)
        if found is not None:
            return " ".join(found.group().split())[:60]
    return ""


def may_be_shared(folder: Path) -> bool:
    """Return whether the licence files of a figure's folder allow it. Slow: call it in a thread.
    Raises OSError.
    """
    texts = _licence_texts(folder)
    allowed = any(_PERMITS.search(text) for text in texts)
    return allowed and not any(_FORBIDS.search(text) for text in texts)


def _licence_texts(folder: Path) -> list[str]:
    return [
        file.read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
        for file in sorted(folder.iterdir())
        if file.is_file() and _NAMES.search(file.name)
    ]
