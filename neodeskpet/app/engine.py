"""Composition root: builds everything that needs no window, in five groups of services.

The windows (`app/desktop_app.py`) and the terminal (`cli/chat_command.py`) use the same engine.
Order: protection of the data folder from other users, settings, log, keys, the store of
conversations (messages that were being written when the app ended are marked as interrupted),
characters, memory, the HTTP client (early: its first use of TLS is slow), notebook, tools, models,
chat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from neodeskpet.app.run_options import RunOptions
from neodeskpet.app.services import (
    REPLACED_FILES_FOLDER,
    FaultListener,
    KnowledgeServices,
    MemoryServices,
    MessageIndexes,
    ModelServices,
    NotebookServices,
    OpenedStorage,
    StartupReport,
    StorageServices,
    ToolServices,
    build_tools,
    list_undoers,
    null_figure,
    open_app_windows,
    open_character_assignments,
    open_character_replica,
    open_choices,
    open_connections,
    open_embeddings,
    open_knowledge,
    open_local_model_host,
    open_message_indexes,
    open_notebook,
    open_personas,
    open_shared_vectors,
    open_storage,
    open_sync,
    open_toolbox,
    search_key,
    search_service_of,
    warm_indexes,
    watch_databases,
    window_tools,
)
from neodeskpet.app.turn_factory import (
    TurnFactory,
    TurnMemory,
    TurnModels,
    TurnTools,
    allowed_folders,
)
from neodeskpet.characters.character_assignments import CharacterAssignments
from neodeskpet.conversation.background_prompts import BackgroundPrompts
from neodeskpet.conversation.background_tasks import BackgroundTasks
from neodeskpet.conversation.chat import Chat, ConversationHooks
from neodeskpet.conversation.fact_learning import FactTools
from neodeskpet.conversation.ports import Approver
from neodeskpet.conversation.task_notices import AppointmentNotifier, TaskAnnouncer
from neodeskpet.conversation.titles_and_summaries import StoredSummaries, SummaryWriter
from neodeskpet.core.app_windows.window_calls import ACT_TOOL
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.errors import MemoryExpires, NoticeContent, StoreError, TasksLost
from neodeskpet.core.model import Model
from neodeskpet.documents.web.fetcher import Fetcher
from neodeskpet.documents.web.web_search import WebSearch
from neodeskpet.language import translate_error
from neodeskpet.llm.catalog.catalog_file import CatalogFile
from neodeskpet.llm.catalog.model_catalog import FILE_NAME as CATALOG_FILE
from neodeskpet.llm.offline import OfflineModel
from neodeskpet.mcp.mcp_host import HostEnvironment, McpHost
from neodeskpet.mcp.server_config_file import FILE_NAME as SERVERS_FILE
from neodeskpet.mcp.server_config_file import ServerConfigFile
from neodeskpet.memory.knowledge.knowledge_schema import KNOWLEDGE_FILE as KNOWLEDGE_FILE
from neodeskpet.memory.recall.memory_indexer import (
    forget_items,
)
from neodeskpet.memory.recall.memory_schema import MEMORY_FILE as MEMORY_FILE
from neodeskpet.notebook.appointment_tools import schedule_tools
from neodeskpet.notebook.appointments import AppointmentHandlers
from neodeskpet.notebook.notebook import FILE_NAME as NOTEBOOK_FILE
from neodeskpet.notebook.notebook import purge_daily
from neodeskpet.notebook.timers import Timer
from neodeskpet.notebook.todo_tools import todo_tools
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.shutdown import CloserStack
from neodeskpet.settings.startup import OpenedSettings, open_settings
from neodeskpet.settings.store import SettingsStore
from neodeskpet.settings.tool_permissions import ToolFilePermissions
from neodeskpet.storage.backups import run_daily_backups
from neodeskpet.storage.conversation_migrations import CONVERSATIONS_FILE as STORE_FILE
from neodeskpet.sync.conversation_records import AppliedChanges
from neodeskpet.sync.sync_service import SyncService
from neodeskpet.toolkit.large_results import LargeResults
from neodeskpet.toolkit.undo import UndoService, WindowCallsUndo
from neodeskpet.tools.builtin.background_task import task_tools
from neodeskpet.tools.builtin.clipboard import Clipboard
from neodeskpet.tools.builtin.computer import ShellOptions
from neodeskpet.tools.builtin.file_tools import file_undoers
from neodeskpet.tools.builtin.live2d import FigureControls
from neodeskpet.tools.builtin.memory import knowledge_tools, memory_tools
from neodeskpet.tools.builtin.screen import Screen
from neodeskpet.tools.files.allowed_folders import AllowedFolders
from neodeskpet.tools.files.text_files import FileBackups
from neodeskpet.tools.user_tools.tool_loader import FOLDER as TOOL_FILES
from neodeskpet.tools.user_tools.tool_loader import UserToolLoader

_MAX_NAMED_TASKS = 3
_CLOSE_TIMEOUT = 2.0  # seconds that closing waits for the indexes


@dataclass(frozen=True, slots=True)
class Engine:
    """Everything that runs without a window."""

    settings: SettingsStore
    chat: Chat
    storage: StorageServices
    memory: MemoryServices
    models: ModelServices
    tools: ToolServices
    notebook: NotebookServices
    exits: CloserStack

    async def aclose(self) -> None:
        """Stop what is running; the next start offers to continue it. A failure of one part
        doesn't keep the others from being closed.
        """
        await self.exits.aclose()

    async def forget(self, ids: Sequence[str]) -> list[str]:
        """Delete items of the memory for ever, and the messages that contain them from their
        conversations; the ids of all that were deleted. Raises StoreError.
        """
        return await forget_items(self.memory.store, self.storage.store, ids)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the caller of `open_engine` provides. Without `body` the tools of the figure know the
    names of the chosen figure but move nothing; without `clipboard` and `screen` their tools fail
    with the reason; without `ring` timers and appointments are stored but not run. `model` answers
    instead of the models of the settings (the demo). `opened`: the settings, if they are already
    open.
    """

    options: RunOptions | None = None
    body: FigureControls | None = None
    clipboard: Clipboard | None = None
    screen: Screen | None = None
    approver: Approver | None = None
    ring: Callable[[Timer], None] | None = None
    model: Model | None = None
    on_fault: FaultListener = None
    opened: OpenedSettings | None = None


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
    on_fault: FaultListener = None,
    opened: OpenedSettings | None = None,
) -> Engine:
    """Build the engine in the data folder `home`; see `Surroundings`. Raises KnownError only if the
    app can't work at all.
    """
    around = Surroundings(options, body, clipboard, screen, approver, ring, model, on_fault, opened)
    exits = CloserStack()
    try:
        return await _open_engine(home, exits, around)
    except BaseException:
        with suppress(Exception):  # it is in the log; the first failure is the one to report
            await exits.aclose()
        raise


