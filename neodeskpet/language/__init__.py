"""The person's language. English texts are the keys; 简体中文 is a gettext catalogue.

`tr("Paused after {count} rounds.", count="3")` translates and fills. Texts of the core are marked
there with `N_` and reach `tr` as variables. Make the catalogue with `./run translate`.
"""

from __future__ import annotations

import gettext
import locale
import os
from pathlib import Path

from neodeskpet.core.errors import KnownError, fill, kind_of

LOCALES = Path(__file__).resolve().parent / "locale"
LANGUAGES = {"en": "English", "zh_CN": "简体中文"}

_FULL_WIDTH = ("。", "！", "？", "：", "；")
"""Marks that bring their own space."""

_current: gettext.NullTranslations = gettext.NullTranslations()
_name = "en"


def set_language(name: str) -> str:
    """Speak `name` ("en", "zh_CN", or "system") from now on; returns the language taken."""
    global _current, _name
    taken = system_language() if name == "system" else name
    if taken not in LANGUAGES:
        taken = "en"
    _current = gettext.translation("neodeskpet", LOCALES, [taken], fallback=True)
    _name = taken
    return taken


def language() -> str:
    """The language spoken now: a key of LANGUAGES."""
    return _name


def system_language() -> str:
    """What the environment asks for, "en" when it asks for something we don't speak."""
    named = next(
        (os.environ[k] for k in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(k)), ""
    )
    named = named or locale.getlocale()[0] or ""
    return "zh_CN" if named.lower().startswith(("zh", "chinese")) else "en"


def tr(text: str, /, **params: str) -> str:
    """`text` in the person's language, its `{fields}` filled."""
    translated = _current.gettext(text) if text else ""
    return fill(translated, params)


def say(error: KnownError) -> tuple[str, str]:
    """What happened and why (in our words, else in the foreign ones of its detail), and what to
    do, for a person.
    """
    return say_code(error.code, error.params, error.detail)


def say_code(code: str, params: dict[str, str], detail: str = "") -> tuple[str, str]:
    """The same from a stored notice: `code` is a `KnownError.code`."""
    kind = kind_of(code)
    what = tr(kind.what, **params)
    gap = "" if what.endswith(_FULL_WIDTH) else " "
    why = tr(params["reason"], **params) if "reason" in params else detail
    return (f"{what}{gap}{why}".strip(), tr(kind.hint, **params))
