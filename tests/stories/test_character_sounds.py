"""The character's sounds are heard with its acts once they are switched on."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.ui.settings.field_controls import SwitchControl
from neodeskpet.voice.sound_files import RecordingOutput, VirtualClock
from tests.support.desk import DeskStory
from tests.support.sseserver import ScriptedServer

Play = Callable[..., None]


class Loudspeaker(RecordingOutput):
    def __init__(self) -> None:
        super().__init__(VirtualClock(), 24_000)
        self.pieces: list[int] = []

    def play(self, generation: int, pcm: bytes) -> None:
        super().play(generation, pcm)
        self.pieces.append(len(pcm))

    def close(self) -> None:
        """There is no device."""


def test_a_touch_is_heard_when_the_sounds_are_on(desk_story: Play, server: ScriptedServer) -> None:
    async def story(person: DeskStory) -> None:
        desk, loudspeaker = person.desk, Loudspeaker()
        desk.sounds.make_output = lambda _device, _on_played: loudspeaker
        settings = desk.engine.settings
        for name, hour in (("quiet_from", 3), ("quiet_to", 3)):
            settings.change("initiative", name, hour)
        await desk.wait_for_figure()
        pet, acts = desk.companion.pet, list[tuple[str, ...]]()
        pet.acted.connect(acts.append)

        def touch(motion: Motion) -> None:
            pet.play(*motion)

        touch(("TapBody", 1))
        await person.until(lambda: any("giggle" in words for words in acts), f"no act: {acts}")
        assert loudspeaker.pieces == [], "off by default"

        desk.side_windows.show_settings("voice")
        window = desk.side_windows.settings
        await person.until(window.isVisible, "no settings")
        control = window.pages["sounds"].fields["character_sounds"].control
        assert isinstance(control, SwitchControl)
        person.click(control.switch)
        assert settings.settings.companion.character_sounds
        touch(("TapCheekL", 0))
        await person.until(lambda: len(loudspeaker.pieces) == 1, "nothing is heard")

        settings.change("companion", "quiet", True)
        touch(("Purr", 0))
        await person.until(lambda: any("purr" in words for words in acts), f"no act: {acts}")
        assert len(loudspeaker.pieces) == 1, "quiet"

    desk_story(story, server.url, mode="native", pet=True)
