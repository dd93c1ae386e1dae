"""What a visitor can do at the companion itself. To add one, write one tool below and its pace in
`reception.py`.

A tool here only says what is to be done, as a `Deed`; the reception has it done, in the visitor's
name. No `from __future__ import annotations` here: the schemas refer to the body of now.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from neodeskpet.core.errors import InvalidArguments, ToolError
from neodeskpet.core.schedule.durations import LONGEST_TEXT
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.visible import visible
from neodeskpet.core.wording import N_
from neodeskpet.tools.registry import OneOf, Tool, tool
from neodeskpet.visitors.port import QUESTION, SAID, Answer, Presence, Reply, Shown

CHOICES = 4
CHOICE = 24
"""Characters of a button."""
PATIENCE = 600.0
"""Seconds that a question stays, if nobody says otherwise."""
_LONGEST_WAIT = 3600.0

Deed = Callable[[str], Awaitable[Answer]]
"""What is done for the visitor of this name."""

Choice = Annotated[str, StringConstraints(min_length=1, max_length=CHOICE)]

_SHOWN = {
    Shown.BUBBLE: "Shown at the companion.",
    Shown.NOTICE: "The companion is hidden; shown as a notice of the desktop.",
    Shown.QUIET: "Not shown: the person wants quiet now.",
    Shown.FULL: "Not shown: too much waits to be read already. Try again later.",
}
_WHY = {
    "dismissed": "The person closed the question without an answer.",
    "timeout": "Nobody answered in time.",
    "quiet": "Not asked: the person wants quiet now.",
    "full": "Not asked: too many questions wait already.",
    "withdrawn": "The question was withdrawn.",
}
_TOPIC = 64


def visitor_tools(presence: Presence) -> list[Tool]:
    """These are on offer whatever figure stands there, if any: programs list tools once."""
    asking = [_ask(presence), _withdraw(presence)]
    return [_say(presence), *_body(presence), *asking, _notify(presence)]


def _say(presence: Presence) -> Tool:
    @tool("say", risk=Risk.BODY)
    def say(
        text: Annotated[
            str, Field(max_length=SAID, description="Plain text, one or two sentences at best.")
        ] = "",
        mood: Annotated[
            str,
            Field(
                max_length=80,
                description="How it looks: working, thinking, asking, happy, sorry, surprised, "
                "idle, or one of its expressions.",
            ),
        ] = "",
        wait: Annotated[bool, Field(description="Return when the person has read it.")] = False,
        topic: Annotated[
            str, Field(max_length=_TOPIC, description="A word to withdraw the text by.")
        ] = "",
    ) -> Deed:
        """Have the desktop companion say something to the person, in a speech bubble that names
        your program. With a mood and no text it only shows the mood.
        """
        if not text.strip() and not mood:
            raise InvalidArguments.at("text", N_("there is nothing to say."))

        async def do(who: str) -> Answer:
            told = [_look(presence, mood)] if mood else []
            if not text.strip():
                return Answer(" ".join(told))
            shown = await presence.say(who, visible(text.strip()), wait=wait, topic=topic)
            failed = shown in (Shown.QUIET, Shown.FULL)
            words = " ".join([_SHOWN[shown], *filter(None, told)])
            return Answer(words, {"shown": shown.value}, failed)

        return do

    return say


def _look(presence: Presence, mood: str) -> str:
    """Show a mood; a word about it. One that isn't known keeps nothing from being said."""
    wanted = mood.strip().casefold()
    moods = {one.casefold(): one for one in presence.moods()}
    faces = {one.casefold(): one for one in presence.expressions()}
    if wanted in moods:
        moved = presence.show_mood(moods[wanted])
    elif wanted in faces:
        moved = presence.express(faces[wanted])
    else:
        known = ", ".join([*moods.values(), *faces.values()])
        return f"There is no mood {visible(mood)}; there are: {known}."
    return "" if moved else "It didn't move: it is busy, hidden or quiet."


def _body(presence: Presence) -> list[Tool]:
    def faces() -> str:
        names = ", ".join(presence.expressions())
        return f"Which expression: {names}." if names else "Which expression."

    @tool("express", risk=Risk.BODY)
    def express(
        name: Annotated[str, OneOf(presence.expressions, faces, listed=False)],
    ) -> Deed:
        """Change the facial expression of the desktop companion."""

        async def do(who: str) -> Answer:
            return _moved(presence.express(name), f"Its face shows “{name}”.")

        return do

    def groups() -> str:
        names = ", ".join(presence.motions())
        return f"Which kind of motion: {names}." if names else "Which kind of motion."

    @tool("play", risk=Risk.BODY)
    def play(
        group: Annotated[str, OneOf(presence.motions, groups, listed=False)],
        index: Annotated[
            int | None, Field(ge=0, description="Which motion of the group, from 0; else any.")
        ] = None,
    ) -> Deed:
        """Move the desktop companion."""
        count = presence.motions()[group]
        if index is not None and index >= count:
            text = N_("“{group}” has motions from 0 to {last}, got {index}")
            last = str(count - 1)
            raise InvalidArguments.at("index", text, group=group, last=last, index=str(index))

        async def do(who: str) -> Answer:
            return _moved(presence.play(group, index), f"It plays “{group}”.")

        return do

    return [express, play]


