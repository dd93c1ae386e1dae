"""Builds everything that needs no window: settings, keys, store, tools, model, chat.

The windows (`app/`) and the terminal (`commands/chat.py`) stand on the same engine. Start order:
the data folder is closed to others, settings, the log, language, keys, store (what was running when
the app died is marked interrupted), notes and timers, the HTTP client (early: its first use of TLS
is slow), tools, chat.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from pathlib import Path

from neodeskpet.appointments.book import AppointmentBook
from neodeskpet.apps.apps import Apps
from neodeskpet.apps.notes import NoteEditUndo
from neodeskpet.apps.shelf import Things, open_apps
from neodeskpet.apps.undo import CallsUndo
from neodeskpet.conversation.background.due import DueTalk
from neodeskpet.conversation.background.tasks import BackgroundTasks
from neodeskpet.conversation.background.waker import Waker
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.cues import Cues
from neodeskpet.conversation.errands.errand import Errands
from neodeskpet.conversation.errands.summaries import Summaries, SummaryBook
from neodeskpet.conversation.facts.keeping import FactKeeping
from neodeskpet.conversation.model_choices import ModelChoices
from neodeskpet.conversation.ports import Approver
from neodeskpet.conversation.tasks import spawn
from neodeskpet.core.background.task import Task
from neodeskpet.core.embedding import Embedder
from neodeskpet.core.errors import KnownError, MemoryExpires, ModelFileError, StoreError, TasksLost
from neodeskpet.core.model import Model
from neodeskpet.core.toolspec import OWN_SOURCE
from neodeskpet.core.windows.calls import ACT
from neodeskpet.core.wire import CueReached
from neodeskpet.database.backups import keep_backups
from neodeskpet.database.others import Watched, watch_others
from neodeskpet.exits import Exits
from neodeskpet.file_thread import FileThread
from neodeskpet.language import say
from neodeskpet.live2d.files.catalog import describe, name_at
from neodeskpet.live2d.files.chosen import model_path
from neodeskpet.live2d.stage import PaperStage
from neodeskpet.llm.catalog.catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.catalog.file import CatalogFile
from neodeskpet.llm.catalog.reported import ReportedModels
from neodeskpet.llm.client import HttpClient
from neodeskpet.llm.connections import Connections
from neodeskpet.llm.fitting import fit_picture
from neodeskpet.llm.local.address import FOLDER as MODELS_FOLDER
from neodeskpet.llm.local.child import Tuning
from neodeskpet.llm.local.host import LocalHost
from neodeskpet.llm.offline import OfflineModel
from neodeskpet.mcp.book import FILE_NAME as SERVERS_FILE
from neodeskpet.mcp.book import ServerBook
from neodeskpet.mcp.host import McpHost
from neodeskpet.memory.find.book import FindBook
from neodeskpet.memory.find.tables import FILE_NAME as FIND_FILE
from neodeskpet.memory.knowledge.book import KnowledgeBook
from neodeskpet.memory.knowledge.keeper import KnowledgeKeeper
from neodeskpet.memory.knowledge.tables import FILE_NAME as KNOWLEDGE_FILE
from neodeskpet.memory.knowledge.watching import FileWatcher
from neodeskpet.memory.recall.book import MemoryBook
from neodeskpet.memory.recall.choices import KNOWLEDGE, RecallChoices
from neodeskpet.memory.recall.follower import Follower
from neodeskpet.memory.recall.forgetting import forget
from neodeskpet.memory.recall.keeper import MemoryKeeper
from neodeskpet.memory.recall.seen_days import SeenDays
from neodeskpet.memory.recall.tables import FILE_NAME as MEMORY_FILE
from neodeskpet.memory.shared.memory import SharedMemory
from neodeskpet.memory.shared.notebook import SharedNotebook
from neodeskpet.memory.shared.sharing import Sharing
from neodeskpet.memory.shared.vectors import SharedVectors
from neodeskpet.memory.store import FILE_NAME as STORE_FILE
from neodeskpet.memory.store import SqliteStore
from neodeskpet.minds import ModelChooser, allowed_folders, approval_policy, tool_rules
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook, purge_daily
from neodeskpet.notes.notes import NoteStore
from neodeskpet.notes.store import SqliteNotes
from neodeskpet.options import Options
from neodeskpet.paths import assets_dir
from neodeskpet.personas.cast import Cast
from neodeskpet.personas.guests import Guests
from neodeskpet.personas.personas import FOLDER as PERSONAS_FOLDER
from neodeskpet.personas.personas import FigureName, Personas, brought_figure, bundled_figure
from neodeskpet.personas.shelf import FOLDER as CHARACTERS
from neodeskpet.personas.shelf import CharacterShelf
from neodeskpet.redaction import register
from neodeskpet.settings.logfile import close_log
from neodeskpet.settings.model import Settings
from neodeskpet.settings.opening import OpenedSettings, open_settings
from neodeskpet.settings.plain_hosts import hosts_in
from neodeskpet.settings.private_home import close_to_others
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name
from neodeskpet.settings.store import SettingsStore
from neodeskpet.settings.tool_permissions import ToolFilePermissions
from neodeskpet.sync_access import sync_access
from neodeskpet.sync_characters import SharedCharacters
from neodeskpet.timers.book import Timer, TimerBook
from neodeskpet.timers.store import SqliteTimers
from neodeskpet.todos.book import TodoBook
from neodeskpet.tools.builtin.app import app_tools
from neodeskpet.tools.builtin.calc import calc_tools
from neodeskpet.tools.builtin.clipboard import Clipboard, clipboard_tools, clipboard_undoers
from neodeskpet.tools.builtin.file import file_tools, file_undoers
from neodeskpet.tools.builtin.knowledge import SEARCH as KNOWLEDGE_SEARCH
from neodeskpet.tools.builtin.knowledge import knowledge_tools
from neodeskpet.tools.builtin.live2d import Body, live2d_tools
from neodeskpet.tools.builtin.machine import Shell, machine_tools
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
from neodeskpet.tools.outputs import Outputs, output_tools
from neodeskpet.tools.recognition.reader import can_read
from neodeskpet.tools.registry import Tool
from neodeskpet.tools.toolbox import OwnTools, Toolbox
from neodeskpet.tools.undo import Undo, Undoer
from neodeskpet.tools.workshop.workshop import FOLDER as TOOL_FILES
from neodeskpet.tools.workshop.workshop import Workshop
from neodeskpet.vectors.indexer import Indexer
from neodeskpet.web.fetcher import Fetcher
from neodeskpet.web.page_reader import PageReader
from neodeskpet.web.search import SearchService, WebSearch

_log = logging.getLogger(__name__)

KEPT_FILES = "kept files"
"""The folder of what file tools replaced."""
_NAMED_TASKS = 3
_LAST_WORDS = 2.0  # seconds that the end waits for the memory


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
    meanings: Meanings
    find: FindBook
    finder: Follower
    sharing: Sharing
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
    reported: ReportedModels
    recalls: RecallChoices
    knowledge: KnowledgeBook
    librarian: KnowledgeKeeper
    knows: RecallChoices
    services: CatalogFile
    personas: Personas
    cast: Cast
    fetcher: Fetcher
    pages: PageReader
    interrupted: list[str]
    exits: Exits
    faults: list[KnownError] = field(default_factory=list)

    async def close(self) -> None:
        """Stop what runs without ending it: the next start offers to go on. Whatever fails on the
        way, the rest is closed too.
        """
        await self.exits.close()

    async def end_turns(self) -> None:
        with suppress(StoreError):  # it was told when the writing failed
            await self.chat.close()

    async def end_keeping(self) -> None:
        """What was said last is remembered; else the next start does it."""
        for task in self.keeping:
            task.cancel()
        await asyncio.to_thread(self.librarian.close)
        await self.sharing.close()
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
    opened: OpenedSettings | None = None,
) -> Engine:
    """Build it in the data folder `home`. Without `body` the tools of the body have the chosen
    model's names and move nothing, without `clipboard` and `screen` those for them say that they
    need a window; without `ring` timers are only kept. `model` answers instead of the settings'
    service (the demo). `opened`: its settings, where they are there already. Raises
    KnownError only when nothing could work.
    """
    exits = Exits()
    try:
        return await _open_engine(
            home,
            exits,
            options=options,
            body=body,
            clipboard=clipboard,
            screen=screen,
            approver=approver,
            ring=ring,
            model=model,
            on_fault=on_fault,
            opened=opened,
        )
    except BaseException:
        with suppress(Exception):  # it is in the log; the first failure is the one to tell
            await exits.close()
        raise


async def _open_engine(
    home: Path,
    exits: Exits,
    *,
    options: Options | None,
    body: Body | None,
    clipboard: Clipboard | None,
    screen: Screen | None,
    approver: Approver | None,
    ring: Callable[[Timer], None] | None,
    model: Model | None,
    on_fault: Callable[[KnownError], None] | None,
    opened: OpenedSettings | None,
) -> Engine:
    """What is opened is noted in `exits`, which closes it in reverse."""
    options = options or Options()
    opened = opened or open_settings(home, options.overrides(), on_fault)
    settings, writer = opened.store, opened.writer
    exits.add(close_log, partial(close_to_others, home))
    # The disk may keep them waiting; the interface doesn't wait with them.
    exits.add(partial(asyncio.to_thread, writer.close))
    exits.add(partial(asyncio.to_thread, settings.close))
    secrets = Secrets(home / SECRETS_FILE)
    store = await SqliteStore.open(home / STORE_FILE, on_fault=on_fault)
    exits.add(store.close)
    interrupted = await store.interrupt_running()
    background = await BackgroundTasks.open(store.tasks, keep_pictures=store.keep_pictures)
    past = await _open_past(home, exits, store, settings, on_fault)
    choices = await _open_choices(store)
    client, connections = _open_connections(settings)
    host = open_host(home, settings)
    exits.add(client.close, connections.close, host.close)
    books = await _open_books(home, exits, ring, on_fault)
    characters = SharedCharacters(home, name_at)
    exits.add(characters.close)
    sharing = _open_sharing(store, past.memory, books, characters, settings, secrets)
    stage = body or paper_body(settings.settings)
    kept = KeptFiles(home / KEPT_FILES)
    library = await _open_library(home, exits, options, settings, on_fault)

    def variables() -> list[str]:
        named = settings.settings.mode.variables.split(",")
        return [one.strip() for one in named if one.strip()]

    def here() -> str:
        return chat.conversation.id if chat.conversation is not None else ""

    # `minds` and `chat` are made of them, below; none of them is called before that.
    facts = FactKeeping(past.memory, past.keeper, lambda one: minds.keeps_facts(one), here)
    folders = Folders(lambda: allowed_folders(settings.settings), closed=[home])
    tools = [
        *build_tools(
            *(stage, books.timers, books.notes),
            *(folders, kept),
            WebSearch(lambda: search_service(settings.settings), _search_key(secrets)),
            Shell(lambda: settings.settings.mode.shell, variables),
            library.pages,
        ),
        *_tools_of_window(clipboard, screen),
        *todo_tools(books.todos),
        *task_tools(background),
        *memory_tools(facts),
        *schedule_tools(books.appointments),
        *knowledge_tools(library.book, lambda: minds.knows(here())),
    ]
    toolbox = _open_toolbox(tools, Outputs(home / "outputs"), settings, lambda: library.book.holds)
    apps = await _open_apps(books, stage, tools, settings)
    services = CatalogFile(home / CATALOG_FILE, on_fault=on_fault, writer=writer)
    personas = open_personas(home, settings, writer, on_fault)
    cast = await open_cast(home, store, personas)
    _join_characters(cast, characters, sharing)
    past.memory.facts.scope = cast.scope
    summary_book = SummaryBook(store)
    minds = ModelChooser(
        *(settings, services, personas, secrets, connections, toolbox),
        *(store.keep_description, model, host),
        apps=apps,
        options=options,
        chosen=choices.models.of,
        models_at=choices.reported.of,
        tasks=background,
        memory=past.memory,
        recalls=choices.recalls.on,
        knowledge=library.book,
        knows=choices.knows.on,
        facts=past.memory.facts,
        summary=summary_book.of,
        cast=cast,
        bill=store.spending.note,
    )
    exits.add(minds.close)
    vectors = _open_shared_vectors(store, past.memory, sharing)
    meanings = _open_meanings(
        *(past.memory, library.book, minds, settings, services, choices.recalls, vectors)
    )
    servers = McpHost(
        ServerBook(home / SERVERS_FILE, writer, on_fault),
        *(secrets, toolbox),
        roots=lambda: allowed_folders(settings.settings),
        variables=variables,
    )
    servers.sample_with(minds.sample)
    chat = _open_chat(store, minds, settings, approver, cast)
    chat.listen(Cues(stage), CueReached)
    _join_sharing(chat, sharing)
    errands = Errands(minds.errand, chat.wait, store)
    speaks_up = partial(_speaks_up, settings, minds)
    apart = DueTalk(chat, background, errands, lambda: settings.settings.mode.due == "errand")
    _join_appointments(books.appointments, speaks_up, apart, toolbox)
    undoers = _list_undoers(books, file_undoers(kept, folders), clipboard)
    calls_undo = CallsUndo(undoers)
    engine = Engine(
        home=home,
        writer=writer,
        settings=settings,
        secrets=secrets,
        store=store,
        memory=past.memory,
        keeper=past.keeper,
        find=past.find,
        finder=past.finder,
        meanings=meanings,
        sharing=sharing,
        keeping=(
            *_keep_found(past, meanings, vectors),
            # A command that lasts a moment leaves this to the windows.
            *(_keep_daily(home, settings, past, books, chat) if ring is not None else ()),
            *(_keep_knowledge(library.keeper) if ring is not None else ()),
            spawn(sharing.run(), name="sharing"),
            # A command that lasts a moment shows nothing that could change.
            *(_watch_others(home, past, store, library, books, chat) if ring is not None else ()),
            spawn(_warm(past.memory, library.book), name="warm the indexes"),
        ),
        client=client,
        connections=connections,
        host=host,
        chat=chat,
        errands=errands,
        summaries=Summaries(chat, store, summary_book, errands, minds.context),
        tasks=background,
        waker=Waker(chat, store, background, speaks_up),
        notebook=books.notebook,
        notes=books.notes,
        timers=books.timers,
        todos=books.todos,
        appointments=books.appointments,
        apps=apps,
        ringing=spawn(books.timers.run(), name="timers") if ring is not None else None,
        undo=Undo({**undoers, ACT: calls_undo}),
        calls_undo=calls_undo,
        toolbox=toolbox,
        servers=servers,
        workshop=Workshop(home / TOOL_FILES, toolbox, ToolFilePermissions(settings)),
        minds=minds,
        choices=choices.models,
        reported=choices.reported,
        recalls=choices.recalls,
        knowledge=library.book,
        librarian=library.keeper,
        knows=choices.knows,
        services=services,
        personas=personas,
        cast=cast,
        fetcher=library.fetcher,
        pages=library.pages,
        interrupted=interrupted,
        exits=exits,
        faults=_told_once(
            *(settings.fault, store.fault, past.memory.fault, library.book.fault),
            *(*books.notebook.faults, services.fault, personas.fault, told_lost(background.lost)),
        ),
    )
    exits.add(engine.end_keeping, engine.servers.close, engine.workshop.close)
    exits.add(background.close, engine.waker.close)
    if engine.ringing is not None:
        exits.add(engine.ringing.cancel)
    exits.add(engine.end_turns)
    return engine


@dataclass(frozen=True, slots=True)
class Meanings:
    """What makes vectors: of what was `said`, and of what is `known` from documents. `makes` tells
    with which model just now, "" for none.
    """

    said: Indexer
    known: Indexer
    makes: Callable[[], str]

    def look(self) -> None:
        """Something else may make them now."""
        for one in (self.said, self.known):
            one.hear(())


def _open_meanings(
    memory: MemoryBook,
    knowledge: KnowledgeBook,
    minds: ModelChooser,
    settings: SettingsStore,
    services: CatalogFile,
    recalls: RecallChoices,
    vectors: SharedVectors,
) -> Meanings:
    """Each only where the person wants that."""

    def of_said() -> Embedder | None:
        return minds.embedder() if settings.settings.memory.recall else None

    def of_known() -> Embedder | None:
        return minds.embedder() if settings.settings.memory.knowledge else None

    def makes() -> str:
        found = of_said()
        return "" if found is None else found.model

    said = Indexer(memory.vectors, memory.texts(recalls.on), of_said, vectors)
    known = Indexer(knowledge.vectors, knowledge.texts, of_known)
    memory.changed.add(said.hear)
    knowledge.changed.add(known.hear)
    knowledge.meant = minds.looking.vector
    recalls.changed.add(said.look_again)
    meanings = Meanings(said, known, makes)
    settings.observe(lambda *_: meanings.look())
    services.observe(meanings.look)
    return meanings


def _open_shared_vectors(store: SqliteStore, memory: MemoryBook, sharing: Sharing) -> SharedVectors:
    """Vectors that other computers of the person had made."""
    vectors = SharedVectors(sharing.ask, memory.vectors, store.shared.written_elsewhere)
    sharing.observe(lambda: vectors.look(sharing.state.met and sharing.state.fault is None))
    return vectors


def _open_sharing(
    store: SqliteStore,
    memory: MemoryBook,
    books: _Books,
    characters: SharedCharacters,
    settings: SettingsStore,
    secrets: Secrets,
) -> Sharing:
    """Sync between several computers, if the person names a server."""

    def look_again() -> None:
        for book in (books.notes, books.todos, books.appointments):
            book.look_again()
        books.appointments.wake()

    sharing = Sharing(
        (
            store.shared,
            SharedMemory(memory.facts.file, memory.tell_shared),
            SharedNotebook(books.notebook, look_again),
            characters,
        ),
        lambda: settings.settings.sharing.address,
        lambda address: sync_access(settings, secrets, address),
        name=socket.gethostname(),
        forget_deleted=store.forget_deleted,
    )

    def hear(section: str, name: str, value: object) -> None:
        if section == "sharing" or name == "plain_hosts":
            sharing.look()

    settings.observe(hear)
    return sharing


def _keep_found(
    past: _Past, meanings: Meanings, vectors: SharedVectors
) -> Sequence[asyncio.Task[None]]:
    return (
        spawn(past.keeper.run(), name="memory"),
        spawn(past.finder.run(), name="find"),
        spawn(meanings.said.run(), name="meaning"),
        spawn(meanings.known.run(), name="meaning of documents"),
        spawn(vectors.run(meanings.makes), name="vectors"),
    )


@dataclass(frozen=True, slots=True)
class _Past:
    """What was said, as it is remembered and found, and what keeps both up with the store.
    `confirmed`: the moment that counts for deletions at a time of the clock.
    """

    memory: MemoryBook
    keeper: MemoryKeeper
    find: FindBook
    finder: Follower
    confirmed: Callable[[datetime], Awaitable[datetime | None]]


async def _open_past(
    home: Path,
    exits: Exits,
    store: SqliteStore,
    settings: SettingsStore,
    on_fault: Callable[[KnownError], None] | None,
) -> _Past:
    memory = await MemoryBook.open(home / MEMORY_FILE, on_fault=on_fault)
    exits.add(memory.close)
    confirmed = SeenDays(store).confirmed
    keeper = MemoryKeeper(
        memory,
        store,
        days=lambda: int(settings.settings.memory.keep or 0),
        confirmed=confirmed,
    )
    find = await FindBook.open(home / FIND_FILE)
    exits.add(find.close)
    finder = Follower(find, store, versions=True)
    find.listen(lambda _fault: finder.look_again())
    return _Past(memory, keeper, find, finder, confirmed)


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the person chose for single conversations."""

    models: ModelChoices
    reported: ReportedModels
    recalls: RecallChoices
    knows: RecallChoices


