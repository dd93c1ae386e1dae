"""The rows of the card of the tools: a kind of tools, a source, a tool, and a permission."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import assert_never

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.i18n import N_
from neodeskpet.core.tool_settings import AskWhen, ToolRule
from neodeskpet.core.toolspec import Risk, ToolSpec
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.language import tool_title, tr, tr_count
from neodeskpet.language.approval_text import grant_limits_text
from neodeskpet.settings.settings_model import setting_info
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import search_text
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.controls import ComboBox, Switch

_DESCRIBED = 160  # characters
_RULE_WIDTH, _OPEN_WIDTH = 270, 44
"""The list of rules with its switch, and the button of a group, at the default text size."""


class RuleChoice(StrEnum):
    """The choices for a tool. READS: the user says that this foreign tool only reads. CUSTOM: the
    tools of a kind have different rules.
    """

    RISK = "risk"
    ALWAYS = "always"
    NEVER = "never"
    READS = "reads"
    CUSTOM = "custom"

    @classmethod
    def of(cls, rule: ToolRule) -> RuleChoice:
        return cls.READS if rule.reads_only else cls(rule.asks.value)

    def rule(self, *, on: bool, forms: tuple[str, ...]) -> ToolRule:
        """Return the rule for this choice. `forms` are those of the foreign tools to which it
        applies.
        """
        match self:
            case RuleChoice.RISK | RuleChoice.CUSTOM:
                return ToolRule(on, AskWhen.RISK)
            case RuleChoice.ALWAYS:
                return ToolRule(on, AskWhen.ALWAYS)
            case RuleChoice.NEVER:
                return ToolRule(on, AskWhen.NEVER, forms)
            case RuleChoice.READS:
                return ToolRule(on, AskWhen.NEVER, forms, reads_only=True)
            case _:
                assert_never(self)


_ASKS = {
    RuleChoice.ALWAYS: N_("Always asks"),
    RuleChoice.NEVER: N_("Never asks"),
}
_READS = N_("Never asks: only reads")
_RISKS = {
    Risk.READ: N_("Only reads; never asks."),
    Risk.SENSITIVE_READ: N_("Looks at what you didn't give it: asks."),
    Risk.GESTURE: N_("Moves the figure; never asks."),
    Risk.APP_DATA: N_("Changes its own things; asks before every change if you want that."),
    Risk.WRITE: N_("Changes things of yours, or may: asks."),
    Risk.RUN: N_("Runs programs: asks each time."),
}
_CHANGED = N_("Its server has changed it since: it asks again.")
_READ_ONLY = N_(
    "You say that it only reads: after text of its own server alone it doesn't ask either."
)
_BLIND = N_("It runs without anybody looking at what it does.")


@dataclass(frozen=True, slots=True)
class ToolKind:
    """A kind of the app's own tools. `prefixes` are the beginnings of their ids."""

    name: str
    title: str
    note: str
    prefixes: tuple[str, ...]


TOOL_KINDS = (
    ToolKind(
        "notebook",
        N_("Timers, to-dos, calendar, notes"),
        N_("Its own things; can be undone"),
        ("timer.", "todo.", "note.", "schedule."),
    ),
    ToolKind("files", N_("Files"), N_("Only in folders that you allow"), ("file.",)),
    ToolKind(
        "web",
        N_("Web search and pages"),
        N_("Reads pages; opens addresses in your browser"),
        ("web.", "web_search", "url."),
    ),
    ToolKind(
        "screen",
        N_("Screen and clipboard"),
        N_("Takes screenshots, reads and copies the clipboard"),
        ("screen.", "clipboard.", "system."),
    ),
    ToolKind(
        "commands",
        N_("Commands"),
        N_("Runs programs, which can do anything you can do"),
        ("shell.", "app."),
    ),
    ToolKind("gestures", N_("Expressions and motions"), N_("Moves the figure"), ("live2d.",)),
    ToolKind(
        "others",
        N_("Memory, sums and others"),
        N_("Remembers, calculates, and watches its tasks"),
        ("",),
    ),
)
"""In the order in which they are shown. A tool belongs to the first kind that fits."""


def kind_of(spec: ToolSpec) -> ToolKind:
    """Return the kind of one of the app's own tools."""
    return next(
        kind for kind in TOOL_KINDS if any(spec.id.startswith(one) for one in kind.prefixes)
    )


def usual_rule(specs: Sequence[ToolSpec]) -> str:
    """Return in English which of these tools ask unless the user chose otherwise."""
    risks = {spec.risk for spec in specs}
    if risks & {Risk.RUN, Risk.SENSITIVE_READ}:
        return N_("always asks")
    if Risk.WRITE in risks:
        return N_("deleting asks") if Risk.APP_DATA in risks else N_("changes ask")
    return N_("never asks")


