"""Builds everything that needs no window: settings, keys, store, tools, model, chat.

The windows (`app/`) and the terminal (`commands/chat.py`) stand on the same engine. Start order:
the data folder is closed to others, settings, the log, language, keys, store (what was running when
the app died is marked interrupted), notes and timers, the HTTP client (early: its first use of TLS
is slow), tools, chat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from neodeskpet.appointments.book import AppointmentBook
from neodeskpet.apps.notes import NoteEditUndo
from neodeskpet.apps.shelf import Apps, Things, open_apps
from neodeskpet.apps.toolbox import WindowTools
from neodeskpet.apps.undo import CallsUndo
from neodeskpet.conversation.background.due import DueTalk
from neodeskpet.conversation.background.tasks import BackgroundTasks
from neodeskpet.conversation.background.toolbox import BackgroundToolbox, begin_in
from neodeskpet.conversation.background.waker import Waker
from neodeskpet.conversation.character.told import CharacterTold
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.cues import Cues
from neodeskpet.conversation.errands.errand import Errand, Errands
from neodeskpet.conversation.errands.summaries import Summaries, SummaryBook
from neodeskpet.conversation.facts.keeping import FactKeeping
from neodeskpet.conversation.facts.told import BUDGET as FACTS
from neodeskpet.conversation.facts.told import SHARE as FACTS_SHARE
from neodeskpet.conversation.facts.told import FactsTold, FactStore
from neodeskpet.conversation.model_choices import ModelChoices
from neodeskpet.conversation.ports import Approver, Memory
from neodeskpet.conversation.prompt import HOUSE
from neodeskpet.conversation.recall import BUDGET, PATIENCE, SHARE, Recall, Wanted
from neodeskpet.conversation.sources import Place, Summary, Windows
from neodeskpet.conversation.tasks import spawn
from neodeskpet.conversation.turn_setup import CONTEXT, TurnSetup
from neodeskpet.core.approval import ApprovalPolicy, NewTools, ToolRules
from neodeskpet.core.background.task import Begin, Task
from neodeskpet.core.blocks import Message
from neodeskpet.core.context import Correction
from neodeskpet.core.dialects import DIALECTS, NATIVE, TOOL_REQUEST, TOOL_TAG, Dialect
from neodeskpet.core.embedding import Embedder
from neodeskpet.core.errors import KnownError, ModelFileError, StoreError, TasksLost
from neodeskpet.core.model import Model
from neodeskpet.core.toolspec import OWN_SOURCE, ToolSpec
from neodeskpet.core.toolspec import Toolbox as TurnToolbox
from neodeskpet.core.turn.guards import Limits
from neodeskpet.core.windows.calls import ACT
from neodeskpet.file_thread import FileThread
from neodeskpet.language import language, say, set_language
from neodeskpet.live2d.files.catalog import describe, name_at
from neodeskpet.live2d.stage import PaperStage
from neodeskpet.llm.builder import ModelBuilder, Waits, keys_from
from neodeskpet.llm.catalog.catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.catalog.catalog import Catalog, Endpoint, Purpose, asking, from_service, naming
from neodeskpet.llm.catalog.edit import change_endpoint
from neodeskpet.llm.catalog.effort import Effort
from neodeskpet.llm.catalog.file import CatalogFile
from neodeskpet.llm.chain.chain import FallbackModel
from neodeskpet.llm.chain.choice import Choice, talkers
from neodeskpet.llm.client import HttpClient
from neodeskpet.llm.connections import Connections
from neodeskpet.llm.fitting import fit_picture
from neodeskpet.llm.local.address import FOLDER as MODELS_FOLDER
from neodeskpet.llm.local.address import names_file
from neodeskpet.llm.local.child import Tuning
from neodeskpet.llm.local.host import LocalHost
from neodeskpet.llm.offline import OfflineModel
from neodeskpet.llm.sight import Keep
from neodeskpet.mcp.book import FILE_NAME as SERVERS_FILE
from neodeskpet.mcp.book import ServerBook
from neodeskpet.mcp.host import McpHost
from neodeskpet.memory.find.book import FindBook
from neodeskpet.memory.find.tables import FILE_NAME as FIND_FILE
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recall.choices import RecallChoices
from neodeskpet.memory.recall.follower import Follower
from neodeskpet.memory.recall.forgetting import forget
from neodeskpet.memory.recall.keeper import MemoryKeeper
from neodeskpet.memory.recall.tables import FILE_NAME as MEMORY_FILE
from neodeskpet.memory.store import FILE_NAME as STORE_FILE
from neodeskpet.memory.store import SqliteStore
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook
from neodeskpet.notes.notes import NoteStore
from neodeskpet.notes.store import SqliteNotes
from neodeskpet.paths import assets_dir
from neodeskpet.personas.cast import Cast
from neodeskpet.personas.personas import FOLDER as PERSONAS_FOLDER
from neodeskpet.personas.personas import FigureName, Personas, brought_figure, bundled_figure
from neodeskpet.personas.shelf import FOLDER as CHARACTERS
from neodeskpet.personas.shelf import CharacterShelf
from neodeskpet.redaction import register
from neodeskpet.settings.logfile import close_log, open_log
from neodeskpet.settings.model import Mode, Settings
from neodeskpet.settings.plain_hosts import hosts_in
from neodeskpet.settings.private_home import close_to_others
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import Key, SettingsStore
from neodeskpet.settings.tool_permissions import ToolFilePermissions
from neodeskpet.timers.book import Timer, TimerBook
from neodeskpet.timers.store import SqliteTimers
from neodeskpet.todos.book import TodoBook
from neodeskpet.tools.builtin.app import app_tools
from neodeskpet.tools.builtin.calc import calc_tools
from neodeskpet.tools.builtin.clipboard import Clipboard, clipboard_tools, clipboard_undoers
from neodeskpet.tools.builtin.file import file_tools, file_undoers
from neodeskpet.tools.builtin.live2d import Body, live2d_tools
from neodeskpet.tools.builtin.machine import machine_tools
from neodeskpet.tools.builtin.memory import memory_tools
from neodeskpet.tools.builtin.note import NoteUndo, note_tools
from neodeskpet.tools.builtin.schedule import AppointmentUndo, schedule_tools
from neodeskpet.tools.builtin.screen import Screen, screen_tools
from neodeskpet.tools.builtin.task import task_tools
from neodeskpet.tools.builtin.time import time_tools
from neodeskpet.tools.builtin.timer import TimerUndo, timer_tools
from neodeskpet.tools.builtin.todo import todo_tools, todo_undoers
from neodeskpet.tools.builtin.web import web_tools
from neodeskpet.tools.files.folders import Folders
from neodeskpet.tools.files.kept import KeptFiles
from neodeskpet.tools.finding import FoundTools
from neodeskpet.tools.outputs import Outputs, output_tools
from neodeskpet.tools.recognition.reader import can_read
from neodeskpet.tools.registry import Tool
from neodeskpet.tools.toolbox import OwnTools, Toolbox
from neodeskpet.tools.undo import Undo, Undoer
from neodeskpet.tools.workshop.workshop import FOLDER as TOOL_FILES
from neodeskpet.tools.workshop.workshop import Workshop
from neodeskpet.web.addresses import is_public
from neodeskpet.web.fetcher import Fetcher
from neodeskpet.web.search import SearchService, WebSearch

_log = logging.getLogger(__name__)

KEPT_FILES = "kept files"
"""The folder of what file tools replaced."""
_NAMED_TASKS = 3
_LAST_WORDS = 2.0  # seconds that the end waits for the memory
WINDOWS = 0.15
"""Of the conversation's tokens: so much of them open windows may take; further ones are left out,
the oldest first."""
_MOST_CONTEXT = 128_000  # tokens: sending more in every round costs more than it helps


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says for this run; None leaves it to the settings. `recall_within`: how
    many seconds a request waits for the memory; `may_reach`: from which IP addresses a tool may
    fetch a page.
    """

    base_url: str | None = None
    model: str | None = None
    protocol: str | None = None
    mode: str | None = None
    dialect: str | None = None
    thinking: Effort | None = None
    stream: bool | None = None
    memory: bool | None = None
    knowledge: bool | None = None
    recall_within: float = PATIENCE
    may_reach: Callable[[str], bool] = is_public

    def overrides(self) -> Mapping[Key, object]:
        named: dict[Key, object | None] = {
            ("service", "base_url"): self.base_url,
            ("service", "model"): self.model,
            ("service", "protocol"): self.protocol,
            ("mode", "mode"): self.mode,
            ("memory", "recall"): self.memory,
            ("memory", "knowledge"): self.knowledge,
            ("mode", "dialect"): self.dialect,
        }
        return {key: value for key, value in named.items() if value is not None}


