"""A card of the settings, generated from the fields of a section; and the mapping of all cards,
each created when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.language import format_error, tr
from neodeskpet.settings.setting_fields import SectionInfo, SettingInfo
from neodeskpet.settings.settings_model import describe_sections, setting_info
from neodeskpet.ui.icons import icon
from neodeskpet.ui.settings.field_controls import CONTROLS
from neodeskpet.ui.settings.settings_row import (
    CARD_PADDING,
    ROW_PADDING,
    CardFrame,
    SettingsRow,
    paint_row_line,
)
from neodeskpet.ui.settings.settings_search import SettingsPort, matches_query, setting_search_text
from neodeskpet.ui.settings.settings_undo import EDITED_WITHOUT_ROW
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.accessible import mark_as_fold
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.labels import PlainLabel

GAP = 12
FOLD_HEIGHT = 36
CARD_DISTANCE = 24
"""The space between a card and the title of the next one."""
_NOTICE_MARGINS = (16, 8, 16, 8)
SHARED_SECTIONS = frozenset(
    info.section
    for section in describe_sections()
    for info in section.settings
    if info.section != section.name
)
"""Sections whose settings are on several cards."""


class SettingsPage(QWidget):
    """The title, the description and the rows of `section` in a frame; `fields` has the rows by the
    setting's name. Folded settings follow a row “More”, which shows them. `link_requested(name)`:
    the user wants to see this card or group.
    """

    link_requested = Signal(str)
    framed = True
    """False for a page whose rows have frames of their own."""
    companion_name: Callable[[], str] = staticmethod(lambda: "Neo")
    """Returns the name that the texts contain. The window sets it."""

    def __init__(self, section: SectionInfo, port: SettingsPort, theme: Theme) -> None:
        super().__init__()
        self.section = section
        self.port = port
        self.theme = theme
        self.heading = PlainLabel()
        self.about = PlainLabel()
        self.about.setWordWrap(True)
        self.about.setProperty("muted", True)
        self.reset = ResetBar()
        self.reset.confirmed.connect(self._reset_settings)
        self.frame, self.box = self._make_frame(self.framed)
        self._sections: list[tuple[PlainLabel, CardFrame]] = []
        line = QHBoxLayout()
        line.addWidget(self.heading, 1)
        line.addWidget(self.reset)
        top = QVBoxLayout()
        top.setSpacing(2)
        top.addLayout(line)
        top.addWidget(self.about)
        self.above_frame, self.below_frame = QVBoxLayout(), QVBoxLayout()
        self.outside = QVBoxLayout(self)
        self.outside.setContentsMargins(0, CARD_DISTANCE, 0, 0)
        self.outside.setSpacing(8)
        self.outside.addLayout(top)
        for part in (self.above_frame, self.below_frame):
            part.setSpacing(8)
        self.outside.addLayout(self.above_frame)
        self.outside.addWidget(self.frame)
        self.outside.addLayout(self.below_frame)
        self.rows: list[SettingsRow] = []
        self.fold: FoldButton | None = None
        self.fields: dict[str, FieldRow] = {}
        self._query = ""
        self._notices: dict[QWidget, bool] = {}
        self.build()
        self._show_reset()
        self.outside.addStretch(1)  # the free space of a short page is below its rows

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
            self.fold = FoldButton([info.title for info in folded], self.theme)
            self.fold.toggled.connect(self._show_folded)
            self.box.addWidget(self.fold)
            self.fold.join_card(self.frame)
            for info in folded:
                self.add_field(info)
            self._show_folded(False)

    def add_field(self, info: SettingInfo) -> FieldRow:
        row = FieldRow(self.section, info, self.port, self.theme, self._current_name)
        self.fields[info.name] = row
        self.add_row(row)
        return row

    def _current_name(self) -> str:
        return self.companion_name()

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
        if self._resets_section():
            self.port.reset(self.section.name)
        else:
            for info in self.section.settings:
                self.port.reset(info.section, info.name)

    def _resets_section(self) -> bool:
        """Whether the whole section is on this card, and nothing else."""
        own, settings = self.section.name, self.section.settings
        alone = own not in SHARED_SECTIONS and all(info.section == own for info in settings)
        return alone and bool(settings)

    def add_row(self, row: SettingsRow, card: CardFrame | None = None) -> None:
        """Add a row to the page's own card, or to one of `add_section`."""
        frame = card or self.frame
        box = frame.layout()
        assert box is not None
        self.rows.append(row)
        box.addWidget(row)
        row.join_card(frame)

    def add_section(self, *, framed: bool = True) -> tuple[PlainLabel, CardFrame, QVBoxLayout]:
        """Add a heading and a further card below the others; rows in it call `join_card`."""
        heading = PlainLabel()
        heading.setWordWrap(True)
        frame, box = self._make_frame(framed)
        self._sections.append((heading, frame))
        self.outside.addSpacing(CARD_DISTANCE - self.outside.spacing())
        self.outside.addWidget(heading)
        self.outside.addWidget(frame)
        return heading, frame, box

    def _make_frame(self, framed: bool) -> tuple[CardFrame, QVBoxLayout]:
        frame = CardFrame(self.theme, framed=framed)
        box = QVBoxLayout(frame)
        around = CARD_PADDING if framed else 0
        box.setContentsMargins(0, around, 0, around)
        box.setSpacing(0 if framed else GAP)
        return frame, box

    def add_notice(self, text: PlainLabel, role: str = "muted") -> None:
        """Add a text that belongs to no row. A search hides it. `role` is its style property."""
        text.setWordWrap(True)
        text.setProperty(role, True)
        if self.framed:
            text.setContentsMargins(*_NOTICE_MARGINS)
        self.box.addWidget(text)
        text.setFont(ui_font(self.theme, self.theme.small_px))
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
            self._show_reset()

    def find_row(self, name: str) -> SettingsRow | None:
        """Return the row of a setting. A page that has other rows for one extends this."""
        return self.fields.get(name)

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
        self._show_reset()
        if self.fold is not None:
            self.fold.setVisible(not query)
        self._show_frames()
        return count

    def _show_frames(self) -> None:
        """Hide the headings and the cards without rows while a search is shown."""
        for heading, frame in ((None, self.frame), *self._sections):
            rows = frame.findChildren(SettingsRow)
            shown = not self._query or any(not row.isHidden() for row in rows)
            frame.setVisible(shown)
            if heading is not None:
                heading.setVisible(shown)

    def _show_reset(self) -> None:
        """Offer a reset if a setting of this card was changed."""
        infos = list(self.section.settings)
        if self._resets_section():
            paths = (path.split(".") for path in EDITED_WITHOUT_ROW)
            own = self.section.name
            infos += [setting_info(*path) for path in paths if path[0] == own]
        changed = any(self.port.value(one.section, one.name) != one.default for one in infos)
        self.reset.setVisible(changed and not self._query)

    def has_setting_named(self, query: str) -> bool:
        """Return whether the title of one of its settings matches."""
        return any(matches_query(query, row.title.text().casefold()) for row in self.rows)

    def set_narrow(self, narrow: bool) -> None:
        """Arrange forms and buttons for a narrow window. The rows arrange themselves."""

    def set_theme(self, theme: Theme) -> None:
        self._style_heading(theme)
        apply_window_theme(self, theme, controls_sheet(theme))
        for row in self.rows:
            row.set_theme(theme)
        self._style_frames(theme)

    def _style_frames(self, theme: Theme) -> None:
        for notice in self._notices:
            notice.setFont(ui_font(theme, theme.small_px))
        for heading, frame in self._sections:
            heading.setFont(ui_font(theme, theme.font_px, bold=True))
            frame.set_theme(theme)
        self.frame.set_theme(theme)
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
        name = self.companion_name()
        self.heading.setText(tr(self.section.title, name=name))
        self.about.setText(tr(self.section.description, name=name))
        self.about.setVisible(bool(self.section.description) and not self._query)
        for row in self.fields.values():
            row.retranslate()
        self.reset.retranslate()
        if self.fold is not None:
            self.fold.retranslate(name)


