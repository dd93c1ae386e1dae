"""How often an idle file is checked."""

from neodeskpet.storage.integrity_check import CheckInterval


def test_the_pauses_grow_while_nothing_is_done_and_are_short_again_after_work() -> None:
    watching = CheckInterval(5.0)
    pauses = [watching.pause]
    for _ in range(3):
        watching.note_idle()
        pauses.append(watching.pause)
    assert pauses == [5.0, 10.0, 20.0, 20.0]
    watching.note_work()
    assert watching.pause == 5.0