@dataclass(slots=True)
class Engine:
    """All that runs without a window."""

    home: Path
    writer: FileThread
    settings: SettingsStore
    secrets: Secrets
    store: SqliteStore
    memory: MemoryBook
    keeper: MemoryKeeper
    find: FindBook
    finder: Follower
    keeping: Sequence[asyncio.Task[None]]
    client: HttpClient
    connections: Connections
    host: LocalHost
    chat: Chat
    errands: Errands
    summaries: Summaries
    tasks: BackgroundTasks
    waker: Waker
    notebook: Notebook
    notes: NoteStore
    timers: TimerBook
    todos: TodoBook
    appointments: AppointmentBook
    apps: Apps
    ringing: asyncio.Task[None] | None
    undo: Undo
    calls_undo: CallsUndo
    toolbox: Toolbox
    servers: McpHost
    workshop: Workshop
    minds: ModelChooser
    choices: ModelChoices
    recalls: RecallChoices
    services: CatalogFile
    personas: Personas
    cast: Cast
    interrupted: list[str]
    faults: list[KnownError] = field(default_factory=list)

    async def close(self) -> None:
        """Stop what runs without ending it: the next start offers to go on. Whatever fails on the
        way, the rest is closed too.
        """
        async with AsyncExitStack() as steps:
            steps.callback(close_log)
            steps.callback(close_to_others, self.home)
            # The disk may keep them waiting; the interface doesn't wait with them.
            steps.push_async_callback(asyncio.to_thread, self.writer.close)
            steps.push_async_callback(asyncio.to_thread, self.settings.close)
            steps.push_async_callback(self.store.close)
            steps.push_async_callback(self.memory.close)
            steps.push_async_callback(self.find.close)
            steps.push_async_callback(self._end_keeping)
            steps.push_async_callback(self.notebook.close)
            steps.push_async_callback(self.client.close)
            steps.push_async_callback(self.connections.close)
            steps.push_async_callback(self.host.close)
            steps.push_async_callback(self.servers.close)
            steps.callback(self.workshop.close)
            steps.push_async_callback(self.tasks.close)
            steps.callback(self.waker.close)
            if self.ringing is not None:
                steps.callback(self.ringing.cancel)
            with suppress(StoreError):  # it was told when the writing failed
                await self.chat.close()

    async def _end_keeping(self) -> None:
        """What was said last is remembered; else the next start does it."""
        for task in self.keeping:
            task.cancel()
        for settle in (self.keeper.settle, self.finder.settle):
            with suppress(StoreError, TimeoutError):
                async with asyncio.timeout(_LAST_WORDS):
                    await settle()

    async def forget(self, ids: Sequence[str]) -> list[str]:
        """Take items of the memory out for ever, and the messages they stand in out of their
        conversations; the ids of all that went. Raises StoreError.
        """
        return await forget(self.memory, self.store, ids)