class RuleRow(SettingsRow):
    """Tools that are on or off, and ask or not. `ruled(rule)`: the user chose another rule."""

    ruled = Signal(object)

    def __init__(self, theme: Theme, stack: str, forms: Iterable[str], *more: QWidget) -> None:
        self._forms = tuple(sorted({form for form in forms if form}))
        self.asks = ComboBox(theme)
        self.switch = Switch(theme)
        width = _RULE_WIDTH + len(more) * _OPEN_WIDTH
        super().__init__(theme, self.asks, self.switch, *more, stack=stack, width=width)
        self.asks.chosen.connect(lambda _value: self._tell())
        self.switch.clicked.connect(lambda _on: self._tell())

    def show_rule(self, rule: ToolRule) -> None:
        self.switch.setChecked(rule.on)
        self.asks.set_value(RuleChoice.of(rule))
        self.asks.setEnabled(rule.on)

    def word(self, name: str, specs: Sequence[ToolSpec], *more: tuple[str, str]) -> None:
        """Show the texts: `name` is that of the tools `specs`, `more` are further choices."""
        usual = tr("Default ({rule})", rule=tr(usual_rule(specs))) if specs else tr("Default")
        choices = [(RuleChoice.RISK.value, usual)]
        choices += [(ruling.value, tr(words)) for ruling, words in _ASKS.items()]
        if self._forms:
            choices.append((RuleChoice.READS.value, tr(_READS)))
        self.asks.set_options([*choices, *more])
        self.asks.setAccessibleName(tr("Whether it asks: {name}", name=name))
        self.switch.setAccessibleName(tr("On: {name}", name=name))

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.asks.set_theme(theme)
        self.switch.set_theme(theme)

    def _tell(self) -> None:
        ruling = RuleChoice(self.asks.value())
        self.ruled.emit(ruling.rule(on=self.switch.isChecked(), forms=self._forms))


class ToolGroupRow(RuleRow):
    """A row for several tools, which it shows when it is opened: `opened(bool)`."""

    opened = Signal(bool)

    def __init__(self, theme: Theme, stack: str, forms: Iterable[str] = ()) -> None:
        self.open = QToolButton()
        self.open.setCheckable(True)
        mark_as_fold(self.open)
        super().__init__(theme, stack, forms, self.open)
        self.open.toggled.connect(lambda _: self._show_arrow())
        self.open.toggled.connect(self.opened)
        self._show_arrow()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._show_arrow()

    def word(self, name: str, specs: Sequence[ToolSpec], *more: tuple[str, str]) -> None:
        super().word(name, specs, *more)
        self.open.setAccessibleName(tr("Show the tools: {name}", name=name))

    def _show_arrow(self) -> None:
        name = "chevron-down" if self.open.isChecked() else "chevron-right"
        self.open.setIcon(icon(name, QColor(self._theme.muted), 16))


class ToolKindRow(ToolGroupRow):
    """A kind of the app's own tools. Its rule is that of each of them; "Custom" if they differ."""

    def __init__(self, theme: Theme, kind: ToolKind, specs: Sequence[ToolSpec]) -> None:
        self.kind = kind
        self.specs = tuple(specs)
        super().__init__(theme, search_text((kind.title,)))
        self.retranslate()

    def retranslate(self) -> None:
        count = tr_count(N_("{count} tool"), N_("{count} tools"), len(self.specs))
        self.set_texts(tr(self.kind.title), f"{tr(self.kind.note)} · {count}")
        self.word(tr(self.kind.title), self.specs, (RuleChoice.CUSTOM.value, tr("Custom")))

    def show_rules(self, rules: Sequence[ToolRule]) -> None:
        """Show the rule that all tools have in common."""
        on = [rule for rule in rules if rule.on]
        choices = {RuleChoice.of(rule) for rule in on}
        self.switch.setChecked(bool(on))
        self.asks.setEnabled(bool(on))
        self.asks.set_value(
            choices.pop() if len(choices) == 1 else RuleChoice.CUSTOM if on else RuleChoice.RISK
        )

    def _tell(self) -> None:
        if self.asks.value() == RuleChoice.CUSTOM:
            self.open.setChecked(True)  # the rules are in the rows of the tools
            if self.switch.isChecked():
                return
        super()._tell()