async def _open_engine(home: Path, exits: CloserStack, around: Surroundings) -> Engine:
    """Open the services; `exits` closes them in reverse order. Services that need each other get
    functions that look up the later one: `chat`, `turn_factory`, `toolbox` and `due_appointments`
    are assigned further down, before any of these functions is called.
    """
    options = around.options or RunOptions()
    opened = around.opened or open_settings(home, options.overrides(), around.on_fault)
    storage = await open_storage(home, exits, opened, around.on_fault)
    settings, store = storage.settings, storage.store
    interrupted = await store.interrupt_running()
    tasks = await BackgroundTasks.open(store.tasks, keep_pictures=store.store_pictures)
    personas = open_personas(home, settings, storage.file_thread, storage.on_fault)
    characters = await open_character_assignments(home, store, personas)
    figure = around.body or null_figure(settings.settings)

    def open_conversation() -> str:
        return chat.conversation.id if chat.conversation is not None else ""

    def announce_expiry(count: int, days: int) -> None:
        notice = MemoryExpires(count=str(count), days=str(days))
        adding = _add_notice(chat, notice, date.today().isoformat())
        spawn_task(adding, name="announce what expires")

    def speaks() -> bool:
        """Return whether the companion reports ended background tasks itself; the offline helper
        can't.
        """
        wanted = settings.settings.mode.task_end == "wake"
        return wanted and not isinstance(turn_factory.model(), OfflineModel)

    indexes = await open_message_indexes(storage, exits, characters.scope, announce_expiry)
    choices = await open_choices(store)
    client, connections = open_connections(settings)
    local_host = open_local_model_host(home, settings)
    exits.add(client.aclose, connections.aclose, local_host.aclose)
    notebook = await open_notebook(
        storage,
        exits,
        around.ring,
        AppointmentHandlers(
            speaks,
            call=lambda one, due, ended: due_appointments.report(one, due, ended),
            tools=lambda: [spec.name for spec in toolbox.specs()],
        ),
    )
    replica = open_character_replica(home, characters)
    exits.add(replica.aclose)
    sync = open_sync(storage, indexes.memory, notebook, replica)
    knowledge = await open_knowledge(
        storage,
        exits,
        Fetcher(options.is_address_allowed),
        choices.knowledge,
        lambda text: turn_factory.search_embedding.vector(text),
    )

    replaced = FileBackups(home / REPLACED_FILES_FOLDER)
    folders = AllowedFolders(lambda: allowed_folders(settings.settings), closed=[home])
    environment = HostEnvironment(variables=lambda: _shared_variables(settings))
    facts = FactTools(
        indexes.memory,
        indexes.memory_indexer,
        lambda conversation: turn_factory.keeps_facts(conversation),
        open_conversation,
    )
    tools = [
        *build_tools(
            figure,
            notebook.timers,
            notebook.notes,
            folders,
            replaced,
            WebSearch(lambda: search_service_of(settings.settings), search_key(storage.secrets)),
            ShellOptions(lambda: settings.settings.mode.shell, lambda: _shared_variables(settings)),
            knowledge.page_reader,
        ),
        *window_tools(around.clipboard, around.screen),
        *todo_tools(notebook.todos),
        *task_tools(tasks),
        *memory_tools(facts),
        *schedule_tools(notebook.appointments),
        *knowledge_tools(knowledge.store, lambda: turn_factory.uses_knowledge(open_conversation())),
    ]
    toolbox = open_toolbox(
        tools, LargeResults(home / "outputs"), settings, lambda: knowledge.store.is_not_empty
    )
    apps = await open_app_windows(notebook, figure, tools, settings)
    undoers = list_undoers(notebook, file_undoers(replaced, folders), around.clipboard)
    calls_undo = WindowCallsUndo(undoers)

    catalog_file = CatalogFile(
        home / CATALOG_FILE, on_fault=storage.on_fault, writer=storage.file_thread
    )
    stored_summaries = StoredSummaries(store)
    turn_factory = TurnFactory(
        settings,
        TurnModels(
            catalog_file,
            storage.secrets,
            connections,
            local_host,
            choices.models.get,
            choices.reported.get,
            store.update_description,
            store.spending.add,
        ),
        TurnTools(toolbox, apps, tasks),
        TurnMemory(
            indexes.memory,
            choices.recall.is_on,
            knowledge.store,
            choices.knowledge.is_on,
            indexes.memory.facts,
            stored_summaries.get,
        ),
        characters,
        options,
        around.model,
    )
    exits.add(turn_factory.aclose)
    vectors = open_shared_vectors(store, indexes.memory, sync)
    embeddings = open_embeddings(
        indexes.memory, knowledge, turn_factory, settings, choices.recall, vectors
    )
    settings.subscribe(lambda *_: embeddings.refresh())
    catalog_file.subscribe(embeddings.refresh)
    mcp_servers = McpHost(
        ServerConfigFile(home / SERVERS_FILE, storage.file_thread, storage.on_fault),
        storage.secrets,
        toolbox,
        environment=environment,
        roots=lambda: allowed_folders(settings.settings),
        sample=turn_factory.sample,
    )
    user_tools = UserToolLoader(home / TOOL_FILES, toolbox, ToolFilePermissions(settings))

    chat = Chat(
        store,
        turn_factory.create_setup,
        switch_to_text=lambda: settings.change("mode", "mode", "text"),
        switch_protocol=turn_factory.switch_protocol,
        choose_use=turn_factory.choose_tool_mode,
        approver=around.approver,
        hooks=ConversationHooks(characters.conversation_copied, sync.remote_computer),
    )
    _show_remote_changes(chat, sync, characters)
    background_prompts = BackgroundPrompts(
        turn_factory.create_background_setup, chat.wait_idle, store
    )
    due_appointments = AppointmentNotifier(
        chat, tasks, background_prompts, lambda: settings.settings.mode.due == "errand"
    )
    announcer = TaskAnnouncer(chat, store, tasks, speaks)
    faults = _without_duplicates(
        settings.fault,
        store.fault,
        indexes.memory.fault,
        knowledge.store.fault,
        *notebook.database.faults,
        catalog_file.fault,
        personas.fault,
        lost_tasks_notice(tasks.lost_tasks),
    )
    engine = Engine(
        settings,
        chat,
        StorageServices(
            home,
            storage.file_thread,
            storage.secrets,
            store,
            personas,
            characters,
            sync,
            StartupReport(faults, interrupted),
        ),
        MemoryServices(
            indexes.memory,
            indexes.memory_indexer,
            indexes.search,
            indexes.search_indexer,
            choices.recall,
            knowledge,
            embeddings,
            SummaryWriter(
                chat, store, stored_summaries, background_prompts, turn_factory.context_tokens
            ),
        ),
        ModelServices(
            client,
            connections,
            local_host,
            catalog_file,
            choices.models,
            choices.reported,
            turn_factory,
            background_prompts,
        ),
        ToolServices(
            toolbox,
            mcp_servers,
            user_tools,
            apps,
            UndoService({**undoers, ACT_TOOL: calls_undo}),
            calls_undo,
            tasks,
            announcer,
        ),
        notebook,
        exits,
    )
    jobs = [
        spawn_task(indexes.memory_indexer.run(), name="memory"),
        spawn_task(indexes.search_indexer.run(), name="message search"),
        spawn_task(embeddings.messages.run(), name="vectors of messages"),
        spawn_task(embeddings.documents.run(), name="vectors of documents"),
        spawn_task(vectors.run(embeddings.model_name), name="shared vectors"),
        spawn_task(sync.run(), name="sync"),
        spawn_task(warm_indexes(indexes.memory, knowledge.store), name="warm the indexes"),
    ]
    if around.ring is not None:  # a short command leaves these to the app
        jobs += _start_lasting_jobs(storage, indexes, knowledge, notebook, chat)
    exits.add(
        partial(_stop_jobs, jobs, engine),
        mcp_servers.aclose,
        user_tools.stop,
        tasks.aclose,
        announcer.aclose,
    )
    if around.ring is not None:
        exits.add(spawn_task(notebook.timers.run(), name="timers").cancel)
    exits.add(partial(_stop_turns, chat))
    return engine


