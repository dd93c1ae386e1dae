"""`neodeskpet chat "…"`: runs one turn of the engine on the terminal, without Qt."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.app.approval_grants import ApprovalGrants
from neodeskpet.app.engine import Engine, open_engine
from neodeskpet.app.run_options import RunOptions
from neodeskpet.characters.character_library import Character
from neodeskpet.cli.terminal import FolderUnusable, OutputLost, add_data_dir, data_folder
from neodeskpet.cli.turn_output import Transcript, event_line, result_record, task_line
from neodeskpet.conversation.approvals import AllowAll, DenyAll
from neodeskpet.conversation.character_context import greetings_of
from neodeskpet.conversation.chat_events import (
    ChatErrorOccurred,
    ChatEvent,
    MessageAdded,
    TurnAdvanced,
)
from neodeskpet.conversation.conversation import UserInput
from neodeskpet.conversation.picture_download import fetch_and_fit
from neodeskpet.conversation.ports import ApprovalQuestion, Approver, Decision
from neodeskpet.core.attachments import MOST_ATTACHMENTS, AttachedContent, FileText, Picture
from neodeskpet.core.background_tasks import Task
from neodeskpet.core.blocks import Message, MessageState, Role, ToolUse
from neodeskpet.core.dialects import DIALECTS, NATIVE
from neodeskpet.core.errors import KnownError, NoticeContent, PictureRefused, SettingsError
from neodeskpet.core.grant_scope import Grant
from neodeskpet.core.i18n import N_
from neodeskpet.core.token_budget import estimate_tokens
from neodeskpet.core.tool_result import CallPreview, shown_as_text
from neodeskpet.core.turn.turn_events import RoundStarted, TurnEnded, TurnEvent
from neodeskpet.core.unicode_text import show_hidden_chars
from neodeskpet.documents.document import (
    LEAST_DOCUMENT_TOKENS,
    MESSAGE_DOCUMENT_TOKENS,
    DocumentRefused,
    read_document,
    shorten,
)
from neodeskpet.documents.web.addresses import is_web, picture_addresses
from neodeskpet.documents.web.fetcher import Fetcher, FetchRefused
from neodeskpet.language import (
    join_sentences,
    language,
    tool_title,
    tool_titles,
    tr,
    translate_error,
)
from neodeskpet.language.approval_reason import approval_reason, mark_private_spans
from neodeskpet.language.approval_text import (
    answer_labels,
    grant_label,
    question_fact,
    question_subject,
    question_title,
)
from neodeskpet.llm.local.model_file import address_of, model_name
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.llm.protocols.stop_reasons import unified_reason
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.storage.image_resize import read_picture
from neodeskpet.tools.apps.app_windows import ACT_SPEC
from neodeskpet.tools.tool_search import FIND_SPEC


class NoSuchPersona(SettingsError):
    code = "no_such_persona"
    what = N_("There is no character named {name}.")
    hint = N_("Available: {known}. You can import others in the settings.")


class AmbiguousPersona(SettingsError):
    code = "ambiguous_persona"
    what = N_("{count} characters are named {name}.")
    hint = N_("Use an id instead: {ids}")


def find_persona(engine: Engine, name: str) -> Character | None:
    """Return the character with this name or id, None for "". Raises NoSuchPersona and
    AmbiguousPersona.
    """
    if not name:
        return None
    found = engine.storage.characters.library.named(name)
    if not found:
        known = ", ".join(one.card.name for one in engine.storage.characters.library.list_all())
        raise NoSuchPersona(name=name, known=known or tr("none"))
    if len(found) > 1:
        ids = ", ".join(one.id for one in found)
        raise AmbiguousPersona(count=str(len(found)), name=name, ids=ids)
    return found[0]


async def choose_persona(engine: Engine, found: Character | None) -> None:
    """Let this character answer in the open conversation from now on, None for the figure's own
    persona. A new conversation starts with its greeting. Raises StoreError.
    """
    info = engine.chat.conversation
    assert info is not None
    await engine.storage.characters.choose(info.id, found.id if found is not None else "")
    greetings = greetings_of(found.card) if found is not None else ()
    await engine.chat.greet(greetings, found.untrusted if found is not None else ())


USAGE = 2
NOT_APPROVED = 3
STOPPED = 130
SERVER_START_TIMEOUT = 15.0
"""Seconds that a turn waits for the user's MCP servers to start."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet chat",
        description=tr("Send a message to the companion and stream the answer."),
        epilog=tr(
            "The key is read from NEODESKPET_API_KEY. Without a service, the offline "
            "helper answers. Exit code: 0, 1 if the turn failed, 2 for wrong usage, 3"
            " if a call was not run because it needed approval, 130 if interrupted, "
            "141 if the output was closed."
        ),
    )
    made.add_argument(
        "text", nargs="?", default="", help=tr('the message; "-" reads it from standard input')
    )
    made.add_argument(
        "--image",
        action="append",
        default=[],
        metavar="FILE",
        help=tr("a picture file or its address (up to {count} times)", count=str(MOST_ATTACHMENTS)),
    )
    made.add_argument(
        "--file",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help=tr("a text, PDF, Word or EPUB file to send with the message (several times)"),
    )
    made.add_argument(
        "--approve",
        choices=("ask", "never", "always"),
        default=None,
        help=tr(
            "how to handle a call that needs permission: ask on the terminal, don't "
            "run it, or run it without asking; default: ask if there is a terminal, "
            "else don't run it"
        ),
    )
    made.add_argument(
        "--json", action="store_true", help=tr("print one event per line, the result last")
    )
    made.add_argument("--protocol", choices=sorted([*PROTOCOLS, "offline"]), default=None)
    made.add_argument("--mode", choices=("native", "text", "auto"), default=None)
    made.add_argument(
        "--dialect",
        choices=sorted(DIALECTS.keys() - {NATIVE.name}),
        default=None,
        help=tr("how a model writes a call in text mode"),
    )
    made.add_argument(
        "--thinking",
        choices=("on", "off", "low", "medium", "high"),
        default=None,
        help=tr("whether and how much the model thinks in this turn"),
    )
    made.add_argument(
        "--stream",
        choices=("on", "off"),
        default=None,
        help=tr("whether to request the reply as a stream"),
    )
    made.add_argument("--no-memory", action="store_true", help=tr("send no memories"))
    made.add_argument("--no-knowledge", action="store_true", help=tr("send no documents"))
    made.add_argument("--base-url", default=None, metavar="URL", help=tr("for this run"))
    made.add_argument("--model", default=None, metavar="M", help=tr("for this run"))
    made.add_argument(
        "--local", type=Path, default=None, metavar="FILE", help="run this GGUF file as the model"
    )
    made.add_argument(
        "--persona",
        default=None,
        metavar="NAME",
        help=tr(
            'the character that answers in this conversation from now on; "" for the figure\'s'
        ),
    )
    add_data_dir(made)
    made.add_argument("--new", action="store_true", help=tr("start a new conversation"))
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    words = parser().parse_args(argv)
    text = sys.stdin.read() if words.text == "-" else words.text
    if not text.strip() and not words.image and not words.file:
        parser().error("the message is empty")
    if len(words.image) + len(words.file) > MOST_ATTACHMENTS:
        parser().error(
            tr("At most {count} pictures can be shown at once.", count=str(MOST_ATTACHMENTS))
        )
    try:
        pictures = asyncio.run(_read_pictures(words.image, text, as_json=words.json))
        attachments: tuple[AttachedContent, ...] = (*pictures, *_read_documents(words.file))
    except (PictureRefused, FetchRefused, DocumentRefused) as error:
        _print_refusal(error, as_json=words.json)
        return USAGE
    if words.approve == "ask" and not sys.stdin.isatty():
        parser().error("--approve ask needs a terminal to ask on")
    if words.local is not None and words.base_url is not None:
        parser().error("--local and --base-url exclude each other")
    try:
        return asyncio.run(_chat(words, UserInput(text, attachments), _options(words)))
    except (FolderUnusable, NoSuchPersona, AmbiguousPersona) as error:
        _print_refusal(error, as_json=words.json)
        return USAGE
    except KnownError as error:
        return _print_refusal(error, as_json=words.json)