async def _open_choices(store: SqliteStore) -> _Choices:
    choices = _Choices(
        *(ModelChoices(store), ReportedModels(store)),
        *(RecallChoices(store), RecallChoices(store, KNOWLEDGE)),
    )
    for chosen in (choices.models, choices.reported, choices.recalls, choices.knows):
        await chosen.restore()
    return choices


@dataclass(frozen=True, slots=True)
class _Library:
    """What is known from documents, and what reads them."""

    book: KnowledgeBook
    keeper: KnowledgeKeeper
    fetcher: Fetcher
    pages: PageReader


async def _open_library(
    home: Path,
    exits: Exits,
    options: Options,
    settings: SettingsStore,
    on_fault: Callable[[KnownError], None] | None,
) -> _Library:
    fetcher = Fetcher(options.may_reach)
    book = await KnowledgeBook.open(home / KNOWLEDGE_FILE, on_fault=on_fault)
    exits.add(book.close)

    def limit() -> int:
        return settings.settings.memory.knowledge_characters

    keeper = KnowledgeKeeper(book, fetcher, FileWatcher(), limit=limit)
    pages = PageReader(fetcher)
    exits.add(pages.close)
    return _Library(book, keeper, fetcher, pages)


def _keep_daily(
    home: Path, settings: SettingsStore, past: _Past, books: _Books, chat: Chat
) -> Sequence[asyncio.Task[None]]:
    """What is done once a day: backups, and forgetting what is too old."""

    def announce(count: int, days: int) -> None:
        fault = MemoryExpires(count=str(count), days=str(days))
        spawn(_note(chat, fault, date.today().isoformat()), name="tell what expires")

    past.keeper.announce = announce
    files = [home / name for name in (STORE_FILE, MEMORY_FILE, NOTEBOOK_FILE)]
    return (
        spawn(past.keeper.run_daily(), name="expiry"),
        spawn(purge_daily(books.notebook, past.confirmed), name="purge of the notebook"),
        spawn(
            keep_backups(files, lambda: settings.settings.data.backups, date.today), name="backups"
        ),
    )


