"""A sprite figure: dropped, used, it shows the states of a turn, is dragged and petted, and is
restored.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from neodeskpet.figure.poses import Pose
from tests.stories.test_drops import drop, files, press
from tests.support.desk import DeskStory
from tests.support.replies import calling, end
from tests.support.sseserver import HOLD, ScriptedServer, text
from tests.unit.figure.sprites.packs import blob, pet

Play = Callable[..., None]


def middle(person: DeskStory) -> QPoint:
    stand = person.desk.companion.pet.placement
    return stand.figure_rect().center() - person.desk.companion.pet.position()


def test_a_pet_made_of_pictures(desk_story: Play, server: ScriptedServer, tmp_path: Path) -> None:
    pack = pet(tmp_path / "Blobby", 11).parent
    picture = tmp_path / "cat.png"
    blob((90, 120), (200, 120, 60)).save(picture)
    home: list[Path] = []
    seen: list[Pose] = []

    async def wear_and_live(person: DeskStory) -> None:
        desk, bubble = person.desk, person.desk.companion.bubble
        home.append(desk.engine.storage.home)
        await desk.wait_for_figure()
        drop(desk.companion.pet, files(pack))
        await person.until(lambda: "figure “Blobby”" in bubble.page_text, "it isn't asked about")
        press(person, "Use this figure")
        await person.until(
            lambda: desk.companion.pet.description and desk.companion.pet.description.version == 0,
            "it doesn't stand",
        )
        assert not desk.companion.pet.snapshot().isNull()
        assert desk.companion.pet.motions()["waving"] == 1
        assert [tile.title for tile in await desk.figure_settings.tiles()][1:] == ["Blobby"]
        preview = await desk.figure_settings.picture(str(home[0] / "models" / "Blobby"))
        assert preview.stat().st_size > 0

        actor = desk.companion.pet._actor
        assert actor is not None
        desk.companion.pet.advanced.connect(lambda _: seen.append(actor.current_pose))
        waves = calling("native", ("live2d.motion", {"group": "waving"}))
        asked = server.reply(HOLD, *waves, *end("tool_calls"))
        server.reply(text("I waved."), *end())
        person.type("Wave, please.")
        await person.until(lambda: Pose.THINKING in seen, "nothing is asked")
        asked.release()
        await person.idle()
        await person.until(lambda: Pose.HAPPY in seen, "the turn isn't mirrored")
        assert seen[0] in (Pose.IDLE, Pose.THINKING, Pose.GREETING, Pose.LISTENING)

        touched: list[str] = []
        desk.companion.pet.touched.connect(touched.append)
        QTest.mouseClick(desk.companion.pet, Qt.MouseButton.LeftButton, pos=middle(person))
        assert touched == ["Body"]

        place, start = desk.companion.pet.position(), middle(person)
        QTest.mousePress(desk.companion.pet, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(desk.companion.pet, start - QPoint(60, 40))
        await person.until(lambda: desk.companion.pet.position() != place, "it isn't dragged")
        QTest.mouseRelease(desk.companion.pet, Qt.MouseButton.LeftButton, pos=middle(person))

        drop(desk.companion.pet, files(picture))
        await person.until(lambda: "cat.png" in bubble.page_text, "the picture isn't asked about")
        assert "Use this figure" in bubble.choices
        press(person, "Never mind")

    async def is_back(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        assert desk.companion.pet.description is not None
        assert desk.companion.pet.description.name == "Blobby"
        assert desk.engine.settings.settings.companion.model == str(home[0] / "models" / "Blobby")

    desk_story(wear_and_live, server.url, pet=True)
    desk_story(is_back, server.url, pet=True)