async def _read_pictures(named: Sequence[str], text: str, *, as_json: bool) -> list[Picture]:
    """Return the pictures `named` by a file or an address, and those whose addresses are in `text`.
    If one of the latter can't be fetched, that is reported and the text keeps the address. Raises
    PictureRefused or FetchRefused.
    """
    fetcher = Fetcher()
    pictures = [
        await fetch_and_fit(name, fetcher)
        if is_web(name)
        else await asyncio.to_thread(_read_file, name)
        for name in named
    ]
    for address in picture_addresses(text)[: MOST_ATTACHMENTS - len(pictures)]:
        try:
            pictures.append(await fetch_and_fit(address, fetcher))
        except (PictureRefused, FetchRefused) as error:
            _print_fault(error, as_json=as_json)
    return pictures


def _read_documents(files: Sequence[Path]) -> list[FileText]:
    """Read these files, within the token budget of a message. Raises DocumentRefused."""
    left = MESSAGE_DOCUMENT_TOKENS
    found: list[FileText] = []
    for file in files:
        whole = read_document(file.expanduser(), language=language())
        read = shorten(whole, max(left, LEAST_DOCUMENT_TOKENS))
        left -= estimate_tokens(read.text)
        found.append(read)
    return found


def _read_file(name: str) -> Picture:
    return read_picture(Path(name).expanduser())


