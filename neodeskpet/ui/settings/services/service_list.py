"""The services there are, one card each; what is wrong with their file; and how to add one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, translate_error
from neodeskpet.llm.catalog.catalog_editing import (
    add_endpoint,
    change_endpoint,
    make_endpoint,
    move_endpoint,
    remove_endpoint,
)
from neodeskpet.ui.settings.folding_card import FoldingCardList
from neodeskpet.ui.settings.services.service_card import PROTOCOL_NAMES, ServiceCard
from neodeskpet.ui.settings.services.service_editor import SEARCH_TEXTS, ServiceEditor
from neodeskpet.ui.settings.services.service_presets import OFFLINE, PRESETS, name_for, presets_for
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.settings.settings_row import SettingsRow
from neodeskpet.ui.settings.settings_search import matches_query, search_text
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.controls import ComboBox, TextEntry
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar


class ServiceList(QWidget):
    """`changed()`: the services are others now, or another is open."""

    changed = Signal()

    def __init__(self, port: CatalogPort, theme: Theme) -> None:
        super().__init__()
        self._port = port
        self._theme = theme
        self._narrow = False
        self._opened = ""
        self._column = FoldingCardList(self._card)
        self.cards = self._column.cards
        self.fault = CatalogErrorBar(theme)
        self.fault.anew.clicked.connect(self._start_anew)
        self.fault.again.clicked.connect(port.refresh)
        self.note = PlainLabel()
        self.note.setProperty("muted", True)
        self.note.setWordWrap(True)
        self.undo = UndoBar(theme)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(10)
        for part in (self.fault, self.note):
            box.addWidget(part)
        box.addLayout(self._column.box)
        box.addWidget(self.undo)
        port.subscribe(self.refresh)
        self.retranslate()

    @property
    def editor(self) -> ServiceEditor | None:
        """The form of the open card."""
        card = self.cards.get(self._opened)
        form = card.form if card else None
        return form if isinstance(form, ServiceEditor) else None

    def refresh(self) -> None:
        """Show what counts now."""
        catalog = self._port.catalog
        endpoints = catalog.endpoints if self._port.kept else ()
        names = [endpoint.name for endpoint in endpoints]
        if self._opened and self._opened not in names:
            self.open("")
        self._column.keep(names)
        for endpoint in endpoints:
            count = sum(model.endpoint == endpoint.name for model in catalog.models)
            self.cards[endpoint.name].show_endpoint(
                endpoint, count, self._port.tested(endpoint.name)
            )
        if self.editor is not None:
            self.editor.refresh()
        self.fault.show_error(self._port.fault)
        self._show_note(bool(endpoints))
        self.changed.emit()

    def open(self, name: str) -> None:
        """Open the card of this name, and close the other; "" closes all."""
        if self.editor is not None:
            self.editor.cancel()
            self.cards[self._opened].set_form(None)
        self._opened = name if name in self.cards else ""
        if self._opened:
            form = ServiceEditor(self._port, name, self._theme)
            form.renamed.connect(self._renamed)
            form.moved.connect(lambda by: self._move(self._opened, by))
            form.removed.connect(lambda: self._remove(self._opened))
            form.set_narrow(self._narrow)
            self.cards[name].set_form(form)
        self.changed.emit()

    def search(self, query: str) -> bool:
        """Show the list if a service, or what one is set up with, has these words."""
        catalog = self._port.catalog
        named = (f"{one.name} {one.base_url}" for one in catalog.endpoints)
        models = (f"{one.id} {one.name}" for one in catalog.models)
        own = "\n".join((*named, *models)).casefold()
        found = self._port.kept and matches_query(
            query, own + search_text((N_("Service"), *SEARCH_TEXTS))
        )
        self.setVisible(found)
        return found

    def cancel(self) -> None:
        """Stop what runs."""
        if self.editor is not None:
            self.editor.cancel()

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        if self.editor is not None:
            self.editor.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._column.set_theme(theme)
        for part in (self.fault, self.undo):
            part.set_theme(theme)
        if self.editor is not None:
            self.editor.set_theme(theme)

    def retranslate(self) -> None:
        self.fault.retranslate()
        self.undo.retranslate()
        if self.editor is not None:
            self.editor.retranslate()
        self.refresh()

    def _card(self, name: str) -> ServiceCard:
        card = ServiceCard(self._theme)
        card.opened.connect(lambda wanted: self.open(self._name_of(card) if wanted else ""))
        card.moved.connect(lambda by: self._move(self._name_of(card), by))
        card.switched.connect(lambda on: self._switch(self._name_of(card), on))
        return card

    def _name_of(self, card: ServiceCard) -> str:
        return next(name for name, one in self.cards.items() if one is card)

    def _renamed(self, name: str) -> None:
        before, self._opened = self._opened, name
        self.cards[name] = self.cards.pop(before)

    def _move(self, name: str, by: int) -> None:
        self._say(edit_catalog(self._port, lambda catalog: move_endpoint(catalog, name, by)))

    def _switch(self, name: str, on: bool) -> None:
        self._say(edit_catalog(self._port, lambda catalog: change_endpoint(catalog, name, on=on)))

    def _remove(self, name: str) -> None:
        try:
            undo = self._port.edit(lambda catalog: remove_endpoint(catalog, name))
        except KnownError as error:
            self._say(format_error(error))
            return
        self.undo.show_undo(tr("{name} and its models are removed.", name=name), undo)

    def _start_anew(self) -> None:
        try:
            copy = self._port.start_anew()
        except KnownError as error:
            self._say(format_error(error))
            return
        self._say(tr("The broken file is kept as {file}.", file=str(copy)) if copy else "")

    def _say(self, text: str) -> None:
        self.undo.show_text(text)
        if not text:
            self.refresh()  # a switch that was refused goes back

    def _show_note(self, some: bool) -> None:
        self.note.setVisible(self._port.kept and (self._port.outside or not some))
        self.note.setText(
            tr("For this run the service is set from outside; these wait.")
            if self._port.outside
            else tr("There is no service: the offline helper answers.")
        )


class CatalogErrorBar(QFrame):
    """What is wrong with the file of the services. It is never written over without being asked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.again = QPushButton()
        self.anew = QPushButton()
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.again)
        below.addWidget(self.anew)
        below.addStretch()
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 12, 16, 12)
        box.setSpacing(10)
        box.addWidget(self.text)
        box.addLayout(below)
        self.set_theme(theme)
        self.hide()

    def show_error(self, fault: KnownError | None) -> None:
        self.setVisible(fault is not None)
        self.text.setText("" if fault is None else "\n".join(translate_error(fault)))

    def set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"CatalogErrorBar {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-left: 3px solid {theme.failed}; border-radius: {theme.control_radius}px; }}"
        )

    def retranslate(self) -> None:
        self.again.setText(tr("Look again"))
        self.again.setAccessibleName(tr("Look at the file again"))
        self.anew.setText(tr("Keep a copy and start anew"))


