"""Builds everything that needs no window: settings, keys, store, tools, model, chat.

The windows (`app/`) and the terminal (`cli/chat_command.py`) stand on the same engine. Start order:
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

from neodeskpet.app.app_list import AppDependencies, open_apps
from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.turn_factory import TurnFactory, allowed_folders, approval_policy, tool_rules
from neodeskpet.characters.character_assignments import CharacterAssignments
from neodeskpet.characters.character_library import FOLDER as CHARACTERS
from neodeskpet.characters.character_library import CharacterLibrary
from neodeskpet.characters.companion_store import CompanionStore
from neodeskpet.characters.persona_files import FOLDER as PERSONAS_FOLDER
from neodeskpet.characters.persona_files import (
    FigureName,
    PersonaStore,
    bundled_figure,
    imported_figure,
)
from neodeskpet.conversation.background_prompts import BackgroundPrompts
from neodeskpet.conversation.background_tasks import BackgroundTasks
from neodeskpet.conversation.chat import Chat
from neodeskpet.conversation.conversation_choices import (
    KNOWLEDGE_OFF_KEY,
    ModelChoices,
    RecallChoices,
)
from neodeskpet.conversation.fact_learning import FactTools
from neodeskpet.conversation.ports import Approver
from neodeskpet.conversation.reply_cues import FigureCues
from neodeskpet.conversation.task_notices import AppointmentNotifier, TaskAnnouncer
from neodeskpet.conversation.titles_and_summaries import StoredSummaries, SummaryWriter
from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.errors import KnownError, MemoryExpires, ModelFileError, StoreError, TasksLost
from neodeskpet.core.model import Embedder, Model
from neodeskpet.core.toolspec import APP_SOURCE
from neodeskpet.core.wire import CueReached
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.documents.web.page_reader import PageReader
from neodeskpet.documents.web.web_search import SearchService, WebSearch
from neodeskpet.figure.files.model_reader import describe_model, name_at
from neodeskpet.figure.live2d.library import chosen_figure_path
from neodeskpet.figure.stage import NullStage
from neodeskpet.language import translate_error
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.catalog.model_catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.catalog.reported_models import ReportedModels
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.local.local_host import LocalHost
from neodeskpet.llm.local.model_file import LOCAL_MODELS_FOLDER as MODELS_FOLDER
from neodeskpet.llm.local.server_process import ModelTuning
from neodeskpet.llm.model_builder import HttpClients
from neodeskpet.llm.offline import OfflineModel
from neodeskpet.mcp.mcp_host import HostEnvironment, McpHost
from neodeskpet.mcp.server_config_file import FILE_NAME as SERVERS_FILE
from neodeskpet.mcp.server_config_file import ServerConfigFile
from neodeskpet.memory.knowledge.knowledge_indexer import KnowledgeIndexer
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE as KNOWLEDGE_FILE
from neodeskpet.memory.knowledge.knowledge_store import KnowledgeStore
from neodeskpet.memory.knowledge.source_files import FileWatcher
from neodeskpet.memory.message_search import SEARCH_FILE as FIND_FILE
from neodeskpet.memory.message_search import MessageSearch
from neodeskpet.memory.recall.memory_indexer import (
    MemoryIndexer,
    MessageIndexer,
    SeenDays,
    forget_items,
)
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.memory.recall.memory_store import MemoryStore
from neodeskpet.memory.vectors.vector_indexer import VectorIndexer
from neodeskpet.notebook.appointment_tools import AppointmentUndo, schedule_tools
from neodeskpet.notebook.appointments import AppointmentService
from neodeskpet.notebook.note_tools import NoteEditUndo, NoteUndo, note_tools
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import Notebook, purge_daily
from neodeskpet.notebook.notes import NoteStore, SqliteNotes
from neodeskpet.notebook.timer_tools import TimerUndo, timer_tools
from neodeskpet.notebook.timers import SqliteTimers, Timer, TimerService
from neodeskpet.notebook.todo_tools import todo_tools, todo_undoers
from neodeskpet.notebook.todos import TodoStore
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.installation import assets_dir
from neodeskpet.platform.private_files import FileThread
from neodeskpet.platform.redaction import register_secret
from neodeskpet.platform.shutdown import CloserStack
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name, parse_hosts
from neodeskpet.settings.settings_model import Settings
from neodeskpet.settings.startup import OpenedSettings, close_log, open_settings, restrict_access
from neodeskpet.settings.store import SettingsStore
from neodeskpet.settings.tool_permissions import ToolFilePermissions
from neodeskpet.storage.backups import run_daily_backups
from neodeskpet.storage.conversation_store import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.storage.conversation_store import SqliteStore
from neodeskpet.storage.external_changes import WatchedDatabase, watch_other_processes
from neodeskpet.storage.image_resize import fit_picture
from neodeskpet.sync.character_replica import CharacterReplica
from neodeskpet.sync.local_replica import ConversationReplica
from neodeskpet.sync.memory_replica import MemoryReplica
from neodeskpet.sync.notebook_replica import NotebookReplica
from neodeskpet.sync.shared_vectors import SharedVectors
from neodeskpet.sync.sync_service import SyncService, access_from_settings
from neodeskpet.toolkit.large_results import LargeResults, output_tools
from neodeskpet.toolkit.registry import Tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox
from neodeskpet.toolkit.undo import Undoer, UndoService, WindowCallsUndo
from neodeskpet.tools.apps.app_windows import AppWindows
from neodeskpet.tools.builtin.applications import application_tools
from neodeskpet.tools.builtin.background_task import task_tools
from neodeskpet.tools.builtin.calculator import calc_tools
from neodeskpet.tools.builtin.clipboard import Clipboard, clipboard_tools, clipboard_undoers
from neodeskpet.tools.builtin.clock import time_tools
from neodeskpet.tools.builtin.computer import ShellOptions, computer_tools
from neodeskpet.tools.builtin.file_tools import file_tools, file_undoers
from neodeskpet.tools.builtin.live2d import FigureControls, live2d_tools
from neodeskpet.tools.builtin.memory import SEARCH as KNOWLEDGE_SEARCH
from neodeskpet.tools.builtin.memory import knowledge_tools, memory_tools
from neodeskpet.tools.builtin.screen import Screen, is_ocr_installed, screen_tools
from neodeskpet.tools.builtin.web import web_tools
from neodeskpet.tools.files.allowed_folders import AllowedFolders
from neodeskpet.tools.files.text_files import FileBackups
from neodeskpet.tools.user_tools.tool_loader import FOLDER as TOOL_FILES
from neodeskpet.tools.user_tools.tool_loader import UserToolLoader

_log = logging.getLogger(__name__)

REPLACED_FILES_FOLDER = "kept files"
"""The folder of what file tools replaced."""
_MAX_NAMED_TASKS = 3
_CLOSE_TIMEOUT = 2.0  # seconds that the end waits for the memory


@dataclass(slots=True)
class Engine:
    """All that runs without a window."""

    home: Path
    file_thread: FileThread
    settings: SettingsStore
    secrets: Secrets
    store: SqliteStore
    memory: MemoryStore
    memory_indexer: MemoryIndexer
    embeddings: Embeddings
    message_search: MessageSearch
    search_indexer: MessageIndexer
    sync: SyncService
    background_jobs: Sequence[asyncio.Task[None]]
    client: HttpClient
    connections: HttpClients
    local_model_host: LocalHost
    chat: Chat
    background_prompts: BackgroundPrompts
    summaries: SummaryWriter
    tasks: BackgroundTasks
    task_announcer: TaskAnnouncer
    notebook: Notebook
    notes: NoteStore
    timers: TimerService
    todos: TodoStore
    appointments: AppointmentService
    apps: AppWindows
    timer_job: asyncio.Task[None] | None
    undo: UndoService
    calls_undo: WindowCallsUndo
    toolbox: Toolbox
    mcp_servers: McpHost
    user_tools: UserToolLoader
    turn_factory: TurnFactory
    model_choices: ModelChoices
    reported_models: ReportedModels
    recall_choices: RecallChoices
    knowledge: KnowledgeStore
    knowledge_indexer: KnowledgeIndexer
    knowledge_choices: RecallChoices
    catalog_file: CatalogFile
    personas: PersonaStore
    character_assignments: CharacterAssignments
    fetcher: Fetcher
    page_reader: PageReader
    interrupted_messages: list[str]
    exits: CloserStack
    faults: list[KnownError] = field(default_factory=list)

    async def aclose(self) -> None:
        """Stop what runs without ending it: the next start offers to go on. Whatever fails on the
        way, the rest is closed too.
        """
        await self.exits.aclose()

    async def stop_turns(self) -> None:
        with suppress(StoreError):  # it was told when the writing failed
            await self.chat.aclose()

    async def finish_background_jobs(self) -> None:
        """What was said last is remembered; else the next start does it."""
        for task in self.background_jobs:
            task.cancel()
        await asyncio.to_thread(self.knowledge_indexer.close)
        await self.sync.aclose()
        for settle in (self.memory_indexer.catch_up_changes, self.search_indexer.catch_up_changes):
            with suppress(StoreError, TimeoutError):
                async with asyncio.timeout(_CLOSE_TIMEOUT):
                    await settle()

    async def forget(self, ids: Sequence[str]) -> list[str]:
        """Take items of the memory out for ever, and the messages they stand in out of their
        conversations; the ids of all that went. Raises StoreError.
        """
        return await forget_items(self.memory, self.store, ids)


async def open_engine(
    home: Path,
    *,
    options: RunOptions | None = None,
    body: FigureControls | None = None,
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
    exits = CloserStack()
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
            await exits.aclose()
        raise


async def _open_engine(
    home: Path,
    exits: CloserStack,
    *,
    options: RunOptions | None,
    body: FigureControls | None,
    clipboard: Clipboard | None,
    screen: Screen | None,
    approver: Approver | None,
    ring: Callable[[Timer], None] | None,
    model: Model | None,
    on_fault: Callable[[KnownError], None] | None,
    opened: OpenedSettings | None,
) -> Engine:
    """What is opened is noted in `exits`, which closes it in reverse."""
    options = options or RunOptions()
    opened = opened or open_settings(home, options.overrides(), on_fault)
    settings, writer = opened.store, opened.writer
    exits.add(close_log, partial(restrict_access, home))
    # The disk may keep them waiting; the interface doesn't wait with them.
    exits.add(partial(asyncio.to_thread, writer.close))
    exits.add(partial(asyncio.to_thread, settings.close))
    secrets = Secrets(home / SECRETS_FILE)
    store = await SqliteStore.open(home / STORE_FILE, on_fault=on_fault)
    exits.add(store.aclose)
    interrupted = await store.interrupt_running()
    background = await BackgroundTasks.open(store.tasks, keep_pictures=store.store_pictures)
    past = await _open_message_indexes(home, exits, store, settings, on_fault)
    choices = await _open_choices(store)
    client, connections = _open_connections(settings)
    host = open_local_model_host(home, settings)
    exits.add(client.aclose, connections.aclose, host.aclose)
    books = await _open_notebook(home, exits, ring, on_fault)
    characters = CharacterReplica(home, name_at)
    exits.add(characters.aclose)
    sharing = _open_sync(store, past.memory, books, characters, settings, secrets)
    stage = body or null_figure(settings.settings)
    kept = FileBackups(home / REPLACED_FILES_FOLDER)
    library = await _open_knowledge(home, exits, options, settings, on_fault)

    def variables() -> list[str]:
        named = settings.settings.mode.variables.split(",")
        return [one.strip() for one in named if one.strip()]

    def here() -> str:
        return chat.conversation.id if chat.conversation is not None else ""

    # `minds` and `chat` are made of them, below; none of them is called before that.
    facts = FactTools(past.memory, past.memory_indexer, lambda one: minds.keeps_facts(one), here)
    folders = AllowedFolders(lambda: allowed_folders(settings.settings), closed=[home])
    tools = [
        *build_tools(
            stage,
            books.timers,
            books.notes,
            folders,
            kept,
            WebSearch(lambda: search_service_of(settings.settings), _search_key(secrets)),
            ShellOptions(lambda: settings.settings.mode.shell, variables),
            library.pages,
        ),
        *_tools_of_window(clipboard, screen),
        *todo_tools(books.todos),
        *task_tools(background),
        *memory_tools(facts),
        *schedule_tools(books.appointments),
        *knowledge_tools(library.store, lambda: minds.uses_knowledge(here())),
    ]
    toolbox = _open_toolbox(
        tools, LargeResults(home / "outputs"), settings, lambda: library.store.is_not_empty
    )
    apps = await _open_apps(books, stage, tools, settings)
    services = CatalogFile(home / CATALOG_FILE, on_fault=on_fault, writer=writer)
    personas = open_personas(home, settings, writer, on_fault)
    cast = await open_character_assignments(home, store, personas)
    _join_characters(cast, characters, sharing)
    past.memory.facts.scope = cast.scope
    summary_book = StoredSummaries(store)
    minds = TurnFactory(
        settings,
        services,
        personas,
        secrets,
        connections,
        toolbox,
        store.update_description,
        model,
        host,
        apps=apps,
        options=options,
        chosen=choices.models.get,
        models_at=choices.reported.get,
        tasks=background,
        memory=past.memory,
        recalls=choices.recall.is_on,
        knowledge=library.store,
        knows=choices.knowledge.is_on,
        facts=past.memory.facts,
        summary=summary_book.get,
        cast=cast,
        bill=store.spending.add,
    )
    exits.add(minds.aclose)
    vectors = _open_shared_vectors(store, past.memory, sharing)
    meanings = _open_embeddings(
        past.memory, library.store, minds, settings, services, choices.recall, vectors
    )
    servers = McpHost(
        ServerConfigFile(home / SERVERS_FILE, writer, on_fault),
        secrets,
        toolbox,
        roots=lambda: allowed_folders(settings.settings),
        environment=HostEnvironment(variables=variables),
    )
    servers.sample_with(minds.sample)
    chat = _open_chat(store, minds, settings, approver, cast)
    chat.subscribe(FigureCues(stage), CueReached)
    _connect_sync(chat, sharing)
    errands = BackgroundPrompts(minds.create_background_setup, chat.wait_idle, store)
    speaks_up = partial(_wakes_companion, settings, minds)
    apart = AppointmentNotifier(
        chat, background, errands, lambda: settings.settings.mode.due == "errand"
    )
    _connect_appointments(books.appointments, speaks_up, apart, toolbox)
    undoers = _list_undoers(books, file_undoers(kept, folders), clipboard)
    calls_undo = WindowCallsUndo(undoers)
    engine = Engine(
        home=home,
        file_thread=writer,
        settings=settings,
        secrets=secrets,
        store=store,
        memory=past.memory,
        memory_indexer=past.memory_indexer,
        message_search=past.message_search,
        search_indexer=past.search_indexer,
        embeddings=meanings,
        sync=sharing,
        background_jobs=(
            *_start_indexers(past, meanings, vectors),
            # A command that lasts a moment leaves this to the windows.
            *(_start_daily_jobs(home, settings, past, books, chat) if ring is not None else ()),
            *(_start_knowledge_indexer(library.indexer) if ring is not None else ()),
            spawn_task(sharing.run(), name="sharing"),
            # A command that lasts a moment shows nothing that could change.
            *(
                _watch_other_processes(home, past, store, library, books, chat)
                if ring is not None
                else ()
            ),
            spawn_task(_warm_indexes(past.memory, library.store), name="warm the indexes"),
        ),
        client=client,
        connections=connections,
        local_model_host=host,
        chat=chat,
        background_prompts=errands,
        summaries=SummaryWriter(chat, store, summary_book, errands, minds.context_tokens),
        tasks=background,
        task_announcer=TaskAnnouncer(chat, store, background, speaks_up),
        notebook=books.notebook,
        notes=books.notes,
        timers=books.timers,
        todos=books.todos,
        appointments=books.appointments,
        apps=apps,
        timer_job=spawn_task(books.timers.run(), name="timers") if ring is not None else None,
        undo=UndoService({**undoers, ACT_TOOL: calls_undo}),
        calls_undo=calls_undo,
        toolbox=toolbox,
        mcp_servers=servers,
        user_tools=UserToolLoader(home / TOOL_FILES, toolbox, ToolFilePermissions(settings)),
        turn_factory=minds,
        model_choices=choices.models,
        reported_models=choices.reported,
        recall_choices=choices.recall,
        knowledge=library.store,
        knowledge_indexer=library.indexer,
        knowledge_choices=choices.knowledge,
        catalog_file=services,
        personas=personas,
        character_assignments=cast,
        fetcher=library.fetcher,
        page_reader=library.pages,
        interrupted_messages=interrupted,
        exits=exits,
        faults=_without_duplicates(
            settings.fault,
            store.fault,
            past.memory.fault,
            library.store.fault,
            *books.notebook.faults,
            services.fault,
            personas.fault,
            lost_tasks_notice(background.lost_tasks),
        ),
    )
    exits.add(engine.finish_background_jobs, engine.mcp_servers.aclose, engine.user_tools.stop)
    exits.add(background.aclose, engine.task_announcer.aclose)
    if engine.timer_job is not None:
        exits.add(engine.timer_job.cancel)
    exits.add(engine.stop_turns)
    return engine


@dataclass(frozen=True, slots=True)
class Embeddings:
    """What makes vectors: of what was `said`, and of what is `known` from documents. `makes` tells
    with which model just now, "" for none.
    """

    messages: VectorIndexer
    documents: VectorIndexer
    model_name: Callable[[], str]

    def refresh(self) -> None:
        """Something else may make them now."""
        for one in (self.messages, self.documents):
            one.mark_changed(())


def _open_embeddings(
    memory: MemoryStore,
    knowledge: KnowledgeStore,
    minds: TurnFactory,
    settings: SettingsStore,
    services: CatalogFile,
    recalls: RecallChoices,
    vectors: SharedVectors,
) -> Embeddings:
    """Each only where the person wants that."""

    def of_said() -> Embedder | None:
        return minds.embedder() if settings.settings.memory.recall else None

    def of_known() -> Embedder | None:
        return minds.embedder() if settings.settings.memory.knowledge else None

    def makes() -> str:
        found = of_said()
        return "" if found is None else found.model

    said = VectorIndexer(memory.vectors, memory.texts(recalls.is_on), of_said, vectors)
    known = VectorIndexer(knowledge.vectors, knowledge.texts, of_known)
    memory.changed.subscribe(said.mark_changed)
    knowledge.changed.subscribe(known.mark_changed)
    knowledge.embed_question = minds.search_embedding.vector
    recalls.changed.subscribe(said.check_all)
    meanings = Embeddings(said, known, makes)
    settings.subscribe(lambda *_: meanings.refresh())
    services.subscribe(meanings.refresh)
    return meanings


def _open_shared_vectors(
    store: SqliteStore, memory: MemoryStore, sharing: SyncService
) -> SharedVectors:
    """Vectors that other computers of the person had made."""
    conversations = ConversationReplica(store)
    vectors = SharedVectors(sharing.run_on_server, memory.vectors, conversations.written_by_others)
    sharing.subscribe(
        lambda: vectors.set_connected(sharing.state.has_synced and sharing.state.fault is None)
    )
    return vectors


def _open_sync(
    store: SqliteStore,
    memory: MemoryStore,
    books: _NotebookServices,
    characters: CharacterReplica,
    settings: SettingsStore,
    secrets: Secrets,
) -> SyncService:
    """Sync between several computers, if the person names a server."""

    def look_again() -> None:
        for book in (books.notes, books.todos, books.appointments):
            book.notify_changed()
        books.appointments.wake()

    sharing = SyncService(
        (
            ConversationReplica(store),
            MemoryReplica(memory.facts.file, memory.apply_remote_changes),
            NotebookReplica(books.notebook, look_again),
            characters,
        ),
        lambda: settings.settings.sharing.address,
        lambda address: access_from_settings(settings, secrets, address),
        name=socket.gethostname(),
        forget_deleted=store.purge_deleted,
    )

    def hear(section: str, name: str, value: object) -> None:
        if section == "sharing" or name == "plain_hosts":
            sharing.sync_now()

    settings.subscribe(hear)
    return sharing


def _start_indexers(
    past: _MessageIndexes, meanings: Embeddings, vectors: SharedVectors
) -> Sequence[asyncio.Task[None]]:
    return (
        spawn_task(past.memory_indexer.run(), name="memory"),
        spawn_task(past.search_indexer.run(), name="find"),
        spawn_task(meanings.messages.run(), name="meaning"),
        spawn_task(meanings.documents.run(), name="meaning of documents"),
        spawn_task(vectors.run(meanings.model_name), name="vectors"),
    )


@dataclass(frozen=True, slots=True)
class _MessageIndexes:
    """What was said, as it is remembered and found, and what keeps both up with the store.
    `confirmed`: the moment that counts for deletions at a time of the clock.
    """

    memory: MemoryStore
    memory_indexer: MemoryIndexer
    message_search: MessageSearch
    search_indexer: MessageIndexer
    confirmed_moment: Callable[[datetime], Awaitable[datetime | None]]


async def _open_message_indexes(
    home: Path,
    exits: CloserStack,
    store: SqliteStore,
    settings: SettingsStore,
    on_fault: Callable[[KnownError], None] | None,
) -> _MessageIndexes:
    memory = await MemoryStore.open(home / MEMORY_FILE, on_fault=on_fault)
    exits.add(memory.aclose)
    confirmed = SeenDays(store).confirmed_moment
    keeper = MemoryIndexer(
        memory,
        store,
        days=lambda: int(settings.settings.memory.keep or 0),
        confirmed=confirmed,
    )
    find = await MessageSearch.open(home / FIND_FILE)
    exits.add(find.aclose)
    finder = MessageIndexer(find, store, versions=True)
    find.subscribe_faults(lambda _fault: finder.compare_all())
    return _MessageIndexes(memory, keeper, find, finder, confirmed)


@dataclass(frozen=True, slots=True)
class _ConversationChoices:
    """What the person chose for single conversations."""

    models: ModelChoices
    reported: ReportedModels
    recall: RecallChoices
    knowledge: RecallChoices


async def _open_choices(store: SqliteStore) -> _ConversationChoices:
    choices = _ConversationChoices(
        ModelChoices(store),
        ReportedModels(store),
        RecallChoices(store),
        RecallChoices(store, KNOWLEDGE_OFF_KEY),
    )
    for chosen in (choices.models, choices.reported, choices.recall, choices.knowledge):
        await chosen.load()
    return choices


@dataclass(frozen=True, slots=True)
class _KnowledgeServices:
    """What is known from documents, and what reads them."""

    store: KnowledgeStore
    indexer: KnowledgeIndexer
    fetcher: Fetcher
    pages: PageReader


async def _open_knowledge(
    home: Path,
    exits: CloserStack,
    options: RunOptions,
    settings: SettingsStore,
    on_fault: Callable[[KnownError], None] | None,
) -> _KnowledgeServices:
    fetcher = Fetcher(options.is_address_allowed)
    book = await KnowledgeStore.open(home / KNOWLEDGE_FILE, on_fault=on_fault)
    exits.add(book.aclose)

    def limit() -> int:
        return settings.settings.memory.knowledge_characters

    keeper = KnowledgeIndexer(book, fetcher, FileWatcher(), limit=limit)
    pages = PageReader(fetcher)
    exits.add(pages.aclose)
    return _KnowledgeServices(book, keeper, fetcher, pages)


def _start_daily_jobs(
    home: Path, settings: SettingsStore, past: _MessageIndexes, books: _NotebookServices, chat: Chat
) -> Sequence[asyncio.Task[None]]:
    """What is done once a day: backups, and forgetting what is too old."""

    def announce(count: int, days: int) -> None:
        fault = MemoryExpires(count=str(count), days=str(days))
        spawn_task(_add_notice(chat, fault, date.today().isoformat()), name="tell what expires")

    past.memory_indexer.announce_expiry = announce
    files = [home / name for name in (STORE_FILE, MEMORY_FILE, NOTEBOOK_FILE)]
    return (
        spawn_task(past.memory_indexer.run_expiry(), name="expiry"),
        spawn_task(
            purge_daily(books.notebook, past.confirmed_moment), name="purge of the notebook"
        ),
        spawn_task(
            run_daily_backups(files, lambda: settings.settings.data.backups, date.today),
            name="backups",
        ),
    )


async def _add_notice(chat: Chat, event: KnownError, key: str) -> None:
    with suppress(StoreError):
        await chat.add_notice(event, key=key, done=False)


def _watch_other_processes(
    home: Path,
    past: _MessageIndexes,
    store: SqliteStore,
    library: _KnowledgeServices,
    books: _NotebookServices,
    chat: Chat,
) -> Sequence[asyncio.Task[None]]:
    """What another process changes is shown at once."""

    def said() -> None:
        past.memory_indexer.compare_all()
        past.search_indexer.compare_all()
        spawn_task(chat.reload_external_changes(), name="news of another process")

    def noted() -> None:
        for book in (books.notes, books.timers, books.todos, books.appointments):
            book.notify_changed()

    def known() -> None:
        spawn_task(library.store.notify_changed(), name="documents of another process")

    def remembered() -> None:
        past.memory.changed.notify([])

    watched = {
        STORE_FILE: WatchedDatabase(store.changed_by_others, said),
        MEMORY_FILE: WatchedDatabase(past.memory.changed_by_others, remembered),
        KNOWLEDGE_FILE: WatchedDatabase(library.store.changed_by_others, known),
        NOTEBOOK_FILE: WatchedDatabase(books.notebook.changed_by_others, noted),
    }
    return (spawn_task(watch_other_processes(home, watched), name="other processes"),)


async def _warm_indexes(*books: MemoryStore | KnowledgeStore) -> None:
    """Read what the first question needs. A failure costs nothing but that."""
    for book in books:
        with suppress(StoreError):
            await book.warm_up()


def _start_knowledge_indexer(librarian: KnowledgeIndexer) -> Sequence[asyncio.Task[None]]:
    return (
        spawn_task(librarian.run(), name="knowledge"),
        spawn_task(librarian.watch_files(), name="changes in the knowledge"),
    )


@dataclass(frozen=True, slots=True)
class _NotebookServices:
    """What the person and the companion write down together."""

    notebook: Notebook
    notes: NoteStore
    timers: TimerService
    todos: TodoStore
    appointments: AppointmentService


async def _open_notebook(
    home: Path,
    exits: CloserStack,
    ring: Callable[[Timer], None] | None,
    on_fault: Callable[[KnownError], None] | None,
) -> _NotebookServices:
    """All in one file. Appointments are looked at before the timers, and wake them."""
    notebook = await Notebook.open(home / NOTEBOOK_FILE, on_fault=on_fault)
    exits.add(notebook.aclose)
    appointments = AppointmentService(notebook)
    timers = TimerService(
        SqliteTimers(notebook), ring or _ignore_timer, before=appointments.run_due
    )
    appointments.wake = timers.check_due
    return _NotebookServices(
        notebook, SqliteNotes(notebook), timers, TodoStore(notebook), appointments
    )


async def _open_apps(
    books: _NotebookServices, stage: FigureControls, tools: Sequence[Tool], settings: SettingsStore
) -> AppWindows:
    things = AppDependencies(
        books.notes,
        books.timers,
        books.todos,
        books.appointments,
        stage,
        tools,
        enabled=lambda spec: tool_rules(settings.settings).on(spec),
        asks=lambda spec, given: approval_policy(settings.settings).asks(spec, given),
    )
    return await open_apps(books.notebook, things)


def _list_undoers(
    books: _NotebookServices, files: Mapping[str, Undoer], clipboard: Clipboard | None
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


def _without_duplicates(*found: KnownError | None) -> list[KnownError]:
    """Each file says so when the folder can't be written: the same words are told once."""
    told = {translate_error(fault): fault for fault in found if fault is not None}
    return list(told.values())


