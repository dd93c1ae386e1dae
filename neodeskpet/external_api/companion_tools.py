"""The tools with which a program uses the companion itself. To add one, write it below and add its
rate in `tool_gateway.py`.

A tool here only returns a `ProgramAction`; the gateway runs it with the program's name. No `from
__future__ import annotations` here: the schemas refer to the current figure.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from neodeskpet.core.errors import InvalidArguments, ToolError
from neodeskpet.core.i18n import N_
from neodeskpet.core.schedule.vocabulary import LONGEST_TEXT
from neodeskpet.core.toolspec import Risk
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.external_api.local_protocol import (
    MAX_FOLDER,
    MAX_TEXT,
    QUESTION,
    CompanionAccess,
    Delivery,
    QuestionDetails,
    QuestionReply,
    ToolAnswer,
)
from neodeskpet.toolkit.registry import OneOf, Tool, tool

MAX_CHOICES = 4
MAX_CHOICE_CHARS = 24
"""Most characters of a button."""
ANSWER_TIMEOUT = 600.0
"""Default seconds until a question expires."""
_MAX_WAIT = 3600.0

ProgramAction = Callable[[str], Awaitable[ToolAnswer]]
"""Performs the action for the program with this name."""

ChoiceText = Annotated[str, StringConstraints(min_length=1, max_length=MAX_CHOICE_CHARS)]

_DELIVERY_TEXTS = {
    Delivery.BUBBLE: "Shown at the companion.",
    Delivery.NOTICE: "The companion is hidden; shown as a notice of the desktop.",
    Delivery.QUIET: "Not shown: the user wants quiet now.",
    Delivery.FULL: "Not shown: too many messages are unread. Try again later.",
}
_NO_ANSWER_TEXTS = {
    "dismissed": "The user closed the question without an answer.",
    "timeout": "Nobody answered in time.",
    "quiet": "Not asked: the user wants quiet now.",
    "full": "Not asked: too many questions are open.",
    "withdrawn": "The question was withdrawn.",
    "long": "Not asked: the question is too long to be shown as a whole.",
}
_MAX_TOPIC = 64


def program_tools(presence: CompanionAccess) -> list[Tool]:
    """Make the tools. They are offered with any figure or none, because programs list tools only
    once.
    """
    asking = [_ask_tool(presence), _withdraw_tool(presence)]
    return [_say_tool(presence), *_figure_tools(presence), *asking, _notify_tool(presence)]


def _say_tool(presence: CompanionAccess) -> Tool:
    @tool("say", risk=Risk.GESTURE)
    def say(
        text: Annotated[
            str, Field(max_length=MAX_TEXT, description="Plain text, one or two sentences at best.")
        ] = "",
        mood: Annotated[
            str,
            Field(
                max_length=80,
                description="How it looks: working, thinking, asking, happy, sorry, surprised, "
                "idle, or one of its expressions.",
            ),
        ] = "",
        wait: Annotated[bool, Field(description="Return when the user has read it.")] = False,
        topic: Annotated[
            str, Field(max_length=_MAX_TOPIC, description="A word to withdraw the text by.")
        ] = "",
    ) -> ProgramAction:
        """Have the desktop companion say something to the user, in a speech bubble that names
        your program. With a mood and no text it only shows the mood.
        """
        if not text.strip() and not mood:
            raise InvalidArguments.at("text", N_("there is nothing to say."))

        async def do(who: str) -> ToolAnswer:
            notes = [_apply_mood(presence, mood)] if mood else []
            if not text.strip():
                return ToolAnswer(" ".join(notes))
            shown = await presence.say(who, show_hidden_chars(text.strip()), wait=wait, topic=topic)
            failed = shown in (Delivery.QUIET, Delivery.FULL)
            words = " ".join([_DELIVERY_TEXTS[shown], *filter(None, notes)])
            return ToolAnswer(words, {"shown": shown.value}, failed)

        return do

    return say


def _apply_mood(presence: CompanionAccess, mood: str) -> str:
    """Show a mood and return a text about it. An unknown mood doesn't prevent the message."""
    wanted = mood.strip().casefold()
    moods = {one.casefold(): one for one in presence.moods()}
    faces = {one.casefold(): one for one in presence.expressions()}
    if wanted in moods:
        moved = presence.show_mood(moods[wanted])
    elif wanted in faces:
        moved = presence.express(faces[wanted])
    else:
        known = ", ".join([*moods.values(), *faces.values()])
        return f"There is no mood {show_hidden_chars(mood)}; there are: {known}."
    return "" if moved else "It didn't move: it is busy, hidden or quiet."