async def open_engine(
    home: Path,
    *,
    options: Options | None = None,
    body: Body | None = None,
    clipboard: Clipboard | None = None,
    screen: Screen | None = None,
    approver: Approver | None = None,
    ring: Callable[[Timer], None] | None = None,
    model: Model | None = None,
    on_fault: Callable[[KnownError], None] | None = None,
) -> Engine:
    """Build it in the data folder `home`. Without `body` the tools of the body have the chosen
    model's names and move nothing, without `clipboard` and `screen` those for them say that they
    need a window; without `ring` timers are only kept. `model` answers instead of the settings'
    service (the demo). Raises KnownError only when nothing could work.
    """
    close_to_others(home)
    options = options or Options()
    writer = FileThread(asyncio.get_running_loop().call_soon_threadsafe)
    settings = _open_settings(home, options, writer, on_fault)
    secrets = Secrets(home / SECRETS_FILE)
    store = await SqliteStore.open(home / STORE_FILE, on_fault=on_fault)
    interrupted = await store.interrupt_running()
    background = await BackgroundTasks.open(store.tasks, keep_pictures=store.keep_pictures)
    memory = await MemoryBook.open(home / MEMORY_FILE, on_fault=on_fault)
    keeper = MemoryKeeper(memory, store, days=lambda: int(settings.settings.memory.keep or 0))
    find = await FindBook.open(home / FIND_FILE)
    finder = Follower(find, store, versions=True)
    find.listen(lambda _fault: finder.look_again())
    choices, recalls = ModelChoices(store), RecallChoices(store)
    await choices.restore()
    await recalls.restore()
    client, connections = _open_connections(settings)
    host = open_host(home, settings)
    notebook = await Notebook.open(home / NOTEBOOK_FILE, on_fault=on_fault)
    notes = SqliteNotes(notebook)
    appointments = AppointmentBook(notebook)
    timers = TimerBook(SqliteTimers(notebook), ring or _keep_quiet, before=appointments.look)
    appointments.wake = timers.look
    todos = TodoBook(notebook)
    stage = body or paper_body(settings.settings)
    kept = KeptFiles(home / KEPT_FILES)
    folders = Folders(lambda: allowed_folders(settings.settings), closed=[home])

    def shell() -> bool:
        return settings.settings.mode.shell

    def keeps_facts(conversation: str) -> bool:
        return minds.keeps_facts(conversation)

    def here() -> str:
        return chat.conversation.id if chat.conversation is not None else ""

    search = WebSearch(lambda: search_service(settings.settings), _search_key(secrets))
    fetcher = Fetcher(options.may_reach)
    tools = [
        *build_tools(stage, timers, notes, folders, kept, search, shell, fetcher),
        *clipboard_tools(clipboard),
        *screen_tools(screen, fit_picture, reads=can_read()),
        *todo_tools(todos),
        *task_tools(background),
        *memory_tools(FactKeeping(memory, keeper, keeps_facts, here)),
        *schedule_tools(appointments),
    ]
    toolbox = _open_toolbox(tools, Outputs(home / "outputs"), settings)
    apps = await open_apps(
        notebook,
        Things(
            *(notes, timers, todos, appointments, stage, tools),
            enabled=lambda spec: tool_rules(settings.settings).on(spec),
            asks=lambda spec, given: approval_policy(settings.settings).asks(spec, given),
        ),
    )
    servers = McpHost(ServerBook(home / SERVERS_FILE, writer, on_fault), secrets, toolbox)
    workshop = Workshop(home / TOOL_FILES, toolbox, ToolFilePermissions(settings))
    services = CatalogFile(home / CATALOG_FILE, on_fault=on_fault, writer=writer)
    personas = open_personas(home, settings, writer, on_fault)
    cast = await open_cast(home, store, personas)
    memory.facts.scope = cast.scope
    book = SummaryBook(store)
    minds = ModelChooser(
        *(settings, services, personas, secrets, connections, toolbox),
        *(store.keep_description, model, host),
        apps=apps,
        options=options,
        chosen=choices.of,
        tasks=background,
        memory=memory,
        recalls=recalls.on,
        facts=memory.facts,
        summary=book.of,
        cast=cast,
    )
    chat = _open_chat(store, minds, settings, approver, cast)
    chat.listen(Cues(stage))
    errands = Errands(minds.errand, chat.wait, store)
    summaries = Summaries(chat, store, book, errands, minds.context)
    speaks_up = partial(_speaks_up, settings, minds)
    waker = Waker(chat, store, background, speaks_up)
    appointments.speaks = speaks_up
    appointments.call = DueTalk(
        chat, background, errands, lambda: settings.settings.mode.due == "errand"
    ).call
    lost = told_lost(background.lost)
    undoers: dict[str, Undoer] = {
        "note.delete": NoteUndo(notes),
        "note.edit": NoteEditUndo(notes),
        "timer.cancel": TimerUndo(timers),
        **file_undoers(kept),
        **clipboard_undoers(clipboard),
        **todo_undoers(todos),
        "schedule.add": AppointmentUndo(appointments, made=True),
        "schedule.update": AppointmentUndo(appointments),
        "schedule.cancel": AppointmentUndo(appointments),
    }
    calls_undo = CallsUndo(undoers)
    found = (
        *(settings.fault, store.fault, memory.fault, *notebook.faults),
        *(services.fault, personas.fault, lost),
    )
    # Each of the files says so when the folder can't be written: told once.
    told = {say(fault): fault for fault in found if fault is not None}
    faults: list[KnownError] = list(told.values())
    return Engine(
        home=home,
        writer=writer,
        settings=settings,
        secrets=secrets,
        store=store,
        memory=memory,
        keeper=keeper,
        find=find,
        finder=finder,
        keeping=(spawn(keeper.run(), name="memory"), spawn(finder.run(), name="find")),
        client=client,
        connections=connections,
        host=host,
        chat=chat,
        errands=errands,
        summaries=summaries,
        tasks=background,
        waker=waker,
        notebook=notebook,
        notes=notes,
        timers=timers,
        todos=todos,
        appointments=appointments,
        apps=apps,
        ringing=spawn(timers.run(), name="timers") if ring is not None else None,
        undo=Undo({**undoers, ACT: calls_undo}),
        calls_undo=calls_undo,
        toolbox=toolbox,
        servers=servers,
        workshop=workshop,
        minds=minds,
        choices=choices,
        recalls=recalls,
        services=services,
        personas=personas,
        cast=cast,
        interrupted=interrupted,
        faults=faults,
    )


