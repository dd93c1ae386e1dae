"""What the companion says at the start, once the figure stands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from random import Random

from neodeskpet.app.identity import CompanionIdentity
from neodeskpet.conversation.greeting import choose_greeting, read_said_lines, write_said_lines
from neodeskpet.core.errors import KnownError
from neodeskpet.core.initiative.moment import Detection, UserPresence
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.language import join_sentences, tr
from neodeskpet.ui.pet.companion import CompanionPresenter

GUIDE_DONE_KEY = "guided"
"""The store's note that the first steps were taken."""
_LAST_SEEN_KEY = "seen"  # when the person was here last, unix seconds
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
    """`smooth` tells whether the desktop blends windows; `tell_trouble` what went wrong; `guide`
    opens the chat, which begins with the first steps.
    """

    def __init__(
        self,
        engine: Engine,
        companion: CompanionPresenter,
        identity: CompanionIdentity,
        smooth: Callable[[], bool],
        tell_trouble: Callable[[KnownError], None],
        guide: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._companion = companion
        self._identity = identity
        self._smooth = smooth
        self._tell_trouble = tell_trouble
        self._guide = guide
        companion.answered.connect(self._answered)

    async def greet(self, *, killed: bool = False) -> None:
        """`killed`: an earlier run ended without leaving a reason."""
        for fault in self._engine.faults:
            self._tell_trouble(fault)
        if self._engine.interrupted_messages:
            self._companion.show_notice(
                tr("We were interrupted. Open the chat to go on where we stopped.")
            )
            return
        if killed:
            self._companion.show_notice(
                tr("Last time I was stopped without warning. Nothing is lost.")
            )
            return
        if self._engine.faults:
            return  # nothing comes over that; and where nothing could be read, everybody is new
        if not self._engine.settings.settings.companion.quiet and await self._welcome():
            return  # one thing at a time: the edges are told at another start
        await self._report_missing_compositor()

    async def greet_again(self, noticed: UserPresence) -> None:
        """The person is back after a while. Not into a film or a call."""
        wishes = self._engine.settings.settings.companion
        busy = Detection.YES in (noticed.fullscreen, noticed.call, noticed.shared)
        heard = wishes.bubble and not wishes.quiet and not self._companion.has_question
        if wishes.welcome_back and heard and not busy:
            self._companion.greet(tr(Random().choice(_WELCOME_BACK_LINES)))

    async def save_last_seen(self) -> None:
        """The person was here until now."""
        with suppress(KnownError):
            await self._engine.store.set_state(_LAST_SEEN_KEY, str(datetime.now().timestamp()))

    def _answered(self, key: str, choice: str) -> None:
        if key == INTRODUCTION:
            self._companion.withdraw(INTRODUCTION)
            if choice == "guide":
                self._guide()

    async def _welcome(self) -> bool:
        """Once an introduction (then it is True), later a line when the person was away for
        hours.
        """
        store, now = self._engine.store, datetime.now()
        seen = await store.get_state(_LAST_SEEN_KEY)
        await store.set_state(_LAST_SEEN_KEY, str(now.timestamp()))
        if seen is None:
            if await store.get_state(GUIDE_DONE_KEY) is None:
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

    async def _report_missing_compositor(self) -> None:
        """Once: why the companion isn't as smooth as it could be."""
        store = self._engine.store
        if self._smooth() or await store.get_state(_NO_COMPOSITOR_TOLD_KEY) is not None:
            return
        await store.set_state(_NO_COMPOSITOR_TOLD_KEY, "1")
        self._companion.show_notice(
            tr(
                "This desktop doesn't blend windows, so my edges are rough. A compositor makes "
                "them smooth: the one in your desktop's settings, or picom."
            )
        )