def _figure_tools(presence: CompanionAccess) -> list[Tool]:
    def faces() -> str:
        names = ", ".join(presence.expressions())
        return f"Which expression: {names}." if names else "Which expression."

    @tool("express", risk=Risk.GESTURE)
    def express(
        name: Annotated[str, OneOf(presence.expressions, faces, listed=False)],
    ) -> ProgramAction:
        """Change the facial expression of the desktop companion."""

        async def do(who: str) -> ToolAnswer:
            return _movement_answer(presence.express(name), f"Its face shows “{name}”.")

        return do

    def groups() -> str:
        names = ", ".join(presence.motions())
        return f"Which kind of motion: {names}." if names else "Which kind of motion."

    @tool("play", risk=Risk.GESTURE)
    def play(
        group: Annotated[str, OneOf(presence.motions, groups, listed=False)],
        index: Annotated[
            int | None, Field(ge=0, description="Which motion of the group, from 0; else any.")
        ] = None,
    ) -> ProgramAction:
        """Move the desktop companion."""
        count = presence.motions()[group]
        if index is not None and index >= count:
            text = N_("“{group}” has motions from 0 to {last}, got {index}")
            last = str(count - 1)
            raise InvalidArguments.at("index", text, group=group, last=last, index=str(index))

        async def do(who: str) -> ToolAnswer:
            return _movement_answer(presence.play(group, index), f"It plays “{group}”.")

        return do

    return [express, play]


def _movement_answer(moved: bool, words: str) -> ToolAnswer:
    return (
        ToolAnswer(words) if moved else ToolAnswer("It is hidden or wants quiet now.", failed=True)
    )


def _ask_tool(presence: CompanionAccess) -> Tool:
    @tool("ask", risk=Risk.GESTURE, timeout=_MAX_WAIT + 60)
    def ask(
        question: Annotated[
            str, Field(min_length=1, max_length=QUESTION, description="Plain text.")
        ],
        choices: Annotated[
            list[ChoiceText] | None,
            Field(
                min_length=1,
                max_length=MAX_CHOICES,
                description="The buttons; at most four, short. Left out: Yes, No.",
            ),
        ] = None,
        seconds: Annotated[
            float,
            Field(ge=1, le=_MAX_WAIT, description="How long to wait for an answer."),
        ] = ANSWER_TIMEOUT,
        topic: Annotated[
            str, Field(max_length=_MAX_TOPIC, description="A word to withdraw the question by.")
        ] = "",
        details: Annotated[
            str,
            Field(
                max_length=QUESTION,
                description="Plain text below the question, such as a command or a diff. The first "
                "button comes after all of it was shown.",
            ),
        ] = "",
        folder: Annotated[
            str, Field(max_length=MAX_FOLDER, description="The folder that your program works in.")
        ] = "",
    ) -> ProgramAction:
        """Ask the user something at the desktop companion, with buttons, and wait for the answer.
        They may close it without one, or not be there.
        """
        offered = [" ".join(show_hidden_chars(one).split()) for one in choices or ("Yes", "No")]
        if not question.strip():
            raise InvalidArguments.at("question", N_("there is nothing to ask."))
        if len(set(offered)) < len(offered) or not all(offered):
            raise InvalidArguments.at("choices", N_("each choice needs a text of its own."))

        async def do(who: str) -> ToolAnswer:
            words = show_hidden_chars(question.strip())
            about = _question_details(details, folder)
            if about is not None:
                words = " ".join(words.split())
            reply = await presence.ask(who, words, offered, seconds, topic, about)
            return _reply_answer(reply)

        return do

    return ask


