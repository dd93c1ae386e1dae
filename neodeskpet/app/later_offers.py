"""Offers that the companion makes after the first day: each once, and at most one a day."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date

from neodeskpet.language import tr
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter

STATE_KEY = "later.offers"
_NOTICE = "offer "
YES, NO = "yes", "no"
_LIVELY = (
    ("companion", "welcome_back"),
    ("companion", "walk"),
    ("pastimes", "days"),
    ("pastimes", "music"),
)
"""The settings that make the companion livelier."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer. Accepting it switches `settings` on, or opens the settings at `page`; it isn't made
    if all of `settings` are on.
    """

    id: str
    settings: tuple[tuple[str, str], ...]
    page: str = ""


OFFERS = (
    Offer("liveliness", _LIVELY),
    Offer("sounds", (("companion", "timer_sound"),)),
    Offer("voice", (("voice", "speak"), ("companion", "character_sounds")), page="voice"),
)


@dataclass(frozen=True, slots=True)
class OfferState:
    """Which offers were made, and the day of the last one."""

    made: tuple[str, ...] = ()
    last: date | None = None

    @classmethod
    def read(cls, text: str | None) -> OfferState:
        if text is None:
            return cls()
        kept = json.loads(text)
        return cls(tuple(kept["made"]), date.fromisoformat(kept["last"]))

    def write(self) -> str:
        last = self.last.isoformat() if self.last is not None else None
        return json.dumps({"made": list(self.made), "last": last})

    def with_offer(self, offer: Offer, today: date) -> OfferState:
        return OfferState((*self.made, offer.id), today)


def next_offer(
    offers: Sequence[Offer], state: OfferState, is_on: Callable[[str, str], bool], today: date
) -> Offer | None:
    """Return the offer for today."""
    if state.last is not None and state.last >= today:
        return None
    return next(
        (
            offer
            for offer in offers
            if offer.id not in state.made
            and not all(is_on(section, name) for section, name in offer.settings)
        ),
        None,
    )


def offer_text(offer: Offer) -> str:
    match offer.id:
        case "liveliness":
            return tr("Shall I be livelier? I would walk about and move to music.")
        case "sounds":
            return tr("Shall timers ring with a sound?")
        case "voice":
            return tr(
                "Shall I be heard? I can speak with a voice that you choose, or only make small "
                "sounds. You can switch both off at any time."
            )
        case _:
            raise ValueError(offer.id)


class LaterOffers:
    """Makes the offers. `load` and `save` store the state; an answer takes effect at once."""

    def __init__(
        self,
        settings: SettingsStore,
        companion: CompanionPresenter,
        load: Callable[[str], Awaitable[str | None]],
        save: Callable[[str, str], Awaitable[None]],
        today: Callable[[], date] = date.today,
        *,
        show_settings: Callable[[str], object] = lambda page: None,
    ) -> None:
        self._settings = settings
        self._companion = companion
        self._load = load
        self._save = save
        self._today = today
        self._show_settings = show_settings
        companion.answered.connect(self._answered)

    async def note_first_day(self) -> None:
        """Record that the first steps were done today: no offer follows on the same day."""
        state = OfferState.read(await self._load(STATE_KEY))
        await self._save(STATE_KEY, OfferState(state.made, self._today()).write())

    async def offer(self) -> bool:
        """Make the next offer if one is due; return whether one was made. Raises StoreError."""
        kept = await self._load(STATE_KEY)
        if kept is None:
            return False  # the first steps were never done: an older data folder
        state, today = OfferState.read(kept), self._today()
        offer = next_offer(OFFERS, state, self._is_on, today)
        if offer is None:
            return False
        await self._save(STATE_KEY, state.with_offer(offer, today).write())
        choices = ((YES, tr("Yes, please")), (NO, tr("No, thanks")))
        self._companion.ask(
            f"{_NOTICE}{offer.id}", offer_text(offer), choices, sign="info", dismiss_choice=NO
        )
        return True

    def _is_on(self, section: str, name: str) -> bool:
        return self._settings.value(section, name) not in (False, "off")

    def _answered(self, key: str, choice: str) -> None:
        offer = next((one for one in OFFERS if key == f"{_NOTICE}{one.id}"), None)
        if offer is None:
            return
        self._companion.withdraw(key)
        if choice == YES and offer.page:
            self._show_settings(offer.page)
        elif choice == YES:
            for section, name in offer.settings:
                self._settings.change(section, name, True)
