"""Text from bytes whose encoding nobody told: files and pages as people have them."""

from __future__ import annotations

LAST_RESORT = "latin-1"
"""Reads every byte, so what it reads may be no text at all."""
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def is_utf16(content: bytes) -> bool:
    """Whether it begins with the mark of UTF-16, the one encoding of text that holds zero bytes."""
    return content.startswith(_UTF16_MARKS)


def decode_text(content: bytes) -> tuple[str, str]:
    """The text and the name of its encoding: UTF-8 or UTF-16 by their marks, else the first that
    reads it of UTF-8, GB 18030 (older Chinese files) and LAST_RESORT.
    """
    if is_utf16(content):
        names = ["utf-16"]
    elif content.startswith(b"\xef\xbb\xbf"):
        names = ["utf-8-sig"]
    else:
        names = ["utf-8", "gb18030"]
    for encoding in names:
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return content.decode(LAST_RESORT), LAST_RESORT