def _open_connections(settings: SettingsStore) -> tuple[HttpClient, HttpClients]:
    def plain_to(host: str) -> bool:
        return host in parse_hosts(settings.settings.service.plain_hosts)

    client = HttpClient(plain_to=plain_to)
    return client, HttpClients(client, plain_to=plain_to)


def _tools_of_window(clipboard: Clipboard | None, screen: Screen | None) -> list[Tool]:
    """Without a window they say that they need one."""
    return [
        *clipboard_tools(clipboard),
        *screen_tools(screen, fit_picture, reads=is_ocr_installed()),
    ]


def _open_toolbox(
    tools: list[Tool], outputs: LargeResults, settings: SettingsStore, knows: Callable[[], bool]
) -> Toolbox:
    """The tools that are allowed, as the settings say at each look."""
    toolbox = Toolbox(
        AppTools([*tools, *output_tools(outputs)]),
        enabled=lambda spec: (
            tool_rules(settings.settings).on(spec)
            and (settings.settings.memory.facts or not spec.name.startswith("memory."))
            and (spec.name != KNOWLEDGE_SEARCH or (settings.settings.memory.knowledge and knows()))
        ),
        outputs=outputs,
    )
    toolbox.subscribe(lambda: register_sources(toolbox, settings))
    return toolbox


