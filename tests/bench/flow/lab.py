"""Plays cases in the whole engine: a scripted model, a real web and a real MCP server on this
computer, and a simulated user who is asked.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import assert_never

from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.run_options import RunOptions
from neodeskpet.conversation.import_chats.chat_importer import ChatImporter
from neodeskpet.conversation.ports import ApprovalQuestion, Decision
from neodeskpet.core.attachments import FileText, Picture
from neodeskpet.core.blocks import Message, Role, ToolStatus, ToolUse
from neodeskpet.core.grant_scope import Grant, constraints_of
from neodeskpet.core.model import ModelRequest
from neodeskpet.core.tool_settings import AskWhen, ToolRule
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import WireEvent
from neodeskpet.documents.document import read_document
from neodeskpet.llm.scripted_model import ScriptedModel, scripted_call, scripted_text
from neodeskpet.mcp.server import ServerState
from neodeskpet.mcp.server_config import read_servers
from neodeskpet.mcp.server_tools import tool_name
from neodeskpet.memory.facts.fact import FactClaim
from neodeskpet.notebook.appointment import Maker
from neodeskpet.storage.image_resize import read_picture
from tests.bench.flow.case import (
    SAY,
    Call,
    Case,
    Copied,
    Opened,
    Planned,
    Ran,
    Rounds,
    Served,
    Sink,
    Step,
    Things,
    Web,
)
from tests.bench.flow.places import PNG, Browser, ClipboardDouble, Internet, NamedLoop, ScreenDouble
from tests.bench.flow.toolserver import Offered, ToolServer, texts
from tests.support.pasts import archive, chatgpt_talk
from tests.support.pdfs import write_pdf

SERVER = "desk"
_MEMORY_SECONDS = 20.0
_SERVER_SECONDS = 30.0
_BELOW = "allowed"
"""The folder that the user allowed, below the case's."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to the user."""

    tool: str
    arguments: Mapping[str, object]


class Person:
    """Answers all questions alike, but allows what is `wanted`; counts the questions."""

    def __init__(self, *, allows: bool) -> None:
        self.allows = allows
        self.wanted: Sequence[Call] = ()
        self.asked: list[Asked] = []

    async def ask(self, question: ApprovalQuestion) -> Decision:
        asked = Asked(question.spec.name, question.arguments)
        self.asked.append(asked)
        return Decision(self.allows or (asked.tool, asked.arguments) in self.wanted)


class ObedientModel:
    """A model that makes the given calls in turn, then ends. As soon as it reads `trigger`, it
    makes those of `orders` first.
    """

    def __init__(self) -> None:
        self.rounds: deque[Sequence[Call]] = deque()
        self.orders: Rounds = ()
        self.trigger = ""
        self.read: list[str] = []

    @property
    def label(self) -> str:
        return "Obedient model"

    def load(self, rounds: Rounds, orders: Rounds = (), trigger: str = "") -> None:
        self.rounds = deque(rounds)
        self.orders, self.trigger = orders, trigger

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        self.read.append(f"{request.system}\n{request.messages}")
        if self.orders and self.trigger in self.read[-1]:
            self.rounds.extendleft(reversed(self.orders))
            self.orders = ()
        calls = self.rounds.popleft() if self.rounds else ()
        parts = [
            scripted_text(str(arguments["text"])) if name == SAY else scripted_call(name, arguments)
            for name, arguments in calls
        ]
        async for event in ScriptedModel(parts or [scripted_text("That is all.")]).stream(request):
            yield event

    def has_read(self, words: str) -> bool:
        return any(words in one for one in self.read)


@dataclass(slots=True)
class Outcome:
    """The result of a case. `asked` are the questions of each step. `reached` are the sinks where
    something arrived, `failed` the calls that ended in an error, with it. `reads`: whether the
    model read the planted text.
    """

    asked: list[list[Asked]] = field(default_factory=list)
    reached: list[Sink] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    reads: bool = True


@dataclass(slots=True)
class RunningApp:
    """One running app, and the options with which it was opened."""

    engine: Engine
    model: ObedientModel
    person: Person
    folder: Path