class SourceRow(ToolGroupRow):
    """All tools of a source. `specs` is None if they can't be listed now."""

    def __init__(self, theme: Theme, label: str, specs: Sequence[ToolSpec] | None) -> None:
        super().__init__(theme, label.casefold(), [spec.form for spec in specs or ()])
        self._label = show_hidden_chars(label)
        self._specs = specs
        self.retranslate()

    def retranslate(self) -> None:
        words = tr("Its tools can't be read now.")
        if self._specs is not None:
            words = tr_count(N_("{count} tool"), N_("{count} tools"), len(self._specs))
        self.set_texts(self._label, words)
        self.word(self._label, self._specs or ())


class ToolRow(RuleRow):
    """One tool. `new`: its source added it later. `stale`: it never asked, and has
    changed since.
    """

    def __init__(self, theme: Theme, spec: ToolSpec) -> None:
        self._name = show_hidden_chars(spec.own_name or spec.name)
        ours = "" if spec.foreign else spec.title
        super().__init__(theme, search_text((self._name, ours, spec.description)), [spec.form])
        self.spec = spec
        self._new = False
        self._stale = False
        self._asks = AskWhen.RISK
        self._reads = False
        self.retranslate()

    def show_tool(self, rule: ToolRule, *, new: bool, stale: bool) -> None:
        self._new, self._stale, self._asks = new, stale, rule.asks
        self._reads = rule.reads_only
        self.show_rule(rule)
        self._explain()

    def retranslate(self) -> None:
        title = self._name if self.spec.foreign else tool_title(self.spec)
        self.title.setText(_wrapping(title))
        self.word(title, [self.spec])
        self._explain()

    def _explain(self) -> None:
        words = [tr("New.")] if self._new else []
        if self._stale:
            words.append(tr(_CHANGED))
        blind = self._asks is AskWhen.NEVER and self.spec.risk in (
            Risk.SENSITIVE_READ,
            Risk.WRITE,
            Risk.RUN,
        )
        words.append(tr(_READ_ONLY if self._reads else _BLIND if blind else _RISKS[self.spec.risk]))
        self.set_note(f"{' '.join(words)}\n{self._described()}")

    def _described(self) -> str:
        """Return the description of a foreign tool, or the name of one of the app's own."""
        if not self.spec.foreign:
            return self._name
        said = " ".join(show_hidden_chars(self.spec.description).split())
        return said if len(said) <= _DESCRIBED else said[:_DESCRIBED] + "…"


@cache
def permission_search_text() -> str:
    """Return the words that find all permissions: those of their setting."""
    info = setting_info("mode", "always_allowed")
    return search_text((info.title, info.description, *info.keywords))


def _search_text_of(tool: str, title: Callable[[str], str]) -> str:
    """Return the words that find the permission of one tool: its own, and those of all."""
    return f"{search_text((tool, title(tool)))}\n{permission_search_text()}"


class GrantRow(SettingsRow):
    """A permission that the user gave with "Always"; `revoke_requested()`. `title` gives the name
    of a tool. `stale`: the tool has changed since, and asks.
    """

    revoke_requested = Signal()

    def __init__(
        self, theme: Theme, grant: Grant, title: Callable[[str], str], *, stale: bool = False
    ) -> None:
        self.grant = grant
        self._stale = stale
        self._title = title
        self.button = QPushButton()
        super().__init__(theme, self.button, stack=_search_text_of(grant.tool, title))
        self.button.clicked.connect(self.revoke_requested)
        self.retranslate()

    def retranslate(self) -> None:
        name = show_hidden_chars(self._title(self.grant.tool))
        self.set_texts(_wrapping(name))
        reach = grant_limits_text(self.grant) or tr("Whatever its arguments.")
        changed = tr(_CHANGED) if self._stale else ""
        self.set_note(f"{reach} {changed}".rstrip())
        self.button.setText(tr("Take back"))
        self.button.setAccessibleName(tr("Take back: {name}", name=name))


class RefusedRow(SettingsRow):
    """A tool that is off because the user said "never"; `revoke_requested()`."""

    revoke_requested = Signal()

    def __init__(self, theme: Theme, tool: str, title: Callable[[str], str]) -> None:
        self.tool = tool
        self._title = title
        self.button = QPushButton()
        super().__init__(theme, self.button, stack=_search_text_of(tool, title))
        self.button.clicked.connect(self.revoke_requested)
        self.retranslate()

    def retranslate(self) -> None:
        name = show_hidden_chars(self._title(self.tool))
        self.set_texts(_wrapping(name))
        self.set_note(tr("Never: the tool is off."))
        self.button.setText(tr("Take back"))
        self.button.setAccessibleName(tr("Take back: {name}", name=name))


def _wrapping(name: str) -> str:
    """Return the name with places where the line may be wrapped."""
    return re.sub(r"([./_-])", "\\1\u200b", name)
