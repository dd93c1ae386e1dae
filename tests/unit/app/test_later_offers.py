"""Offers of later days: each once, never two on a day, none for what is on."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from neodeskpet.app.later_offers import OFFERS, Offer, OfferState, next_offer, offer_text
from neodeskpet.settings.settings_model import Settings

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


def test_what_is_on_is_not_offered() -> None:
    assert next_offer(OFFERS, OfferState(), lambda _section, _name: True, DAY) is None


def test_a_day_without_an_offer_is_kept() -> None:
    assert OfferState.read(OfferState((), DAY).write()) == OfferState((), DAY)
    assert OfferState.read(None) == OfferState()


@pytest.mark.parametrize("offer", OFFERS, ids=lambda offer: offer.id)
def test_each_offer_is_about_settings_that_exist(offer: Offer) -> None:
    assert offer_text(offer)
    for section, name in offer.settings:
        assert isinstance(getattr(getattr(Settings(), section), name), bool)
