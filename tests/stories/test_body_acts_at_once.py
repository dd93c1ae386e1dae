"""OpenAI's protocol doesn't mark the end of a call; the figure still acts before the reply ends."""

from __future__ import annotations

from pathlib import Path

from neodeskpet.app.run_options import RunOptions
from neodeskpet.core.blocks import Message, MessageState
from tests.support.services import Talk, calls, talk_story
from tests.support.sseserver import HOLD, Pause, ScriptedServer, finish, text, tool_call

SMILE = ("live2d.expression", "success")
LONGER = Pause(0.5)
"""Longer than the silence after which a complete call counts as ended."""


def smiled(reply: Message) -> bool:
    return SMILE in calls(reply)


def test_it_acts_after_a_short_silence_and_not_in_the_pauses_of_a_slow_stream(
    tmp_path: Path,
) -> None:
    """Each pause but the last one is within incomplete arguments."""
    slow = tool_call("live2d_expression", '{"na', "c1"), tool_call("", 'me": "sm'), HOLD
    with ScriptedServer() as server:
        first = server.reply(text("Look!"), LONGER, *slow, tool_call("", 'ile"}'), HOLD, finish())

        async def story(talk: Talk) -> None:
            talk.engine.chat.send("smile")
            half = await talk.reaches(lambda reply: bool(calls(reply)))
            assert calls(half) == [("live2d.expression", "writing")]
            first.release()
            acted = await talk.reaches(smiled)
            assert first.sent == 4, "nothing has followed the arguments"
            assert acted.state is MessageState.RUNNING
            assert len(server.requests) == 1
            first.release()
            reply = await talk.ended()
            assert (calls(reply), reply.text) == ([SMILE], "Look!")
            assert len(server.requests) == 1, "a gesture beside text needs no further round"

        talk_story(tmp_path, story, options=RunOptions(server.url, "some-model"))
