"""The editor for a character's world book: one entry at a time, chosen from a list."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.characters.cards.character_card import (
    MOST_ENTRIES,
    MOST_TEXT_CHARACTERS,
    Lorebook,
    LoreEntry,
)
from neodeskpet.characters.cards.world_book import merge_books, runs_as_plain_text
from neodeskpet.language import tr
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.theme import Theme, ui_font
from neodeskpet.ui.widgets.controls import ComboBox, Switch, TextArea, TextEntry
from neodeskpet.ui.widgets.labels import PlainLabel, set_tooltip

_LINES = 6


class LorebookEditor(QWidget):
    """Signals: `changed(book)` has the whole book, None after its last entry was deleted;
    `import_requested()`: the user wants to import the entries of a file.
    """

    changed = Signal(object)
    import_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._book = Lorebook()
        self._at = 0
        self.entries = ComboBox(theme)
        self.add = QPushButton()
        self.drop = QPushButton()
        self.bring = QPushButton()
        self.keys = TextEntry()
        self.secondary = TextEntry()
        self.content = TextArea(MOST_TEXT_CHARACTERS, _LINES)
        self.enabled = Switch(theme)
        self.constant = Switch(theme)
        self.plain = PlainLabel()
        self.plain.setWordWrap(True)
        self.plain.setProperty("muted", True)
        self.budget = TextEntry()
        self.rows = {
            "entries": SettingsRow(theme, self.entries),
            "keys": SettingsRow(theme, self.keys),
            "secondary": SettingsRow(theme, self.secondary),
            "content": SettingsRow(theme, self.content, wide=True),
            "enabled": SettingsRow(theme, self.enabled),
            "constant": SettingsRow(theme, self.constant),
            "budget": SettingsRow(theme, self.budget),
        }
        for button in (self.add, self.drop, self.bring):
            self.rows["entries"].below.addWidget(button)
        self._lay_out()
        self._connect()

    def show_book(self, book: Lorebook | None) -> None:
        self._book = book or Lorebook()
        self._at = min(self._at, max(0, len(self._book.entries) - 1))
        self._show()

    def retranslate(self) -> None:
        texts = {
            "entries": (
                tr("World book"),
                tr("Texts that the model gets when one of their keywords occurs in the chat."),
            ),
            "keys": (tr("Keywords"), tr("Separated by commas.")),
            "secondary": (tr("Further keywords"), tr("One of these must have been said too.")),
            "content": (tr("Text for the model"), ""),
            "enabled": (tr("In use"), ""),
            "constant": (tr("Always told"), ""),
            "budget": (
                tr("Tokens at most"),
                tr("For all entries together; empty for what the app grants."),
            ),
        }
        for name, (title, note) in texts.items():
            self.rows[name].set_texts(title, note)
            self.rows[name].controls[0].setAccessibleName(title)
        self.add.setText(tr("Add"))
        self.drop.setText(tr("Remove"))
        self.bring.setText(tr("Import…"))
        set_tooltip(self.bring, tr("Adds the entries of a world book (JSON), or of a card's."))
        self.plain.setText(
            tr(
                "A regular expression among the keywords can't be used here: it is searched for "
                "as plain text."
            )
        )
        self._show()

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows.values():
            row.set_theme(theme)
            row.set_narrow(True)
        for switch in (self.enabled, self.constant):
            switch.set_theme(theme)
        self.entries.set_theme(theme)
        self.plain.setFont(ui_font(theme, theme.small_px))

    def add_entries(self, book: Lorebook) -> None:
        """Add the entries of another book."""
        self.content.flush()
        self._at = len(self._book.entries)
        self._book = merge_books(self._book if self._book.entries else None, book)
        self._at = min(self._at, len(self._book.entries) - 1)
        self._put(self._book.entries)

    def flush(self) -> None:
        """Report changes that are not reported yet."""
        self.content.flush()

    def _show(self) -> None:
        entries = self._book.entries
        self.entries.set_options([(str(at), _title(one, at)) for at, one in enumerate(entries)])
        self.entries.set_value(str(self._at))
        there = bool(entries)
        for name, row in self.rows.items():
            row.setVisible(there or name == "entries")
        self.entries.setVisible(there)
        self.drop.setVisible(there)
        self.add.setEnabled(len(entries) < MOST_ENTRIES)
        self.budget.refresh("" if self._book.budget is None else str(self._book.budget))
        self.plain.hide()
        if not there:
            return
        entry = entries[self._at]
        self.keys.refresh(", ".join(entry.keys))
        self.secondary.refresh(", ".join(entry.secondary) if entry.selective else "")
        self.content.refresh(entry.content)
        self.enabled.setChecked(entry.enabled)
        self.constant.setChecked(entry.constant)
        self.plain.setVisible(any(runs_as_plain_text(one, regex=entry.regex) for one in entry.keys))

    def _lay_out(self) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        for name in ("entries", "keys", "secondary", "content"):
            box.addWidget(self.rows[name])
        box.addWidget(self.plain)
        both = QHBoxLayout()
        for name in ("enabled", "constant"):
            both.addWidget(self.rows[name])
        box.addLayout(both)
        box.addWidget(self.rows["budget"])

    def _connect(self) -> None:
        self.entries.chosen.connect(self._go_to)
        self.add.clicked.connect(self._add)
        self.drop.clicked.connect(self._drop)
        self.bring.clicked.connect(self.import_requested)
        self.keys.typed.connect(lambda text: self._change(keys=_keys(text)))
        self.secondary.typed.connect(
            lambda text: self._change(secondary=_keys(text), selective=bool(_keys(text)))
        )
        self.content.typed.connect(lambda text: self._change(content=text))
        self.enabled.clicked.connect(lambda on: self._change(enabled=on))
        self.constant.clicked.connect(lambda on: self._change(constant=on))
        self.budget.typed.connect(self._set_budget)

    def _go_to(self, value: str) -> None:
        self.content.flush()
        self._at = int(value)
        entry = self._book.entries[self._at]
        self.keys.set_value(", ".join(entry.keys))
        self.content.set_value(entry.content)
        self._show()

    def _add(self) -> None:
        self.content.flush()
        self._at = len(self._book.entries)
        self.content.set_value("")
        self.keys.set_value("")
        self._put((*self._book.entries, LoreEntry()))
        self.keys.setFocus()

    def _drop(self) -> None:
        at, entries = self._at, self._book.entries
        self._at = max(0, at - 1)
        self._put((*entries[:at], *entries[at + 1 :]))

    def _change(self, **values: object) -> None:
        at, entries = self._at, self._book.entries
        if at < len(entries):
            changed = replace(entries[at], **values)  # type: ignore[arg-type]
            self._put((*entries[:at], changed, *entries[at + 1 :]))

    def _set_budget(self, text: str) -> None:
        known = text.isascii() and text.isdigit() and len(text) < 8
        self._book = replace(self._book, budget=int(text) if known else None)
        self._put(self._book.entries)

    def _put(self, entries: tuple[LoreEntry, ...]) -> None:
        self._book = replace(self._book, entries=entries)
        self._show()
        self.changed.emit(self._book if entries else None)


_KEY = re.compile(r"\s*/(?:[^/\\]|\\.)+/[a-z]*(?=\s*(?:[,，]|\Z))|[^,，]+")
"""Matches one keyword; a comma inside a regular expression doesn't separate keywords."""


def _keys(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in _KEY.findall(text) if one.strip())


def _title(entry: LoreEntry, at: int) -> str:
    words = " ".join((entry.name or ", ".join(entry.keys) or entry.content).split())
    return f"{at + 1}. {words[:40]}".rstrip(". ") if words else f"{at + 1}."
