"""The first-run guide: connect a service, or stay with the offline helper.

It is shown in place of the conversation. Services are edited by the same cards as in the settings.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from neodeskpet.core.errors import KnownError
from neodeskpet.language import tr
from neodeskpet.llm.catalog.catalog_editing import add_endpoint, add_model, make_endpoint
from neodeskpet.llm.catalog.model_catalog import Catalog
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.settings.services.service_list import AddServiceRow, ServiceList
from neodeskpet.ui.settings.services.service_presets import name_for
from neodeskpet.ui.settings.settings_ports import CatalogPort, LocalModelServer, edit_catalog
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel
from neodeskpet.ui.widgets.portrait import Portrait

COLUMN_WIDTH = 520
NARROW_WIDTH = 480
PORTRAIT_SIZE = 72


class FirstRunGuide(QScrollArea):
    """`start()` looks for servers on this computer. `finished()`: the user begins to talk, with a
    service or with the offline helper. `settings_requested()`: open all settings.
    """

    finished = Signal()
    settings_requested = Signal()

    def __init__(
        self,
        catalogue: CatalogPort,
        find_servers: Callable[[], Awaitable[Sequence[LocalModelServer]]],
        theme: Theme,
    ) -> None:
        super().__init__()
        self._catalogue = catalogue
        self._find_servers = find_servers
        self._name = ""
        self._theme = theme
        self._servers: tuple[LocalModelServer, ...] = ()
        self._work = TaskRunner("first steps", failed=self._find_none, changed=self._show_servers)
        self.services = ServiceList(catalogue, theme)
        self.services.connected.connect(self._on_connected)
        self.add = AddServiceRow(catalogue, theme)
        self.add.added.connect(self.services.open_new)
        self._face = Portrait(PORTRAIT_SIZE)
        self._face.hide()
        self._title = PlainLabel()
        self._hello = PlainLabel()
        self._hello.setWordWrap(True)
        self._here = _Heading()
        self._found = QVBoxLayout()
        self._found.setSpacing(8)
        self._search_note = PlainLabel()
        self._search_note.setWordWrap(True)
        self._search_note.setProperty("muted", True)
        self.again = QPushButton()
        self.again.setProperty("quiet", True)
        self.again.clicked.connect(self.start)
        self._elsewhere = _Heading()
        self.stay = QPushButton()
        self.stay.clicked.connect(self.finished)
        self.more = QPushButton()
        self.more.setProperty("quiet", True)
        self.more.clicked.connect(self.settings_requested)
        self._lay_out()
        self.set_theme(theme)
        self.retranslate()

    def start(self) -> None:
        """Search for model servers on this computer, and show each when it is found."""
        self._work.start_once("look", self._look)

    def set_name(self, name: str) -> None:
        """Set the companion's name."""
        self._name = name
        self.services.companion_name = lambda: name
        self._say_hello()

    def set_portrait(self, picture: QPixmap) -> None:
        """Set the companion's picture at the top of the page."""
        self._face.set_picture(picture)
        self._face.setVisible(not picture.isNull())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        t = theme
        apply_window_theme(
            self,
            theme,
            controls_sheet(theme)
            + f"FirstRunGuide, #guidePage {{ background: {t.window}; border: none; }}"
            f"_FoundServer {{ background: {t.surface}; border: 1px solid {t.line};"
            f" border-radius: {t.card_radius}px; }}",
        )
        self._title.setFont(ui_font(theme, theme.heading_px + 3, bold=True))
        for heading in (self._here, self._elsewhere):
            heading.setFont(ui_font(theme, bold=True))
        self._face.set_theme(theme)
        self.services.set_theme(theme)
        self.add.set_theme(theme)
        self._arrange()
        self._show_servers()

    def _say_hello(self) -> None:
        self._title.setText(tr("Hello, I'm {name}!", name=self._name))

    def retranslate(self) -> None:
        self._say_hello()
        self._hello.setText(
            tr(
                "I can already do small things by myself: tell the time, keep notes, set timers. "
                "For real conversations, connect a model service."
            )
        )
        self._here.setText(tr("On this computer"))
        self._elsewhere.setText(tr("Or any service"))
        self.again.setText(tr("Look again"))
        self.stay.setText(tr("Start talking"))
        self.more.setText(tr("All settings…"))
        self.setAccessibleName(tr("First steps"))
        self.services.retranslate()
        self.add.retranslate()
        self._show_servers()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        narrow = self.width() < scale_to_font(NARROW_WIDTH, self._theme)
        self.services.set_narrow(narrow)
        self.add.set_narrow(narrow)
        way = QBoxLayout.Direction
        for line in self._lines:
            line.setDirection(way.TopToBottom if narrow else way.LeftToRight)

    def _lay_out(self) -> None:
        column = QWidget()
        column.setMaximumWidth(COLUMN_WIDTH)
        box = QVBoxLayout(column)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(12)
        box.addWidget(self._face)
        box.addWidget(self._title)
        box.addWidget(self._hello)
        box.addSpacing(8)
        box.addWidget(self._here)
        box.addLayout(self._found)
        across = QHBoxLayout()
        across.addWidget(self._search_note, 1)
        across.addWidget(self.again)
        box.addLayout(across)
        box.addSpacing(8)
        box.addWidget(self._elsewhere)
        box.addWidget(self.services)
        box.addWidget(self.add)
        box.addSpacing(8)
        ends = _right_aligned(self.more, self.stay)
        box.addLayout(ends)
        self._lines = (across, ends)
        box.addStretch(1)  # no gaps between the rows
        page = QWidget()
        page.setObjectName("guidePage")
        outer = QHBoxLayout(page)
        outer.setContentsMargins(20, 24, 20, 24)
        outer.addStretch(1)
        outer.addWidget(column, 100)
        outer.addStretch(1)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)

    async def aclose(self) -> None:
        """Stop searching, and don't start again."""
        await self._work.aclose()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._work.cancel_all()
        super().closeEvent(event)

    async def _look(self) -> None:
        self._servers = tuple(await self._find_servers())

    def _find_none(self, _error: KnownError) -> None:
        """Show that nothing was found; the error has no further information for the user."""
        self._servers = ()

    def _show_servers(self) -> None:
        while (item := self._found.takeAt(0)) is not None:
            card = item.widget()
            if card is not None:
                card.hide()
                card.deleteLater()
        for server in self._servers:
            made = _FoundServer(server, self._theme)
            made.use.clicked.connect(lambda _=False, chosen=server: self._use(chosen))
            self._found.addWidget(made)
        self._search_note.setText(self._search_words())
        self.again.setVisible(not self._work.busy())

    def _use(self, server: LocalModelServer) -> None:
        """Add a server of this computer with its first model, and test it."""
        before = {one.name for one in self._catalogue.catalog.endpoints}

        def change(catalog: Catalog) -> Catalog:
            name = name_for("openai", server.base_url)
            endpoint = make_endpoint(name=name, protocol="openai", base_url=server.base_url)
            changed = add_endpoint(catalog, endpoint)
            added = changed.endpoints[-1].name
            return add_model(changed, added, server.models[0]) if server.models else changed

        wrong = edit_catalog(self._catalogue, change)
        self.add.set_error(wrong)
        new = [one.name for one in self._catalogue.catalog.endpoints if one.name not in before]
        if not wrong and new:
            self.services.open_new(new[-1])

    def _on_connected(self) -> None:
        self.stay.setProperty("primary", True)
        self.stay.style().unpolish(self.stay)
        self.stay.style().polish(self.stay)
        self.stay.setFocus()

    def _search_words(self) -> str:
        if self._work.busy():
            return tr("Looking for model servers…")
        if self._servers:
            return ""
        return tr("No model server runs here now (Ollama, LM Studio, llama.cpp, vLLM).")


