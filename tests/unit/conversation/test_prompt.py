"""What holds whoever the companion is."""

from neodeskpet.conversation.prompt import HOUSE


def test_the_companion_knows_that_it_has_a_body() -> None:
    assert "live2d.expression" in HOUSE
