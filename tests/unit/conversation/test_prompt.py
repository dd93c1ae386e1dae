"""Who the companion is."""

from neodeskpet.conversation.prompt import PERSONA


def test_the_companion_knows_who_it_is_and_that_it_has_a_body() -> None:
    assert "Neo" in PERSONA
    assert "live2d.expression" in PERSONA