class FoldButton(QPushButton):
    """The row “More: …”, which shows or hides the settings with these English titles; their number
    is at the right. It is as wide as its card; its text is elided if necessary.
    """

    def __init__(self, titles: Sequence[str], theme: Theme) -> None:
        super().__init__()
        self._titles = titles
        self._full = ""
        self._theme = theme
        self._card: CardFrame | None = None
        self._count = PlainLabel(str(len(titles)))
        self._count.setProperty("muted", True)
        self._count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setCheckable(True)
        mark_as_fold(self)
        self.setProperty("fold", True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._line = QHBoxLayout(self)
        self._line.addStretch()
        self._line.addWidget(self._count)
        self.toggled.connect(lambda _: self._show_state())

    def join_card(self, card: CardFrame) -> None:
        """Use the padding of a row of this card, and paint a line above it."""
        self._card = card

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scale_to_font(FOLD_HEIGHT, self._theme))

    def minimumSizeHint(self) -> QSize:
        return QSize(48, self.sizeHint().height())

    def retranslate(self, name: str = "Neo") -> None:
        """Show the texts in the current language; `name` is the companion's."""
        titles = tr(", ").join(tr(one, name=name) for one in self._titles)
        self._full = tr("More: {titles}", titles=titles)
        self.setAccessibleName(self._full)
        self.setAccessibleDescription(str(len(self._titles)))
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        side = self._padding
        self._line.setContentsMargins(side, 0, side, 0)
        for part in (self, self._count):
            part.setFont(ui_font(theme, theme.small_px))
        self.setStyleSheet(
            f"QPushButton {{ text-align: left; padding: 0 {side}px; border: none;"
            f" background: transparent; color: {theme.muted}; }}"
            f"QPushButton:hover {{ color: {theme.accent}; }}"
            f"QPushButton:focus {{ color: {theme.accent}; text-decoration: underline; }}"
        )
        self._show_state()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._card is not None and self._card.framed:
            paint_row_line(self, self._card, self._theme)

    @property
    def _padding(self) -> int:
        return ROW_PADDING if self._card is not None and self._card.framed else 0

    def _fit(self) -> None:
        taken = self.iconSize().width() + 2 * self._padding + self._count.sizeHint().width()
        room = max(0, self.width() - taken - 28)
        self.setText(self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, room))

    def _show_state(self) -> None:
        name = "chevron-down" if self.isChecked() else "chevron-right"
        self.setIcon(icon(name, QColor(self._theme.muted), 16))