async def _note(chat: Chat, event: KnownError, key: str) -> None:
    with suppress(StoreError):
        await chat.note(event, key=key, done=False)


def _watch_others(
    home: Path, past: _Past, store: SqliteStore, library: _Library, books: _Books, chat: Chat
) -> Sequence[asyncio.Task[None]]:
    """What another process changes is shown at once."""

    def said() -> None:
        past.keeper.look_again()
        past.finder.look_again()
        spawn(chat.look_for_others(), name="news of another process")

    def noted() -> None:
        for book in (books.notes, books.timers, books.todos, books.appointments):
            book.look_again()

    def known() -> None:
        spawn(library.book.look_again(), name="documents of another process")

    def remembered() -> None:
        past.memory.changed.tell([])

    watched = {
        STORE_FILE: Watched(store.changed_by_others, said),
        MEMORY_FILE: Watched(past.memory.changed_by_others, remembered),
        KNOWLEDGE_FILE: Watched(library.book.changed_by_others, known),
        NOTEBOOK_FILE: Watched(books.notebook.changed_by_others, noted),
    }
    return (spawn(watch_others(home, watched), name="other processes"),)


async def _warm(*books: MemoryBook | KnowledgeBook) -> None:
    """Read what the first question needs. A failure costs nothing but that."""
    for book in books:
        with suppress(StoreError):
            await book.warm()


