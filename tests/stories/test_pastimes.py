"""What the companion does of its own accord, and with the person, in the real windows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from random import Random

from neodeskpet.app.pastimes.company import Company
from neodeskpet.app.pastimes.days import WISHES, Days
from neodeskpet.app.pastimes.music import MusicDance
from neodeskpet.app.pastimes.typing import TypingPaws
from neodeskpet.live2d.life.almanac import Feast, Season
from neodeskpet.memory.facts.fact import Claim
from neodeskpet.ui.desktop.music.scripted import ScriptedMusic
from neodeskpet.ui.desktop.typing.scripted import ScriptedKeystrokes
from tests.support.desk import DeskStory

Play = Callable[..., None]
LIVELY = {"appearance": {"language": "en", "reduced_motion": "off"}}


def company(person: DeskStory) -> Company:
    desk = person.desk
    return Company(desk.engine, desk.pet, desk.companion, desk.attention)


def test_the_birthday_that_was_written_down_has_a_word_once(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.until_figure()
        facts = desk.engine.memory.facts
        claim = Claim("birthday", "may 17")
        await facts.keep("My birthday is May 17", claim, None, datetime.now(), own=True)
        desk.engine.settings.change("pastimes", "hemisphere", "south")
        days = Days(company(person), moment=lambda: datetime(2027, 5, 17, 11), random=Random(1))
        days.begin()
        await person.until(lambda: days.ways().birthday == (5, 17), "it isn't remembered")
        await person.until(
            lambda: WISHES[Feast.BIRTHDAY] in desk.bubble.page_text, desk.bubble.page_text
        )
        assert desk.pet.day.feast is Feast.BIRTHDAY
        assert desk.pet.day.season is Season.AUTUMN
        desk.bubble.clear()
        days.look()
        await days.settled()
        assert desk.bubble.page_text == "", "once is enough"
        desk.engine.settings.change("pastimes", "days", False)
        days.look()
        assert desk.pet.day.feast is None
        await days.close()

    desk_story(story, pet=True, settings=LIVELY)


def test_no_word_into_a_quiet_hour_and_none_unasked(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.until_figure()
        desk.bubble.clear()
        days = Days(company(person), moment=lambda: datetime(2027, 2, 6, 12), random=Random(1))
        days.begin()
        await days.settled()
        assert desk.bubble.page_text == "", "nobody asked for feasts"
        desk.engine.settings.change("companion", "quiet", True)
        desk.engine.settings.change("pastimes", "feasts", True)
        days.look()
        await days.settled()
        assert desk.bubble.page_text == ""
        desk.engine.settings.change("companion", "quiet", False)
        days.look()
        await person.until(
            lambda: WISHES[Feast.SPRING_FESTIVAL] in desk.bubble.page_text, "no word"
        )
        await days.close()

    desk_story(story, pet=True, settings=LIVELY)


def test_music_makes_it_move_and_nothing_listens_while_that_is_off(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, music = person.desk, ScriptedMusic()
        await desk.until_figure()
        hours = iter(range(0, 10**6, 3600))
        dance = MusicDance(company(person), music, random=Random(1), clock=lambda: next(hours))
        dance.begin()
        assert music.begun == 0
        desk.engine.settings.change("pastimes", "music", True)
        dance.apply()
        await person.until(lambda: music.begun == 1, "nobody listens")
        music.play(True)
        await person.until(lambda: desk.pet.at_leisure, "it is busy")
        dance.look()
        await person.until(lambda: desk.pet.frames.per_second() > 12, "it doesn't move")
        desk.engine.settings.change("pastimes", "music", False)
        dance.apply()
        await person.until(lambda: music.ended == 1, "somebody still listens")
        assert not dance.playing
        await dance.close()

    desk_story(story, pet=True, settings=LIVELY)


def test_paws_tap_with_the_keys_while_it_is_seen(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, keys = person.desk, ScriptedKeystrokes()
        await desk.until_figure()
        paws = TypingPaws(company(person), keys)
        paws.begin()
        assert not keys.listens
        desk.engine.settings.change("pastimes", "typing", True)
        paws.apply()
        assert keys.listens
        await person.until(lambda: desk.pet.at_leisure, "it is busy")
        keys.press()
        await person.until(lambda: desk.pet.frames.per_second() > 12, "it doesn't move")
        desk.pet.hide()
        assert not keys.listens, "nobody sees it"
        desk.pet.show()
        assert keys.listens
        await paws.close()
        assert not keys.listens

    desk_story(story, pet=True, settings=LIVELY)