def _open_chat(
    store: SqliteStore,
    minds: TurnFactory,
    settings: SettingsStore,
    approver: Approver | None,
    cast: CharacterAssignments,
) -> Chat:
    return Chat(
        store,
        minds.create_setup,
        switch_to_text=lambda: settings.change("mode", "mode", "text"),
        switch_protocol=minds.switch_protocol,
        choose_use=minds.choose_use,
        approver=approver,
        copied=cast.conversation_copied,
    )


def _connect_sync(chat: Chat, sharing: SyncService) -> None:
    """What is written on other computers is seen in the open conversation."""
    chat.remote_computer = sharing.remote_computer
    sharing.subscribe_changes(
        lambda found: spawn_task(
            chat.apply_remote_changes(found.changed, found.deleted), name="news"
        )
    )
    sharing.subscribe(chat.check_remote_reply)


def _join_characters(
    cast: CharacterAssignments, characters: CharacterReplica, sharing: SyncService
) -> None:
    """Show changes of characters when they arrive, and send them when they are made here."""

    async def load() -> None:
        await asyncio.to_thread(cast.shelf.load)
        cast.shelf.notify()
        cast.personas.refresh()
        cast.notify()

    async def look_again() -> None:
        with suppress(StoreError):  # it is read again after the next change
            await cast.reload()

    characters.changed = lambda: spawn_task(load(), name="characters")
    sharing.subscribe_changes(lambda found: spawn_task(look_again(), name="who speaks"))
    cast.shelf.subscribe(characters.wake)
    cast.personas.subscribe(characters.wake)


