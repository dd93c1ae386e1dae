"""Sentences of ours: marked for translation, filled when they are said."""

from neodeskpet.core.i18n import N_, InvalidValue, Reason


def test_the_text_stays() -> None:
    assert N_("Paused after {count} rounds.") == "Paused after {count} rounds."


def test_a_value_that_cannot_be_taken_says_why_and_where() -> None:
    error = InvalidValue("{word} is no day.", word="Blursday")
    assert str(error) == "Blursday is no day."
    reason = error.at("when")
    assert reason == Reason("{word} is no day.", {"word": "Blursday"}, "when")
    assert str(reason) == "when: Blursday is no day."
