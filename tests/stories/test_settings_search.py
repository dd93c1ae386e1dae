"""Search in the settings: a setting with this name comes before lists that contain the word."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.desk import DeskStory


def test_a_setting_comes_before_tools_and_lists_of_the_same_name(
    desk_story: Callable[..., None],
) -> None:
    async def story(person: DeskStory) -> None:
        window = person.desk.side_windows.settings
        for name in ("companion", "mode"):  # the lists are made when they are first shown
            window.present(name)
        window.search.setText("motion")
        appearance, tools = window.pages["appearance"], window.pages["mode"]
        await person.until(lambda: appearance.y() < tools.y(), "the tools stand first")
        assert appearance.isVisible() and tools.isVisible()
        assert window.pages["companion"].isHidden(), "abilities of the figure are no settings"
        window.search.clear()
        await person.until(lambda: tools.isVisible() and not appearance.isVisible())

    desk_story(story)
