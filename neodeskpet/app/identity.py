"""Who the companion is now: its name in all windows, and its greeting when another figure comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication

from neodeskpet.engine import Engine
from neodeskpet.language import tr
from neodeskpet.personas.shelf import Character
from neodeskpet.ui.pet.companion import CompanionPresenter
from neodeskpet.ui.pet.window import PetWindow


class CompanionIdentity(QObject):
    """`chat` is told the name of who speaks in the open conversation, `figure` that of the first
    companion: now, and whenever it is another.
    """

    def __init__(
        self,
        engine: Engine,
        pet: PetWindow,
        companion: CompanionPresenter,
        chat: Sequence[Callable[[str], None]],
        figure: Sequence[Callable[[str], None]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._companion = companion
        self._chat = chat
        self._figure = figure
        self._greeted = engine.personas.figure.key
        self._ends = (
            engine.personas.subscribe(self.publish),
            engine.settings.subscribe(self._on_setting_changed),
        )
        pet.ready.connect(self._on_figure_ready)
        # Whoever edits the card by hand comes back from an editor.
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self._on_application_state)
        self.publish()

    @property
    def name(self) -> str:
        """Of whoever speaks in the open conversation."""
        info = self._engine.chat.conversation
        return self._engine.character_assignments.name(info.id if info is not None else "")

    @property
    def figure_name(self) -> str:
        """Of the first companion, also while a guest speaks in the open conversation."""
        info = self._engine.chat.conversation
        cast = self._engine.character_assignments
        return cast.name(
            info.id if info is not None and cast.companion_figure(info.id) is None else ""
        )

    def _speaker(self) -> Character | None:
        info = self._engine.chat.conversation
        return (
            self._engine.character_assignments.character_of(info.id) if info is not None else None
        )

    @property
    def greeting(self) -> str:
        """Its own greeting, "" where it has none."""
        return self._engine.personas.current.filled_greeting

    def is_bundled(self) -> bool:
        """Whether it is the figure that comes with the app."""
        return self._engine.personas.figure.bundled_personas is not None

    def stop(self) -> None:
        """The app ends."""
        for end in self._ends:
            end()

    @Slot()
    def publish(self) -> None:
        """Tell the names."""
        for tell in self._chat:
            tell(self.name)
        for tell in self._figure:
            tell(self.figure_name)

    def _on_setting_changed(self, section: str, name: str, _value: object) -> None:
        if (section, name) == ("appearance", "language"):
            self.publish()

    @Slot(object)
    def _on_figure_ready(self, _description: object) -> None:
        """A figure stands there: another one than before says hello."""
        key = self._engine.personas.figure.key
        if key == self._greeted:
            return
        self._greeted = key
        if self._speaker() is not None:
            return  # a character brought its figure, and has greeted in the chat
        if not self._engine.settings.settings.companion.quiet:
            self._companion.greet(self.greeting or tr("Hi, I'm {name}!", name=self.figure_name))

    @Slot(Qt.ApplicationState)
    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._engine.personas.refresh()
