"""Texts, as a model may send them: into the chat's view and the bubble, without an engine."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QGuiApplication

from neodeskpet.core.blocks import Message, MessageHead, MessageState, Role, Text
from neodeskpet.core.turn.turn_events import (
    BlockEnded,
    BlockStarted,
    TextAppended,
    TurnEnded,
    TurnStarted,
)
from neodeskpet.figure.stage import NullStage
from neodeskpet.ui.bridge import Bridge
from neodeskpet.ui.chat.composer.composer import Composer
from neodeskpet.ui.chat.view.chat_view import ChatView
from neodeskpet.ui.pet.companion_presenter import CompanionPresenter
from neodeskpet.ui.pet.speech_bubble import SpeechBubble
from neodeskpet.ui.theme import LIGHT, preload_fonts
from tests.bench.hostile.case import Case, Scene, Wrong

_BLANKS = "a" + " " * 32_000 + "b"
_SETTLE = 2.0
_PIECES = 40


def _fence(language: str, code: str) -> str:
    return f"Look:\n\n```{language}\n{code}\n```\n\nThat is it."


_TEXTS: dict[str, Callable[[], str]] = {
    "code in c: 32,000 blanks": lambda: _fence("c", _BLANKS),
    "code in cpp: 100,000 newlines": lambda: _fence("cpp", "\n" * 100_000),
    "code in arduino: 32,000 blanks": lambda: _fence("arduino", _BLANKS),
    "code in cuda: 32,000 blanks": lambda: _fence("cuda", _BLANKS),
    "code in objective-c: 32,000 blanks": lambda: _fence("objective-c", _BLANKS),
    "code in ini: 32,000 blanks": lambda: _fence("ini", _BLANKS),
    "code in html: 50,000 <": lambda: _fence("html", "<a " * 50_000),
    "code in javascript: a line of 1 MB": lambda: _fence("javascript", "f(1, 'x');" * 100_000),
    "code in json: 20,000 brackets": lambda: _fence("json", "[" * 20_000),
    "code in c: 4,000 times 1;": lambda: _fence("c", "1;" * 4_000),
    "code in javascript: 70,000 times 1;": lambda: _fence("javascript", "1;" * 70_000),
    "code in an unknown language: 1 MB": lambda: _fence("nolang", "word and word\n" * 70_000),
    "12,000 dots": lambda: "." * 12_000,
    "a line of 1 MB": lambda: "word and more " * 75_000,
    "a line of 1 MB without a blank": lambda: "w" * 1_000_000,
    "a line of 1 MB in Chinese": lambda: "明天上海小雨转阴气温九到十四度" * 70_000,
    "200,000 newlines": lambda: "\n" * 200_000,
    "20,000 short paragraphs": lambda: "word\n\n" * 20_000,
    "50,000 brackets": lambda: "[" * 50_000,
    "20,000 opened links": lambda: "[a](" * 20_000,
    "20,000 opened emphases": lambda: "*a _b " * 20_000,
    "50,000 backticks": lambda: "`" * 25_000 + "a " + "`" * 25_000,
    "5,000 quotes deep": lambda: ">" * 5_000 + " a",
    "a list 2,000 deep": lambda: "".join("  " * n + f"- {n}\n" for n in range(2_000)),
    "a list of 20,000": lambda: "- an item of many\n" * 20_000,
    "a table of 2,000 columns": lambda: (
        "|" + " a |" * 2_000 + "\n|" + "---|" * 2_000 + "\n" + ("|" + " b |" * 2_000 + "\n") * 3
    ),
    "a table of 20,000 rows": lambda: "| a | b |\n|---|---|\n" + "| word | more |\n" * 20_000,
    "20,000 references": lambda: "".join(f"[a{n}]: http://x/{n}\n" for n in range(20_000)),
    "50,000 tags": lambda: "<a <!-- <b" * 16_000,
    "a letter with 20,000 accents": lambda: "a" + "\u0301" * 20_000,
    "100,000 turns of direction": lambda: "a\u202eb\u202c" * 25_000,
    "10,000 emoji of families": lambda: "👨‍👩‍👧‍👦" * 10_000,
    "20,000 cues opened": lambda: "[表情:" * 20_000,
    "300,000 stars": lambda: "*" * 300_000,
    "an address of 1 MB": lambda: "https://example.org/" + "a" * 1_000_000,
}

_SIZE = 100_000
_MARKDOWN = {
    "$a$": "$a$ ",
    "$a$ without blanks": "$a$",
    "$x+y$ and a word": "$x+y$ word ",
    "\\(": "\\(",
    "\\(a\\)": "\\(a\\) ",
    "$$a$$": "$$a$$\n\n",
    "$$": "$$",
    "code of one letter": "`a` ",
    "~~a~~": "~~a~~ ",
    "**a**": "**a** ",
    "[^": "[^",
    "[^1]": "[^1] ",
    "addresses of mail": "a@b.c ",
    "pictures": "![a](b) ",
    "links": "[a](b) ",
    "lines of a quote": "> a\n",
    "small tables": "| a | b |\n|---|---|\n| c | d |\n\n",
    "items of lists of tasks": "- [ ] a\n",
    "hard line breaks": "a  \n",
    "headings": "# a\n",
}


def _repeated(text: str) -> str:
    return text * (_SIZE // len(text))


_TOKENS = (
    "$",
    "$$",
    "\\(",
    "\\)",
    "`",
    "```",
    "~~",
    "~",
    "*",
    "**",
    "_",
    "[",
    "](",
    ")",
    "![",
    "[^1]",
    "> ",
    "- ",
    "1. ",
    "# ",
    "|",
    "|---|",
    "\n",
    "\n\n",
    "  \n",
    "<b>",
    "<!--",
    "-->",
    "&amp;",
    "a",
    "word ",
    "词",
    "a@b.c",
    "https://x.y/",
    "- [ ] ",
    "    ",
    "\t",
    "\\",
    "---\n",
    "===\n",
    "[a]: b\n",
    ":",
    "😀",
    "e\u0301",
    "\u202e",
    "[表情:",
)
_KINDS = 50


def _fuzzed(seed: int) -> str:
    """One to six marks or words, repeated."""
    chance = random.Random(seed)
    return _repeated("".join(chance.choices(_TOKENS, k=chance.randint(1, 6))))


_TEXTS |= {f"fuzzed kind {seed}": partial(_fuzzed, seed) for seed in range(1, _KINDS + 1)}
_TEXTS |= {f"100 kB of {name}": partial(_repeated, text) for name, text in _MARKDOWN.items()}


class _Room:
    """The view and the bubble, connected as in the app."""

    def __init__(self) -> None:
        preload_fonts(LIGHT)
        self.view = ChatView(LIGHT)
        self.view.resize(420, 640)
        self.bubble = SpeechBubble(LIGHT)
        self.bubble.place_in_corner(QGuiApplication.primaryScreen().availableGeometry())
        self._companion = CompanionPresenter(NullStage(), self.bubble)
        self.bridge = Bridge([self.view, self._companion])
        self.view.show()

    def stream(self, name: str) -> None:
        self.bridge.on_turn_event(name, TurnStarted(name))
        self.bridge.on_turn_event(name, BlockStarted(Text(0, 0, "")))

    def end(self, name: str, text: str) -> None:
        self.bridge.on_turn_event(name, BlockEnded(Text(0, 0, text)))
        self.bridge.on_turn_event(name, TurnEnded(MessageState.DONE, 1.0))

    def open(self, text: str) -> None:
        """As at the next start."""
        message = Message("old", Role.ASSISTANT, (Text(0, 0, text),), MessageState.DONE, 0.0, 1.0)
        self.view.messages_wanted.connect(lambda ids: self.view.add_loaded_messages([message]))
        self.view.open_conversation([MessageHead("old", "assistant", len(text))])

    def close(self) -> None:
        for window in (self.view, self.bubble):
            window.close()
            window.deleteLater()


async def _read(make: Callable[[], str], scene: Scene) -> str:
    """In one delta, in forty, and from the store."""
    text = make()
    room = _Room()
    await asyncio.sleep(0.5)
    scene.begin()
    room.stream("whole")
    room.bridge.on_turn_event("whole", TextAppended(0, text))
    room.end("whole", text)
    await asyncio.sleep(_SETTLE)
    room.stream("pieces")
    size = -(-len(text) // _PIECES)
    for at in range(0, len(text), size):
        room.bridge.on_turn_event("pieces", TextAppended(0, text[at : at + size]))
        await asyncio.sleep(0.02)
    room.end("pieces", text)
    await asyncio.sleep(_SETTLE)
    room.open(text)
    await asyncio.sleep(_SETTLE)
    room.close()
    return "shown"


async def _insert(text: str, scene: Scene) -> str:
    """A long text is written into the message, as "Insert as text" does, undone and redone."""
    preload_fonts(LIGHT)
    composer = Composer(LIGHT)
    composer.resize(420, 200)
    composer.show()
    await asyncio.sleep(0.5)
    scene.begin()
    composer.insert(text)
    for _ in range(600):
        await asyncio.sleep(0.05)
        if not composer.field.is_inserting:
            break
    for step, wanted in ((composer.field.undo, ""), (composer.field.redo, text)) * 2:
        step()
        for _ in range(600):
            await asyncio.sleep(0.05)
            if not composer.field.is_inserting:
                break
        await asyncio.sleep(0.5)
        if composer.draft() != wanted:
            raise Wrong(f"{len(composer.draft())} characters instead of {len(wanted)}")
    composer.close()
    composer.deleteLater()
    return "inserted, undone and redone"


_INSERTED = {
    "100,000 characters in lines": "Words of a line.\n" * 5_900,
    "100,000 characters in one line": "word and more " * 7_150,
    "300,000 characters in Chinese": "明天上海小雨转阴气温九到十四度\n" * 18_700,
}

CASES = [
    *(Case(name, partial(_read, make)) for name, make in _TEXTS.items()),
    *(Case(f"insertion of {name}", partial(_insert, text)) for name, text in _INSERTED.items()),
]