def _open_settings(
    home: Path,
    options: Options,
    writer: FileThread,
    on_fault: Callable[[KnownError], None] | None,
) -> SettingsStore:
    """The settings, and at once what depends on them: the log and the language."""
    overrides = options.overrides()
    file = home / SETTINGS_FILE
    settings = SettingsStore(file, overrides=overrides, on_fault=on_fault, writer=writer)
    open_log(home, detailed=settings.settings.data.detailed_log)
    set_language(settings.settings.appearance.language)
    return settings


def _open_connections(settings: SettingsStore) -> tuple[HttpClient, Connections]:
    def plain_to(host: str) -> bool:
        return host in hosts_in(settings.settings.service.plain_hosts)

    client = HttpClient(plain_to=plain_to)
    return client, Connections(client, plain_to=plain_to)


def _open_toolbox(tools: list[Tool], outputs: Outputs, settings: SettingsStore) -> Toolbox:
    """The tools that are allowed, as the settings say at each look."""
    toolbox = Toolbox(
        OwnTools([*tools, *output_tools(outputs)]),
        enabled=lambda spec: (
            tool_rules(settings.settings).on(spec)
            and (settings.settings.memory.facts or not spec.name.startswith("memory."))
        ),
        outputs=outputs,
    )
    toolbox.observe(lambda: meet_sources(toolbox, settings))
    return toolbox


