"""Activities of the companion by itself and with the user, in the real windows."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from neodeskpet.app.activities.desktop_reactions import (
    ActivityContext,
    MusicDance,
    SmallReactions,
    TypingAlong,
)
from neodeskpet.app.activities.holidays import HOLIDAY_GREETINGS, HolidayActivity
from neodeskpet.app.activities.wardrobe import USE_SECONDS, WEATHER_SECONDS, Wardrobe
from neodeskpet.conversation.chat_events import TurnAdvanced
from neodeskpet.core.blocks import MessageState, ToolStatus, ToolUse
from neodeskpet.core.proactive import UserPresence
from neodeskpet.core.schedule.due import Due
from neodeskpet.core.turn.turn_events import BlockEnded, TurnEnded
from neodeskpet.figure.behaviour.ground import DesktopArea, VisibleWindow
from neodeskpet.figure.behaviour.seasons import Holiday, Season
from neodeskpet.figure.poses import Pose
from neodeskpet.memory.facts.fact import FactClaim
from neodeskpet.ui.desktop.keystrokes import ScriptedKeystrokeCounter
from neodeskpet.ui.desktop.music_players import ScriptedMusicDetector
from tests.support.desk import DeskStory

Play = Callable[..., None]
LIVELY = {"appearance": {"language": "en", "reduced_motion": "off"}}


class UserIsPresent:
    """The pointer of a test's display never moves, so the real detector finds no user there."""

    async def read_presence(self) -> UserPresence:
        return UserPresence(idle=1.0)


def company(person: DeskStory) -> ActivityContext:
    desk = person.desk
    return ActivityContext(
        desk.engine, desk.companion.pet, desk.companion.presenter, UserIsPresent()
    )


async def wished(
    person: DeskStory, days: HolidayActivity, holiday: Holiday = Holiday.BIRTHDAY
) -> None:
    """Wait for the greeting of a holiday. Each check stands for a minute: a bubble that is shown at
    the start delays it until the next one.
    """
    bubble = person.desk.companion.bubble

    def greeted() -> bool:
        days.check()
        return HOLIDAY_GREETINGS[holiday] in bubble.page_text

    await person.until(greeted, "no greeting")