class Lab:
    """`loop` is the event loop for all of it."""

    def __init__(self, loop: NamedLoop, web: Internet, server: ToolServer) -> None:
        self.loop = loop
        self.web = web
        self.server = server
        self.browser = Browser()

    def play(self, case: Case, *, flow: bool, allows: bool) -> Outcome:
        """Play `case`, with the information-flow rules or without; the user `allows` everything
        that they are asked, or nothing.
        """
        with tempfile.TemporaryDirectory(prefix="flow-") as folder:
            return self.loop.run_until_complete(
                self._play(case, Path(folder), flow=flow, allows=allows)
            )

    async def _play(self, case: Case, folder: Path, *, flow: bool, allows: bool) -> Outcome:
        things = case.things
        self.web.serve(things.pages, things.found)
        self.server.offered = texts(self.web.real_in(things.server), things.schemas)
        self.browser.opened.clear()
        self.loop.looked_up.clear()
        clipboard = ClipboardDouble(self.web.real(things.clipboard))
        person, model = Person(allows=allows), ObedientModel()
        person.wanted = [(name, self.web.real_in(given)) for name, given in case.wanted]
        outcome = Outcome()
        steps = deque(case.steps)
        first = True
        while steps:
            async with self.open(folder, model, person, clipboard, flow=flow) as app:
                if first:
                    await self.create_setup(app, things)
                else:
                    await self._connect(app.engine, things)
                    await app.engine.chat.open()
                first = False
                while steps:
                    await self.play_step(app, steps.popleft(), outcome)
                    outcome.asked.append([*person.asked])
                    person.asked.clear()
                    if steps and steps[0].restart:
                        break
                reached = [
                    one for one in case.sinks if await self._on_figure_ready(one, app, clipboard)
                ]
        outcome.reached = reached
        outcome.reads = not case.planted or model.has_read(self.web.real(case.planted))
        return outcome

    @asynccontextmanager
    async def open(
        self,
        folder: Path,
        model: ObedientModel,
        person: Person,
        clipboard: ClipboardDouble,
        *,
        flow: bool,
    ) -> AsyncGenerator[RunningApp, None]:
        (folder / _BELOW).mkdir(exist_ok=True)
        (folder / "home").mkdir(mode=0o700, exist_ok=True)
        options = RunOptions(
            recall_timeout=_MEMORY_SECONDS,
            is_address_allowed=lambda ip: ip == "127.0.0.1",
            ask_for_untrusted_flow=flow,
        )
        engine = await open_engine(
            folder / "home",
            options=options,
            model=model,
            approver=person,
            clipboard=clipboard,
            screen=ScreenDouble(),
        )
        engine.tools.task_announcer.start()
        try:
            yield RunningApp(engine, model, person, folder / _BELOW)
        finally:
            await engine.aclose()

    # The state before

    async def create_setup(self, app: RunningApp, things: Things) -> None:
        engine, folder = app.engine, app.folder
        change = engine.settings.change
        change("files", "folders", (str(folder),))
        change("web", "search", "searxng")
        change("web", "searxng", f"http://search.example:{self.web.port}/")
        change("mode", "shell", things.shell)
        for name, text in things.files.items():
            _write_file(folder / name, self.web.real(text))
        info = await engine.chat.open_new()
        await self._write_down(engine, things)
        await self._bring(engine, folder.parent, things, info.id)
        await self._connect(engine, things)
        self.allow(engine, things)
        for name in things.windows:
            await engine.tools.apps.host.open(name)

    def allow(self, engine: Engine, things: Things) -> None:
        """The user's permissions and rules for tools, given without untrusted text."""
        specs = {spec.name: spec for spec in engine.tools.toolbox.specs()}
        mode = engine.settings.settings.mode
        rules = dict(mode.tool_rules)
        for spec in specs.values():
            if spec.name in things.never:
                rules[spec.id] = ToolRule(asks=AskWhen.NEVER, forms=(spec.form,))
            if spec.name in {tool_name(SERVER, one) for one in things.reads}:
                rules[spec.id] = _reading(spec)
        engine.settings.change("mode", "tool_rules", rules)
        grants = tuple(self._grants(specs, things.always))
        engine.settings.change("mode", "always_allowed", grants)

    async def _write_down(self, engine: Engine, things: Things) -> None:
        """The user's entries in windows."""
        for note in things.notes:
            await engine.notebook.notes.add(self.web.real(note))
        for todo in things.todos:
            await engine.notebook.todos.add(self.web.real(todo))
        for fact in things.facts:
            await engine.memory.store.facts.add(fact, FactClaim(), None, datetime.now(), own=True)
        for date in things.dates:
            meant = engine.notebook.appointments.read("tomorrow 8:30")
            await engine.notebook.appointments.add(
                date.title,
                "tomorrow 8:30",
                meant,
                prompt=self.web.real(date.prompt),
                zone="",
                maker=Maker.PERSON,
                tools=date.tools,
            )

    async def _bring(self, engine: Engine, folder: Path, things: Things, here: str) -> None:
        """The user's imports."""
        for number, text in enumerate(things.cards):
            file = folder / f"card-{number}.json"
            file.write_text(json.dumps(_card(self.web.real(text))), encoding="utf-8")
            key = engine.storage.characters.library.import_card(file)
            engine.storage.characters.library.load()
            if number == 0:
                await engine.storage.characters.choose(here, key)
        if things.archive:
            talk = chatgpt_talk("past", "Earlier", *map(self.web.real, things.archive))
            intake = ChatImporter(engine.storage.store, archive(folder / "past.zip", [talk]))
            preview = await intake.preview_archive()
            await intake.import_conversations([one.id for one in preview.choices])
            await intake.aclose()
            await engine.memory.indexer.catch_up_changes()
        for name in things.knowledge:
            await engine.memory.knowledge.indexer.add_path(folder / _BELOW / name)
        if things.knowledge:
            await engine.memory.knowledge.indexer.catch_up()

    async def _connect(self, engine: Engine, things: Things) -> None:
        if things.server:
            await self.connect(engine, self.server.offered)

    async def connect(self, engine: Engine, offered: Offered, name: str = SERVER) -> None:
        """Connect the app with the foreign server, which offers these tools."""
        self.server.offered = offered
        if not any(one.config.name == name for one in engine.tools.mcp_servers.servers()):
            await engine.tools.mcp_servers.start()
        if not any(one.config.name == name for one in engine.tools.mcp_servers.servers()):
            (added,) = await engine.tools.mcp_servers.add(read_servers(self.server.entry(name)))
            await engine.tools.mcp_servers.allow(added)
        end = time.monotonic() + _SERVER_SECONDS
        while any(one.state is not ServerState.READY for one in engine.tools.mcp_servers.servers()):
            if time.monotonic() > end:
                raise TimeoutError(str(engine.tools.mcp_servers.servers()))
            await asyncio.sleep(0.005)

    def _grants(
        self, specs: Mapping[str, ToolSpec], always: Sequence[str | tuple[str, str]]
    ) -> Iterator[Grant]:
        for one in always:
            if isinstance(one, str):
                yield Grant(specs[one].id, form=specs[one].form)
            else:
                spec, address = specs[one[0]], self.web.real(one[1])
                yield Grant(spec.id, constraints_of(spec.scope, {"url": address}) or (), spec.form)

    # The steps

    async def play_step(self, app: RunningApp, step: Step, outcome: Outcome) -> None:
        """One message of the user, to the end of the reply."""
        engine, chat = app.engine, app.engine.chat
        rounds = [
            [(name, self._real(given, app.folder)) for name, given in calls]
            for calls in step.rounds
        ]
        app.model.load(rounds)
        await engine.memory.indexer.catch_up_changes()
        if step.due:
            for one in await engine.notebook.appointments.appointments():
                await engine.notebook.appointments.run_now(one.id)
            await _until_errands_end(engine)
            return
        if step.new:
            await chat.open_new()
        pictures = [_attached(app.folder / name) for name in step.files]
        chat.send(self.web.real(step.said), pictures)
        await chat.wait_idle()
        await engine.tools.tasks.wait_idle()
        await engine.tools.task_announcer.wait_idle()
        info = chat.conversation
        assert info is not None
        outcome.failed += _failures(await engine.storage.store.history(info.id))
        if app.model.rounds:
            outcome.failed.append(f"{len(app.model.rounds)} rounds were not played")

    def _real(self, given: Mapping[str, object], folder: Path) -> dict[str, object]:
        """Arguments with the real addresses, and the real folder for "FOLDER"."""
        real: dict[str, object] = self.web.real_in(given)
        return {key: str(folder) if one == "FOLDER" else one for key, one in real.items()}

    async def _on_figure_ready(
        self, sink: Sink, app: RunningApp, clipboard: ClipboardDouble
    ) -> bool:
        match sink:
            case Web(host, has):
                asked = [text for name, text in self.web.asked if _is_below(name, host)]
                if has:
                    return any(has in text for text in asked)
                return bool(asked) or any(_is_below(one, host) for one in self.loop.looked_up)
            case Served(tool, has):
                calls = self.server.offered.calls
                return any(
                    name == tool and has in json.dumps(given, ensure_ascii=False)
                    for name, given in calls
                )
            case Opened(has):
                return any(has in one for one in self.browser.opened)
            case Copied(has):
                return any(has in one for one in clipboard.written)
            case Planned(has):
                dates = await app.engine.notebook.appointments.appointments()
                return any(
                    self.web.real(has) in f"{one.title} {one.prompt}" for one in dates if one.prompt
                )
            case Ran(file):
                return (app.folder / file).exists()
            case _:
                assert_never(sink)


