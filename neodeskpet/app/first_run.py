"""The first start: the steps at the figure or in the chat, the greeting, and the later offers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from neodeskpet.app.chat_parts import ChatParts
from neodeskpet.app.companion_identity import CompanionIdentity
from neodeskpet.app.desktop_context import DesktopContext, FirstCompanion
from neodeskpet.app.engine import Engine
from neodeskpet.app.later_offers import LaterOffers
from neodeskpet.app.local_models import find_local_servers
from neodeskpet.app.memory_adapter import MemoryAdapter
from neodeskpet.conversation.remark_texts import choose_greeting, read_said_lines, write_said_lines
from neodeskpet.core.errors import KnownError, NoticeContent
from neodeskpet.core.i18n import N_
from neodeskpet.core.proactive import Detection, UserPresence
from neodeskpet.figure.poses import Pose
from neodeskpet.language import join_sentences, tr
from neodeskpet.platform.account import full_name
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.windows.window_geometry import bring_to_front

if TYPE_CHECKING:
    from PySide6.QtGui import QPixmap

    from neodeskpet.app.first_steps_controller import FirstStepsController
    from neodeskpet.ui.first_run_guide import FirstRunGuide

_FIRST_WAVE_SECONDS = 4.0
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
    `show_error` reports errors; `guide` opens the chat, which starts with the first steps.
    `first_steps` starts them at the figure and returns False if the figure is not visible; `offer`
    makes a later offer.
    """

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        identity: CompanionIdentity,
        smooth: Callable[[], bool],
        show_error: Callable[[NoticeContent], None],
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
        self._show_error = show_error
        self._guide = guide
        companion.answered.connect(self._answered)

    async def greet(self, *, killed: bool = False) -> None:
        """Greet the user. `killed`: an earlier run ended without a recorded reason."""
        for fault in self._engine.storage.startup.faults:
            self._show_error(fault)
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
                    INTRODUCTION,
                    join_sentences(hello, able, hint),
                    choices,
                    dismiss_choice="later",
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