class _Heading(PlainLabel):
    """The heading of a part of the page."""


class _FoundServer(QFrame):
    """A server found on this computer."""

    def __init__(self, server: LocalModelServer, theme: Theme) -> None:
        super().__init__()
        sign = PlainLabel()
        sign.setPixmap(pixmap("computer", QColor(theme.accent), 20, self.devicePixelRatioF()))
        title = PlainLabel(server.title)
        title.setFont(ui_font(theme, bold=True))
        models = ElidedLabel(_models_text(server.models))
        models.setProperty("muted", True)
        models.setFont(ui_font(theme, theme.small_px))
        self.use = QPushButton(tr("Use"))
        self.use.setProperty("primary", True)
        self.use.setAccessibleName(tr("Use {name}", name=server.title))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(models)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 8, 12, 8)
        line.setSpacing(12)
        line.addWidget(sign)
        line.addLayout(words, 1)
        line.addWidget(self.use)


def _models_text(models: Sequence[str]) -> str:
    if not models:
        return tr("no model loaded")
    return ", ".join(models)


def _right_aligned(*buttons: QPushButton) -> QHBoxLayout:
    """Return a row with the buttons at the right."""
    line = QHBoxLayout()
    line.setSpacing(8)
    line.addStretch()
    for button in buttons:
        line.addWidget(button)
    return line
