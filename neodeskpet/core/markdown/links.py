"""Bare addresses in Markdown: what ends the sentence is no part of them. Pure."""

from __future__ import annotations

import re

# Punctuation of Chinese and Japanese, and quotation marks: no address goes on beyond them.
_WIDE_CHARACTER = "\u2010-\u2027\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_FOUND = re.compile(
    r"(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)"
    r"|!?\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"
    r"|^ {0,3}\[[^\[\]\n]+\]:[^\n]*"
    r"|<[^<>\s]*>"
    rf"|(?P<address>(?<![A-Za-z0-9_/])https?://[^\s<>`|\[\]\"{_WIDE_CHARACTER}]+)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_ENDS = ".,;:!?'*_~"


def mark_links(source: str) -> str:
    """`source` with its bare addresses in angle brackets, where they stop before the full stop."""
    return _FOUND.sub(_mark, source) if "://" in source else source


def _mark(match: re.Match[str]) -> str:
    found = match["address"]
    if found is None or "\\" in found:
        return match[0]
    end = len(found)
    while found[end - 1] in _ENDS or _closes(found[:end]):
        end -= 1
    if found[end - 1] == "/" and found[:end].count("/") == 2:
        return found  # "https://" alone
    return f"<{found[:end]}>{found[end:]}"


def _closes(address: str) -> bool:
    """Whether it ends with a bracket that was opened before it: "(see https://…)"."""
    return address.endswith(")") and address.count(")") > address.count("(")
