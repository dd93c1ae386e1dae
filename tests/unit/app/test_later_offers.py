"""Offers of later days: each once, never two on a day, none for a feature that is on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from neodeskpet.app.later_offers import (
    NO,
    OFFERS,
    STATE_KEY,
    YES,
    LaterOffers,
    Offer,
    OfferState,
    next_offer,
    offer_text,
)
from neodeskpet.settings.settings_model import Settings
from neodeskpet.settings.store import SettingsStore
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter

DAY = date(2026, 11, 28)


def test_one_on_a_day_and_each_once() -> None:
    state, made = OfferState((), DAY), []
    for days in range(30):
        today = DAY + timedelta(days=days)
        for _start_of_the_app in range(3):
            offer = next_offer(OFFERS, state, lambda _section, _name: False, today)
            if offer is not None:
                made.append((offer.id, today))
                state = OfferState.read(state.with_offer(offer, today).write())
    assert [name for name, _ in made] == [offer.id for offer in OFFERS]
    assert len({day for _, day in made}) == len(made), "never two on a day"
    assert all(day > DAY for _, day in made), "and none on the first"


def test_a_feature_that_is_on_is_not_offered() -> None:
    assert next_offer(OFFERS, OfferState(), lambda _section, _name: True, DAY) is None


def test_a_day_without_an_offer_is_kept() -> None:
    assert OfferState.read(OfferState((), DAY).write()) == OfferState((), DAY)
    assert OfferState.read(None) == OfferState()


@pytest.mark.parametrize("offer", OFFERS, ids=lambda offer: offer.id)
def test_each_offer_is_about_existing_settings(offer: Offer) -> None:
    assert offer_text(offer)
    for section, name in offer.settings:
        value = getattr(getattr(Settings(), section), name)
        assert isinstance(value, bool) or (offer.page == section and value == "off")


class Companion(QObject):
    """The questions that the companion was given."""

    answered = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.withdrawn: list[str] = []

    def ask(
        self,
        key: str,
        text: str,
        choices: Sequence[tuple[str, str]],
        *,
        sign: str = "",
        dismiss_choice: str = "",
    ) -> None:
        self.asked.append(key)

    def withdraw(self, key: str) -> None:
        self.withdrawn.append(key)


@pytest.mark.parametrize(("choice", "shown"), [(YES, ["voice"]), (NO, [])])
def test_a_yes_to_the_voice_opens_its_page(
    qapp: QApplication, tmp_path: Path, choice: str, shown: list[str]
) -> None:
    companion, pages = Companion(), list[str]()
    settings = SettingsStore(tmp_path / "settings.json")
    kept: dict[str, str] = {STATE_KEY: OfferState(("liveliness", "sounds"), DAY).write()}

    async def load(key: str) -> str | None:
        return kept.get(key)

    async def save(key: str, value: str) -> None:
        kept[key] = value

    offers = LaterOffers(
        settings,
        cast(CompanionPresenter, companion),
        load,
        save,
        lambda: DAY + timedelta(days=1),
        show_settings=pages.append,
    )
    assert asyncio.run(offers.offer())
    companion.answered.emit(companion.asked[0], choice)
    assert pages == shown
    assert companion.withdrawn == companion.asked
    assert settings.settings.voice.speak == "off", "the user chooses the voice"
    assert not asyncio.run(offers.offer()), "once"