def _moved(moved: bool, words: str) -> Answer:
    return Answer(words) if moved else Answer("It is hidden or wants quiet now.", failed=True)


def _ask(presence: Presence) -> Tool:
    @tool("ask", risk=Risk.BODY, timeout=_LONGEST_WAIT + 60)
    def ask(
        question: Annotated[
            str, Field(min_length=1, max_length=QUESTION, description="Plain text.")
        ],
        choices: Annotated[
            list[Choice] | None,
            Field(
                min_length=1,
                max_length=CHOICES,
                description="The buttons; at most four, short. Left out: Yes, No.",
            ),
        ] = None,
        seconds: Annotated[
            float,
            Field(ge=1, le=_LONGEST_WAIT, description="How long to wait for an answer."),
        ] = PATIENCE,
        topic: Annotated[
            str, Field(max_length=_TOPIC, description="A word to withdraw the question by.")
        ] = "",
    ) -> Deed:
        """Ask the person something at the desktop companion, with buttons, and wait for the answer.
        They may close it without one, or not be there.
        """
        offered = [" ".join(visible(one).split()) for one in choices or ("Yes", "No")]
        if not question.strip():
            raise InvalidArguments.at("question", N_("there is nothing to ask."))
        if len(set(offered)) < len(offered) or not all(offered):
            raise InvalidArguments.at("choices", N_("each choice needs a text of its own."))

        async def do(who: str) -> Answer:
            words = visible(question.strip())
            reply = await presence.ask(who, words, offered, seconds, topic)
            return _answered(reply)

        return do

    return ask


def _withdraw(presence: Presence) -> Tool:
    @tool("withdraw", risk=Risk.BODY)
    def withdraw(
        topic: Annotated[
            str, Field(min_length=1, max_length=_TOPIC, description="Of `ask` or `say`.")
        ],
    ) -> Deed:
        """Take back the questions that your program asked under this topic, and its unread text:
        they were answered elsewhere.
        """

        async def do(who: str) -> Answer:
            count = presence.withdraw(who, topic)
            return Answer(f"{count} withdrawn.", {"withdrawn": count})

        return do

    return withdraw


def _answered(reply: Reply) -> Answer:
    if reply.choice:
        return Answer(f"The person chose “{reply.choice}”.", {"answer": reply.choice})
    return Answer(_WHY[reply.why], {"answer": None, "why": reply.why}, failed=True)


def _notify(presence: Presence) -> Tool:
    @tool("notify", risk=Risk.BODY)
    def notify(
        text: Annotated[str, Field(min_length=1, max_length=SAID, description="Plain text.")],
        title: Annotated[str, Field(max_length=80, description="A few words.")] = "",
    ) -> Deed:
        """Show the person a notice of the desktop that names your program."""

        async def do(who: str) -> Answer:
            line = " ".join(visible(title).split())
            shown = await presence.notify(who, line, visible(text.strip()))
            words = "Shown as a notice of the desktop."
            told = words if shown is Shown.NOTICE else _SHOWN[shown]
            return Answer(told, {"shown": shown.value}, shown in (Shown.QUIET, Shown.FULL))

        return do

    return notify


def remind_tool() -> Tool:
    """It gives the arguments of `timer.set`."""

    @tool("remind", risk=Risk.OWN)
    def remind(
        text: Annotated[
            str, Field(min_length=1, max_length=400, description="What to remind the person of.")
        ],
        at: Annotated[
            str,
            Field(
                min_length=1,
                max_length=LONGEST_TEXT,
                description="A clock time (17:30, tomorrow 9:00) or a time from now (10m, 1h30m).",
            ),
        ],
        repeat: Annotated[
            Literal["", "daily", "weekdays", "weekly"],
            Field(description="Whether it comes again at that time of day."),
        ] = "",
    ) -> dict[str, str]:
        """Remind the person of something: it rings at the companion until it is answered."""
        return {"label": text.strip(), "at": at, "repeat": repeat}

    return remind


class Nobody:
    """A `Presence` where no companion runs: the tools can be listed, and nothing else."""

    async def say(self, who: str, text: str, *, wait: bool, topic: str = "") -> Shown:
        raise NobodyThere()

    async def ask(
        self, who: str, question: str, choices: Sequence[str], seconds: float, topic: str = ""
    ) -> Reply:
        raise NobodyThere()

    def withdraw(self, who: str, topic: str) -> int:
        raise NobodyThere()

    async def notify(self, who: str, title: str, text: str) -> Shown:
        raise NobodyThere()

    def expressions(self) -> Sequence[str]:
        return ()

    def motions(self) -> Mapping[str, int]:
        return {}

    def express(self, name: str) -> bool:
        raise NobodyThere()

    def play(self, group: str, index: int | None) -> bool:
        raise NobodyThere()

    def moods(self) -> Sequence[str]:
        return ()

    def show_mood(self, mood: str) -> bool:
        raise NobodyThere()


class NobodyThere(ToolError):
    what = N_("NeoDeskPet isn't running, so nobody can be told or asked.")
