"""The person's language. English texts are the keys; 简体中文 is a gettext catalogue.

`tr("Paused after {count} rounds.", count="3")` translates and fills. Texts of the core are marked
there with `N_` and reach `tr` as variables. Make the catalogue with `./run translate`.
"""

from __future__ import annotations

import functools
import gettext
import locale
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from neodeskpet.core.errors import (
    NoticeContent,
    ToolDenied,
    ToolError,
    ToolFault,
    content_class,
)
from neodeskpet.core.i18n import N_, Reason, fill

if TYPE_CHECKING:
    from neodeskpet.core.blocks import ToolUse
    from neodeskpet.core.toolspec import ToolSpec

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
    _current = _catalogue(taken)
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


_OPEN_ENDS = "'\")]`"
"""Signs that end no sentence, at the end of one."""


def tr(text: str, /, **params: str) -> str:
    """`text` in the person's language, its `{fields}` filled."""
    translated = _current.gettext(text) if text else ""
    if params and _name == "zh_CN":
        translated = _without_chinese_spaces(translated, params)
    return fill(translated, params)


def tr_count(one: str, many: str, count: int, /, **params: str) -> str:
    """`one` or `many` by `count`, which fills `{count}`. Both are marked with `N_`."""
    return tr(one if count == 1 else many, count=f"{count:,}", **params)


def count_messages(count: int) -> str:
    return tr_count(N_("{count} message"), N_("{count} messages"), count)


def count_conversations(count: int) -> str:
    return tr_count(N_("{count} conversation"), N_("{count} conversations"), count)


def tr_in(name: str, text: str) -> str:
    """`text` in the language `name`; in that of the interface if it is "" or unknown."""
    if name not in LANGUAGES or name == _name:
        return tr(text)
    return _catalogue(name).gettext(text) if text else ""


@functools.cache
def _catalogue(name: str) -> gettext.NullTranslations:
    return gettext.translation("neodeskpet", LOCALES, [name], fallback=True)


def _without_chinese_spaces(template: str, params: Mapping[str, str]) -> str:
    """Chinese has spaces around Latin words and numbers alone: “隐藏 Neo”, but “隐藏尼奥”."""
    for name, value in params.items():
        if _is_han(value[:1]):
            template = re.sub(rf"(?<=[\u3400-\u9fff]) (?=\{{{name}\}})", "", template)
        if _is_han(value[-1:]):
            template = re.sub(rf"(?<=\{{{name}\}}) (?=[\u3400-\u9fff])", "", template)
    return template


def _is_han(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff"


def tool_title(spec: ToolSpec) -> str:
    """What people call a tool. One that comes from others is called what it is named: its title is
    foreign text, which could pass itself off as one of ours.
    """
    return tr(spec.title) if spec.title and not spec.foreign else spec.name


def tool_titles(specs: Iterable[ToolSpec]) -> Callable[[str], str]:
    """What people call the tool of a name, in the language of then; the name itself where it is
    none of our own among `specs`.
    """
    own = {spec.name: spec for spec in specs if not spec.foreign}
    return lambda name: tool_title(own[name]) if name in own else name


def with_tool_title(params: Mapping[str, str], title: Callable[[str], str]) -> dict[str, str]:
    """What a stored notice says, with the tool in it as `title` calls it."""
    return {key: title(value) if key == "tool" else value for key, value in params.items()}


def translate_error(error: NoticeContent) -> tuple[str, str]:
    """What happened and why (in our words, else in the foreign ones of its detail), and what to
    do, for a person.
    """
    if isinstance(error, ToolError):
        return translate_fault(ToolFault.of(error)), tr(error.hint)
    return translate_code(error.code, error.params, error.detail)


def format_error(error: NoticeContent) -> str:
    """What happened and what to do, as one text."""
    return join_hint(*translate_error(error))


def join_sentences(*said: str) -> str:
    """Sentences one after another; a Chinese one brings its own space."""
    out = ""
    for sentence in filter(None, said):
        out = f"{out}{_gap(out)}{sentence}" if out else sentence
    return out


def join_hint(what: str, hint: str) -> str:
    """What happened and what to do. The words of others at the end of `what` may end nowhere."""
    if what and hint and (what[-1].isalnum() or what[-1] in _OPEN_ENDS):
        what += "。" if _name == "zh_CN" else "."
    return join_sentences(what, hint)


def translate_failure(call: ToolUse, title: str = "") -> str:
    """Why a tool call has no result, for a person, who knows its tool as `title`; "" if it has.
    What an earlier version stored is said in the words for the model.
    """
    return translate_fault(call.fault, title) if call.fault is not None else call.error


def translate_fault(fault: ToolFault, title: str = "") -> str:
    def call_it(name: str) -> str:
        return title or name

    params = with_tool_title(fault.params, call_it)
    what, _ = translate_code(fault.code, params, "" if fault.reasons else fault.detail)
    if fault.code == ToolDenied.code:  # the words of the error are for the model
        what = what.replace(tr(ToolDenied.what), tr("You didn't allow this call."), 1)
    why = translate_reasons(
        replace(one, params=with_tool_title(one.params, call_it)) for one in fault.reasons
    )
    return f"{what}{_gap(what)}{why}".strip()


def translate_reasons(reasons: Iterable[Reason]) -> str:
    """Faults of several arguments stand in one sentence, everything else in its own."""
    out = ""
    for reason in reasons:
        said = tr(reason.text, **reason.params)
        if reason.path:
            said = tr("{place}: {fault}", place=reason.path, fault=said)
        between = tr("; ") if reason.path else _gap(out)
        out = f"{out}{between}{said}" if out else said
    return out


def _gap(said: str) -> str:
    return "" if said.endswith(_FULL_WIDTH) else " "


def translate_code(code: str, params: dict[str, str], detail: str = "") -> tuple[str, str]:
    """The same from a stored notice: `code` is a `NoticeContent.code`."""
    kind = content_class(code)
    what = tr(params.get("instead", kind.what), **params)
    why = tr(params["reason"], **params) if "reason" in params else detail
    return (f"{what}{_gap(what)}{why}".strip(), tr(kind.hint, **params))
