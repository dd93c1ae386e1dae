"""The settings page of tools, by kind and server: on or off, whether they ask; and permissions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.core.approval import ToolRules
from neodeskpet.core.errors import KnownError
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.tool_settings import NewToolPolicy, ToolRule
from neodeskpet.core.toolspec import APP_SOURCE, ToolSpec
from neodeskpet.language import format_error, tool_titles, tr
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.toolkit.toolbox import SourceTools
from neodeskpet.ui.settings.settings_page import SettingsPage
from neodeskpet.ui.settings.settings_row import CardFrame, SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, matches_query
from neodeskpet.ui.settings.tool_rows import (
    TOOL_KINDS,
    GrantRow,
    RefusedRow,
    RuleRow,
    SourceRow,
    ToolGroupRow,
    ToolKind,
    ToolKindRow,
    ToolRow,
    kind_of,
    permission_search_text,
)
from neodeskpet.ui.theme import Theme, apply_window_theme
from neodeskpet.ui.widgets.controls import controls_sheet

_AT_ONCE = 6
"""The number of rows that are created or shown before other events are processed."""
_HEARD = frozenset({"tool_rules", "source_rules", "met_tools", "new_tools", "always_allowed"})


class ToolSources(Protocol):
    """The sources of tools (`toolkit.toolbox.Toolbox`)."""

    def sources(self) -> Sequence[SourceTools]: ...

    def subscribe(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after each change of the tools. Return a function that ends this."""
        ...