def _is_below(name: str, host: str) -> bool:
    return name == host or name.endswith(f".{host}")


def _reading(spec: ToolSpec) -> ToolRule:
    """The user says that this tool only reads."""
    return ToolRule(forms=(spec.form,), reads_only=True)


def _write_file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".pdf":
        write_pdf(path, text.splitlines())
    elif path.suffix == ".png":
        path.write_bytes(PNG)
    else:
        path.write_text(text, encoding="utf-8")


def _attached(path: Path) -> Picture | FileText:
    return read_picture(path) if path.suffix == ".png" else read_document(path)


def _card(text: str) -> dict[str, object]:
    entry = {"keys": [], "content": text, "constant": True, "enabled": True, "insertion_order": 1}
    data = {
        "name": "Mira",
        "description": "A librarian.",
        "personality": "",
        "scenario": "",
        "first_mes": "",
        "mes_example": "",
        "character_book": {"entries": [entry], "extensions": {}},
    }
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def _failures(history: Sequence[Message]) -> list[str]:
    """The calls of the last reply that failed; not those that the user denied."""
    reply = next((one for one in reversed(history) if one.role is Role.ASSISTANT), None)
    blocks = reply.blocks if reply is not None else ()
    return [
        f"{one.name}: {one.error}"
        for one in blocks
        if isinstance(one, ToolUse) and one.status not in (ToolStatus.SUCCESS, ToolStatus.DENIED)
    ]


async def _until_errands_end(engine: Engine) -> None:
    end = time.monotonic() + _SERVER_SECONDS
    while len(engine.models.background_prompts.runs) == 0 or any(
        one.stage != "ended" for one in engine.models.background_prompts.all_runs
    ):
        if time.monotonic() > end:
            raise TimeoutError("the appointment came to no end")
        await asyncio.sleep(0.01)


@contextmanager
def open_lab() -> Iterator[Lab]:
    with ExitStack() as stack:
        web = stack.enter_context(Internet())
        server = stack.enter_context(ToolServer())
        loop = NamedLoop()
        stack.callback(loop.close)
        asyncio.set_event_loop(loop)
        stack.callback(asyncio.set_event_loop, None)
        yield Lab(loop, web, server)
