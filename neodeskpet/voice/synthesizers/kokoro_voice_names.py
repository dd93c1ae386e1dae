"""The names of Kokoro's voices in the language of the interface, and the voice of a name."""

from __future__ import annotations

from neodeskpet.core.i18n import N_
from neodeskpet.language import LANGUAGES, tr, tr_in
from neodeskpet.voice.synthesizers.kokoro import KOKORO_VOICES

_KINDS = {
    "zf": N_("{name} (Chinese, female)"),
    "zm": N_("{name} (Chinese, male)"),
    "af": N_("{name} (American English, female)"),
    "am": N_("{name} (American English, male)"),
    "bf": N_("{name} (British English, female)"),
    "bm": N_("{name} (British English, male)"),
    "jf": N_("{name} (Japanese, female)"),
    "jm": N_("{name} (Japanese, male)"),
}
_CHINESE_NAMES = {
    "xiaobei": N_("Xiaobei"),
    "xiaoni": N_("Xiaoni"),
    "xiaoxiao": N_("Xiaoxiao"),
    "xiaoyi": N_("Xiaoyi"),
    "yunjian": N_("Yunjian"),
    "yunxi": N_("Yunxi"),
}
"""The names that are written in Chinese characters in a Chinese interface."""


def kokoro_voice_name(voice: str) -> str:
    """Return the name to show for the id of a voice, such as `Xiaobei (Chinese, female)` for
    `zf_xiaobei`.
    """
    kind, _, name = voice.partition("_")
    shown = tr(_CHINESE_NAMES[name]) if name in _CHINESE_NAMES else name.capitalize()
    return tr(_KINDS[kind], name=shown) if kind in _KINDS else voice


def find_kokoro_voice(name: str) -> str:
    """Return the id of the voice with this name, in any language, with or without what is in
    brackets; `name` itself if there is none.
    """
    wanted = name.strip().casefold()
    found = (one for one in KOKORO_VOICES if wanted in _names_of(one))
    return next(found, name)


def _names_of(voice: str) -> set[str]:
    kind, _, name = voice.partition("_")
    names = {voice, name}
    for code in LANGUAGES:
        short = tr_in(code, _CHINESE_NAMES[name]) if name in _CHINESE_NAMES else name.capitalize()
        names |= {short, tr_in(code, _KINDS[kind], name=short)}
    return {one.casefold() for one in names}
