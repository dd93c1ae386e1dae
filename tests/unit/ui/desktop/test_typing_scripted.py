from __future__ import annotations

from neodeskpet.ui.desktop.keystrokes import ScriptedKeystrokeCounter


def test_it_reports_while_it_has_an_observer() -> None:
    keys, heard = ScriptedKeystrokeCounter(), list[int]()
    keys.press()
    assert keys.start(heard.append)
    keys.press(2)
    keys.stop()
    keys.press()
    assert heard == [2]
    assert not keys.is_listening
