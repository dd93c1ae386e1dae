"""`neodeskpet chat "…"`: the same engine as in the app, on the terminal and without Qt."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from neodeskpet.commands.terminal import FolderUnusable, OutputLost, home_of
from neodeskpet.commands.turn_lines import Transcript, event_line, result
from neodeskpet.conversation.approvals import DenyAll
from neodeskpet.conversation.chat_events import ChatEvent, MessageAdded, TroubleMet, TurnMoved
from neodeskpet.conversation.conversation import Input
from neodeskpet.conversation.pictures import picture_at
from neodeskpet.conversation.ports import Approver, Decision
from neodeskpet.core.blocks import Message, MessageState, Role
from neodeskpet.core.errors import KnownError, PictureRefused
from neodeskpet.core.picture import MOST, Picture
from neodeskpet.core.turn.turn_events import RoundStarted, TurnEnded, TurnEvent
from neodeskpet.engine import Engine, Options, open_engine
from neodeskpet.language import say, tr
from neodeskpet.llm.fitting import read_picture
from neodeskpet.llm.local.address import address_of, model_name
from neodeskpet.llm.protocols.adapters import PROTOCOLS
from neodeskpet.web.addresses import is_web, picture_addresses
from neodeskpet.web.fetcher import Fetcher, FetchRefused

USAGE = 2
STOPPED = 130


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet chat",
        description=tr("Say something to the companion and stream the answer."),
        epilog=tr(
            "The key is read from NEODESKPET_API_KEY. Without a service the offline helper "
            "answers. Exit code: 0, 1 when the turn failed, 2 for wrong usage, 130 when stopped, "
            "141 when nobody reads on."
        ),
    )
    made.add_argument(
        "text", nargs="?", default="", help=tr('what to say; "-" reads it from standard input')
    )
    made.add_argument(
        "--image",
        action="append",
        default=[],
        metavar="FILE",
        help=tr("a picture to show, or its address (up to {count} times)", count=str(MOST)),
    )
    made.add_argument("--json", action="store_true", help=tr("one event a line, the result last"))
    made.add_argument("--protocol", choices=sorted([*PROTOCOLS, "offline"]), default=None)
    made.add_argument("--mode", choices=("native", "text", "auto"), default=None)
    made.add_argument(
        "--thinking",
        choices=("on", "off", "low", "medium", "high"),
        default=None,
        help=tr("whether, or how hard, the model thinks in this turn"),
    )
    made.add_argument(
        "--stream",
        choices=("on", "off"),
        default=None,
        help=tr("whether the reply is asked for as a stream"),
    )
    made.add_argument("--base-url", default=None, metavar="URL")
    made.add_argument("--model", default=None, metavar="M")
    made.add_argument(
        "--local", type=Path, default=None, metavar="FILE", help="run this GGUF file as the model"
    )
    made.add_argument("--data-dir", default=None, metavar="DIR")
    made.add_argument("--new", action="store_true", help=tr("begin a new conversation"))
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command; its exit code."""
    words = parser().parse_args(argv)
    text = sys.stdin.read() if words.text == "-" else words.text
    if not text.strip() and not words.image:
        parser().error("there is nothing to say")
    if len(words.image) > MOST:
        parser().error(tr("At most {count} pictures can be shown at once.", count=str(MOST)))
    try:
        pictures = asyncio.run(_read_pictures(words.image, text, as_json=words.json))
    except (PictureRefused, FetchRefused) as error:
        _refuse(error, as_json=words.json)
        return USAGE
    if words.local is not None and words.base_url is not None:
        parser().error("--local and --base-url exclude each other")
    try:
        return asyncio.run(_chat(words, Input(text, tuple(pictures)), _options(words)))
    except FolderUnusable as error:
        _refuse(error, as_json=words.json)
        return USAGE
    except KnownError as error:
        return _refuse(error, as_json=words.json)


async def _read_pictures(named: Sequence[str], text: str, *, as_json: bool) -> list[Picture]:
    """The pictures `named` by a file or an address, and those whose addresses stand in `text`: one
    of these that can't be had is told, and stays an address. Raises PictureRefused or FetchRefused.
    """
    fetcher = Fetcher()
    pictures = [
        await picture_at(name, fetcher)
        if is_web(name)
        else await asyncio.to_thread(_read_file, name)
        for name in named
    ]
    for address in picture_addresses(text)[: MOST - len(pictures)]:
        try:
            pictures.append(await picture_at(address, fetcher))
        except (PictureRefused, FetchRefused) as error:
            _tell_fault(error, as_json=as_json)
    return pictures


def _read_file(name: str) -> Picture:
    return read_picture(Path(name).expanduser())


def _options(words: argparse.Namespace) -> Options:
    """The service of this run; a file is one too, by its absolute path."""
    address, model = words.base_url, words.model
    if words.local is not None:
        address = address_of(words.local.absolute())
        model = model or model_name(words.local)
    return Options(
        base_url=address,
        model=model,
        protocol=words.protocol,
        mode=words.mode,
        thinking=words.thinking,
        stream=None if words.stream is None else words.stream == "on",
    )