def _options(words: argparse.Namespace) -> RunOptions:
    """Return the options of this run; a model file counts as a service, with its absolute path."""
    address, model = words.base_url, words.model
    if words.local is not None:
        address = address_of(words.local.absolute())
        model = model or model_name(words.local)
    return RunOptions(
        base_url=address,
        model=model,
        protocol=words.protocol,
        mode=words.mode,
        dialect=words.dialect,
        thinking=words.thinking,
        stream=None if words.stream is None else words.stream == "on",
        memory=False if words.no_memory else None,
        knowledge=False if words.no_knowledge else None,
    )


def _print_refusal(error: KnownError, *, as_json: bool) -> int:
    """Print why the turn could not start, in the requested format."""
    what, hint = translate_error(error)
    if as_json:
        print(json.dumps(_failure_record(error.code, what, hint), ensure_ascii=False))
    print(join_sentences(what, hint), file=sys.stderr)
    return 1


def _print_fault(fault: NoticeContent, *, as_json: bool) -> None:
    """Print a fault that doesn't stop the turn."""
    what, hint = translate_error(fault)
    if as_json:
        record = {"type": "fault", "code": fault.code, "message": what, "hint": hint}
        print(json.dumps(record, ensure_ascii=False), flush=True)
    print(f"! {join_sentences(what, hint)}", file=sys.stderr, flush=True)


def _failure_record(code: str, what: str, hint: str) -> dict[str, object]:
    return {
        "type": "result",
        "success": False,
        "error": {"type": code, "message": what, "hint": hint},
        "model": "",
        "finish_reason": None,
        "rounds": 0,
        "tool_calls": [],
        "steps": [],
        "action": None,
        "action_result": None,
        "text": "",
        "thinking": "",
        "usage": None,
    }


async def _chat(words: argparse.Namespace, said: UserInput, options: RunOptions) -> int:
    terminal = _TerminalApprover()
    approver = _approver(words.approve, terminal, as_json=words.json)

    def tell(fault: NoticeContent) -> None:
        with suppress(OutputLost):  # the next event of the turn raises it again
            _print_fault(fault, as_json=words.json)

    home = data_folder(words.data_dir)
    engine = await open_engine(home, options=options, approver=approver, on_fault=tell)
    terminal.engine = engine
    try:
        for fault in engine.storage.startup.faults:
            tell(fault)
        code = await _run_turn(engine, words, said)
        return (
            NOT_APPROVED if code == 0 and isinstance(approver, DenyAll) and approver.asked else code
        )
    finally:
        await engine.aclose()


def _approver(chosen: str | None, terminal: _TerminalApprover, *, as_json: bool) -> Approver:
    there = sys.stdin.isatty() and not as_json
    if chosen == "always":
        return AllowAll(terminal if there else DenyAll())
    return terminal if chosen == "ask" or (chosen is None and there) else DenyAll()


