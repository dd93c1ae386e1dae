"""The mark for translation leaves the text as it is."""

from neodeskpet.core.wording import N_


def test_the_text_stays() -> None:
    assert N_("Paused after {count} rounds.") == "Paused after {count} rounds."
