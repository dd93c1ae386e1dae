"""The models of one service: those that are used, and a list of all that it offers, to tick."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_
from neodeskpet.language import format_error, tr, tr_count
from neodeskpet.llm.catalog.catalog_editing import add_model, remove_model
from neodeskpet.llm.catalog.model_catalog import Catalog, ModelEntry
from neodeskpet.llm.chain.model_selection import complete_choice
from neodeskpet.ui.settings.services.model_details import ModelDetails, ModelLine, abilities_text
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, checkbox_rules
from neodeskpet.ui.widgets.controls import TextEntry
from neodeskpet.ui.widgets.labels import PlainLabel
from neodeskpet.ui.widgets.search_field import SearchField

_LIST_HEIGHT = 264


class ServiceModels(QWidget):
    """What is ticked is kept at once."""

    def __init__(self, port: CatalogPort, name: str, theme: Theme) -> None:
        super().__init__()
        self._port = port
        self._name = name
        self._theme = theme
        self._narrow = False
        self._work = TaskRunner("models on offer", failed=self._fail, changed=self._show_work)
        self._offered: tuple[str, ...] = ()
        self.lines: dict[str, ModelLine] = {}
        self._used = QVBoxLayout()
        self._used.setSpacing(4)
        self.none = PlainLabel()
        self.none.setProperty("muted", True)
        self.none.setWordWrap(True)
        self.choose = QPushButton()
        self.choose.setCheckable(True)
        self.wrong = PlainLabel()
        self.wrong.setProperty("failed", True)
        self.wrong.setWordWrap(True)
        self.wrong.hide()
        self.picker = self._make_picker(theme)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addWidget(self.choose, 0, Qt.AlignmentFlag.AlignLeft)
        box.addWidget(self.picker)
        box.addWidget(self.wrong)  # below the list, as all that a tick changes: it stays in place
        box.addWidget(self.none)
        box.addLayout(self._used)
        self._above = QWidget(self)  # never seen: the place in the order of Tab before the lines
        self._above.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._above.hide()
        self.choose.toggled.connect(self._open_picker)

    def set_service(self, name: str) -> None:
        """The models of the service of this name, at the address it has now."""
        self._name = name
        self._offered = ()
        self.choose.setChecked(False)
        for line in self.lines.values():
            line.set_details(None)

    def refresh(self) -> None:
        """Show the models there are now."""
        catalog = self._port.catalog
        entries = [one for one in catalog.models if one.endpoint == self._name]
        while self._used.count():
            self._used.takeAt(0)
        kept = {entry.display_name for entry in entries}
        for called in [one for one in self.lines if one not in kept]:
            line = self.lines.pop(called)
            line.hide()
            line.deleteLater()
        for entry in entries:
            self._used.addWidget(self._line(catalog, entry))
        self.none.setVisible(not entries)
        self._show_ticks(entries)
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Lines and details are made late; the Tab key goes through them from above."""
        before: QWidget = self._above
        for line in self.lines.values():
            for widget in line.tab_order():
                QWidget.setTabOrder(before, widget)
                before = widget

    def cancel(self) -> None:
        self._work.cancel_all()

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        for line in self.lines.values():
            if line.facts is not None:
                line.facts.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.search.set_theme(theme)
        self.list.setStyleSheet(
            f"QListWidget {{ background: {theme.surface}; border: 1px solid {theme.control_line};"
            f" border-radius: {theme.control_radius}px; }}" + checkbox_rules("QListWidget", theme)
        )
        for line in self.lines.values():
            line.set_theme(theme)

    def retranslate(self) -> None:
        self.none.setText(tr("No model is chosen yet."))
        self.search.set_placeholder(tr("Search the models on offer"))
        self.list.setAccessibleName(tr("Models on offer"))
        self.written.setPlaceholderText(tr("Or write a model's name"))
        self.written.setAccessibleName(tr("A model's name"))
        self.add.setText(tr("Add"))
        self.add.setAccessibleName(tr("Add the model of this name"))
        for line in self.lines.values():
            line.retranslate()
            if line.facts is not None:
                line.facts.retranslate()
        self._show_work()

    def _make_picker(self, theme: Theme) -> QWidget:
        self.search = SearchField(theme)
        self.search.textChanged.connect(lambda _: self._filter())
        self.list = QListWidget()
        self.list.setFixedHeight(_LIST_HEIGHT)
        self.list.itemChanged.connect(self._ticked)
        self.note = PlainLabel()
        self.note.setProperty("muted", True)
        self.note.setWordWrap(True)
        self.written = TextEntry()
        self.written.returnPressed.connect(self._add_written)
        self.add = QPushButton()
        self.add.clicked.connect(self._add_written)
        own = QHBoxLayout()
        own.setSpacing(8)
        own.addWidget(self.written, 1)
        own.addWidget(self.add)
        made = QWidget()
        box = QVBoxLayout(made)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        for part in (self.search, self.list, self.note):
            box.addWidget(part)
        box.addLayout(own)
        made.hide()
        return made

    def _line(self, catalog: Catalog, entry: ModelEntry) -> ModelLine:
        line = self.lines.get(entry.display_name)
        if line is None:
            line = made = ModelLine(self._theme)
            made.remove.clicked.connect(lambda: self._remove(made.model_name))
            made.details.toggled.connect(lambda wanted: self._open_facts(made, wanted))
            self.lines[entry.display_name] = made
        endpoint = catalog.endpoint(entry.endpoint)
        assert endpoint is not None
        line.show_model(complete_choice(endpoint, entry))
        if line.facts is not None:
            line.facts.refresh()
        return line

    def _open_facts(self, line: ModelLine, wanted: bool) -> None:
        if not wanted:
            line.set_details(None)
            return
        called = next(name for name, one in self.lines.items() if one is line)
        facts = ModelDetails(self._port, self._name, called, self._theme)
        facts.renamed.connect(self._renamed)
        facts.set_narrow(self._narrow)
        line.set_details(facts)
        self._order_tabs()

    def _renamed(self, before: str, after: str) -> None:
        self.lines = {after if name == before else name: line for name, line in self.lines.items()}

    # The list of all that is offered

    def _open_picker(self, wanted: bool) -> None:
        self.picker.setVisible(wanted)
        if not wanted:
            self._work.cancel_task("ask")
        elif not self._offered:
            self._work.replace("ask", self._ask)
        self._show_work()

    async def _ask(self) -> None:
        self.note.setText(tr("Asking for the models…"))
        offered = await self._port.endpoint(self._name).models()
        self._offered = tuple(offered)
        self.note.setText(
            tr_count(N_("{count} model on offer."), N_("{count} models on offer."), len(offered))
        )
        self._fill()

    def _fail(self, error: KnownError) -> None:
        self.note.setText(format_error(error))

    def _fill(self) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        used = {one.id for one in self._port.catalog.models if one.endpoint == self._name}
        for name in sorted(self._offered, key=lambda name: name not in used):
            item = QListWidgetItem(f"{name}\n{self._known_words(name)}")
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(_tick(name in used))
            self.list.addItem(item)
        self.list.blockSignals(False)
        self._filter()

    def _known_words(self, name: str) -> str:
        """What is known of a model by its name."""
        endpoint = self._port.catalog.endpoint(self._name)
        if endpoint is None:
            return ""
        return abilities_text(complete_choice(endpoint, ModelEntry(endpoint=self._name, id=name)))

    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(not all(word in _id(item).casefold() for word in words))

    def _show_ticks(self, entries: list[ModelEntry]) -> None:
        used = {entry.id for entry in entries}
        self.list.blockSignals(True)
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setCheckState(_tick(_id(item) in used))
        self.list.blockSignals(False)

    def _ticked(self, item: QListWidgetItem) -> None:
        name = _id(item)
        if item.checkState() is Qt.CheckState.Checked:
            self._add(name)
            return
        for entry in self._port.catalog.models:
            if entry.endpoint == self._name and entry.id == name:
                self._remove(entry.display_name)

    def _add_written(self) -> None:
        name = self.written.value()
        if name and self._add(name):
            self.written.set_value("")

    def _add(self, name: str) -> bool:
        return self._change(lambda catalog: add_model(catalog, self._name, name))

    def _remove(self, called: str) -> None:
        self._change(lambda catalog: remove_model(catalog, self._name, called))

    def _change(self, change: Callable[[Catalog], Catalog]) -> bool:
        wrong = edit_catalog(self._port, change)
        self.wrong.setText(wrong)
        self.wrong.setVisible(bool(wrong))
        return not wrong

    def _show_work(self) -> None:
        open_ = self.choose.isChecked()
        self.choose.setText(tr("Done") if open_ else tr("Choose models…"))
        self.search.setVisible(bool(self._offered))
        self.list.setVisible(bool(self._offered))


def _id(item: QListWidgetItem) -> str:
    """The name of the model in this line of the list."""
    return str(item.data(Qt.ItemDataRole.UserRole))


def _tick(on: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
