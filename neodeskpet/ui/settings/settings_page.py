"""A card of the settings, generated from the fields of a section; and the mapping of all cards,
each created when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo, SettingInfo
from neodeskpet.settings.settings_model import describe_sections
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.field_controls import CONTROLS
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import SettingsPort, matches_query, setting_search_text
from neodeskpet.ui.theme import Theme, apply_window_theme, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.labels import PlainLabel

GAP = 12
FRAME_MARGINS = (16, 12, 16, 12)
SHARED_SECTIONS = frozenset(
    info.section
    for section in describe_sections()
    for info in section.settings
    if info.section != section.name
)
"""Sections whose settings are on several cards."""


class SettingsPage(QWidget):
    """The title, the description and the rows of `section` in a frame; `fields` has the rows by the
    setting's name. Folded settings follow a row “More”, which shows them.
    """

    framed = True
    """False for a page whose rows have frames of their own."""

    def __init__(self, section: SectionInfo, port: SettingsPort, theme: Theme) -> None:
        super().__init__()
        self.section = section
        self.port = port
        self.theme = theme
        self.heading = PlainLabel()
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.about.setProperty("muted", True)
        self.frame = QFrame()
        self.frame.setProperty("card", self.framed)
        self.box = QVBoxLayout(self.frame)
        self.box.setContentsMargins(*(FRAME_MARGINS if self.framed else (0, 0, 0, 0)))
        self.box.setSpacing(GAP)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 8)
        outside.setSpacing(6)
        outside.addWidget(self.heading)
        outside.addWidget(self.about)
        outside.addWidget(self.frame)
        self.rows: list[SettingsRow] = []
        self.fold: FoldButton | None = None
        self.fields: dict[str, FieldRow] = {}
        self._query = ""
        self._notices: dict[QWidget, bool] = {}
        self.build()
        self.reset = ResetBar()
        self.reset.confirmed.connect(self._reset_settings)
        outside.addWidget(self.reset)
        outside.addStretch(1)  # the free space of a short page is below its rows

    def build(self) -> None:
        """Create the rows. A page that has more than generated rows extends this."""
        self.add_fields(self.section.settings)

    def add_fields(self, settings: Sequence[SettingInfo]) -> None:
        """Add the rows of `settings`: those that are always shown, then the folded ones."""
        for info in settings:
            if not info.folded:
                self.add_field(info)
        folded = [info for info in settings if info.folded]
        if folded:
            self.fold = FoldButton([info.title for info in folded])
            self.fold.toggled.connect(self._show_folded)
            self.box.addWidget(self.fold)
            for info in folded:
                self.add_field(info)
            self._show_folded(False)

    def add_field(self, info: SettingInfo) -> FieldRow:
        row = FieldRow(self.section, info, self.port, self.theme)
        self.fields[info.name] = row
        self.add_row(row)
        return row

    def unfold(self) -> None:
        """Show the folded settings."""
        if self.fold is not None:
            self.fold.setChecked(True)

    def _show_folded(self, shown: bool) -> None:
        for row in self.fields.values():
            if row.info.folded:
                row.set_folded(not shown)

    def _reset_settings(self) -> None:
        """Reset what this card shows. A section that is shown on one card alone is reset as a
        whole, with the settings that have no row.
        """
        own = self.section.name
        if own in SHARED_SECTIONS or any(info.section != own for info in self.section.settings):
            for info in self.section.settings:
                self.port.reset(info.section, info.name)
        else:
            self.port.reset(own)

    def add_row(self, row: SettingsRow) -> None:
        self.rows.append(row)
        self.box.addWidget(row)

    def add_notice(self, text: PlainLabel, role: str = "muted") -> None:
        """Add a text that belongs to no row. A search hides it. `role` is its style property."""
        text.setWordWrap(True)
        text.setProperty(role, True)
        self.box.addWidget(text)
        self.set_notice_visible(text, True)

    def set_notice_visible(self, notice: QWidget, wanted: bool) -> None:
        """Show or hide a widget that belongs to no row; a search hides it in any case."""
        self._notices[notice] = wanted
        notice.setVisible(wanted and not self._query)

    def remove_notice(self, notice: QWidget) -> None:
        """Forget a notice that is deleted."""
        self._notices.pop(notice, None)

    def setting_changed(self, section: str, name: str) -> None:
        """Show a setting that was changed, here or elsewhere."""
        row = self.fields.get(name)
        if row is not None and row.info.section == section:
            row.refresh()

    def show_error(self, name: str, text: str) -> None:
        """Show an error under a setting."""
        row = self.fields.get(name)
        if row is not None:
            row.set_error(text)

    def search(self, query: str) -> int:
        """Show the rows that match, all for an empty query; return their number."""
        self._query = query
        count = sum(row.search(query) for row in self.rows)
        for notice, wanted in self._notices.items():
            notice.setVisible(wanted and not query)
        self.about.setVisible(not query and bool(self.about.text()))
        self.reset.setVisible(not query)
        if self.fold is not None:
            self.fold.setVisible(not query)
        return count

    def has_setting_named(self, query: str) -> bool:
        """Return whether the title of one of its settings matches."""
        return any(matches_query(query, row.title.text().casefold()) for row in self.rows)

    def set_narrow(self, narrow: bool) -> None:
        for row in self.rows:
            row.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        self._style_heading(theme)
        apply_window_theme(self, theme, controls_sheet(theme))
        for row in self.rows:
            row.set_theme(theme)
        if self.fold is not None:
            self.fold.set_theme(theme)

    def _style_heading(self, theme: Theme) -> None:
        self.theme = theme
        self.heading.setFont(ui_font(theme, theme.font_px, bold=True))
        self.about.setFont(ui_font(theme, theme.small_px))

    def set_theme_in_steps(self, theme: Theme) -> Iterator[None]:
        """Set the theme. A page with so many rows that the window would not respond
        extends this.
        """
        self.set_theme(theme)
        yield

    async def aclose(self) -> None:
        """Store pending changes and end what runs."""

    def retranslate(self) -> None:
        self.heading.setText(tr(self.section.title))
        self.about.setText(tr(self.section.description))
        self.about.setVisible(bool(self.section.description))
        for row in self.fields.values():
            row.retranslate()
        self.reset.retranslate()
        if self.fold is not None:
            self.fold.retranslate()


class FoldButton(QPushButton):
    """The row “More (3)”, which shows or hides the settings with these English titles. It is as
    wide as its card; its text is elided if necessary.
    """

    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__()
        self._titles = titles
        self._full = ""
        self._theme: Theme | None = None
        self.setCheckable(True)
        mark_as_fold(self)
        self.setProperty("fold", True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _: self._show_state())

    def minimumSizeHint(self) -> QSize:
        return QSize(48, super().sizeHint().height())

    def retranslate(self) -> None:
        titles = tr(", ").join(tr(one) for one in self._titles)
        self._full = tr("More ({count})", count=str(len(self._titles)))
        self.setAccessibleName(self._full)
        self.setAccessibleDescription(titles)
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setFont(ui_font(theme, theme.small_px))
        self.setStyleSheet(
            "QPushButton { text-align: left; padding: 6px 0; border: none; background: transparent;"
            f" color: {theme.muted}; }}"
            f"QPushButton:hover {{ color: {theme.accent}; }}"
            f"QPushButton:focus {{ color: {theme.accent}; text-decoration: underline; }}"
        )
        self._show_state()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room = max(0, self.width() - self.iconSize().width() - 12)
        self.setText(self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, room))

    def _show_state(self) -> None:
        if self._theme is not None:
            name = "chevron-down" if self.isChecked() else "chevron-right"
            self.setIcon(icon(name, QColor(self._theme.muted), 16))


class FieldRow(SettingsRow):
    """The row of one setting, bound to the live settings."""

    def __init__(
        self, section: SectionInfo, info: SettingInfo, port: SettingsPort, theme: Theme
    ) -> None:
        self.info = info
        self._port = port
        self.describe: Callable[[], str] = lambda: tr(info.description)
        """The note of the row; a page may set another one."""
        self.control = CONTROLS[info.control](info, theme)
        super().__init__(theme, self.control, stack=setting_search_text(section, info))
        self.control.edited.connect(self._change)
        self.retranslate()
        self.refresh()

    def refresh(self) -> None:
        """Show the current value."""
        self.control.show_value(self._port.value(self.info.section, self.info.name))
        self.set_error("")
        self._explain()

    def retranslate(self) -> None:
        self.title.setText(tr(self.info.title))
        self.control.retranslate(tr(self.info.title))
        self._explain()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.control.set_theme(theme)

    def _explain(self) -> None:
        note = self.describe()
        if self._port.overridden(self.info.section, self.info.name):
            above = tr("Set from outside for this run; a change here ends that.")
            note = f"{note} {above}".strip()
        self.set_note(note)

    def _change(self, value: object) -> None:
        try:
            self._port.change(self.info.section, self.info.name, value)
        except KnownError as error:
            self.set_error(format_error(error))
        else:
            self.set_error("")
            self._explain()


class ResetBar(QWidget):
    """A button that resets the settings to their defaults after a confirmation. `confirmed()`."""

    confirmed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.ask = QPushButton()
        self.ask.setProperty("quiet", True)
        self.sure = QPushButton()
        self.keep = QPushButton()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 8, 0, 0)
        line.setSpacing(8)
        line.addStretch()
        for button in (self.ask, self.sure, self.keep):
            line.addWidget(button)
        self.ask.clicked.connect(lambda: self._show(True))
        self.keep.clicked.connect(lambda: self._show(False))
        self.sure.clicked.connect(self._confirm)
        self._show(False)

    def retranslate(self) -> None:
        self.ask.setText(tr("Reset…"))
        self.sure.setText(tr("Reset these settings"))
        self.keep.setText(tr("Cancel"))

    def _show(self, asking: bool) -> None:
        self.ask.setVisible(not asking)
        self.sure.setVisible(asking)
        self.keep.setVisible(asking)
        if asking:
            self.keep.setFocus()

    def _confirm(self) -> None:
        self._show(False)
        self.confirmed.emit()


@dataclass(frozen=True, slots=True)
class SettingsPageEntry:
    """`create` creates the page of `section`; it is called once."""

    section: SectionInfo
    create: Callable[[], SettingsPage]


class SettingsPages(Mapping[str, SettingsPage]):
    """Pages by the names of their sections. A lookup creates the page; `add` adds it to the window,
    in steps.

    `create_next` does one step at a time. A page that is only partly added is finished before any
    page is returned.
    """

    def __init__(
        self, entries: Sequence[SettingsPageEntry], add: Callable[[SettingsPage], Iterator[None]]
    ) -> None:
        self._add = add
        self._begun: Iterator[None] | None = None
        self._entries = {entry.section.name: entry for entry in entries}
        self._made: dict[str, SettingsPage] = {}
        self.sections = {entry.section.name: entry.section for entry in entries}

    def __getitem__(self, name: str) -> SettingsPage:
        self._close_unfinished()
        if name not in self._made:
            self._begin(name)
            self._close_unfinished()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def created(self) -> list[SettingsPage]:
        """Return the pages that exist, in their order."""
        self._close_unfinished()
        return [self._made[name] for name in self if name in self._made]

    def create_next(self, *first: str) -> bool:
        """Do one step towards creating the other pages, `first` before the others. Return False
        when all exist.
        """
        begun, self._begun = self._begun, None
        if begun is not None:
            for _ in begun:
                self._begun = begun
                break
            return True
        missing = next((name for name in (*first, *self) if name not in self._made), None)
        if missing is not None:
            self._begin(missing)
        return missing is not None

    def _begin(self, name: str) -> None:
        page = self._made[name] = self._entries[name].create()
        self._begun = self._add(page)

    def _close_unfinished(self) -> None:
        begun, self._begun = self._begun, None
        for _ in begun or ():
            pass
