"""What the companion says at the start, once the figure stands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from random import Random

from neodeskpet.app.identity import Identity
from neodeskpet.conversation.greeting import choose_line, read_said, write_said
from neodeskpet.core.errors import KnownError
from neodeskpet.core.initiative.moment import Noticed, Sense
from neodeskpet.core.wording import N_
from neodeskpet.engine import Engine
from neodeskpet.language import sentences, tr
from neodeskpet.ui.pet.companion import Companion

GUIDED = "guided"
"""The store's note that the first steps were taken."""
_SEEN = "seen"  # when the person was here last, unix seconds
_SAID = "greetings"
_ROUGH = "rough.told"
INTRODUCTION = "introduction"
"""The key of the first question."""
_BACK = (N_("Welcome back!"), N_("There you are again!"), N_("You're back. I dozed off…"))


class Welcome:
    """`smooth` tells whether the desktop blends windows; `tell_trouble` what went wrong; `guide`
    opens the chat, which begins with the first steps.
    """

    def __init__(
        self,
        engine: Engine,
        companion: Companion,
        identity: Identity,
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
        if self._engine.interrupted:
            self._companion.say(tr("We were interrupted. Open the chat to go on where we stopped."))
            return
        if killed:
            self._companion.say(tr("Last time I was stopped without warning. Nothing is lost."))
            return
        if self._engine.faults:
            return  # nothing comes over that; and where nothing could be read, everybody is new
        if not self._engine.settings.settings.companion.quiet and await self._welcome():
            return  # one thing at a time: the edges are told at another start
        await self._tell_rough_edges()

    async def greet_again(self, noticed: Noticed) -> None:
        """The person is back after a while. Not into a film or a call."""
        wishes = self._engine.settings.settings.companion
        busy = Sense.YES in (noticed.fullscreen, noticed.call, noticed.shared)
        heard = wishes.bubble and not wishes.quiet and not self._companion.asks
        if wishes.welcome_back and heard and not busy:
            self._companion.greet(tr(Random().choice(_BACK)))

    async def leave(self) -> None:
        """The person was here until now."""
        with suppress(KnownError):
            await self._engine.store.set_state(_SEEN, str(datetime.now().timestamp()))

    def _answered(self, key: str, choice: str) -> None:
        if key == INTRODUCTION:
            self._companion.settle(INTRODUCTION)
            if choice == "guide":
                self._guide()

    async def _welcome(self) -> bool:
        """Once an introduction (then it is True), later a line when the person was away for
        hours.
        """
        store, now = self._engine.store, datetime.now()
        seen = await store.get_state(_SEEN)
        await store.set_state(_SEEN, str(now.timestamp()))
        if seen is None:
            if await store.get_state(GUIDED) is None:
                hello = self._identity.greeting or tr("Hi, I'm {name}!", name=self._identity.name)
                able = tr(
                    "I tell the time, keep notes and appointments and set timers; with a language "
                    "model we can really talk."
                )
                hint = tr("Double-click me to talk, right-click for more.")
                choices = (("guide", tr("Show me")), ("later", tr("Later")))
                self._companion.introduce(INTRODUCTION, sentences(hello, able, hint), choices)
                return True
            return False
        said = read_said(await store.get_state(_SAID))
        line = choose_line(
            now, now.timestamp() - float(seen), said, Random(), neo=self._identity.is_bundled()
        )
        if line is not None:
            said[line] = now.timestamp()
            await store.set_state(_SAID, write_said(said, now.timestamp()))
            self._companion.greet(tr(line))
        return False

    async def _tell_rough_edges(self) -> None:
        """Once: why the companion isn't as smooth as it could be."""
        store = self._engine.store
        if self._smooth() or await store.get_state(_ROUGH) is not None:
            return
        await store.set_state(_ROUGH, "1")
        self._companion.say(
            tr(
                "This desktop doesn't blend windows, so my edges are rough. A compositor makes "
                "them smooth: the one in your desktop's settings, or picom."
            )
        )