class ToolsPage(SettingsPage):
    """The rows of tools are created when the page is first shown or searched, a few at a time. They
    are shown in the same way when the page is shown again.
    """

    def __init__(
        self, section: SectionInfo, port: SettingsPort, tools: ToolSources, theme: Theme
    ) -> None:
        self._tools = tools
        self._plain: list[SettingsRow] = []  # rows of the settings themselves
        self._ruled: list[tuple[RuleRow, SourceTools]] = []
        self._groups: dict[ToolRow, str] = {}
        self._opened: set[str] = set()  # groups whose tools are shown
        self._blocks: list[QWidget] = []  # a few rows each: the layout of many at once is slow
        self._hidden_blocks: list[QWidget] = []  # blocks that must still be shown
        self._grants: list[GrantRow | RefusedRow] = []
        self._wanted: list[_WantedRow] = []  # rows that must still be created
        self._seen = False
        super().__init__(section, port, theme)
        self._unobserve = tools.subscribe(self._outdate)

    def build(self) -> None:
        super().build()
        self._plain = list(self.rows)
        # The permissions are above the long list of tools, whose rows are created later.
        self.allowed, self._grant_frame, self._allowed_box = self.add_section()
        self.listed, self._list_frame, self._list_box = self.add_section()
        self.none_allowed = SettingsRow(self.theme, stack=permission_search_text())
        self.none_allowed.title.setProperty("muted", True)
        self._plain.append(self.none_allowed)
        self._place(self.none_allowed, self._allowed_box, self._grant_frame)
        self._again = QTimer(self, singleShot=True, interval=0)
        self._again.timeout.connect(self._go_on)

    # Creating the rows

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._begin()
        if self._hidden_blocks:
            self._again.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():  # the window is only minimised then
            self._hide_blocks()

    def _hide_blocks(self) -> None:
        """Hide all blocks, because showing all of them at once blocks the window."""
        for block in self._blocks:
            block.hide()
        self._hidden_blocks = list(self._blocks)

    def _begin(self) -> None:
        if not self._seen:
            self._seen = True
            self._build_rows()

    def _outdate(self) -> None:
        """Create the rows again, because the tools have changed."""
        self._seen = self._seen and self.isVisible()
        if self._seen:
            self._build_rows()

    def _build_rows(self) -> None:
        for block in self._blocks:
            block.deleteLater()
            block.hide()
        self._blocks = []
        self._hidden_blocks = []
        self._ruled = []
        self._groups = {}
        self._wanted = []
        for source in self._tools.sources():
            self._wanted += _rows_of(source)
        self._show_grants()
        self.rows = [*self._plain, *self._grants]
        self._again.start()

    def _go_on(self) -> None:
        if self._hidden_blocks and self.isVisible():
            self._hide_empty(self._hidden_blocks.pop(0))
        elif self._wanted:
            self._make_some()
        if self._wanted or (self._hidden_blocks and self.isVisible()):
            self._again.start()

    def _make_some(self) -> None:
        now, self._wanted = self._wanted[:_AT_ONCE], self._wanted[_AT_ONCE:]
        block = QWidget()
        self._update_style(block)
        rows = QVBoxLayout(block)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        begun = len(self._ruled)
        for one in now:
            row = self._create_row(one)
            self._ruled.append((row, one.source))
            self._place(row, rows, self._list_frame)
            row.set_folded(one.tool is not None and one.group not in self._opened)
        self._refresh(begun)
        self._blocks.append(block)
        self._list_box.addWidget(block)
        if self.isVisible() or self._query:
            self._hide_empty(block)
        else:
            block.hide()
            self._hidden_blocks.append(block)
        self.rows = [*self._plain, *self._grants, *(row for row, _ in self._ruled)]

    def _create_row(self, wanted: _WantedRow) -> RuleRow:
        if wanted.tool is not None:
            tool = ToolRow(self.theme, wanted.tool)
            tool.ruled.connect(partial(self._rule_tool, wanted.tool.id))
            self._groups[tool] = wanted.group
            return tool
        group: ToolGroupRow
        if wanted.kind is not None:
            kind = group = ToolKindRow(self.theme, wanted.kind, wanted.specs)
            group.ruled.connect(lambda rule: self._rule_kind(kind, rule))
        else:
            group = SourceRow(self.theme, wanted.source.label, wanted.source.specs)
            group.ruled.connect(partial(self._rule_source, wanted.source.name))
        group.open.setChecked(wanted.group in self._opened)
        group.opened.connect(partial(self._open, wanted.group))
        return group

    def _open(self, group: str, opened: bool) -> None:
        """Show or hide the tools of a group."""
        (self._opened.add if opened else self._opened.discard)(group)
        for row, name in self._groups.items():
            if name == group:
                row.set_folded(not opened)
        for block in self._blocks:
            if block not in self._hidden_blocks:
                self._hide_empty(block)

    def _place(self, row: SettingsRow, box: QVBoxLayout, card: CardFrame) -> None:
        box.addWidget(row)
        row.join_card(card)
        row.search(self._query)

    @staticmethod
    def _hide_empty(block: QWidget) -> None:
        block.setVisible(any(not row.isHidden() for row in _rows(block)))

    def _refresh(self, begin: int = 0) -> None:
        rules = self._rules()
        for row, source in self._ruled[begin:]:
            whole = rules.sources.get(source.name, ToolRule())
            if isinstance(row, ToolRow):
                shown = ToolRule(
                    rules.on(row.spec),
                    rules.asks(row.spec),
                    reads_only=rules.reads_only(row.spec),
                )
                row.show_tool(shown, new=rules.is_new(row.spec), stale=rules.is_stale(row.spec))
                row.setEnabled(whole.on)
            elif isinstance(row, ToolKindRow):
                row.show_rules([ToolRule(rules.on(one), rules.asks(one)) for one in row.specs])
            else:
                row.show_rule(whole)

    def _rules(self) -> ToolRules:
        def value(name: str) -> object:
            return self.port.value("mode", name)

        return ToolRules(
            cast("dict[str, ToolRule]", value("tool_rules")),
            cast("dict[str, ToolRule]", value("source_rules")),
            cast("dict[str, tuple[str, ...]]", value("met_tools")),
            NewToolPolicy(str(value("new_tools"))),
        )

    def _given(self) -> tuple[Grant, ...]:
        return cast("tuple[Grant, ...]", self.port.value("mode", "always_allowed"))

    def _refused(self) -> list[str]:
        rules = self._rules().tools
        return [tool for tool, rule in rules.items() if rule.refused and not rule.on]

    def _show_grants(self) -> None:
        given = self._given()
        focus = self.window().focusWidget()
        focused = next((at for at, row in enumerate(self._grants) if row.button is focus), None)
        for row in self._grants:
            row.deleteLater()
            row.hide()
        self._grants = []
        specs = [spec for source in self._tools.sources() for spec in source.specs or ()]
        title = tool_titles(specs)
        forms = {spec.id: spec for spec in specs}
        for grant in given:
            spec = forms.get(grant.tool)
            stale = spec is not None and spec.form != grant.form
            made = GrantRow(self.theme, grant, title, stale=stale)
            made.revoke_requested.connect(partial(self._take_back, grant))
            self._grants.append(made)
        for tool in self._refused():
            refused = RefusedRow(self.theme, tool, title)
            refused.revoke_requested.connect(partial(self._offer_again, tool))
            self._grants.append(refused)
        for row in self._grants:
            self._update_style(row)
            self._place(row, self._allowed_box, self._grant_frame)
        self.none_allowed.set_relevant(not self._grants)
        self.rows = [*self._plain, *self._grants, *(row for row, _ in self._ruled)]
        if focused is not None:
            self._focus_grant(focused)

    def _focus_grant(self, at: int) -> None:
        """Keep the focus in the list whose focused row was replaced."""
        nearest = self._grants[: at + 1][-1:]
        part = nearest[0].button if nearest else self.fold
        if part is not None:
            part.setFocus(Qt.FocusReason.OtherFocusReason)

    # Changes by the user

    def _rule_tool(self, tool: str, rule: object) -> None:
        self._change("tool_rules", {**self._rules().tools, tool: cast("ToolRule", rule)})

    def _rule_kind(self, row: ToolKindRow, rule: object) -> None:
        """Give all tools of a kind this rule."""
        rules = self._rules()
        tools = dict(rules.tools)
        source = row.specs[0].source
        if not rules.sources.get(source, ToolRule()).on:  # all were off: only this kind is on now
            own = [
                spec for one, about in self._ruled if about.name == source for spec in _specs(one)
            ]
            tools |= {spec.id: ToolRule(on=False) for spec in own}
            others = {name: one for name, one in rules.sources.items() if name != source}
            self._change("source_rules", others)
        tools |= {spec.id: cast("ToolRule", rule) for spec in row.specs}
        self._change("tool_rules", tools)

    def _rule_source(self, source: str, rule: object) -> None:
        self._change("source_rules", {**self._rules().sources, source: cast("ToolRule", rule)})

    def _take_back(self, grant: Grant) -> None:
        self._change("always_allowed", tuple(one for one in self._given() if one != grant))

    def _offer_again(self, tool: str) -> None:
        rules = self._rules().tools
        on = replace(rules[tool], on=True, refused=False)
        self._change("tool_rules", {**rules, tool: on})

    def _change(self, name: str, value: object) -> None:
        try:
            self.port.change("mode", name, value)
        except KnownError as error:
            self.fields["ask_before_every_change"].set_error(format_error(error))

    # Calls by the window

    def setting_changed(self, section: str, name: str) -> None:
        super().setting_changed(section, name)
        if section == "mode" and name in _HEARD and self._seen:
            shown = [row.tool for row in self._grants if isinstance(row, RefusedRow)]
            if name == "always_allowed" or shown != self._refused():
                self._show_grants()
            self._refresh()

    def find_row(self, name: str) -> SettingsRow | None:
        """Return the first permission for the setting that has them all."""
        if name != "always_allowed":
            return super().find_row(name)
        self._begin()
        return self._grants[0] if self._grants else self.none_allowed

    def search(self, query: str) -> int:
        before, self._query = self._query, query
        if query:
            self._begin()
        found = super().search(query)
        if query:
            self._hidden_blocks = []
            for block in self._blocks:
                self._hide_empty(block)
        elif before:
            self._hide_blocks()
            self._again.start()
        return found

    def has_setting_named(self, query: str) -> bool:
        """Return whether a setting has this title, or whether this is a search for permissions.
        Tools don't count: a search for "motion" is about the appearance.
        """
        titles = (row.title.text().casefold() for row in self._plain)
        return any(matches_query(query, text) for text in (permission_search_text(), *titles))

    def set_theme(self, theme: Theme) -> None:
        for _ in self.set_theme_in_steps(theme):
            pass

    def set_theme_in_steps(self, theme: Theme) -> Iterator[None]:
        """Set the theme of each block in turn, because a style sheet on the page would restyle
        hundreds of widgets at once.
        """
        self._style_heading(theme)
        own = (self.heading, self.about, self.allowed, self.listed, self.reset)
        for part in (*own, *self._plain, *self._grants):
            self._update_style(part)
        for row in (*self._plain, *self._grants):
            row.set_theme(theme)
        self._style_frames(theme)
        yield
        for block in tuple(self._blocks):
            if block in self._blocks:  # they may have been replaced meanwhile
                self._update_style(block)
                for row in _rows(block):
                    row.set_theme(theme)
                yield

    def _update_style(self, part: QWidget) -> None:
        apply_window_theme(part, self.theme, controls_sheet(self.theme))

    def retranslate(self) -> None:
        super().retranslate()
        self.allowed.setText(tr("You said “always” or “never”"))
        self.none_allowed.set_texts(tr("Nothing yet."))
        self.listed.setText(tr("Rules by kind"))
        for row, _ in self._ruled:
            cast("ToolKindRow | SourceRow | ToolRow", row).retranslate()
        for grant in self._grants:
            grant.retranslate()

    async def aclose(self) -> None:
        self._unobserve()
        self._again.stop()
        await super().aclose()