def test_a_birthday_in_the_settings_is_wished_once(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        facts = desk.engine.memory.store.facts
        claim = FactClaim("birthday", "may 17")
        await facts.add("My birthday is May 17", claim, None, datetime.now(), own=True)
        desk.engine.settings.change("pastimes", "hemisphere", "south")
        days = HolidayActivity(
            company(person), moment=lambda: datetime(2027, 5, 17, 11), random=Random(1)
        )
        days.start()
        await person.until(
            lambda: days.season_settings().birthday == (5, 17), "it isn't remembered"
        )
        await wished(person, days)
        assert desk.companion.pet.day.holiday is Holiday.BIRTHDAY
        assert desk.companion.pet.day.season is Season.AUTUMN
        desk.companion.bubble.clear()
        days.check()
        await days.wait_idle()
        assert HOLIDAY_GREETINGS[Holiday.BIRTHDAY] in desk.companion.bubble.page_text, (
            "it stays until it is clicked"
        )
        await days.aclose()
        desk.companion.presenter.withdraw("feast")
        days = HolidayActivity(
            company(person), moment=lambda: datetime(2027, 5, 17, 12), random=Random(1)
        )
        days.start()  # it wasn't clicked, so the next start wishes again
        await wished(person, days)
        (thanks,) = desk.companion.bubble.choices
        person.click(
            next(b for b in desk.companion.bubble.findChildren(QPushButton) if b.text() == thanks)
        )
        await days.wait_idle()
        await person.until(lambda: not desk.companion.bubble.page_text, "it doesn't go")
        days.check()
        await days.wait_idle()
        assert desk.companion.bubble.page_text == "", "once is enough"
        desk.engine.settings.change("pastimes", "days", False)
        days.check()
        assert desk.companion.pet.day.holiday is None
        await days.aclose()

    desk_story(story, pet=True, settings=LIVELY)


def test_no_wish_in_quiet_hours_and_none_when_switched_off(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        desk.companion.bubble.clear()
        days = HolidayActivity(
            company(person), moment=lambda: datetime(2027, 2, 6, 12), random=Random(1)
        )
        days.start()
        await days.wait_idle()
        assert desk.companion.bubble.page_text == "", "holidays are switched off"
        desk.engine.settings.change("companion", "quiet", True)
        desk.engine.settings.change("pastimes", "feasts", True)
        days.check()
        await days.wait_idle()
        assert desk.companion.bubble.page_text == ""
        desk.engine.settings.change("companion", "quiet", False)
        await wished(person, days, Holiday.SPRING_FESTIVAL)
        await days.aclose()

    desk_story(story, pet=True, settings=LIVELY)


def test_music_makes_it_move_and_nothing_listens_while_that_is_off(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, music = person.desk, ScriptedMusicDetector()
        await desk.wait_for_figure()
        hours = iter(range(0, 10**6, 3600))
        dance = MusicDance(company(person), music, random=Random(1), clock=lambda: next(hours))
        dance.start()
        assert music.begun == 0
        desk.engine.settings.change("pastimes", "music", True)
        dance.apply()
        await person.until(lambda: music.begun == 1, "nobody listens")
        music.play(True)
        await person.until(lambda: desk.companion.pet.is_idle, "it is busy")
        dance.check()
        await person.until(
            lambda: desk.companion.pet.frames.frames_per_second() > 12, "it doesn't move"
        )
        desk.engine.settings.change("pastimes", "music", False)
        dance.apply()
        await person.until(lambda: music.ended == 1, "somebody still listens")
        assert not dance.playing
        await dance.aclose()

    desk_story(story, pet=True, settings=LIVELY)


def test_it_wears_what_is_chosen_or_suits_the_moment(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, music = person.desk, ScriptedMusicDetector()
        await desk.wait_for_figure()
        settings, pet = desk.engine.settings, desk.companion.pet
        dance = MusicDance(company(person), music)
        wardrobe = Wardrobe(company(person), lambda: dance.playing)
        dance.playing_changed.connect(wardrobe.apply)
        dance.start()
        wardrobe.start()
        assert pet.worn_part == ""
        settings.change("pastimes", "music", True)
        dance.apply()
        await person.until(lambda: music.begun == 1, "nobody listens")
        music.play(True)
        await person.until(lambda: pet.worn_part == "headphones", "no headphones")
        pet.wear("ribbon")
        wardrobe.apply()
        assert pet.worn_part == "ribbon", "what the model put on stays"
        music.play(False)
        await person.until(lambda: pet.worn_part == "", "they are still on")
        settings.change("companion", "wears", "glasses")
        wardrobe.apply()
        assert pet.worn_part == "glasses"
        await dance.aclose()
        await wardrobe.aclose()

    desk_story(story, pet=True, settings=LIVELY)


def test_it_takes_an_umbrella_when_a_tool_tells_of_rain(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, seconds = person.desk, [0.0]
        await desk.wait_for_figure()
        pet = desk.companion.pet
        wardrobe = Wardrobe(company(person), lambda: False, clock=lambda: seconds[0])
        wardrobe.start()
        call = ToolUse(0, 1, "1", "get_weather", "{}", status=ToolStatus.SUCCESS, output="Rain")
        wardrobe.on_chat_event(TurnAdvanced("1", BlockEnded(call)))
        await person.until(lambda: pet.worn_part == "umbrella", "no umbrella")
        seconds[0] += WEATHER_SECONDS + 1
        wardrobe.apply()
        assert pet.worn_part == "", "the weather has changed"
        await desk.engine.storage.store.set_state("wears.turns", "99")
        wardrobe.on_chat_event(TurnAdvanced("1", TurnEnded(MessageState.DONE, 0.0)))
        await person.until(lambda: pet.worn_part == "glasses", "nothing for a hundred replies")
        seconds[0] += USE_SECONDS + 1
        wardrobe.apply()
        assert pet.worn_part == ""
        await wardrobe.aclose()

    desk_story(story, pet=True, settings=LIVELY)


def test_paws_tap_with_the_keys_while_it_is_visible(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, keys = person.desk, ScriptedKeystrokeCounter()
        await desk.wait_for_figure()
        paws = TypingAlong(company(person), keys)
        paws.start()
        assert not keys.is_listening
        desk.engine.settings.change("pastimes", "typing", True)
        paws.apply()
        assert keys.is_listening
        await person.until(lambda: desk.companion.pet.is_idle, "it is busy")
        keys.press()
        await person.until(
            lambda: desk.companion.pet.frames.frames_per_second() > 12, "it doesn't move"
        )
        desk.companion.pet.hide()
        assert not keys.is_listening, "it is hidden"
        desk.companion.pet.show()
        assert keys.is_listening
        await paws.aclose()
        assert not keys.is_listening

    desk_story(story, pet=True, settings=LIVELY)


def test_small_reactions_follow_clicks_and_the_window_in_use(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, clicks = person.desk, ScriptedKeystrokeCounter()
        await desk.wait_for_figure()
        pet = desk.companion.pet
        far = VisibleWindow(1, DesktopArea(0, 0, 100, 100))
        attention = SmallReactions(company(person), clicks, lambda: [far], random=Random(1))
        attention.start()
        assert clicks.is_listening
        await person.until(lambda: pet.is_idle, "it is busy")
        commands = list[object]()
        pet.command_given.connect(lambda: commands.append(1))
        clicks.press()
        clicks.press()
        assert len(commands) == 1, "the ear turns once"
        desk.engine.settings.change("companion", "gaze", False)
        attention.apply()
        assert not clicks.is_listening
        await attention.aclose()

    desk_story(story, pet=True, settings=LIVELY)


def test_while_the_user_is_away_it_watches_the_window_that_they_left_open(
    desk_story: Play,
) -> None:
    async def story(person: DeskStory) -> None:
        desk, asked, commands = person.desk, list[int](), list[int]()
        await desk.wait_for_figure()
        pet = desk.companion.pet

        def windows() -> list[VisibleWindow]:
            asked.append(1)
            return [VisibleWindow(1, DesktopArea(0, 0, 100, 100))]

        watching = SmallReactions(
            company(person), ScriptedKeystrokeCounter(), windows, random=Random(1)
        )
        watching.start()
        pet.command_given.connect(lambda: commands.append(1))
        later = time.monotonic() + 1_000.0

        def watches() -> bool:
            # Frames of later times: the scene begins up to two minutes after the user has left.
            nonlocal later
            later += 1.0
            pet.advanced.emit(later)
            return bool(asked and commands)

        pet.set_idle_source(lambda: 120.0)
        await person.until(lambda: pet.is_user_away, "the user is not away")
        assert not asked, "no window matters before"
        await person.until(watches, "it watches no window")
        pet.set_idle_source(lambda: 0.0)
        await person.until(lambda: not pet.is_user_away, "the user is still away")
        await watching.aclose()

    desk_story(story, pet=True, settings=LIVELY)


def test_a_pomodoro_is_accompanied_with_a_break(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk, book = person.desk, person.desk.engine.notebook.timers
        await desk.wait_for_figure()
        assert not desk.menu.menu.actions["spans"].isVisible()
        exam = Due(date.today() + timedelta(days=27))
        await desk.engine.notebook.todos.add("Countdown to the exam", due=exam)
        desk.engine.settings.change("pastimes", "spans", True)
        assert desk.menu.menu.actions["spans"].isVisible()
        await person.until(lambda: desk.companion.pet.is_idle, "it is busy")
        desk.menu.menu.actions["spans"].trigger()
        await person.until(
            lambda: desk.companion.pet.current_pose is Pose.WORKING, "it doesn't work"
        )
        (timer,) = await book.timers()
        assert timer.label == "Pomodoro"
        assert 24 * 60 < timer.due - time.time() <= 25 * 60
        pill = desk.state_pill.pill
        await person.until(
            lambda: pill.created is not None and pill.created.isVisible(), "no countdown"
        )
        assert pill.window.accessibleName() == "Focus"
        assert f"Focus until {datetime.fromtimestamp(timer.due):%H:%M}" in pill.window.toolTip()
        assert "27 days until the exam" in pill.window.toolTip()
        await person.until(
            lambda: "27 days until the exam" in desk.companion.bubble.page_text, "it isn't said"
        )
        await book.update(timer.id, due=time.time(), label="Pomodoro", repeat=timer.repeat)
        await person.until(lambda: "Pomodoro" in desk.companion.bubble.page_text, "it doesn't ring")
        (rung,) = await book.timers()
        await book.answer(rung)
        # The bubble closes by itself, so it is read first.
        await person.until(
            lambda: "stretch with me" in desk.companion.bubble.page_text, "it doesn't invite"
        )
        await person.until(lambda: desk.activities.pomodoro.labels == ["Break"], "no break follows")
        assert [one.label for one in await book.timers()] == ["Break"]
        await person.until(lambda: pill.window.accessibleName() == "Break", "no second countdown")
        assert "1 session today, " in pill.window.toolTip()
        pill.window.clicked.emit()
        today = desk.side_windows.today
        await person.until(
            lambda: (
                "27 days until the exam" in [one.title for one in today.overview.list.entries()]
            ),
            "Today has no countdown",
        )

    desk_story(story, pet=True, settings=LIVELY)


def test_a_snack_is_dragged_to_it_and_three_are_enough(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        desk.engine.settings.change("pastimes", "snacks", True)
        snacks, now = desk.activities.snacks, time.time()
        await desk.engine.storage.store.set_state("snacks", f"{now - 60:.0f} {now - 30:.0f}")
        await snacks.load_eaten()
        for full in (False, True):
            desk.menu.menu.actions["snacks"].trigger()
            snack = snacks.snack
            assert snack is not None
            assert not desk.companion.pet.placement.figure_rect().contains(snack.middle())
            way = desk.companion.pet.placement.mouth_point() - snack.middle()
            middle = snack.rect().center()
            QTest.mousePress(snack, Qt.MouseButton.LeftButton, pos=middle)
            QTest.mouseMove(snack, middle + way)
            QTest.mouseRelease(snack, Qt.MouseButton.LeftButton, pos=middle)
            assert snack.isVisible() is not full
            await person.until(lambda one=snack: not one.isVisible(), "it isn't eaten")
        kept = await desk.engine.storage.store.get_state("snacks")
        assert kept is not None
        assert len(kept.split()) == 3

    desk_story(story, pet=True, settings=LIVELY)


def test_it_hides_at_an_edge_until_it_is_found(desk_story: Play) -> None:
    async def story(person: DeskStory) -> None:
        desk = person.desk
        await desk.wait_for_figure()
        desk.engine.settings.change("pastimes", "seek", True)
        seek, screen = desk.activities.hide_and_seek, desk.companion.pet.screen().geometry()
        home = desk.companion.pet.placement.figure_rect()
        assert screen.contains(home)
        desk.menu.menu.actions["seek"].trigger()
        assert "hiding" in desk.companion.bubble.page_text
        await person.until(
            lambda: not screen.contains(desk.companion.pet.placement.figure_rect()),
            "it doesn't hide",
        )
        assert screen.intersects(desk.companion.pet.placement.figure_rect())
        desk.companion.pet.touched.emit("Head")
        assert not seek.hidden
        assert desk.companion.pet.placement.figure_rect() == home
        await person.until(lambda: "found me" in desk.companion.bubble.page_text, "it says nothing")
        desk.menu.menu.actions["seek"].trigger()
        desk.companion.pet.hide()
        assert not seek.hidden, "hidden by the user it plays no game"

    desk_story(story, pet=True, settings=LIVELY)