def _open_chat(
    store: SqliteStore,
    minds: ModelChooser,
    settings: SettingsStore,
    approver: Approver | None,
    cast: Cast,
) -> Chat:
    return Chat(
        store,
        minds.set_up,
        switch_to_text=lambda: settings.change("mode", "mode", "text"),
        switch_protocol=minds.switch_protocol,
        approver=approver,
        copied=cast.copied,
    )


def build_tools(
    body: Body,
    timers: TimerBook,
    notes: NoteStore,
    folders: Folders,
    kept: KeptFiles,
    search: WebSearch,
    shell: Callable[[], bool] = lambda: False,
    fetcher: Fetcher | None = None,
) -> list[Tool]:
    """The tools that come with the app; a further family is one line."""
    return [
        *live2d_tools(body),
        *time_tools(),
        *timer_tools(timers),
        *note_tools(notes),
        *calc_tools(),
        *file_tools(folders, kept),
        *web_tools(fetcher or Fetcher(), search),
        *machine_tools(shell),
        *app_tools(),
    ]


def open_host(home: Path, settings: SettingsStore) -> LocalHost:
    """What runs models on this computer, as the settings say at each start."""

    def tuning() -> Tuning:
        local = settings.settings.local
        return Tuning(local.context, local.reply, local.threads)

    def idle() -> float:
        return settings.settings.local.idle_minutes * 60.0

    return LocalHost(home / MODELS_FOLDER, tuning=tuning, idle=idle)


def open_personas(
    home: Path,
    settings: SettingsStore,
    writer: FileThread,
    on_fault: Callable[[KnownError], None] | None,
) -> Personas:
    """The personas; the figure that is chosen is the one that counts."""
    figure = figure_at(home, settings.settings.companion.model)
    personas = Personas(home / PERSONAS_FOLDER, figure, writer=writer, on_fault=on_fault)

    def settled(section: str, name: str, value: object) -> None:
        if (section, name) == ("companion", "model"):
            personas.choose(figure_at(home, str(value)))

    settings.observe(settled)
    return personas


async def open_cast(home: Path, store: SqliteStore, personas: Personas) -> Cast:
    """The characters of cards, and who speaks where."""
    shelf = CharacterShelf(home / CHARACTERS)
    await asyncio.to_thread(shelf.load)
    cast = Cast(store, personas, shelf)
    await cast.restore()
    return cast


def figure_at(home: Path, chosen: str) -> FigureName:
    """The figure that the settings call `chosen`, "" for the bundled one."""
    if not chosen:
        return bundled_figure(assets_dir())
    path = Path(chosen).expanduser()
    place = path.relative_to(home) if path.is_relative_to(home) else path
    return brought_figure(name_at(path), place.as_posix())


def model_path(settings: Settings) -> Path:
    """The chosen Live2D model, or the one that comes with the app."""
    chosen = settings.companion.model
    return Path(chosen).expanduser() if chosen else assets_dir() / "companion" / "neo"


def paper_body(settings: Settings) -> PaperStage:
    """A body without a window, with the names of the chosen model."""
    try:
        return PaperStage(describe(model_path(settings)))
    except ModelFileError as error:
        _log.warning("%s", error)
        return PaperStage()


async def _no_summary(_conversation: str) -> Summary | None:
    return None


