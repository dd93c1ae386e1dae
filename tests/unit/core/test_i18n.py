"""Texts marked for translation, filled when they are shown."""

from neodeskpet.core.i18n import N_, InvalidValue, Reason


def test_the_text_is_unchanged() -> None:
    assert N_("Paused after {count} rounds.") == "Paused after {count} rounds."


def test_an_invalid_value_is_reported_with_place_and_reason() -> None:
    error = InvalidValue("{word} is no day.", word="Blursday")
    assert str(error) == "Blursday is no day."
    reason = error.at("when")
    assert reason == Reason("{word} is no day.", {"word": "Blursday"}, "when")
    assert str(reason) == "when: Blursday is no day."