def _start_lasting_jobs(
    storage: OpenedStorage,
    indexes: MessageIndexes,
    knowledge: KnowledgeServices,
    notebook: NotebookServices,
    chat: Chat,
) -> Sequence[asyncio.Task[None]]:
    """Start backups, deletion of expired data, reading of documents, and watching for changes by
    other processes.
    """
    home, settings = storage.home, storage.settings
    files = [home / name for name in (STORE_FILE, MEMORY_FILE, NOTEBOOK_FILE)]
    return (
        spawn_task(indexes.memory_indexer.run_expiry(), name="expiry"),
        spawn_task(
            purge_daily(notebook.database, indexes.confirmed_moment), name="purge of the notebook"
        ),
        spawn_task(
            run_daily_backups(files, lambda: settings.settings.data.backups, date.today),
            name="backups",
        ),
        spawn_task(knowledge.indexer.run(), name="knowledge"),
        spawn_task(knowledge.indexer.watch_files(), name="changes in the knowledge"),
        spawn_task(
            watch_databases(storage, indexes, knowledge, notebook, chat), name="other processes"
        ),
    )


async def _stop_jobs(jobs: Sequence[asyncio.Task[None]], engine: Engine) -> None:
    """Stop the jobs. The indexes store the newest messages first; otherwise the next start does
    that.
    """
    for job in jobs:
        job.cancel()
    memory = engine.memory
    await asyncio.to_thread(memory.knowledge.indexer.close)
    await engine.storage.sync.aclose()
    for catch_up in (memory.indexer.catch_up_changes, memory.search_indexer.catch_up_changes):
        with suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT):
                await catch_up()


