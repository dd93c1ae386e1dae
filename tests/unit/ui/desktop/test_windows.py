from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from neodeskpet.ui.desktop.idle_time import LastInputInfo, WindowsIdleTime


def system(last: int, now: int, works: int = 1) -> Any:
    def tell(info: Any) -> int:
        found = ctypes.cast(info, ctypes.POINTER(LastInputInfo)).contents
        assert found.cbSize == 8
        found.dwTime = last
        return works

    return SimpleNamespace(
        user32=SimpleNamespace(GetLastInputInfo=tell),
        kernel32=SimpleNamespace(GetTickCount=lambda: now),
    )


def test_the_time_since_the_last_input() -> None:
    idle = WindowsIdleTime(system(1000, 8500))
    assert idle.seconds() == 7.5
    idle.close()


def test_the_clock_wraps_around() -> None:
    assert WindowsIdleTime(system(2**32 - 1000, 500)).seconds() == 1.5


def test_it_may_refuse() -> None:
    assert WindowsIdleTime(system(0, 1, works=0)).seconds() is None
