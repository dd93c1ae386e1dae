"""Text from bytes whose encoding nobody told: files and pages as people have them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

LAST_RESORT = "latin-1"
"""Reads every byte, so what it reads may be no text at all."""
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
"""What a person can choose from where another encoding was taken, most used first."""
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
"""In this order where several fit equally well. Turkish, Hebrew and Arabic pages are hardly told
from Western ones by a few letters, so those are only taken when they are asked for.
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
"""Two encodings fit equally well when their measures of disorder differ by no more than this."""
_HINT = 0.06
"""The same for an encoding of the person's language."""

_JAPANESE = 0.15
"""Of its letters that aren't ASCII, so many are kana in a Japanese text at least."""


def is_utf16(content: bytes) -> bool:
    """Whether it begins with the mark of UTF-16, the one encoding of text that holds zero bytes."""
    return content.startswith(_UTF16_MARKS)


def decode_text(content: bytes, language: str = "", encoding: str = "") -> tuple[str, str]:
    """The text and the name of its encoding. `encoding` is what the file or the person says: it is
    taken if it can read everything. Else UTF-8 or UTF-16 by their marks, UTF-8 if it can, and what
    the bytes look most like; `language` (as in "zh_CN") decides between what fits about equally
    well. LAST_RESORT if nothing fits.
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
    """Whether text can be read in an encoding with this name."""
    try:
        return bool(getattr(codecs.lookup(name), "_is_text_encoding", True))
    except (LookupError, ValueError):
        return False


def _marked(content: bytes) -> tuple[str, ...]:
    if is_utf16(content):
        return ("utf-16",)
    return ("utf-8-sig",) if content.startswith(codecs.BOM_UTF8) else ()


def _wide(content: bytes) -> str:
    """UTF-16 without its mark: every other byte of Western text is zero, and no other byte is."""
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
    """Encodings that the bytes may be in, the likeliest first."""
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
    # Kana have the same bytes as kana in gb18030 and letters in cp949, where they are rare.
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
    """Of the letters that aren't ASCII."""
    letters = [letter for letter in text if letter > "\x7f"]
    return sum("\u3041" <= letter <= "\u30fe" for letter in letters) / max(1, len(letters))


def _sample(content: bytes) -> bytes:
    """The beginning, up to the end of a line: no letter is cut."""
    if len(content) <= _SAMPLE:
        return content
    end = content.rfind(b"\n", 0, _SAMPLE)
    return content[: end if end > 0 else _SAMPLE // 4 * 4]
