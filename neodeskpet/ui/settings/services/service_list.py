"""The services, a card for each; the error of their file; and the button that adds one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

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
from neodeskpet.ui.settings.services.service_presets import (
    OFFLINE,
    PRESETS,
    Preset,
    name_for,
    presets_for,
)
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.settings.settings_row import SettingsRow, scroll_into_view
from neodeskpet.ui.settings.settings_search import matches_query, search_text
from neodeskpet.ui.theme import Theme, set_style_sheet
from neodeskpet.ui.widgets.controls import TextEntry
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.undo_bar import UndoBar


class ServiceList(QWidget):
    """`changed()`: other services, or another one is open. `connected()`: a test of the open
    service succeeded.
    """

    changed = Signal()
    connected = Signal()
    companion_name: Callable[[], str] = staticmethod(lambda: "Neo")
    """Returns the name that a text contains. The owner sets it."""

    def __init__(self, port: CatalogPort, theme: Theme) -> None:
        super().__init__()
        self._port = port
        self._theme = theme
        self._narrow = False
        self._opened = ""
        self._was_opened = False
        self._column = FoldingCardList(self._card)
        self.cards = self._column.cards
        self.fault = CatalogErrorBar(theme)
        self.fault.start_over.clicked.connect(self._start_over)
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
        """Show the services that are in force."""
        catalog = self._port.catalog
        endpoints = catalog.endpoints
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
        """Open the card of this name and close the others; "" closes all."""
        if self.editor is not None:
            self.editor.cancel()
            self.cards[self._opened].set_form(None)
        self._opened = name if name in self.cards else ""
        self._was_opened = True
        if self._opened:
            form = ServiceEditor(self._port, name, self._theme)
            form.renamed.connect(self._renamed)
            form.moved.connect(lambda by: self._move(self._opened, by))
            form.removed.connect(lambda: self._remove(self._opened))
            form.connected.connect(self.connected)
            form.set_narrow(self._narrow)
            self.cards[name].set_form(form)
        self.changed.emit()

    def open_only_one(self) -> None:
        """Open the card of the only service, once."""
        if not self._was_opened and len(self.cards) == 1:
            self.open(next(iter(self.cards)))

    def open_new(self, name: str) -> None:
        """Open the card of a service that was just added: its key is entered, or it is tested."""
        self.open(name)
        if self.editor is not None:
            scroll_into_view(self.editor)
            self.editor.start_if_complete()

    def search(self, query: str) -> bool:
        """Show the list if a service or a field of its editor matches."""
        catalog = self._port.catalog
        named = (f"{one.name} {one.base_url}" for one in catalog.endpoints)
        models = (f"{one.id} {one.name}" for one in catalog.models)
        own = "\n".join((*named, *models)).casefold()
        found = bool(catalog.endpoints or not query) and matches_query(
            query, own + search_text((N_("Services"), *SEARCH_TEXTS))
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

    def _start_over(self) -> None:
        try:
            copy = self._port.start_over()
        except KnownError as error:
            self._say(format_error(error))
            return
        self._say(tr("The broken file is kept as {file}.", file=str(copy)) if copy else "")

    def _say(self, text: str) -> None:
        self.undo.show_text(text)
        if not text:
            self.refresh()  # resets a switch whose change failed

    def _show_note(self, some: bool) -> None:
        self.note.setVisible(self._port.outside or not some)
        if self._port.outside:
            self.note.setText(
                tr("The service of this run is set from outside. These are not used meanwhile.")
                if self._port.kept
                else tr("Set from outside for this run; a change here ends that.")
            )
        else:
            name = self.companion_name()
            self.note.setText(tr("No service yet. {name} works offline.", name=name))


class CatalogErrorBar(QFrame):
    """Shows the error of the services file. The file is only replaced when the user presses the
    button.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.text = PlainLabel()
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.again = QPushButton()
        self.start_over = QPushButton()
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.again)
        below.addWidget(self.start_over)
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
        set_style_sheet(
            self,
            f"CatalogErrorBar {{ background: {theme.surface}; border: 1px solid {theme.line};"
            f" border-left: 3px solid {theme.failed}; border-radius: {theme.control_radius}px; }}",
        )

    def retranslate(self) -> None:
        self.again.setText(tr("Look again"))
        self.again.setAccessibleName(tr("Look at the file again"))
        self.start_over.setText(tr("Keep a copy and start again"))


class AddServiceRow(SettingsRow):
    """A button with a menu of the known services. A service without a known address needs one.
    `added(name)`.
    """

    added = Signal(str)

    def __init__(self, port: CatalogPort, theme: Theme) -> None:
        self._port = port
        presets = presets_for(PROTOCOL_NAMES)
        self._presets = {name: one for name, one in presets.items() if name != OFFLINE}
        self._chosen: Preset | None = None
        self.button = QPushButton()
        self.button.setProperty("primary", True)
        self.menu = QMenu(self.button)
        self.button.setMenu(self.menu)
        self.address = TextEntry()
        self.confirm = QPushButton()
        words = (N_("Service"), N_("Add a service"), "fallback", *(p.title for p in PRESETS))
        super().__init__(
            theme,
            self.button,
            self.address,
            self.confirm,
            stack=search_text(words),
            wide=True,
        )
        self.title.hide()
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.address.returnPressed.connect(self._add_own)
        self.confirm.clicked.connect(self._add_own)
        self._show_address(False)

    def retranslate(self) -> None:
        self.menu.clear()
        for preset in self._presets.values():
            action = self.menu.addAction(preset.words)
            action.setData(preset.id)
            action.triggered.connect(lambda _=False, chosen=preset: self.choose(chosen.id))
        self.button.setText(tr("Add a service"))
        self.address.setPlaceholderText("https://…/v1")
        self.address.setAccessibleName(tr("Address of the new service"))
        self.confirm.setText(tr("Add"))
        self.confirm.setAccessibleName(tr("Add this service"))
        self.set_texts("")

    def choose(self, preset_id: str) -> None:
        """Add this service, or ask for its address."""
        self._chosen = self._presets[preset_id]
        self.set_error("")
        self._show_address(self._chosen.custom)
        if self._chosen.custom:
            self.address.setFocus()
        else:
            self._add(self._chosen, self._chosen.base_url)

    def _show_address(self, shown: bool) -> None:
        self.address.setVisible(shown)
        self.confirm.setVisible(shown)

    def _add_own(self) -> None:
        if self._chosen is not None:
            self._add(self._chosen, self.address.value())

    def _add(self, preset: Preset, address: str) -> None:
        name = name_for(preset.protocol, address)
        before = {one.name for one in self._port.catalog.endpoints}
        fields = {"name": name, "protocol": preset.protocol, "base_url": address}
        wrong = edit_catalog(
            self._port, lambda catalog: add_endpoint(catalog, make_endpoint(**fields))
        )
        self.set_error(wrong)
        if not wrong:
            self.address.set_value("")
            self._show_address(False)
            new = [one.name for one in self._port.catalog.endpoints if one.name not in before]
            self.added.emit(new[-1] if new else "")