def _keep_knowledge(librarian: KnowledgeKeeper) -> Sequence[asyncio.Task[None]]:
    return (
        spawn(librarian.run(), name="knowledge"),
        spawn(librarian.notice(), name="changes in the knowledge"),
    )


@dataclass(frozen=True, slots=True)
class _Books:
    """What the person and the companion write down together."""

    notebook: Notebook
    notes: NoteStore
    timers: TimerBook
    todos: TodoBook
    appointments: AppointmentBook


async def _open_books(
    home: Path,
    exits: Exits,
    ring: Callable[[Timer], None] | None,
    on_fault: Callable[[KnownError], None] | None,
) -> _Books:
    """All in one file. Appointments are looked at before the timers, and wake them."""
    notebook = await Notebook.open(home / NOTEBOOK_FILE, on_fault=on_fault)
    exits.add(notebook.close)
    appointments = AppointmentBook(notebook)
    timers = TimerBook(SqliteTimers(notebook), ring or _keep_quiet, before=appointments.look)
    appointments.wake = timers.look
    return _Books(notebook, SqliteNotes(notebook), timers, TodoBook(notebook), appointments)


async def _open_apps(
    books: _Books, stage: Body, tools: Sequence[Tool], settings: SettingsStore
) -> Apps:
    things = Things(
        *(books.notes, books.timers, books.todos, books.appointments, stage, tools),
        enabled=lambda spec: tool_rules(settings.settings).on(spec),
        asks=lambda spec, given: approval_policy(settings.settings).asks(spec, given),
    )
    return await open_apps(books.notebook, things)


