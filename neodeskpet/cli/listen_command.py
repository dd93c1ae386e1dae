"""`neodeskpet listen [FILE] [--base-url URL]`: prints what is said in a sound file, or into the
microphone until Enter.

Without an address the service of the settings is used. Exit codes: 0 done, 1 failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path

from neodeskpet.cli.terminal import add_data_dir, data_folder
from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.ports import Recognizer, RecognizerFailed
from neodeskpet.language import format_error, set_language, tr
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.http_transcriber import DEFAULT_MODEL, HttpTranscriber, TranscriptionService
from neodeskpet.settings.secrets import FILE_NAME as SECRETS_FILE
from neodeskpet.settings.secrets import Secrets, key_name, parse_hosts
from neodeskpet.settings.store import FILE_NAME as SETTINGS_FILE
from neodeskpet.settings.store import SettingsStore
from neodeskpet.voice.recognizers.wyoming import SCHEME, WyomingRecognizer
from neodeskpet.voice.sound_devices import Microphone
from neodeskpet.voice.sound_files import read_sound_file


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet listen",
        description=tr("Print what is said in a sound file, or into the microphone until Enter."),
    )
    made.add_argument("file", nargs="?", metavar="FILE.wav", type=Path)
    made.add_argument(
        "--base-url",
        metavar="URL",
        default="",
        help=tr("an OpenAI-compatible service, or tcp://host:port of a Wyoming server"),
    )
    made.add_argument("--model", metavar="M", default=DEFAULT_MODEL)
    made.add_argument("--language", metavar="L", default="", help=tr("for example en or zh"))
    made.add_argument("--device", metavar="NAME", default="", help=tr("a microphone by its name"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    try:
        words = parser().parse_args(argv)
    except SystemExit as ended:  # argparse has said what is wrong
        return int(ended.code or 0)
    try:
        asyncio.run(_listen(words))
    except KnownError as error:
        print(format_error(error), file=sys.stderr)
        return 1
    return 0


async def _listen(words: argparse.Namespace) -> None:
    home = data_folder(words.data_dir)
    settings = SettingsStore(home / SETTINGS_FILE)
    set_language(settings.settings.appearance.language)
    service = settings.settings.service
    address = words.base_url or service.base_url
    if not address:
        raise RecognizerFailed(tr("No service is set. Name one with --base-url."))
    if words.file is not None:
        pcm = await asyncio.to_thread(read_sound_file, words.file)
    else:
        pcm = await _record(Microphone(words.device))
    if address.startswith(f"{SCHEME}://"):
        await _print(WyomingRecognizer(address), pcm, words.language)
        return
    allowed = parse_hosts(service.plain_hosts)
    client = HttpClient(plain_to=lambda host: host in allowed)
    try:
        transcriber = HttpTranscriber(
            client,
            TranscriptionService(address, words.model),
            key=partial(Secrets(home / SECRETS_FILE).get_async, key_name(address)),
        )
        await _print(transcriber, pcm, words.language)
    finally:
        await client.aclose()


async def _print(recognizer: Recognizer, pcm: bytes, language: str) -> None:
    async with aclosing(recognizer.recognize(pcm, language)) as texts:
        async for one in texts:
            if one.is_final:
                print(one.text, flush=True)


async def _record(microphone: Microphone) -> bytes:
    """What is said until Enter."""
    print(tr("Speak, then press Enter."), file=sys.stderr, flush=True)
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.readline()
        ended.set()

    threading.Thread(target=wait, name="enter", daemon=True).start()
    recorded = bytearray()
    async with aclosing(microphone.frames()) as frames:
        async for frame in frames:
            recorded += frame
            if ended.is_set():
                break
    return bytes(recorded)
