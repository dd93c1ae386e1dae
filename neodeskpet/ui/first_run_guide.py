"""The first-run guide: connect a service in one page, or stay with the offline helper.

A page, not a dialog: it stands where the conversation will be. Everything on it is live, as in the
settings; leaving it loses nothing.
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
from neodeskpet.settings.setting_fields import SectionInfo
from neodeskpet.ui.icons import pixmap
from neodeskpet.ui.settings.services.service_form import ServiceForm
from neodeskpet.ui.settings.settings_ports import EndpointPort, LocalModelServer
from neodeskpet.ui.settings.settings_search import SettingsPort
from neodeskpet.ui.task_runner import TaskRunner
from neodeskpet.ui.theme import Theme, apply_window_theme, scale_to_font, ui_font
from neodeskpet.ui.widgets.controls import controls_sheet
from neodeskpet.ui.widgets.labels import ElidedLabel, PlainLabel
from neodeskpet.ui.widgets.portrait import Portrait

COLUMN_WIDTH = 520
NARROW_WIDTH = 480
PORTRAIT_SIZE = 72


class FirstRunGuide(QScrollArea):
    """`start()` looks for servers on this computer. `finished()`: the person took a service, or
    stays with the offline helper. `settings_requested()`: they want all the settings.
    """

    finished = Signal()
    settings_requested = Signal()

    def __init__(
        self,
        section: SectionInfo,
        port: SettingsPort,
        service: EndpointPort,
        find_servers: Callable[[], Awaitable[Sequence[LocalModelServer]]],
        theme: Theme,
    ) -> None:
        super().__init__()
        self._port = port
        self._find_servers = find_servers
        self._name = ""
        self._theme = theme
        self._servers: tuple[LocalModelServer, ...] = ()
        self._work = TaskRunner("first steps", failed=self._find_none, changed=self._show_servers)
        self.form = ServiceForm(section, port, service, theme, self)
        self.form.proposal_taken.connect(self.finished)
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
        self._unobserve = port.subscribe(
            lambda section, name, _: self.form.setting_changed(section, name)
        )
        self.set_theme(theme)
        self.retranslate()

    def start(self) -> None:
        """Look for model servers on this computer; what is found appears when it is found."""
        self._work.start_once("look", self._look)

    def set_name(self, name: str) -> None:
        """The companion's name."""
        self._name = name
        self._say_hello()

    def set_portrait(self, picture: QPixmap) -> None:
        """The companion, at the head of the page."""
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
        self.form.set_theme(theme)
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
        self.form.retranslate()
        self._show_servers()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        narrow = self.width() < scale_to_font(NARROW_WIDTH, self._theme)
        for row in self.form.rows.values():
            row.set_narrow(narrow)
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
        for row in self.form.rows.values():
            box.addWidget(row)
        box.addLayout(_right_aligned(self.form.trial.button))
        box.addWidget(self.form.trial.report)
        box.addWidget(self.form.trial.proposal)
        box.addWidget(self.form.trial.undo)
        box.addSpacing(8)
        ends = _right_aligned(self.more, self.stay)
        box.addLayout(ends)
        self._lines = (across, ends)
        box.addStretch(1)  # no gaps within the rows
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
        """The app ends: nothing is looked for any more, also when it is only offered now."""
        await self._work.aclose()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._work.cancel_all()
        super().closeEvent(event)

    async def _look(self) -> None:
        self._servers = tuple(await self._find_servers())

    def _find_none(self, _error: KnownError) -> None:
        """Nothing found is all there is to say: the person didn't ask for a particular one."""
        self._servers = ()

    def _show_servers(self) -> None:
        while (item := self._found.takeAt(0)) is not None:
            card = item.widget()
            if card is not None:
                card.hide()
                card.deleteLater()
        for server in self._servers:
            made = _FoundServer(server, self._theme)
            made.use.clicked.connect(lambda _=False, chosen=server: self.form.connect_to(chosen))
            self._found.addWidget(made)
        self._search_note.setText(self._search_words())
        self.again.setVisible(not self._work.busy())

    def _search_words(self) -> str:
        if self._work.busy():
            return tr("Looking for model servers…")
        if self._servers:
            return ""
        return tr("No model server runs here now (Ollama, LM Studio, llama.cpp, vLLM).")


class _Heading(PlainLabel):
    """A word above a part of the page."""


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
    """The buttons at the right."""
    line = QHBoxLayout()
    line.setSpacing(8)
    line.addStretch()
    for button in buttons:
        line.addWidget(button)
    return line
