"""Decodes text of unknown encoding: files and pages of users."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

LAST_RESORT = "latin-1"
"""Decodes any byte, so the result may not be text at all."""
OFFERED_ENCODINGS = (
    "utf-8",
    "gb18030",
    "big5",
    "cp932",
    "euc_jp",
    "cp949",
    "cp1252",
    "cp1250",
    "cp1251",
    "koi8_r",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
)
"""The encodings offered to the user, most used first."""
_GUESSED = (
    "gb18030",
    "big5",
    "cp932",
    "euc_jp",
    "cp949",
    "cp1252",
    "cp1250",
    "cp1251",
    "koi8_r",
    "cp1253",
)
"""The encodings that are detected, in this order if several fit equally well. Turkish, Hebrew and
Arabic pages can hardly be distinguished from Western ones by a few letters, so these encodings are
only used on request.
"""
_OF_LANGUAGES = {
    "zh_TW": ("big5",),
    "zh_HK": ("big5",),
    "zh": ("gb18030", "big5"),
    "ja": ("cp932", "euc_jp"),
    "ko": ("cp949",),
    "ru": ("cp1251", "koi8_r"),
    "tr": ("cp1254",),
    "he": ("cp1255",),
    "ar": ("cp1256",),
}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SAMPLE = 1 << 16
_NEAR = 0.02
"""Two encodings fit equally well if their measures of disorder differ by no more than this."""
_HINT = 0.06
"""The same for an encoding of the user's language."""

_JAPANESE = 0.15
"""Minimum share of kana among the letters beyond ASCII of a Japanese text."""


def is_utf16(content: bytes) -> bool:
    """Return whether it begins with the byte order mark of UTF-16, the only text encoding with zero
    bytes.
    """
    return content.startswith(_UTF16_MARKS)


def decode_text(content: bytes, language: str = "", encoding: str = "") -> tuple[str, str]:
    """Return the text and the name of its encoding. `encoding` is the statement of the file or the
    user; it is used if it can decode everything. Otherwise UTF-8 or UTF-16 by their byte order
    marks, UTF-8 if possible, or the best match for the bytes; `language` (as "zh_CN") decides
    between about equal matches. LAST_RESORT if nothing fits.
    """
    names = _marked(content) or (encoding, _wide(content) or "utf-8")
    for name in filter(None, names):
        text = _decoded(content, name)
        if text is not None:
            return text, "utf-8" if name.lower() in ("utf8", "utf_8") else name
    for name in _likely(content, language):
        text = _decoded(content, name)
        if text is not None:
            return text, name
    return content.decode(LAST_RESORT), LAST_RESORT


def is_encoding(name: str) -> bool:
    """Return whether there is an encoding with this name."""
    try:
        return bool(getattr(codecs.lookup(name), "_is_text_encoding", True))
    except (LookupError, ValueError):
        return False


def _marked(content: bytes) -> tuple[str, ...]:
    if is_utf16(content):
        return ("utf-16",)
    return ("utf-8-sig",) if content.startswith(codecs.BOM_UTF8) else ()


def _wide(content: bytes) -> str:
    """Return the variant of UTF-16 without a byte order mark: in Western text exactly every other
    byte is zero.
    """
    sample = content[:_SAMPLE]
    first, second = sample[::2].count(0), sample[1::2].count(0)
    if len(content) % 2 or 4 * max(first, second) < len(sample) or min(first, second):
        return ""
    return "utf-16-le" if second else "utf-16-be"


def _decoded(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name) if is_encoding(name) else None
    except (UnicodeError, ValueError):
        return None


def _likely(content: bytes, language: str) -> Iterator[str]:
    """Yield possible encodings of the bytes, the most likely first."""
    if 0 in content[:_SAMPLE]:
        return
    from charset_normalizer import from_bytes

    hinted = _OF_LANGUAGES.get(language) or _OF_LANGUAGES.get(language[:2], ())
    order = list(dict.fromkeys((*hinted, *_GUESSED)))
    sample = _sample(content)
    found = from_bytes(sample, cp_isolation=order, enable_fallback=False)
    disorder = {
        name: one.chaos for one in found for name in (one.encoding, *one.could_be_from_charset)
    }
    # Kana have the same bytes in gb18030, and are letters in cp949, where these are rare.
    if "euc_jp" in disorder and _share_of_kana(_decoded(sample, "euc_jp") or "") > _JAPANESE:
        yield "euc_jp"
    yield from _by_likelihood(disorder, hinted, order)


def _by_likelihood(
    disorder: dict[str, float], hinted: Sequence[str], order: Sequence[str]
) -> Iterator[str]:
    waiting = dict(disorder)
    while waiting:
        least = min(waiting.values())
        near = [
            name
            for name in order
            if name in waiting and waiting[name] <= least + (_HINT if name in hinted else _NEAR)
        ]
        name = near[0] if near else min(waiting, key=waiting.__getitem__)
        del waiting[name]
        yield name


def _share_of_kana(text: str) -> float:
    """Return the share of kana among the letters beyond ASCII."""
    letters = [letter for letter in text if letter > "\x7f"]
    return sum("\u3041" <= letter <= "\u30fe" for letter in letters) / max(1, len(letters))


def _sample(content: bytes) -> bytes:
    """Return the beginning up to the end of a line, so that no character is cut."""
    if len(content) <= _SAMPLE:
        return content
    end = content.rfind(b"\n", 0, _SAMPLE)
    return content[: end if end > 0 else _SAMPLE // 4 * 4]