async def _stop_turns(chat: Chat) -> None:
    with suppress(StoreError):  # it was reported when writing failed
        await chat.aclose()


async def _add_notice(chat: Chat, event: NoticeContent, key: str) -> None:
    with suppress(StoreError):
        await chat.add_notice(event, key=key, done=False)


def _show_remote_changes(chat: Chat, sync: SyncService, characters: CharacterAssignments) -> None:
    """Show changes from other computers in the open conversation."""

    async def reload_characters() -> None:
        with suppress(StoreError):  # it is read again after the next change
            await characters.reload()

    def on_changes(found: AppliedChanges) -> None:
        spawn_task(reload_characters(), name="reload who speaks")
        spawn_task(
            chat.apply_remote_changes(found.changed, found.deleted), name="show remote changes"
        )

    sync.subscribe_changes(on_changes)
    sync.subscribe(chat.check_remote_reply)


def _shared_variables(settings: SettingsStore) -> list[str]:
    """Return the environment variables that the user shares with commands and servers."""
    named = settings.settings.mode.variables.split(",")
    return [one.strip() for one in named if one.strip()]


def _without_duplicates(*found: NoticeContent | None) -> list[NoticeContent]:
    """Remove equal notices: each file reports a data folder that can't be written."""
    by_text = {translate_error(fault): fault for fault in found if fault is not None}
    return list(by_text.values())


def lost_tasks_notice(tasks: Sequence[Task]) -> TasksLost | None:
    """Return the notice of tasks that were running when the app ended; None if there were none."""
    names = ", ".join(task.call.name for task in tasks[:_MAX_NAMED_TASKS])
    more = "…" if len(tasks) > _MAX_NAMED_TASKS else ""
    return TasksLost(names=names + more) if tasks else None
