from __future__ import annotations

from neodeskpet.ui.desktop.music_players import ScriptedMusicDetector
from tests.support.virtualtime import run_virtually


def test_it_notifies_its_observers() -> None:
    async def story() -> None:
        music, heard = ScriptedMusicDetector(), list[bool]()
        music.play(True)
        music.end()
        assert (music.begun, heard) == (0, [])

    run_virtually(story())
