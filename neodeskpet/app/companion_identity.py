"""The companion's current name in all windows, and what it says at the start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from random import Random

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication

from neodeskpet.app.engine import Engine
from neodeskpet.characters.character_library import Character
from neodeskpet.conversation.remark_texts import choose_greeting, read_said_lines, write_said_lines
from neodeskpet.core.errors import KnownError, NoticeContent
from neodeskpet.core.i18n import N_
from neodeskpet.core.proactive import Detection, UserPresence
from neodeskpet.language import join_sentences, tr
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
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


GUIDE_DONE_KEY = "guided"
"""The key in the store that marks the first steps as done."""
_LAST_SEEN_KEY = "seen"  # when the user was last present, Unix seconds
_GREETINGS_KEY = "greetings"
_NO_COMPOSITOR_TOLD_KEY = "rough.told"
INTRODUCTION = "introduction"
"""The key of the first question."""
_WELCOME_BACK_LINES = (
    N_("Welcome back!"),
    N_("There you are again!"),
    N_("You're back. I dozed off…"),
)


class WelcomeMessages:
    """Shows the messages at the start. `smooth` returns whether the desktop has a compositor;
    `tell_trouble` reports errors; `guide` opens the chat, which starts with the first steps.
    `first_steps` starts them at the figure and returns False if the figure is not visible; `offer`
    makes a later offer.
    """

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        identity: CompanionIdentity,
        smooth: Callable[[], bool],
        tell_trouble: Callable[[NoticeContent], None],
        guide: Callable[[], None],
        first_steps: Callable[[], bool] = lambda: False,
        offer: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self._first_steps = first_steps
        self._offer = offer
        self._engine = engine
        self._companion = companion
        self._identity = identity
        self._smooth = smooth
        self._tell_trouble = tell_trouble
        self._guide = guide
        companion.answered.connect(self._answered)

    async def greet(self, *, killed: bool = False) -> None:
        """Greet the user. `killed`: an earlier run ended without a recorded reason."""
        for fault in self._engine.storage.startup.faults:
            self._tell_trouble(fault)
        if self._engine.storage.startup.interrupted_messages:
            self._companion.show_notice(
                tr("Our conversation was interrupted. Open the chat to continue it.")
            )
            return
        if killed:
            self._companion.show_notice(
                tr("The app was ended unexpectedly last time. Nothing is lost.")
            )
            return
        if self._engine.storage.startup.faults:
            return  # no other message; and if the store can't be read, every user looks new
        if not self._engine.settings.settings.companion.quiet and await self._welcome():
            return  # only one message: rough edges are reported at another start
        await self._report_missing_compositor()

    async def greet_again(self, noticed: UserPresence) -> None:
        """Greet the user who is back after a while, unless a film or a call is in progress."""
        settings = self._engine.settings.settings.companion
        busy = Detection.YES in (noticed.fullscreen, noticed.call, noticed.shared)
        heard = settings.bubble and not settings.quiet and not self._companion.has_question
        if settings.welcome_back and heard and not busy:
            self._companion.greet(tr(Random().choice(_WELCOME_BACK_LINES)))

    async def save_last_seen(self) -> None:
        """Store that the user was present until now."""
        with suppress(KnownError):
            await self._engine.storage.store.set_state(
                _LAST_SEEN_KEY, str(datetime.now().timestamp())
            )

    def _answered(self, key: str, choice: str) -> None:
        if key == INTRODUCTION:
            self._companion.withdraw(INTRODUCTION)
            if choice == "guide":
                self._guide()

    async def _welcome(self) -> bool:
        """Introduce the companion once and return True; later greet the user who was away for
        hours.
        """
        store, now = self._engine.storage.store, datetime.now()
        seen = await store.get_state(_LAST_SEEN_KEY)
        await store.set_state(_LAST_SEEN_KEY, str(now.timestamp()))
        if seen is None:
            if await store.get_state(GUIDE_DONE_KEY) is None:
                if self._first_steps():
                    return True
                hello = self._identity.greeting or tr("Hi, I'm {name}!", name=self._identity.name)
                able = tr(
                    "I tell the time, keep notes and appointments and set timers; with a language "
                    "model we can really talk."
                )
                hint = tr("Double-click me to talk, right-click for more.")
                choices = (("guide", tr("Show me")), ("later", tr("Later")))
                self._companion.greet_with_question(
                    INTRODUCTION, join_sentences(hello, able, hint), choices
                )
                return True
            return False
        said = read_said_lines(await store.get_state(_GREETINGS_KEY))
        line = choose_greeting(
            now, now.timestamp() - float(seen), said, Random(), neo=self._identity.is_bundled()
        )
        if line is not None:
            said[line] = now.timestamp()
            await store.set_state(_GREETINGS_KEY, write_said_lines(said, now.timestamp()))
            self._companion.greet(tr(line))
            return False
        return self._offer is not None and await self._offer()

    async def _report_missing_compositor(self) -> None:
        """Explain once why the companion has rough edges."""
        store = self._engine.storage.store
        if self._smooth() or await store.get_state(_NO_COMPOSITOR_TOLD_KEY) is not None:
            return
        await store.set_state(_NO_COMPOSITOR_TOLD_KEY, "1")
        self._companion.show_notice(
            tr(
                "My edges are rough because this desktop has no compositor. Switch it on "
                "in the settings of your desktop, or start picom."
            )
        )
