"""`neodeskpet listen [FILE] [--base-url URL]`: transcribes a sound file, or the microphone until
Enter is pressed.

Without an address, the service of the settings is used. Exit codes: 0 success, 1 failure, 2 wrong
usage.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from neodeskpet.app.voice_services import open_voice_services
from neodeskpet.cli.terminal import add_data_dir, data_folder, parse_words, run_coroutine
from neodeskpet.core.voice.ports import Recognizer
from neodeskpet.language import tr
from neodeskpet.voice.local_voice import LOCAL_ADDRESS
from neodeskpet.voice.sound_devices import Microphone, require_device
from neodeskpet.voice.sound_files import read_sound_file


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet listen",
        description=tr("Transcribe a sound file, or the microphone until Enter is pressed."),
    )
    made.add_argument("file", nargs="?", metavar="FILE.wav", type=Path)
    made.add_argument(
        "--base-url",
        metavar="URL",
        default="",
        help=tr("an OpenAI-compatible service, or tcp://host:port of a Wyoming server"),
    )
    made.add_argument("--local", action="store_true", help=tr("on this computer"))
    made.add_argument("--model", metavar="M", default="")
    made.add_argument("--language", metavar="L", default="", help=tr("for example en or zh"))
    made.add_argument("--device", metavar="NAME", default="", help=tr("the name of a microphone"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    words = parse_words(parser(), argv)
    if isinstance(words, int):
        return words
    return run_coroutine(_listen(words))


async def _listen(words: argparse.Namespace) -> None:
    async with open_voice_services(data_folder(words.data_dir)) as services:
        address = LOCAL_ADDRESS if words.local else words.base_url
        recognizer = services.recognizer(address, words.model)
        if words.file is not None:
            pcm = await asyncio.to_thread(read_sound_file, words.file)
        else:
            await asyncio.to_thread(require_device, words.device, is_output=False)
            pcm = await _record(Microphone(words.device))
        await _print(recognizer, pcm, words.language)


async def _print(recognizer: Recognizer, pcm: bytes, language: str) -> None:
    async with aclosing(recognizer.recognize(pcm, language)) as texts:
        async for one in texts:
            if one.is_final:
                print(one.text, flush=True)


async def _record(microphone: Microphone) -> bytes:
    """Record until Enter is pressed."""
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.readline()
        ended.set()

    recorded = bytearray()
    async with aclosing(microphone.frames()) as frames:
        async for frame in frames:
            if not recorded:  # the device is open
                print(tr("Speak, then press Enter."), file=sys.stderr, flush=True)
                threading.Thread(target=wait, name="enter", daemon=True).start()
            recorded += frame
            if ended.is_set():
                break
    return bytes(recorded)