def _question_details(text: str, folder: str) -> QuestionDetails | None:
    where = " ".join(show_hidden_chars(folder).split())
    shown = show_hidden_chars(text).rstrip()
    return QuestionDetails(shown, where) if shown or where else None


def _withdraw_tool(presence: CompanionAccess) -> Tool:
    @tool("withdraw", risk=Risk.GESTURE)
    def withdraw(
        topic: Annotated[
            str, Field(min_length=1, max_length=_MAX_TOPIC, description="Of `ask` or `say`.")
        ],
    ) -> ProgramAction:
        """Take back the questions that your program asked under this topic, and its unread text:
        they were answered elsewhere.
        """

        async def do(who: str) -> ToolAnswer:
            count = presence.withdraw(who, topic)
            return ToolAnswer(f"{count} withdrawn.", {"withdrawn": count})

        return do

    return withdraw


def _reply_answer(reply: QuestionReply) -> ToolAnswer:
    if reply.choice:
        return ToolAnswer(f"The user chose “{reply.choice}”.", {"answer": reply.choice})
    return ToolAnswer(
        _NO_ANSWER_TEXTS[reply.reason], {"answer": None, "why": reply.reason}, failed=True
    )


def _notify_tool(presence: CompanionAccess) -> Tool:
    @tool("notify", risk=Risk.GESTURE)
    def notify(
        text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT, description="Plain text.")],
        title: Annotated[str, Field(max_length=80, description="A few words.")] = "",
    ) -> ProgramAction:
        """Show the user a notice of the desktop that names your program."""

        async def do(who: str) -> ToolAnswer:
            line = " ".join(show_hidden_chars(title).split())
            shown = await presence.notify(who, line, show_hidden_chars(text.strip()))
            words = "Shown as a notice of the desktop."
            outcome = words if shown is Delivery.NOTICE else _DELIVERY_TEXTS[shown]
            return ToolAnswer(
                outcome, {"shown": shown.value}, shown in (Delivery.QUIET, Delivery.FULL)
            )

        return do

    return notify


def remind_tool() -> Tool:
    """Make the tool; its result are the arguments of `timer.set`."""

    @tool("remind", risk=Risk.APP_DATA)
    def remind(
        text: Annotated[
            str, Field(min_length=1, max_length=400, description="What to remind the user of.")
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
        """Remind the user of something: it rings at the companion until it is answered."""
        return {"label": text.strip(), "at": at, "repeat": repeat}

    return remind


class NoCompanion:
    """A `CompanionAccess` without a running companion: the tools can only be listed."""

    async def say(self, who: str, text: str, *, wait: bool, topic: str = "") -> Delivery:
        raise CompanionNotRunning()

    async def ask(
        self,
        who: str,
        question: str,
        choices: Sequence[str],
        seconds: float,
        topic: str = "",
        details: QuestionDetails | None = None,
    ) -> QuestionReply:
        raise CompanionNotRunning()

    def withdraw(self, who: str, topic: str) -> int:
        raise CompanionNotRunning()

    async def notify(self, who: str, title: str, text: str) -> Delivery:
        raise CompanionNotRunning()

    def expressions(self) -> Sequence[str]:
        return ()

    def motions(self) -> Mapping[str, int]:
        return {}

    def express(self, name: str) -> bool:
        raise CompanionNotRunning()

    def play(self, group: str, index: int | None) -> bool:
        raise CompanionNotRunning()

    def moods(self) -> Sequence[str]:
        return ()

    def show_mood(self, mood: str) -> bool:
        raise CompanionNotRunning()


class CompanionNotRunning(ToolError):
    what = N_("NeoDeskPet isn't running, so it can't show messages or questions.")