class ModelChooser:
    """Makes the set-up of a turn from the settings as they are at its start. `chosen` is the model
    of a conversation of its own, "" for none.
    """

    def __init__(
        self,
        settings: SettingsStore,
        services: CatalogFile,
        personas: Personas,
        secrets: Secrets,
        connections: Connections,
        toolbox: Toolbox,
        keep: Keep,
        model: Model | None = None,
        host: LocalHost | None = None,
        apps: Apps | None = None,
        options: Options | None = None,
        chosen: Callable[[str], str] = lambda conversation: "",
        tasks: BackgroundTasks | None = None,
        memory: Memory | None = None,
        recalls: Callable[[str], bool] = lambda conversation: True,
        facts: FactStore | None = None,
        summary: Callable[[str], Awaitable[Summary | None]] = _no_summary,
        cast: Cast | None = None,
    ) -> None:
        self._cast = cast
        self._options = options or Options()
        self._tasks = tasks
        self._chosen = chosen
        self._memory = memory
        self._recalls = recalls
        self._facts = facts
        self._settings = settings
        self._services = services
        self._personas = personas
        self._secrets = secrets
        self._key = keys_from(self._read_key, key_name, register)
        self._builder = ModelBuilder(connections, self._key, keep=keep, host=host)
        self._toolbox = toolbox
        self._model = model
        self._apps = apps
        self._summary = summary
        self._correction = Correction()

    def set_up(self, conversation: str = "", named: str = "") -> TurnSetup:
        """What answers in the conversation of this id, "" for one without a model of its own;
        this once with the model of this name, if there is one.
        """
        mode = self._settings.settings.mode
        self._personas.refresh()
        model = self.model(conversation=conversation, named=named)
        context = self._context(model)
        apps = self._apps if mode.apps and not isinstance(model, OfflineModel) else None
        dialect = self._dialect_of(model)
        return TurnSetup(
            model=model,
            toolbox=self._toolbox_of(conversation),
            dialect=dialect,
            persona=f"{self._personas.current.prompt}\n\n{HOUSE}",
            who=self._who(conversation),
            limits=_limits(mode, dialect),
            policy=_LivePolicy(self._settings, self._apps),
            parallel=mode.parallel_tools,
            leaks=mode.read_leaks,
            patience=mode.answer_patience,
            context=context,
            summary=partial(self._summary, conversation) if conversation else None,
            learn=partial(self._correction.learn, model.label),
            more=(*self._recall(conversation, context), *_windows(apps, context)),
            narrow=partial(_narrow, apps, self._beginner(conversation)),
        )

    def _who(self, conversation: str) -> CharacterTold | None:
        """The character that speaks there, if it isn't the figure's own persona."""
        found = self._cast.of(conversation) if self._cast is not None else None
        return CharacterTold(found.card) if found is not None else None

    def context(self, conversation: str) -> int:
        """Tokens of this conversation that are sent, as they are estimated."""
        return self._context(self.model(conversation=conversation))

    def _toolbox_of(self, conversation: str) -> TurnToolbox:
        """What a call of this conversation leaves running belongs to it."""
        if self._tasks is None:
            return self._toolbox
        return BackgroundToolbox(self._toolbox, self._tasks, conversation)

    def _beginner(self, conversation: str) -> Begin | None:
        """What runs the async actions of windows."""
        return partial(begin_in, self._tasks, conversation) if self._tasks is not None else None

    def _recall(self, conversation: str, context: int) -> tuple[Place, ...]:
        """What the memory adds to the requests of a turn."""
        return (*self._told_facts(conversation, context), *self._past(conversation, context))

    def _told_facts(self, conversation: str, context: int) -> tuple[Place, ...]:
        settings = self._settings.settings.memory
        wished = settings.recall and settings.facts
        if self._facts is None or not wished or not self._recalls(conversation):
            return ()
        chinese = language().startswith("zh")
        source = FactsTold(
            self._facts,
            patience=self._options.recall_within,
            chinese=chinese,
            conversation=conversation,
        )
        return (Place(source, min(FACTS, context // FACTS_SHARE)),)

    def _past(self, conversation: str, context: int) -> tuple[Place, ...]:
        settings = self._settings.settings.memory
        wished = settings.recall or settings.knowledge
        if self._memory is None or not wished or not self._recalls(conversation):
            return ()
        wanted = Wanted(settings.recall, settings.knowledge)
        chinese = language().startswith("zh")
        patience = self._options.recall_within
        source = Recall(
            *(self._memory, wanted),
            context=context,
            chinese=chinese,
            patience=patience,
            among=self._among(conversation),
        )
        return (Place(source, min(BUDGET, context // SHARE)),)

    def _among(self, conversation: str) -> Callable[[str], bool] | None:
        """In which conversations what may be recalled here was said; None: in all."""
        if self._cast is None or not self._cast.divided:
            return None
        scope, own = self._cast.scope, self._cast.scope(conversation)
        return lambda other: scope(other) == own

    def dialect(self) -> Dialect:
        """`auto` begins natively; the switch to text is only ever the person's."""
        mode = self._settings.settings.mode
        return DIALECTS[mode.dialect] if mode.mode == "text" else NATIVE

    def _dialect_of(self, model: Model) -> Dialect:
        """The offline helper writes one text form only."""
        dialect = self.dialect()
        offline = isinstance(model, OfflineModel)
        return TOOL_REQUEST if offline and not dialect.native else dialect

    def model(self, purpose: Purpose = "chat", conversation: str = "", named: str = "") -> Model:
        """What answers for `purpose`, in this conversation or by the model of this name; the
        offline helper where there is no service.
        """
        if self._model is not None:
            return self._model
        finds_out = purpose == "chat" and self._settings.settings.mode.mode == "auto"
        own = self.own_model(conversation) if purpose == "chat" else ""
        own = named if named in self.offered() else own
        built = self._builder.build(
            self.catalog(), purpose, self._waits(), finds_out=finds_out, named=own
        )
        return built or self._offline(conversation)

    def _offline(self, conversation: str) -> OfflineModel:
        names = (self._personas.name_in("en"), self._personas.name_in("zh_CN"))
        if self._cast is not None and self._cast.of(conversation) is not None:
            names = (self._cast.name(conversation),) * 2
        return OfflineModel(known_tools=self._toolbox.specs, names=names)

    def tools_tried(self, choice: Choice, *, ignored: bool) -> None:
        """A test of this model found whether it ignores the tools it is given."""
        self._builder.ignored.tried(choice, ignored=ignored)

    def own_model(self, conversation: str) -> str:
        """The model that was chosen for this conversation alone, if it can be asked; else "". A
        model that is named from outside answers everywhere in this run.
        """
        name = self._chosen(conversation)
        return name if name in self.offered() and not self.model_named_outside() else ""

    def offered(self) -> dict[str, tuple[str, ...]]:
        """The models to talk with, by name, each with the services it is on."""
        found: dict[str, tuple[str, ...]] = {}
        for choice in talkers(self.catalog()):
            found[choice.name] = (*found.get(choice.name, ()), choice.endpoint.name)
        return found

    def errand(self, errand: Errand) -> TurnSetup | None:
        """What runs this errand; None when the person doesn't want it, or nothing could."""
        model = self._errand_model(errand.purpose)
        if model is None:
            return None
        mode = self._settings.settings.mode
        self._personas.refresh()
        return TurnSetup(
            model=model,
            toolbox=self._toolbox,
            dialect=self._dialect_of(model),
            persona=errand.system or f"{self._personas.current.prompt}\n\n{HOUSE}",
            limits=Limits(rounds=errand.rounds, calls=mode.max_calls),
            policy=_LivePolicy(self._settings, self._apps),
            leaks=mode.read_leaks,
            learn=partial(self._correction.learn, model.label),
            context=self._context(model),
            tool_choice="auto" if errand.tools else "none",
        )

    def _errand_model(self, purpose: Purpose) -> Model | None:
        titles = self._settings.settings.service.titles
        if self._model is not None:
            return self._model if purpose == "errand" else None
        if purpose == "title" and not titles:
            return None
        return self._builder.build(self.catalog(), purpose, self._waits())

    def learns(self, conversation: str) -> bool:
        """Whether facts are to be found in what they say there, without being asked."""
        return self._settings.settings.memory.learn and self.keeps_facts(conversation)

    def keeps_facts(self, conversation: str) -> bool:
        """Whether the person wants facts about them kept of what they say there."""
        return self._settings.settings.memory.facts and self._recalls(conversation)

    def embedder(self) -> Embedder | None:
        """What makes vectors of texts; None where no model for it is set up."""
        return self._builder.build_embedder(self.catalog(), self._waits())

    def _waits(self) -> Waits:
        service = self._settings.settings.service
        return Waits(service.stall_timeout, service.local_patience)

    def reads(self, model: Model) -> int | None:
        """How many tokens `model` reads at most, if that is known."""
        if not isinstance(model, FallbackModel):
            return None
        if names_file(model.choice.endpoint.base_url):
            return self._settings.settings.local.context
        return model.choice.context

    def _context(self, model: Model) -> int:
        """Tokens of the conversation that are sent: half of what the model reads, if that is
        known. A model of this computer reads no more than its memory was made for; tools and the
        reply need more than half of that.
        """
        return self._correction.estimated(model.label, self._sent(model))

    def _sent(self, model: Model) -> int:
        if not isinstance(model, FallbackModel):
            return CONTEXT
        if names_file(model.choice.endpoint.base_url):
            return self._settings.settings.local.context * 2 // 5
        known = model.choice.context
        return CONTEXT if known is None else min(known // 2, _MOST_CONTEXT)

    def catalog(self) -> Catalog:
        """`llm-config.json` as it is now. Without it, and for a run that names its own service,
        the simple settings.
        """
        asked = self._options
        return asking(self._catalog(), thinking=asked.thinking, stream=asked.stream)

    def _catalog(self) -> Catalog:
        self._services.refresh()
        written = self._services.catalog
        if written is None or self.named_outside():
            return self.implied()
        if self._settings.overridden("service", "model"):
            return naming(written, self._settings.settings.service.model)
        return written

    def switch_protocol(self, protocol: str, address: str) -> None:
        """The endpoint at `address` is asked in `protocol` from now on. Raises KnownError."""
        self._services.refresh()
        written = self._services.catalog
        if written is None or self.named_outside():
            self._settings.change("service", "protocol", protocol)
            return
        named = [one.name for one in written.endpoints if one.base_url == address]

        def change(catalog: Catalog) -> Catalog:
            for name in named:
                catalog = change_endpoint(catalog, name, protocol=protocol)
            return catalog

        self._services.edit(change, written)

    def implied(self) -> Catalog:
        """The catalogue that the simple settings amount to."""
        service = self._settings.settings.service
        return from_service(service.protocol, service.base_url, service.model)

    def named_outside(self) -> bool:
        """Whether the command line or the environment names the service of this run."""
        return any(self._settings.overridden("service", n) for n in ("base_url", "protocol"))

    def model_named_outside(self) -> bool:
        """Whether the model of this run is named from outside, or there is no choice at all."""
        if self._model is not None or self.named_outside():
            return True
        return self._settings.overridden("service", "model")

    async def key(self, endpoint: Endpoint) -> str:
        """The key that requests to `endpoint` go with, "" for none."""
        return await self._key(endpoint)

    async def _read_key(self, name: str) -> str:
        """The environment's key goes to the one service there is, never to several hosts."""
        return await self._secrets.get_async(name, environment=key_names(self.catalog()) == {name})


def _speaks_up(settings: SettingsStore, minds: ModelChooser) -> bool:
    """Whether ends of background tasks wake the companion; the offline helper knows none."""
    wanted = settings.settings.mode.task_end == "wake"
    return wanted and not isinstance(minds.model(), OfflineModel)


def told_lost(tasks: Sequence[Task]) -> TasksLost | None:
    """What ran when the app ended, for the person; None if nothing did."""
    names = ", ".join(task.call.name for task in tasks[:_NAMED_TASKS])
    more = "…" if len(tasks) > _NAMED_TASKS else ""
    return TasksLost(names=names + more) if tasks else None


def approval_policy(settings: Settings) -> ApprovalPolicy:
    """What asks, as the settings say now."""
    mode = settings.mode
    return ApprovalPolicy(
        mode.always_allowed,
        mode.ask_before_every_change,
        tool_rules(settings),
        Folders(lambda: allowed_folders(settings)).real,
    )


def allowed_folders(settings: Settings) -> list[Path]:
    return [Path(one) for one in settings.files.folders]


def tool_rules(settings: Settings) -> ToolRules:
    mode = settings.mode
    new = NewTools(mode.new_tools)
    return ToolRules(mode.tool_rules, mode.source_rules, mode.met_tools, new)


class _LivePolicy:
    """The settings as they are when a call comes. A call in windows asks if one of its actions
    does.
    """

    def __init__(self, settings: SettingsStore, apps: Apps | None) -> None:
        self._settings = settings
        self._apps = apps

    def asks(self, spec: ToolSpec, arguments: Mapping[str, object]) -> bool:
        policy = approval_policy(self._settings.settings)
        if self._apps is None:
            return policy.asks(spec, arguments)
        meant = self._apps.caller.meant(spec, arguments)
        return any(policy.asks(*one) for one in meant)


def _windows(apps: Apps | None, context: int) -> tuple[Place, ...]:
    """The source that tells the windows, within their share of the conversation's tokens."""
    return (Place(Windows(apps.host), round(WINDOWS * context)),) if apps is not None else ()


def _limits(mode: Mode, dialect: Dialect) -> Limits:
    tags = dialect.name == TOOL_TAG.name
    return Limits(mode.max_tag_rounds if tags else mode.max_rounds, mode.max_calls)


def _narrow(
    apps: Apps | None,
    begin: Begin | None,
    toolbox: TurnToolbox,
    messages: Sequence[Message],
    context: int,
) -> TurnToolbox:
    """The toolbox of one turn: few tools of many, and the windows."""
    found = FoundTools(toolbox, messages, context)
    return WindowTools(found, apps.host, apps.caller, begin) if apps is not None else found


def meet_sources(toolbox: Toolbox, settings: SettingsStore) -> None:
    """Remember what each source of others has when it is met first: what it adds later is new."""
    met = settings.settings.mode.met_tools
    found = {
        source.name: tuple(spec.id for spec in source.specs)
        for source in toolbox.sources()
        if source.specs and source.name != OWN_SOURCE and source.name not in met
    }
    if found:
        settings.change("mode", "met_tools", {**met, **found})


def key_names(catalog: Catalog) -> set[str]:
    """The names of the keys its services need; models of this computer need none."""
    addresses = (endpoint.base_url for endpoint in catalog.endpoints)
    return {key_name(address) for address in addresses if not names_file(address)}


def search_service(settings: Settings) -> SearchService:
    return SearchService(settings.web.search, settings.web.searxng)


def _search_key(secrets: Secrets) -> Callable[[str], Awaitable[str]]:
    """The key for a search's endpoint, kept out of logs like the others."""

    async def read(endpoint: str) -> str:
        key = await secrets.get_async(key_name(endpoint), environment=False)
        if key:
            register(key)
        return key

    return read


def _keep_quiet(timer: Timer) -> None:
    """Nobody is there to hear it: the app rings when it runs."""