async def _run_turn(engine: Engine, words: argparse.Namespace, said: UserInput) -> int:
    title = tool_titles(
        [*engine.tools.toolbox.all_specs(), *engine.tools.apps.host.specs(), FIND_SPEC, ACT_SPEC]
    )
    transcript = None if words.json else Transcript(title=title)
    watcher = _ReplyPrinter(engine.chat.stop, transcript)
    engine.chat.subscribe(watcher)
    persona = find_persona(engine, words.persona or "")  # before a conversation is created
    info = await (engine.chat.open_new() if words.new else engine.chat.open())
    if words.new:
        await engine.storage.characters.assign_new(info.id)
    if words.persona is not None:
        await choose_persona(engine, persona)
    await engine.tools.mcp_servers.start()
    await engine.tools.mcp_servers.wait_until_started(SERVER_START_TIMEOUT)
    with suppress(TimeoutError):
        async with asyncio.timeout(SERVER_START_TIMEOUT):
            await engine.tools.user_tools.rescan()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, engine.chat.stop)
    engine.chat.send(said.text, said.pictures)
    await engine.chat.wait_idle()
    await _wait_for_tasks(engine, watcher, loop)
    if watcher.output_lost is not None:
        raise watcher.output_lost
    await engine.storage.store.flush()
    replies = await engine.storage.store.messages([*watcher.replies]) if watcher.replies else []
    if not replies:
        what, hint = watcher.error or (tr("The message could not be answered."), "")
        if words.json:
            print(json.dumps(_failure_record("store", what, hint), ensure_ascii=False), flush=True)
        print(join_sentences(what, hint), file=sys.stderr)
        return 1
    ordered = sorted(replies, key=lambda reply: list(watcher.replies).index(reply.id))
    for reply in ordered if words.json else ():
        seen = watcher.replies[reply.id]
        last = result_record(reply) | {
            "rounds": seen.rounds,
            "model": reply.model or engine.models.turn_factory.model().label,
            "finish_reason": unified_reason(seen.finish_reason) or None,
        }
        if reply is not ordered[0]:  # a reply to the end of a background task
            last["follow_up"] = True
        print(json.dumps(last, ensure_ascii=False), flush=True)
    return _exit_code(ordered[0])


async def _wait_for_tasks(
    engine: Engine, watcher: _ReplyPrinter, loop: asyncio.AbstractEventLoop
) -> None:
    """Wait for background tasks of the turn, because they would end with this process. Their
    results are answered if the settings say so. Ctrl-C ends the wait.
    """
    unobserve = engine.tools.tasks.subscribe(watcher.on_task_ended)

    def stop() -> None:
        engine.chat.stop()
        for task in engine.tools.tasks.running():
            spawn_task(engine.tools.tasks.cancel(task.id), name="cancel a task")

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    engine.tools.task_announcer.start()
    while engine.tools.tasks.running() and watcher.output_lost is None:
        watcher.print_waiting(engine.tools.tasks.running())
        await engine.tools.tasks.wait_idle()
        await engine.tools.task_announcer.wait_idle()
    await engine.tools.task_announcer.wait_idle()
    if watcher.output_lost is not None:
        stop()
    unobserve()


def _exit_code(reply: Message) -> int:
    match reply.state:
        case MessageState.DONE:
            return 0
        case MessageState.CANCELLED:
            return STOPPED
        case _:
            return 1


@dataclass(slots=True)
class _ReplyStats:
    """Counters of one reply."""

    rounds: int = 0
    finish_reason: str = ""


