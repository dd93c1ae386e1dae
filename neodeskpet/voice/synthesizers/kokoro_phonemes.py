"""The phonemes of Chinese, English and mixed text, in the symbols that Kokoro was trained with.

Only the child process imports this: espeak-ng has the licence GPL-3 and never runs in the app.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

Phonemize = Callable[[str], str]

_WORDS = re.compile(
    r"(?:[^\u3400-\u9fff，。、；：！？,.;:!?…—()（）《》“”「」]|(?<=\w)[.:](?=[A-Za-z0-9]))+"
)
"""Words that aren't Chinese, with the marks within numbers and abbreviations ("3.5", "e.g")."""
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_PIECE = re.compile(f"{_CHINESE.pattern}|{_WORDS.pattern}|.", re.DOTALL)
_PUNCTUATION = {
    "，": ", ", "、": ", ", "。": ". ", "；": "; ", "：": ": ", "！": "! ", "？": "? ",
    "（": " (", "）": ") ", "《": " “", "》": "” ", "「": " “", "」": "” ",
    ",": ", ", ".": ". ", ";": "; ", ":": ": ", "!": "! ", "?": "? ", "…": "… ", "—": "— ",
}  # fmt: skip
_CHINESE_SYMBOLS = (
    ("ʈʂ", "ꭧ"), ("tɕ", "ʨ"), ("ts", "ʦ"),
    ("˧˩˧", "↓"), ("˧˥", "↗"), ("˥˩", "↘"), ("˥", "→"),
    ("ɻ\u0329", "ɨ"), ("ɹ\u0329", "ɨ"), ("ɿ\u0329", "ɨ"), ("\u0329", ""), ("\u032f", ""),
)  # fmt: skip
"""IPA as Kokoro was trained with it: zh, j and z (also with aspiration) as one letter each, the
vowel of zhi and zi as one letter, tones as arrows. Two letters instead of one are spoken as two
sounds.
"""
_ENGLISH = (
    ("a^ɪ", "I"), ("a^ʊ", "W"), ("d^ʒ", "ʤ"), ("e^ɪ", "A"), ("t^ʃ", "ʧ"), ("ɔ^ɪ", "Y"),
    ("o^ʊ", "O"), ("ə^l", "ᵊl"), ("ʲO", "jO"), ("ʲə", "jə"), ("ʲ", ""), ("ɜːɹ", "ɜɹ"),
    ("ɜː", "ɜɹ"), ("ɪə", "iə"), ("ɚ", "əɹ"), ("e", "A"), ("r", "ɹ"), ("x", "k"), ("ç", "k"),
    ("ɐ", "ə"), ("ɬ", "l"), ("\u0303", ""), ("ː", ""), ("o", "ɔ"), ("ɾ", "T"), ("ʔ", "t"),
    ("\u0329", ""), ("^", ""),
)  # fmt: skip
"""espeak-ng's symbols (diphthongs tied by ^) as those of Kokoro's American English."""
_ESPEAK_SYNCHRONOUS, _ESPEAK_UTF8 = 2, 1
_ESPEAK_IPA_TIED = 0x02 | 0x80 | ord("^") << 8


def kokoro_phonemes(text: str, chinese: Phonemize, english: Phonemize) -> str:
    """The phonemes of a text: Chinese characters by `chinese`, other words by `english`."""
    parts: list[str] = []
    for found in _PIECE.finditer(text):
        piece = found[0]
        if _CHINESE.fullmatch(piece):
            parts.append(chinese(piece))
        elif piece in _PUNCTUATION:
            parts.append(_PUNCTUATION[piece])
        elif any(one.isalnum() for one in piece):
            parts.append(f" {english(piece.strip())} ")
        else:
            parts.append(piece)
    return re.sub(r"\s+(?=[,.;:!?)”])", "", " ".join("".join(parts).split()))


def english_symbols(espeak: str) -> str:
    """espeak-ng's phonemes in Kokoro's symbols."""
    for old, new in _ENGLISH:
        espeak = espeak.replace(old, new)
    return espeak


def chinese_symbols(syllable: str) -> str:
    """The phonemes of a syllable (IPA with tone letters) in Kokoro's symbols."""
    for old, new in _CHINESE_SYMBOLS:
        syllable = syllable.replace(old, new)
    return syllable


def load_chinese() -> Phonemize:
    """Raises ImportError."""
    from pinyin_to_ipa import pinyin_to_ipa
    from pypinyin import Style, lazy_pinyin

    def phonemize(text: str) -> str:
        syllables = lazy_pinyin(
            text, style=Style.TONE3, neutral_tone_with_five=True, tone_sandhi=True
        )
        return "".join(chinese_symbols("".join(pinyin_to_ipa(one)[0])) for one in syllables)

    return phonemize


def load_english() -> Phonemize:
    """Raises ImportError, OSError."""
    import espeakng_loader

    library: Any = ctypes.CDLL(espeakng_loader.get_library_path())
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = [
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int,
        ctypes.c_int,
    ]
    data = str(espeakng_loader.get_data_path()).encode()
    if library.espeak_Initialize(_ESPEAK_SYNCHRONOUS, 0, data, 0) < 0:
        raise OSError("espeak-ng can't be started")
    if library.espeak_SetVoiceByName(b"en-us"):
        raise OSError("espeak-ng has no English")

    def phonemize(text: str) -> str:
        rest = ctypes.c_char_p(text.replace("\0", " ").encode("utf-8", "replace"))
        clauses: list[str] = []
        while rest.value is not None:
            clause = library.espeak_TextToPhonemes(
                ctypes.byref(rest), _ESPEAK_UTF8, _ESPEAK_IPA_TIED
            )
            clauses.append((clause or b"").decode("utf-8", "replace"))
        return english_symbols(" ".join(clauses))

    return phonemize