def _connect_appointments(
    appointments: AppointmentService,
    speaks_up: Callable[[], bool],
    due: AppointmentNotifier,
    toolbox: Toolbox,
) -> None:
    """What is done when one of them is due."""
    appointments.speaks = speaks_up
    appointments.call = due.report
    appointments.tools = lambda: [spec.name for spec in toolbox.specs()]


_NO_SHELL = ShellOptions()


def build_tools(
    body: FigureControls,
    timers: TimerService,
    notes: NoteStore,
    folders: AllowedFolders,
    kept: FileBackups,
    search: WebSearch,
    shell: ShellOptions = _NO_SHELL,
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
        *computer_tools(shell),
        *application_tools(),
    ]


def open_local_model_host(home: Path, settings: SettingsStore) -> LocalHost:
    """What runs models on this computer, as the settings say at each start."""

    def tuning() -> ModelTuning:
        local = settings.settings.local
        return ModelTuning(local.context, local.reply, local.threads)

    def idle() -> float:
        return settings.settings.local.idle_minutes * 60.0

    return LocalHost(home / MODELS_FOLDER, tuning=tuning, idle=idle)


def open_personas(
    home: Path,
    settings: SettingsStore,
    writer: FileThread,
    on_fault: Callable[[KnownError], None] | None,
) -> PersonaStore:
    """The personas; the figure that is chosen is the one that counts."""
    figure = figure_at(home, settings.settings.companion.model)
    personas = PersonaStore(home / PERSONAS_FOLDER, figure, writer=writer, on_fault=on_fault)

    def settled(section: str, name: str, value: object) -> None:
        if (section, name) == ("companion", "model"):
            personas.set_figure(figure_at(home, str(value)))

    settings.subscribe(settled)
    return personas