class FieldRow(SettingsRow):
    """The row of one setting, bound to the live settings. `more` controls follow its own."""

    def __init__(
        self,
        section: SectionInfo,
        info: SettingInfo,
        port: SettingsPort,
        theme: Theme,
        companion_name: Callable[[], str] = lambda: "Neo",
        *more: QWidget,
    ) -> None:
        self.info = info
        self._port = port
        self._companion_name = companion_name
        self.describe: Callable[[], str] = lambda: tr(info.description, name=companion_name())
        """The note of the row; a page may set another one."""
        self.control = CONTROLS[info.control](info, theme)
        super().__init__(
            theme,
            self.control,
            *more,
            stack=setting_search_text(section, info),
            width=self.control.row_width,
            wide=self.control.takes_line,
        )
        self.control.edited.connect(self._change)
        self.retranslate()
        self.refresh()

    def refresh(self) -> None:
        """Show the current value."""
        self.control.show_value(self._port.value(self.info.section, self.info.name))
        self.set_error("")
        self._explain()

    def retranslate(self) -> None:
        title = tr(self.info.title, name=self._companion_name())
        self.title.setText(title)
        self.control.retranslate(title)
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
        self._store(self.info, value)

    def _store(self, info: SettingInfo, value: object) -> None:
        """Store a value of the row, or show the error."""
        try:
            self._port.change(info.section, info.name, value)
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
        line.setContentsMargins(0, 0, 0, 0)
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
