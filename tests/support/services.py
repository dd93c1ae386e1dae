"""`llm-config.json` for providers on loopback, and the engine without a window before them.

async def story(talk: Talk) -> None:
    server.speak(Say("Hello."))
    reply = await talk.say("hello")
talk_story(tmp_path, [server], story)
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.core.blocks import Message, Notice, Role, ToolUse
from neodeskpet.core.errors import Action
from neodeskpet.figure.files.model_reader import ModelDescription, describe_model
from neodeskpet.figure.stage import NullStage
from neodeskpet.platform.installation import assets_dir
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from tests.support.providers.provider import KEY, ProviderServer

CONFIG = "llm-config.json"
VARIABLE = "STORY_PROVIDER_KEY"
TIMEOUT = 60.0


def offer(home: Path, servers: Sequence[ProviderServer], chat: str = "", **entry: Any) -> None:
    """Write a catalogue of these services, whose models think; `chat` names the one that answers
    (the first of them). `entry` has more settings of every model.
    """
    os.environ[VARIABLE] = KEY
    names = [server.provider.name for server in servers]
    document = {
        "endpoints": [
            {
                "name": server.provider.name,
                "protocol": server.provider.name,
                "base_url": server.url,
                "key_variable": VARIABLE,
            }
            for server in servers
        ],
        "models": [
            {
                "endpoint": server.provider.name,
                "id": server.provider.model,
                "name": server.provider.name,
                "effort": "low",
                **entry,
            }
            for server in servers
        ],
        "purposes": {"chat": chat or names[0]},
    }
    new = home / f"{CONFIG}.new"
    new.write_text(json.dumps(document, indent=1), encoding="utf-8")
    new.replace(home / CONFIG)


class Talk:
    """A user who talks to the engine, without a window."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def reaches(self, there: Callable[[Message], bool]) -> Message:
        """Return the last reply as it is stored, once the condition holds; raises TimeoutError."""
        async with asyncio.timeout(TIMEOUT):
            while True:
                newest = (await self.messages())[-1:]
                if newest and newest[0].role is Role.ASSISTANT and there(newest[0]):
                    return newest[0]
                await asyncio.sleep(0.01)

    async def say(self, text: str, timeout: float = TIMEOUT) -> Message:
        """Send `text`; return the reply once it ended, within that many seconds."""
        self.engine.chat.send(text)
        return await self.ended(timeout)

    async def act(self, action: Action) -> Message:
        """Press a button of the last reply's notice; return the reply once it ended."""
        self.engine.chat.run_notice_action((await self.reply()).id, action)
        return await self.ended()

    async def stop(self) -> Message:
        self.engine.chat.stop()
        return await self.ended()

    async def ended(self, timeout: float = TIMEOUT) -> Message:
        async with asyncio.timeout(timeout):
            await self.engine.chat.wait_idle()
        return await self.reply()

    async def messages(self) -> list[Message]:
        await self.engine.storage.store.flush()
        info = self.engine.chat.conversation
        return await self.engine.storage.store.history(info.id) if info is not None else []

    async def reply(self) -> Message:
        last = (await self.messages())[-1]
        assert last.role is Role.ASSISTANT
        return last


def leave_wreck(home: Path, *wrecks: Path) -> None:
    """Copy to new folders what a killed process would leave of `home` now."""
    files = [file for file in home.iterdir() if file.is_file() and file.suffix != ".new"]
    for wreck in wrecks:
        wreck.mkdir()
        for file in files:
            shutil.copy(file, wreck / file.name)


def calls(message: Message) -> list[tuple[str, str]]:
    """Names and states of a message's calls."""
    return [(b.name, str(b.status)) for b in message.blocks if isinstance(b, ToolUse)]


def notices(message: Message) -> list[str]:
    """Return the codes of the open notices."""
    return [b.code for b in message.blocks if isinstance(b, Notice) and not b.resolved]


@cache
def _figure() -> ModelDescription:
    """The bundled figure, described once for all stories."""
    return describe_model(assets_dir() / "companion" / "neo")


Story = Callable[[Talk], Awaitable[None]]


def talk_story(
    home: Path,
    story: Story,
    settings: Mapping[str, Mapping[str, object]] | None = None,
    **more: Any,
) -> None:
    """Open the engine in `home`, run the story, close it as the app does when it quits. The
    conversation of the last start is continued.
    """
    if settings is not None:
        (home / SETTINGS_FILE).write_text(json.dumps(settings), encoding="utf-8")

    more.setdefault("body", NullStage(_figure()))

    async def live() -> None:
        engine = await open_engine(home, **more)
        try:
            await engine.chat.open()
            await story(Talk(engine))
        finally:
            await engine.aclose()

    asyncio.run(live())