class AddServiceRow(SettingsRow):
    """A preset, an address where there is none known, and a button. `added(name)`."""

    added = Signal(str)

    def __init__(self, port: CatalogPort, theme: Theme) -> None:
        self._port = port
        presets = presets_for(PROTOCOL_NAMES)
        self._presets = {name: one for name, one in presets.items() if name != OFFLINE}
        self.preset = ComboBox(theme)
        self.address = TextEntry()
        self.button = QPushButton()
        words = (N_("Service"), N_("Add a service"), "fallback", *(p.title for p in PRESETS))
        super().__init__(theme, self.preset, self.button, stack=search_text(words))
        self.below.addWidget(self.address, 1)
        self.preset.chosen.connect(lambda _: self._show())
        self.address.returnPressed.connect(self._add)
        self.button.clicked.connect(self._add)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.preset.set_theme(theme)

    def retranslate(self) -> None:
        self.preset.set_options([(p.id, p.words) for p in self._presets.values()])
        if not self.preset.value():
            self.preset.set_value(next(iter(self._presets)))
        self.preset.setAccessibleName(tr("Add a service"))
        self.address.setPlaceholderText("https://…/v1")
        self.address.setAccessibleName(tr("Address of the new service"))
        self.button.setText(tr("Add"))
        self.button.setAccessibleName(tr("Add this service"))
        note = tr("Several services stand in for one another, or do different things.")
        self.set_texts(tr("Add a service"), note)
        self._show()

    def _show(self) -> None:
        preset = self._presets[self.preset.value()]
        self.address.setVisible(preset.custom)
        self.set_error("")

    def _add(self) -> None:
        preset = self._presets[self.preset.value()]
        address = self.address.value() if preset.custom else preset.base_url
        name = name_for(preset.protocol, address)
        before = {one.name for one in self._port.catalog.endpoints}
        fields = {"name": name, "protocol": preset.protocol, "base_url": address}
        wrong = edit_catalog(
            self._port, lambda catalog: add_endpoint(catalog, make_endpoint(**fields))
        )
        self.set_error(wrong)
        if not wrong:
            self.address.set_value("")
            new = [one.name for one in self._port.catalog.endpoints if one.name not in before]
            self.added.emit(new[-1] if new else "")
