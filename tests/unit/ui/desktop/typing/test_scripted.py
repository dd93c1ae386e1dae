from __future__ import annotations

from neodeskpet.ui.desktop.typing.scripted import ScriptedKeystrokes


def test_it_tells_while_somebody_listens() -> None:
    keys, heard = ScriptedKeystrokes(), list[int]()
    keys.press()
    assert keys.begin(heard.append)
    keys.press(2)
    keys.end()
    keys.press()
    assert heard == [2]
    assert not keys.listens
