"""A conversation gets its title after the first answer, in the sidebar; a title of the user is
kept.
"""

from collections.abc import Callable

from tests.support.desk import DeskStory
from tests.support.sseserver import ScriptedServer, done, finish, text

WANTED = {"service": {"titles": True}}


def shown(desk: DeskStory) -> list[str]:
    model = desk.desk.chat.window.sidebar.list.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_a_title_comes_after_the_first_answer(
    desk_story: Callable[..., None], server: ScriptedServer
) -> None:
    server.reply(text("Mostly for play."), finish(), done())
    server.reply(text("“猫和老鼠”"), finish(), done())

    async def story(desk: DeskStory) -> None:
        desk.type("猫为什么喜欢老鼠？")
        await desk.idle()
        await desk.until(lambda: "猫和老鼠" in shown(desk), "no title came")
        asked = server.requests[1].body
        assert "猫为什么喜欢老鼠？" in str(asked["messages"])
        assert "tools" not in asked

    desk_story(story, server.url, settings=WANTED)
