"""The name and the face of the companion or character that speaks, in all windows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QImage, QPixmap

from neodeskpet.app.chat_parts import ChatParts
from neodeskpet.app.companion_manager import CompanionManager
from neodeskpet.app.engine import Engine
from neodeskpet.app.figure_settings import FigureAdapter
from neodeskpet.characters.character_library import Character
from neodeskpet.core.errors import ModelFileError
from neodeskpet.language import tr
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.live2d_figure import find_face
from neodeskpet.ui.pet.pet_window import PetWindow


class CompanionIdentity(QObject):
    """Publishes names. `chat` gets the name of the character that speaks in the open conversation,
    `figure` the name of the first companion: at once, and after each change.
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
        self._greeted = engine.storage.personas.figure.key
        self._ends = (
            engine.storage.personas.subscribe(self.publish),
            engine.settings.subscribe(self._on_setting_changed),
        )
        pet.ready.connect(self._on_figure_ready)
        # The user may have edited the character card in another program.
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.applicationStateChanged.connect(self._on_application_state)
        self.publish()

    @property
    def name(self) -> str:
        """Return the name of the character that speaks in the open conversation."""
        info = self._engine.chat.conversation
        return self._engine.storage.characters.name(info.id if info is not None else "")

    @property
    def figure_name(self) -> str:
        """Return the name of the first companion, also while another companion speaks in the open
        conversation.
        """
        info = self._engine.chat.conversation
        cast = self._engine.storage.characters
        return cast.name(
            info.id if info is not None and cast.companion_figure(info.id) is None else ""
        )

    def _speaker(self) -> Character | None:
        info = self._engine.chat.conversation
        return self._engine.storage.characters.character_of(info.id) if info is not None else None

    @property
    def greeting(self) -> str:
        """The greeting of the first companion; "" if it has none."""
        return self._engine.storage.personas.current.filled_greeting

    def is_bundled(self) -> bool:
        """Whether the figure is the bundled one."""
        return self._engine.storage.personas.figure.bundled_personas is not None

    def stop(self) -> None:
        """Stop following changes."""
        for end in self._ends:
            end()

    @Slot()
    def publish(self) -> None:
        """Report the current names."""
        for tell in self._chat:
            tell(self.name)
        for tell in self._figure:
            tell(self.figure_name)

    def _on_setting_changed(self, section: str, name: str, _value: object) -> None:
        if (section, name) == ("appearance", "language"):
            self.publish()

    @Slot(object)
    def _on_figure_ready(self, _description: object) -> None:
        """Greet when another figure than before is shown."""
        key = self._engine.storage.personas.figure.key
        if key == self._greeted:
            return
        self._greeted = key
        if self._speaker() is not None:
            return  # the figure of a character, which greets in the chat
        if not self._engine.settings.settings.companion.quiet:
            self._companion.greet(self.greeting or tr("Hi, I'm {name}!", name=self.figure_name))

    @Slot(Qt.ApplicationState)
    def _on_application_state(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._engine.storage.personas.refresh()


_PORTRAIT_SIZE = 96
_PORTRAIT_DELAY_MS = 400
"""A changed expression is drawn after this time, when the face has settled."""


class PortraitController(QObject):
    """Draws the portraits in the chat. `character_portrait` returns the portrait of the character
    that speaks in the open conversation, null for none.
    """

    def __init__(
        self,
        pet: PetWindow,
        chat: ChatParts,
        companions: CompanionManager,
        figures: FigureAdapter,
        character_portrait: Callable[[], QPixmap],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._pet = pet
        self._window = chat.window
        self._view = chat.view
        self._companions = companions
        self._figures = figures
        self._character_portrait = character_portrait
        self._owner: object = None
        self._resting_portrait = QPixmap()
        """The portrait beside older messages: of the character, the further companion or the figure
        that speaks.
        """
        self._timer = QTimer(self, singleShot=True, interval=_PORTRAIT_DELAY_MS)
        self._timer.timeout.connect(self.draw)
        self.follow(pet)
        companions.faces.changed.connect(self._on_faces_loaded)

    def follow(self, pet: PetWindow) -> None:
        """Draw the portrait again after each change of expression of this figure."""
        pet.expression_changed.connect(lambda _name: self._timer.start())

    def stop(self) -> None:
        self._timer.stop()

    def draw_new_figure(self) -> QPixmap:
        """Draw the face of a figure that was just loaded."""
        self._resting_portrait = QPixmap()
        return self.draw()

    @Slot()
    def draw(self) -> QPixmap:
        """Draw the current face for the chat; null while no figure is loaded."""
        picture = self._pet.portrait(_PORTRAIT_SIZE)
        speaker = self._character_portrait()
        owner: object = speaker.cacheKey()
        if speaker.isNull():
            owner = self._companions.active_companion
            speaker = picture if owner is None else self._companions.portrait(_PORTRAIT_SIZE)
        if not speaker.isNull():
            if owner != self._owner or self._resting_portrait.isNull():
                self._owner, self._resting_portrait = owner, speaker
            self._window.set_portrait(speaker, self._resting_portrait)
        return picture

    async def load(self) -> None:
        """Load the portrait from a picture of the figure while the companion itself is
        not drawn.
        """
        try:
            file = await self._figures.large_picture()
        except ModelFileError:
            return  # the error is reported when the figure is loaded
        picture = QPixmap.fromImage(find_face(await asyncio.to_thread(QImage, str(file))))
        if (
            self._pet.appeared_at is None
            and self._character_portrait().isNull()
            and not picture.isNull()
        ):
            self._window.set_portrait(picture)

    @Slot()
    def _on_faces_loaded(self) -> None:
        self.draw()
        self._view.viewport().update()