async def open_character_assignments(
    home: Path, store: SqliteStore, personas: PersonaStore
) -> CharacterAssignments:
    """The characters of cards, and who speaks where."""
    shelf = CharacterLibrary(home / CHARACTERS, partial(figure_named, home))
    await asyncio.to_thread(shelf.load)
    guests = CompanionStore(store, personas, partial(figure_at, home))
    await guests.restore()
    cast = CharacterAssignments(store, personas, shelf, guests)
    await cast.restore()
    return cast


def figure_at(home: Path, chosen: str) -> FigureName:
    """The figure that the settings call `chosen`, "" for the bundled one."""
    if not chosen:
        return bundled_figure(assets_dir())
    path = Path(chosen).expanduser()
    place = path.relative_to(home) if path.is_relative_to(home) else path
    return imported_figure(name_at(path), place.as_posix())


def figure_named(home: Path, name: str) -> str | None:
    """Where the figure of this name is, None if there is none. Slow: for a thread."""
    from neodeskpet.figure.files.model_library import ModelLibrary
    from neodeskpet.figure.live2d.library import bundled_figure_path

    shelf = ModelLibrary(home / "models", bundled_figure_path())
    found = (one.path for one in shelf.entries() if not one.bundled)
    return next((str(path) for path in found if name_at(path) == name), None)