class _ReplyPrinter:
    """Prints events and collects the replies: that of the requested turn, and those caused by the
    ends of background tasks. If the output is closed, the turn is stopped.
    """

    def __init__(self, stop: Callable[[], None], transcript: Transcript | None) -> None:
        self.output_lost: OutputLost | None = None
        self.replies: dict[str, _ReplyStats] = {}
        self._stop = stop
        self.error: tuple[str, str] | None = None
        self._transcript = transcript  # None for JSON lines

    def on_task_ended(self, task: Task) -> None:
        """Report the end of a background task."""
        if task.running:
            return
        try:
            if self._transcript is not None:
                self._transcript.print_task_end(task)
            else:
                print(task_line("task_ended", task), flush=True)
        except OutputLost as lost:
            self.output_lost = self.output_lost or lost
            self._stop()

    def print_waiting(self, tasks: Sequence[Task]) -> None:
        """Print that the command waits for these tasks."""
        try:
            if self._transcript is not None:
                self._transcript.print_waiting(tasks)
            else:
                for task in tasks:
                    print(task_line("task_waited_for", task), flush=True)
        except OutputLost as lost:
            self.output_lost = self.output_lost or lost
            self._stop()

    def on_chat_event(self, event: ChatEvent) -> None:
        match event:
            case TurnAdvanced(message_id=message_id, event=moved):
                try:
                    self._see(message_id, moved)
                except OutputLost as lost:
                    self.output_lost = self.output_lost or lost
                    self._stop()
            case MessageAdded(message=message) if message.role is Role.ASSISTANT:
                self.replies.setdefault(message.id, _ReplyStats())
            case ChatErrorOccurred(error=error):
                self.error = translate_error(error)
            case _:
                pass

    def _see(self, message_id: str, event: TurnEvent) -> None:
        seen = self.replies.setdefault(message_id, _ReplyStats())
        if isinstance(event, TurnEnded):
            seen.finish_reason = event.finish_reason
        if isinstance(event, RoundStarted):
            seen.rounds += 1
        if self._transcript is not None:
            self._transcript.on_turn_event(event)
        else:
            print(event_line(message_id, event), flush=True)


class _TerminalApprover:
    """Asks for approval on the terminal, with the words and the answers of the chat; no answer
    means denied. `engine` is set before the first question.
    """

    def __init__(self) -> None:
        self.engine: Engine | None = None

    async def ask(self, question: ApprovalQuestion) -> Decision:
        preview = await question.preview()
        if preview.error is not None:
            return Decision(False, no_answer=preview.error)
        grants = self._offers(question, preview)
        print(question_words(question, preview, grants), end="", file=sys.stderr, flush=True)
        answer = (await _read_line()).strip().lower()
        if answer.isdecimal() and 0 < int(answer) <= len(grants):
            self._remember(grants[int(answer) - 1])
            return Decision(True)
        return Decision(answer in ("y", "yes", "是", "好"))

    def _offers(self, question: ApprovalQuestion, preview: CallPreview) -> Sequence[Grant]:
        if self.engine is None:
            return ()
        return ApprovalGrants(self.engine).offers(
            question.spec,
            question.arguments,
            flows=question.flow is not None,
            question=preview.question,
        )

    def _remember(self, grant: Grant) -> None:
        assert self.engine is not None, "it made the offer"
        try:
            ApprovalGrants(self.engine).remember(grant)
        except KnownError as error:  # the call runs this time
            _print_fault(error, as_json=False)


def question_words(
    question: ApprovalQuestion, preview: CallPreview, grants: Sequence[Grant]
) -> str:
    """Return the question as lines: why it asks, the title, what the call touches and would change,
    whether it can be undone, and the answers.
    """
    call = ToolUse(
        question.index,
        0,
        "",
        question.spec.name,
        arguments=question.arguments,
        question=preview.question,
        flow=question.flow,
    )
    thing = question_subject(call)
    lines = [question_title(call, tool_title(question.spec))]
    if question.flow is not None:
        lines.insert(0, show_hidden_chars(approval_reason(question.flow)))
        thing = mark_private_spans(question.flow, thing)
    lines.append(thing)
    if preview.shown is not None:
        lines.append(show_hidden_chars(shown_as_text(preview.shown)))
    lines.append(question_fact(call))
    yes, keep = answer_labels(call)
    always = [f"[{number}] {grant_label(grant)}" for number, grant in enumerate(grants, 1)]
    lines.append("  ".join((f"[y] {yes}", *always, f"[N] {keep}: ")))
    return "\n".join(filter(None, lines))


async def _read_line() -> str:
    """Read a line of standard input in a daemon thread, so that a missing line doesn't keep the
    command from ending.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def take(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        text = sys.stdin.readline()
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(take, text)

    threading.Thread(target=read, name="approval", daemon=True).start()
    return await line
