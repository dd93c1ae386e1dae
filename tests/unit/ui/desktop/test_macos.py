from __future__ import annotations

from types import SimpleNamespace

from neodeskpet.ui.desktop.idle_time import MacIdleTime


class Since:
    restype: object = None
    argtypes: object = None

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self, source: int, kind: int) -> float:
        assert (source, kind) == (0, 0xFFFFFFFF)
        return self.value


def test_the_time_since_the_last_input() -> None:
    idle = MacIdleTime(SimpleNamespace(CGEventSourceSecondsSinceLastEventType=Since(4.25)))
    assert idle.seconds() == 4.25
    idle.close()
    assert (
        MacIdleTime(SimpleNamespace(CGEventSourceSecondsSinceLastEventType=Since(-1))).seconds()
        == 0
    )
