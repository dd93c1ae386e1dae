"""Texts as columns: whatever was received can be stored, and whatever is stored can be read."""

from __future__ import annotations

StoredText = str | bytes


def to_column(text: str) -> StoredText:
    """`text` as SQLite can hold it. Half an emoji (a lone surrogate, which a gateway may cut a
    reply at) has no UTF-8 form: such a text becomes a BLOB.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_column(value: StoredText) -> str:
    """One bad byte costs one letter."""
    if isinstance(value, str):
        return value
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return value.decode("utf-8", "replace")


def decode_lenient(content: bytes) -> str:
    """A text as it is stored. One bad byte must not make the whole conversation unreadable."""
    return content.decode("utf-8", "replace")