def _refuse(error: KnownError, *, as_json: bool) -> int:
    """It could not begin: say so in the form that was asked for."""
    what, hint = say(error)
    if as_json:
        print(json.dumps(_failure(error.code, what, hint), ensure_ascii=False))
    print(f"{what} {hint}", file=sys.stderr)
    return 1


def _tell_fault(fault: KnownError, *, as_json: bool) -> None:
    """Something isn't as it should be, and the turn goes on."""
    what, hint = say(fault)
    if as_json:
        told = {"type": "fault", "code": fault.code, "message": what, "hint": hint}
        print(json.dumps(told, ensure_ascii=False), flush=True)
    print(f"! {what} {hint}".rstrip(), file=sys.stderr, flush=True)


def _failure(code: str, what: str, hint: str) -> dict[str, object]:
    return {
        "type": "result",
        "success": False,
        "error": {"type": code, "message": what, "hint": hint},
        "model": "",
        "finish_reason": None,
        "rounds": 0,
        "tool_calls": [],
        "text": "",
        "thinking": "",
        "usage": None,
    }


async def _chat(words: argparse.Namespace, said: Input, options: Options) -> int:
    approver: Approver = _Terminal() if sys.stdin.isatty() and not words.json else DenyAll()

    def tell(fault: KnownError) -> None:
        with suppress(OutputLost):  # the next event of the turn meets it too
            _tell_fault(fault, as_json=words.json)

    home = home_of(words.data_dir)
    engine = await open_engine(home, options=options, approver=approver, on_fault=tell)
    try:
        for fault in engine.faults:
            tell(fault)
        return await _say(engine, words, said)
    finally:
        await engine.close()


async def _say(engine: Engine, words: argparse.Namespace, said: Input) -> int:
    watcher = _Watcher(engine.chat.stop, as_json=words.json)
    engine.chat.listen(watcher)
    await (engine.chat.open_new() if words.new else engine.chat.open())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, engine.chat.stop)
    engine.chat.send(said.text, said.pictures)
    await engine.chat.wait()
    if watcher.lost is not None:
        raise watcher.lost
    await engine.store.flush()
    reply = await engine.store.messages([watcher.reply]) if watcher.reply else []
    if not reply:
        what, hint = watcher.trouble or (tr("The message could not be answered."), "")
        if words.json:
            print(json.dumps(_failure("store", what, hint), ensure_ascii=False), flush=True)
        print(f"{what} {hint}", file=sys.stderr)
        return 1
    if words.json:
        last = result(reply[0]) | {
            "rounds": watcher.rounds,
            "model": reply[0].model or engine.minds.model().label,
            "finish_reason": watcher.finish_reason or None,
        }
        print(json.dumps(last, ensure_ascii=False), flush=True)
    return _exit_code(reply[0])


def _exit_code(reply: Message) -> int:
    match reply.state:
        case MessageState.DONE:
            return 0
        case MessageState.CANCELLED:
            return STOPPED
        case _:
            return 1


class _Watcher:
    """Prints what happens, and remembers which message is the reply. A turn whose output nobody
    can read any more is stopped.
    """

    def __init__(self, stop: Callable[[], None], *, as_json: bool) -> None:
        self.lost: OutputLost | None = None
        self.reply = ""
        self._stop = stop
        self.rounds = 0
        self.finish_reason = ""
        self.trouble: tuple[str, str] | None = None
        self._transcript = None if as_json else Transcript()

    def hear(self, event: ChatEvent) -> None:
        match event:
            case TurnMoved(message_id=message_id, event=moved):
                try:
                    self._see(message_id, moved)
                except OutputLost as lost:
                    self.lost = self.lost or lost
                    self._stop()
            case MessageAdded(message=message) if message.role is Role.ASSISTANT:
                self.reply = message.id
            case TroubleMet(error=error):
                self.trouble = say(error)
            case _:
                pass

    def _see(self, message_id: str, event: TurnEvent) -> None:
        if isinstance(event, TurnEnded):
            self.finish_reason = event.finish_reason
        if isinstance(event, RoundStarted):
            self.rounds += 1
        if self._transcript is not None:
            self._transcript.see(event)
        else:
            print(event_line(message_id, event), flush=True)


class _Terminal:
    """Asks on the terminal; no answer means no."""

    async def ask(
        self, message_id: str, index: int, name: str, arguments: Mapping[str, object]
    ) -> Decision:
        shown = json.dumps(arguments, ensure_ascii=False)
        question = tr("Allow {tool} {arguments}? [y/N] ", tool=name, arguments=shown)
        print(question, end="", file=sys.stderr, flush=True)
        answer = await _read_line()
        return Decision(answer.strip().lower() in ("y", "yes", "是", "好"))


async def _read_line() -> str:
    """A line of standard input, read in a daemon thread: one that is never typed can't keep the
    command from ending.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def take(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        text = sys.stdin.readline()
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(take, text)

    threading.Thread(target=read, name="approval", daemon=True).start()
    return await line