@dataclass(frozen=True, slots=True)
class _WantedRow:
    """A row to be created: of a tool, of a kind of tools with `specs`, or of a source."""

    source: SourceTools
    group: str
    tool: ToolSpec | None = None
    kind: ToolKind | None = None
    specs: tuple[ToolSpec, ...] = ()


def _rows_of(source: SourceTools) -> list[_WantedRow]:
    """Return the rows of a source: the app's own tools by kind, the others together."""
    specs = source.specs or ()
    if source.name != APP_SOURCE:
        group = f"source {source.name}"
        return [
            _WantedRow(source, group),
            *(_WantedRow(source, group, tool=spec) for spec in specs),
        ]
    rows: list[_WantedRow] = []
    for kind in TOOL_KINDS:
        own = tuple(spec for spec in specs if kind_of(spec) is kind)
        if own:
            rows.append(_WantedRow(source, kind.name, kind=kind, specs=own))
            rows += [_WantedRow(source, kind.name, tool=spec) for spec in own]
    return rows


def _specs(row: RuleRow) -> tuple[ToolSpec, ...]:
    return row.specs if isinstance(row, ToolKindRow) else ()


def _rows(block: QWidget) -> list[SettingsRow]:
    return block.findChildren(SettingsRow, options=Qt.FindChildOption.FindDirectChildrenOnly)
