"""The models of one service that are set up: a line for each, and a list to add another."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import add_model, remove_model
from neodeskpet.llm.catalog.model_catalog import Catalog, ModelEntry
from neodeskpet.llm.chain.model_selection import complete_choice
from neodeskpet.ui.settings.services.model_details import ModelDetails, ModelLine
from neodeskpet.ui.settings.services.service_model_list import ServiceModelList
from neodeskpet.ui.settings.settings_ports import CatalogPort, edit_catalog
from neodeskpet.ui.theme import Theme
from neodeskpet.ui.widgets.labels import ErrorLabel, PlainLabel
from neodeskpet.ui.widgets.model_picker import ModelField


class ServiceModels(QWidget):
    """`offered` has the models to add. A change is stored at once."""

    def __init__(
        self, port: CatalogPort, name: str, offered: ServiceModelList, theme: Theme
    ) -> None:
        super().__init__()
        self._port = port
        self._name = name
        self._offered = offered
        self._theme = theme
        self._narrow = False
        self.lines: dict[str, ModelLine] = {}
        self._used = QVBoxLayout()
        self._used.setSpacing(4)
        self.none = PlainLabel()
        self.none.setProperty("muted", True)
        self.none.setWordWrap(True)
        self.wrong = ErrorLabel()
        self.add = ModelField(theme)
        self.add.opened.connect(self._open_list)
        self.add.chosen.connect(self._add)
        offered.changed.connect(self._show_offered)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addWidget(self.add)
        box.addWidget(self.wrong)
        box.addWidget(self.none)
        box.addLayout(self._used)
        self._above = QWidget(self)  # never visible: its place in the tab order is before the lines
        self._above.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._above.hide()

    def set_service(self, name: str) -> None:
        """Show the models of the service of this name."""
        self._name = name
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
        self._show_offered()
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Lines and details are created late; set the tab order from top to bottom."""
        before: QWidget = self._above
        for line in self.lines.values():
            for widget in line.tab_order():
                QWidget.setTabOrder(before, widget)
                before = widget

    def set_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        for line in self.lines.values():
            if line.facts is not None:
                line.facts.set_narrow(narrow)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.add.set_theme(theme)
        for line in self.lines.values():
            line.set_theme(theme)

    def retranslate(self) -> None:
        self.none.setText(tr("No model is chosen yet."))
        self.add.set_value("", tr("Add a model…"))
        for line in self.lines.values():
            line.retranslate()
            if line.facts is not None:
                line.facts.retranslate()

    def _line(self, catalog: Catalog, entry: ModelEntry) -> ModelLine:
        line = self.lines.get(entry.display_name)
        if line is None:
            line = made = ModelLine(self._theme)
            made.remove.clicked.connect(lambda: self._remove(made.model_name))
            made.details.toggled.connect(lambda wanted: self._open_details(made, wanted))
            self.lines[entry.display_name] = made
        endpoint = catalog.endpoint(entry.endpoint)
        assert endpoint is not None
        line.show_model(complete_choice(endpoint, entry))
        if line.facts is not None:
            line.facts.refresh()
        return line

    def _open_details(self, line: ModelLine, wanted: bool) -> None:
        if not wanted:
            line.set_details(None)
            return
        called = next(name for name, one in self.lines.items() if one is line)
        details = ModelDetails(self._port, self._name, called, self._theme)
        details.renamed.connect(self._renamed)
        details.set_narrow(self._narrow)
        line.set_details(details)
        self._order_tabs()

    def _renamed(self, before: str, after: str) -> None:
        self.lines = {after if name == before else name: line for name, line in self.lines.items()}

    def _open_list(self) -> None:
        self._offered.ask()
        self._show_offered()

    def _show_offered(self) -> None:
        used = {one.id for one in self._port.catalog.models if one.endpoint == self._name}
        rows = [row for row in self._offered.rows() if row.name not in used]
        self.add.set_rows(rows, self._offered.note)

    def _add(self, name: str) -> None:
        self._change(lambda catalog: add_model(catalog, self._name, name))

    def _remove(self, called: str) -> None:
        self._change(lambda catalog: remove_model(catalog, self._name, called))

    def _change(self, change: Callable[[Catalog], Catalog]) -> None:
        self.wrong.set_error(edit_catalog(self._port, change))