def _list_undoers(
    books: _Books, files: Mapping[str, Undoer], clipboard: Clipboard | None
) -> dict[str, Undoer]:
    """What takes back what a tool did, by the tool's id."""
    return {
        "note.delete": NoteUndo(books.notes),
        "note.edit": NoteEditUndo(books.notes),
        "timer.cancel": TimerUndo(books.timers),
        **files,
        **clipboard_undoers(clipboard),
        **todo_undoers(books.todos),
        "schedule.add": AppointmentUndo(books.appointments, made=True),
        "schedule.update": AppointmentUndo(books.appointments),
        "schedule.cancel": AppointmentUndo(books.appointments),
    }


def _told_once(*found: KnownError | None) -> list[KnownError]:
    """Each file says so when the folder can't be written: the same words are told once."""
    told = {say(fault): fault for fault in found if fault is not None}
    return list(told.values())


def _open_connections(settings: SettingsStore) -> tuple[HttpClient, Connections]:
    def plain_to(host: str) -> bool:
        return host in hosts_in(settings.settings.service.plain_hosts)

    client = HttpClient(plain_to=plain_to)
    return client, Connections(client, plain_to=plain_to)


def _tools_of_window(clipboard: Clipboard | None, screen: Screen | None) -> list[Tool]:
    """Without a window they say that they need one."""
    return [*clipboard_tools(clipboard), *screen_tools(screen, fit_picture, reads=can_read())]