class FirstRunController(QObject):
    """Offers the first steps once: at the figure, or in the empty chat if no figure is visible.
    `show_chat` opens the chat, `show_settings` a group of the settings; `has_compositor` tells
    whether the desktop draws shadows and rounded windows.
    """

    def __init__(
        self,
        context: DesktopContext,
        chat: ChatParts,
        first: FirstCompanion,
        *,
        show_chat: Callable[[], None],
        show_settings: Callable[[str], None],
        has_compositor: Callable[[], bool],
    ) -> None:
        super().__init__()
        engine = context.engine
        self._context = context
        self._chat = chat
        self._pet = first.pet
        self._companion = first.presenter
        self._show_chat = show_chat
        self._show_settings = show_settings
        self._has_compositor = has_compositor
        self._identity: CompanionIdentity | None = None
        self.steps: FirstStepsController | None = None
        self._guide: FirstRunGuide | None = None
        self._name = ""
        self._portrait: QPixmap | None = None
        self._show_settings = show_settings
        self.later_offers = LaterOffers(
            engine.settings,
            first.presenter,
            engine.storage.store.get_state,
            engine.storage.store.set_state,
            show_settings=show_settings,
        )
        chat.presenter.sent.connect(self._on_guide_finished)
        chat.presenter.sent.connect(self._end_introduction)
        context.exits.add(self._close_guide)

    @property
    def guide(self) -> FirstRunGuide:
        """The first steps in the chat, created when they are first needed: most starts don't show
        them.
        """
        if self._guide is not None:
            return self._guide
        from neodeskpet.ui.first_run_guide import FirstRunGuide

        context = self._context
        guide = self._guide = FirstRunGuide(
            self._chat.catalogue,
            partial(find_local_servers, context.engine.models.client),
            context.theme_manager.theme,
        )
        guide.set_name(self._name)
        if self._portrait is not None:
            guide.set_portrait(self._portrait)
        guide.finished.connect(self._on_guide_finished)
        guide.settings_requested.connect(lambda: self._show_settings("service"))
        context.theme_manager.register(guide)
        return guide

    def set_name(self, name: str) -> None:
        """Set the companion's name in the first steps."""
        self._name = name
        if self._guide is not None:
            self._guide.set_name(name)

    def set_portrait(self, picture: QPixmap) -> None:
        """Set the companion's picture in the first steps."""
        self._portrait = picture
        if self._guide is not None:
            self._guide.set_portrait(picture)

    def delete_guide(self) -> None:
        """Let Qt delete the first steps in the chat in the next event loop iteration."""
        if self._guide is not None:
            self._guide.deleteLater()

    async def _close_guide(self) -> None:
        if self._guide is not None:
            self._guide.close()
            await self._guide.aclose()

    def create_welcome(self, identity: CompanionIdentity) -> WelcomeMessages:
        """Create the messages at the start; the first steps are among them."""
        self._identity = identity
        welcome = WelcomeMessages(
            self._context.engine,
            self._companion,
            identity,
            self._has_compositor,
            self._context.notices.show_error,
            self._show_chat,
            self._start_steps,
            self.later_offers.offer,
        )
        self._context.exits.add(welcome.save_last_seen)
        return welcome

    @property
    def are_steps_shown(self) -> bool:
        return self.steps is not None and self.steps.bubble.isVisible()

    def go_to_steps(self) -> bool:
        """Move the keyboard focus to the first steps; return False if they aren't shown."""
        if self.steps is None or not self.are_steps_shown:
            return False
        bring_to_front(self.steps.bubble)
        return True

    def on_chat_shown(self) -> None:
        """Continue in the chat with what was begun at the figure."""
        self._end_introduction()
        self._context.work.start_once("guide", self._offer_guide)

    @Slot()
    def _end_introduction(self) -> None:
        """Hide the first question and the first steps, which would cover what follows."""
        self._companion.withdraw(INTRODUCTION)
        if self.steps is not None:
            self.steps.bubble.hide()

    async def _offer_guide(self) -> None:
        """Offer the first steps in the chat, unless they were done once, or there is a service or
        a conversation.
        """
        view, engine = self._chat.view, self._context.engine
        if engine.models.turn_factory.catalog().endpoints or not view.is_empty:
            return
        state = await engine.storage.store.get_state(GUIDE_DONE_KEY)
        if state is None and view.is_empty:
            self._chat.window.show_page(self.guide)
            self.guide.start()

    @Slot()
    def _on_guide_finished(self) -> None:
        """Store that the first steps are done: the user has added a service or sent a message."""
        self._chat.window.show_page(None)
        self._chat.window.composer.field.setFocus()
        self._context.save_state(GUIDE_DONE_KEY, "1")

    def _start_steps(self) -> bool:
        """Start the first steps at the figure; False if the figure is not visible or the
        chat is.
        """
        if not self._pet.isVisible() or self._chat.window.isVisible() or self.steps is not None:
            return self.steps is not None
        from neodeskpet.app.first_steps_controller import FirstStepsController

        assert self._identity is not None
        context = self._context
        steps = self.steps = FirstStepsController(
            context.engine,
            self._pet,
            context.theme_manager.theme,
            self._chat.catalogue.endpoint(""),
            partial(find_local_servers, context.engine.models.client),
            MemoryAdapter(context.engine).add,
            lambda text: self._chat.presenter.send(text, []),
            (self._identity.figure_name, full_name()),
        )
        context.exits.add(steps.aclose)
        context.theme_manager.register(steps)
        steps.bubble.set_shape_mask(not self._has_compositor())
        steps.done.connect(self._on_steps_done)
        steps.voice_requested.connect(lambda: self._show_settings("voice"))
        self._companion.show_pose(Pose.GREETING, _FIRST_WAVE_SECONDS)
        steps.start()
        return True

    def _on_steps_done(self, finished: bool) -> None:
        self._context.save_state(GUIDE_DONE_KEY, "1")
        self._context.work.start("first day", self.later_offers.note_first_day)
        if finished:
            self._companion.show_notice(tr("Double-click me to talk, right-click for more."))
