"""The language of the interface. English texts are the keys; 简体中文 is a gettext catalogue.

`tr("Paused after {count} rounds.", count="3")` translates and fills. Texts of the core are marked
with `N_` there and are passed to `tr` as variables. `./run translate` builds the catalogue.
"""

from __future__ import annotations

import functools
import gettext
import locale
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
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
"""Full-width marks, which include their space."""

_current: gettext.NullTranslations = gettext.NullTranslations()
_name = "en"


def set_language(name: str) -> str:
    """Set the language to `name` ("en", "zh_CN", or "system"); return the language used."""
    global _current, _name
    taken = system_language() if name == "system" else name
    if taken not in LANGUAGES:
        taken = "en"
    _current = _catalogue(taken)
    _name = taken
    return taken


def language() -> str:
    """Return the current language: a key of LANGUAGES."""
    return _name


def system_language() -> str:
    """Return the language of the environment, "en" if it is not supported."""
    named = next(
        (os.environ[k] for k in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(k)), ""
    )
    named = named or locale.getlocale()[0] or ""
    return "zh_CN" if named.lower().startswith(("zh", "chinese")) else "en"


_OPEN_ENDS = "'\")]`"
"""Closing marks that may follow the end of a sentence."""


def tr(text: str, /, **params: str) -> str:
    """Return `text` in the language of the interface, with its `{fields}` filled."""
    translated = _current.gettext(text) if text else ""
    if params and _name == "zh_CN":
        translated = _without_chinese_spaces(translated, params)
    return fill(translated, params)


def moment_words(text: str) -> str:
    """Return a day or a moment in numbers (2026-12-04 17:00) in words: "Fri, 4 Dec 17:00",
    "12月4日 周五 17:00"; any other text as it is. Another year than the current one is shown.
    """
    # Imported late: the app starts without this vocabulary.
    from neodeskpet.core.schedule.vocabulary import moment_in_words

    return moment_in_words(text, date.today().year, chinese=_name == "zh_CN")


def tr_reason(reason: Reason) -> str:
    """Return `reason` in the language of the interface. Its parameter `when` is shown in words."""
    params = dict(reason.params)
    if "when" in params:
        params["when"] = moment_words(params["when"])
    return tr(reason.text, **params)


def tr_count(one: str, many: str, count: int, /, **params: str) -> str:
    """Return `one` or `many` translated for `count`, which fills `{count}`. Both are marked with
    `N_`.
    """
    return tr(one if count == 1 else many, count=f"{count:,}", **params)


def count_messages(count: int) -> str:
    return tr_count(N_("{count} message"), N_("{count} messages"), count)


def count_conversations(count: int) -> str:
    return tr_count(N_("{count} conversation"), N_("{count} conversations"), count)


def tr_in(code: str, text: str, /, **params: str) -> str:
    """Return `text` in the language `code`, or in that of the interface if `code` is ""
    or unknown, with its `{fields}` filled.
    """
    if code not in LANGUAGES or code == _name:
        return tr(text, **params)
    translated = _catalogue(code).gettext(text) if text else ""
    if params and code == "zh_CN":
        translated = _without_chinese_spaces(translated, params)
    return fill(translated, params)


@functools.cache
def _catalogue(name: str) -> gettext.NullTranslations:
    return gettext.translation("neodeskpet", LOCALES, [name], fallback=True)


def _without_chinese_spaces(template: str, params: Mapping[str, str]) -> str:
    """Remove spaces around Chinese parameters: Chinese has spaces only around Latin words and
    numbers: “隐藏 Neo”, but “隐藏尼奥”.
    """
    for name, value in params.items():
        if _is_han(value[:1]):
            template = re.sub(rf"(?<=[\u3400-\u9fff]) (?=\{{{name}\}})", "", template)
        if _is_han(value[-1:]):
            template = re.sub(rf"(?<=\{{{name}\}}) (?=[\u3400-\u9fff])", "", template)
    return template


def _is_han(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff"


def tool_title(spec: ToolSpec) -> str:
    """Return the display name of a tool. A foreign tool is shown by its name, because its title is
    untrusted text that could imitate one of ours.
    """
    return tr(spec.title) if spec.title and not spec.foreign else spec.name


def tool_titles(specs: Iterable[ToolSpec]) -> Callable[[str], str]:
    """Return a function that returns the display name of a tool, in the language at the time of the
    call; the name itself if it isn't one of our tools in `specs`.
    """
    own = {spec.name: spec for spec in specs if not spec.foreign}
    return lambda name: tool_title(own[name]) if name in own else name


def with_tool_title(params: Mapping[str, str], title: Callable[[str], str]) -> dict[str, str]:
    """Return the parameters of a stored notice with the display name of its tool."""
    return {key: title(value) if key == "tool" else value for key, value in params.items()}


def translate_error(error: NoticeContent) -> tuple[str, str]:
    """Return what happened with the reason (our sentence, or otherwise the foreign detail), and
    what to do, for the user.
    """
    if isinstance(error, ToolError):
        return translate_fault(ToolFault.of(error)), tr(error.hint)
    return translate_code(error.code, error.params, error.detail)


def format_error(error: NoticeContent) -> str:
    """Return what happened and what to do as one text."""
    return join_hint(*translate_error(error))


def join_sentences(*said: str) -> str:
    """Join sentences; a Chinese sentence needs no space after it."""
    out = ""
    for sentence in filter(None, said):
        out = f"{out}{_gap(out)}{sentence}" if out else sentence
    return out


def join_hint(what: str, hint: str) -> str:
    """Join what happened and what to do. Foreign text at the end of `what` may have no
    full stop.
    """
    if what and hint and (what[-1].isalnum() or what[-1] in _OPEN_ENDS):
        what += "。" if _name == "zh_CN" else "."
    return join_sentences(what, hint)


def translate_failure(call: ToolUse, title: str = "") -> str:
    """Return why a tool call has no result, for a user who knows the tool as `title`; "" if it has
    one. For calls stored by earlier versions it is the text for the model.
    """
    return translate_fault(call.fault, title) if call.fault is not None else call.error


def translate_fault(fault: ToolFault, title: str = "") -> str:
    def call_it(name: str) -> str:
        return title or name

    params = with_tool_title(fault.params, call_it)
    what, _ = translate_code(fault.code, params, "" if fault.reasons else fault.detail)
    if fault.code == ToolDenied.code:  # the text of the error is for the model
        what = what.replace(tr(ToolDenied.what), tr("You didn't allow this call."), 1)
    why = translate_reasons(
        replace(one, params=with_tool_title(one.params, call_it)) for one in fault.reasons
    )
    return f"{what}{_gap(what)}{why}".strip()


def translate_reasons(reasons: Iterable[Reason]) -> str:
    """Return the reasons as text: errors in several arguments in one sentence, others in separate
    sentences.
    """
    out = ""
    for reason in reasons:
        said = tr_reason(reason)
        if reason.path:
            said = tr("{place}: {fault}", place=reason.path, fault=said)
        between = tr("; ") if reason.path else _gap(out)
        out = f"{out}{between}{said}" if out else said
    return out


def _gap(said: str) -> str:
    return "" if said.endswith(_FULL_WIDTH) else " "


def translate_code(code: str, params: dict[str, str], detail: str = "") -> tuple[str, str]:
    """Return the same for a stored notice: `code` is a `NoticeContent.code`."""
    kind = content_class(code)
    what = tr(params.get("instead", kind.what), **params)
    why = tr(params["reason"], **params) if "reason" in params else detail
    return (f"{what}{_gap(what)}{why}".strip(), tr(kind.hint, **params))