def null_figure(settings: Settings) -> NullStage:
    """A body without a window, with the names of the chosen model."""
    try:
        return NullStage(describe_model(chosen_figure_path(settings)))
    except ModelFileError as error:
        _log.warning("%s", error)
        return NullStage()


def _wakes_companion(settings: SettingsStore, minds: TurnFactory) -> bool:
    """Whether ends of background tasks wake the companion; the offline helper knows none."""
    wanted = settings.settings.mode.task_end == "wake"
    return wanted and not isinstance(minds.model(), OfflineModel)


def lost_tasks_notice(tasks: Sequence[Task]) -> TasksLost | None:
    """What ran when the app ended, for the person; None if nothing did."""
    names = ", ".join(task.call.name for task in tasks[:_MAX_NAMED_TASKS])
    more = "…" if len(tasks) > _MAX_NAMED_TASKS else ""
    return TasksLost(names=names + more) if tasks else None


def register_sources(toolbox: Toolbox, settings: SettingsStore) -> None:
    """Remember what each source of others has when it is met first: what it adds later is new."""
    met = settings.settings.mode.met_tools
    found = {
        source.name: tuple(spec.id for spec in source.specs)
        for source in toolbox.sources()
        if source.specs and source.name != APP_SOURCE and source.name not in met
    }
    if found:
        settings.change("mode", "met_tools", {**met, **found})


def search_service_of(settings: Settings) -> SearchService:
    return SearchService(settings.web.search, settings.web.searxng)


def _search_key(secrets: Secrets) -> Callable[[str], Awaitable[str]]:
    """The key for a search's endpoint, kept out of logs like the others."""

    async def read(endpoint: str) -> str:
        key = await secrets.get_async(key_name(endpoint), environment=False)
        if key:
            register_secret(key)
        return key

    return read


def _ignore_timer(timer: Timer) -> None:
    """Nobody is there to hear it: the app rings when it runs."""
