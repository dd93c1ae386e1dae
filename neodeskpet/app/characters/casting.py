"""Who speaks in the open conversation: chosen in the chat's menu, shown in the windows, with the
figure that goes with them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QPixmap
from PySide6.QtWidgets import QMenu

from neodeskpet.app.characters.adapter import CharacterAdapter
from neodeskpet.conversation.chat_events import ChatEvent, ConversationChanged
from neodeskpet.core.errors import KnownError
from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.personas.shelf import Character
from neodeskpet.ui.settings.characters.page import portrait_head
from neodeskpet.ui.work import TaskRunner

_FIGURE_BEFORE_KEY = "figure.before"
_MODEL_SETTING = ("companion", "model")


class CharacterController(QObject):
    """A `ChatListener`; `action` stands in the chat's menu. `show` is called whenever somebody else
    speaks, `open_page` shows the characters in the settings, `tell` is told what couldn't be kept.
    """

    def __init__(
        self,
        engine: Engine,
        port: CharacterAdapter,
        *,
        show: Callable[[], None],
        open_page: Callable[[], None],
        tell: Callable[[KnownError], None],
    ) -> None:
        super().__init__()
        self._engine = engine
        self._port = port
        self._show = show
        self._open_page = open_page
        self._before: str | None = None
        self._changing = False
        self._shown: Path | None = None
        self._picture = QPixmap()
        self._work = TaskRunner("characters", failed=tell)
        self.menu = QMenu()
        self.action = self.menu.menuAction()
        self._group = QActionGroup(self.menu)
        self.menu.aboutToShow.connect(self._fill)
        self._ends = (
            engine.character_assignments.subscribe(self._follow),
            engine.settings.subscribe(self._on_setting_changed),
        )
        engine.chat.subscribe(self, ConversationChanged)
        self.retranslate()

    async def load_previous_figure(self) -> None:
        """What stood there before a character's figure came. Raises StoreError."""
        self._before = await self._engine.store.get_state(_FIGURE_BEFORE_KEY)

    def stop(self) -> None:
        """The app ends."""
        for end in self._ends:
            end()

    def on_chat_event(self, event: ChatEvent) -> None:
        self._follow()
        self._cast_new()

    def _cast_new(self) -> None:
        info = self._engine.chat.conversation
        if info is not None and self._engine.character_assignments.default is not None:
            self._work.start("new", partial(self._port.cast_new, info.id))

    @property
    def character(self) -> Character | None:
        """Who speaks in the open conversation, if not the figure's own persona."""
        info = self._engine.chat.conversation
        return (
            self._engine.character_assignments.character_of(info.id) if info is not None else None
        )

    def portrait(self) -> QPixmap:
        """The portrait of who speaks, if it has one and no figure that stands for it; else null."""
        found = self.character
        file = found.picture if found is not None and found.figure is None else None
        if file != self._shown:
            self._shown = file
            self._picture = QPixmap.fromImage(portrait_head(file))
        return self._picture

    def retranslate(self) -> None:
        self.menu.setTitle(tr("Character in this conversation"))

    def _fill(self) -> None:
        self.menu.clear()
        here = self._port.current_character()
        info = self._engine.chat.conversation
        own = self._engine.character_assignments.persona(info.id if info is not None else "").name
        found = [(one.id, one.card.name) for one in self._port.characters()]
        for name, title in (("", tr("{name}, the figure itself", name=own)), *found):
            action = QAction(title.replace("&", "&&"), self.menu)
            action.setCheckable(True)
            action.setChecked(name == here)
            action.triggered.connect(partial(self._choose, name))
            self._group.addAction(action)
            self.menu.addAction(action)
        self.menu.addSeparator()
        self.menu.addAction(tr("Characters…")).triggered.connect(lambda: self._open_page())

    def _choose(self, name: str, _checked: bool = False) -> None:
        self._work.start("choose", partial(self._port.choose, name))

    # The figure that goes with it

    def _follow(self) -> None:
        self._show()
        found, now = self.character, str(self._engine.settings.value(*_MODEL_SETTING))
        wanted = found.figure if found is not None else None
        if wanted is None:
            before, self._before = self._before, None
            if before is not None:
                self._keep(None)
                self._put(before, now)
        elif not wanted or Path(wanted).expanduser().exists():
            if self._before is None and wanted != now:
                self._before = now
                self._keep(now)
            self._put(wanted, now)

    def _put(self, figure: str, now: str) -> None:
        if figure != now:
            self._changing = True
            try:
                self._engine.settings.change(*_MODEL_SETTING, figure)
            finally:
                self._changing = False

    def _on_setting_changed(self, section: str, name: str, _value: object) -> None:
        if (section, name) == _MODEL_SETTING and not self._changing and self._before is not None:
            self._before = None  # the person chose another one meanwhile
            self._keep(None)

    def _keep(self, figure: str | None) -> None:
        self._work.start("keep", partial(self._engine.store.set_state, _FIGURE_BEFORE_KEY, figure))