def _open_toolbox(
    tools: list[Tool], outputs: Outputs, settings: SettingsStore, knows: Callable[[], bool]
) -> Toolbox:
    """The tools that are allowed, as the settings say at each look."""
    toolbox = Toolbox(
        OwnTools([*tools, *output_tools(outputs)]),
        enabled=lambda spec: (
            tool_rules(settings.settings).on(spec)
            and (settings.settings.memory.facts or not spec.name.startswith("memory."))
            and (spec.name != KNOWLEDGE_SEARCH or (settings.settings.memory.knowledge and knows()))
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
        choose_use=minds.choose_use,
        approver=approver,
        copied=cast.copied,
    )


def _join_sharing(chat: Chat, sharing: Sharing) -> None:
    """What is written on other computers is seen in the open conversation."""
    chat.elsewhere = sharing.elsewhere
    sharing.listen(lambda found: spawn(chat.look_again(found.changed, found.gone), name="news"))
    sharing.observe(chat.look_around)


def _join_characters(cast: Cast, characters: SharedCharacters, sharing: Sharing) -> None:
    """Show changes of characters when they arrive, and send them when they are made here."""

    async def load() -> None:
        await asyncio.to_thread(cast.shelf.load)
        cast.shelf.tell()
        cast.personas.refresh()
        cast.tell()

    async def look_again() -> None:
        with suppress(StoreError):  # it is read again after the next change
            await cast.look_again()

    characters.changed = lambda: spawn(load(), name="characters")
    sharing.listen(lambda found: spawn(look_again(), name="who speaks"))
    cast.shelf.observe(characters.look)
    cast.personas.observe(characters.look)


def _join_appointments(
    appointments: AppointmentBook,
    speaks_up: Callable[[], bool],
    due: DueTalk,
    toolbox: Toolbox,
) -> None:
    """What is done when one of them is due."""
    appointments.speaks = speaks_up
    appointments.call = due.call
    appointments.tools = lambda: [spec.name for spec in toolbox.specs()]


_NO_SHELL = Shell()


def build_tools(
    body: Body,
    timers: TimerBook,
    notes: NoteStore,
    folders: Folders,
    kept: KeptFiles,
    search: WebSearch,
    shell: Shell = _NO_SHELL,
    pages: PageReader | None = None,
) -> list[Tool]:
    """The tools that come with the app; a further family is one line."""
    return [
        *live2d_tools(body),
        *time_tools(),
        *timer_tools(timers),
        *note_tools(notes),
        *calc_tools(),
        *file_tools(folders, kept),
        *web_tools(pages or PageReader(), search),
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
    shelf = CharacterShelf(home / CHARACTERS, partial(figure_named, home))
    await asyncio.to_thread(shelf.load)
    guests = Guests(store, personas, partial(figure_at, home))
    await guests.restore()
    cast = Cast(store, personas, shelf, guests)
    await cast.restore()
    return cast


def figure_at(home: Path, chosen: str) -> FigureName:
    """The figure that the settings call `chosen`, "" for the bundled one."""
    if not chosen:
        return bundled_figure(assets_dir())
    path = Path(chosen).expanduser()
    place = path.relative_to(home) if path.is_relative_to(home) else path
    return brought_figure(name_at(path), place.as_posix())


def figure_named(home: Path, name: str) -> str | None:
    """Where the figure of this name is, None if there is none. Slow: for a thread."""
    from neodeskpet.live2d.files.shelf import Shelf
    from neodeskpet.live2d.library import bundled_body

    shelf = Shelf(home / "models", bundled_body())
    found = (one.path for one in shelf.entries() if not one.bundled)
    return next((str(path) for path in found if name_at(path) == name), None)


def paper_body(settings: Settings) -> PaperStage:
    """A body without a window, with the names of the chosen model."""
    try:
        return PaperStage(describe(model_path(settings)))
    except ModelFileError as error:
        _log.warning("%s", error)
        return PaperStage()


def _speaks_up(settings: SettingsStore, minds: ModelChooser) -> bool:
    """Whether ends of background tasks wake the companion; the offline helper knows none."""
    wanted = settings.settings.mode.task_end == "wake"
    return wanted and not isinstance(minds.model(), OfflineModel)


def told_lost(tasks: Sequence[Task]) -> TasksLost | None:
    """What ran when the app ended, for the person; None if nothing did."""
    names = ", ".join(task.call.name for task in tasks[:_NAMED_TASKS])
    more = "…" if len(tasks) > _NAMED_TASKS else ""
    return TasksLost(names=names + more) if tasks else None


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
