"""Child processes: their command and environment, and their protocol.

Some work may crash, hang or use too much memory (a model file, a language model, syntax
highlighting), so it runs in another process. A checkout runs the module; a bundle runs its own
program with `child NAME`.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO

MODULES = {
    "calendar": "neodeskpet.notebook.ics_reader_child",
    "calendar writer": "neodeskpet.notebook.ics_writer",
    "card": "neodeskpet.characters.cards.child",
    "colour": "neodeskpet.ui.rendering.highlight_worker",
    "develop": "neodeskpet.figure.sprites.importer_child",
    "document": "neodeskpet.documents.reader_child",
    "draw": "neodeskpet.figure.contact_sheet",
    "formula": "neodeskpet.ui.rendering.formula_worker",
    "hang": "neodeskpet.ui.windows.hang_window",
    "listen": "neodeskpet.voice.recognizers.whisper_child",
    "page": "neodeskpet.documents.web.page_child",
    "passages": "neodeskpet.memory.knowledge.knowledge_child",
    "past": "neodeskpet.conversation.import_chats.archive_child",
    "print": "neodeskpet.ui.rendering.pdf_worker",
    "probe": "neodeskpet.figure.files.model_probe",
    "read": "neodeskpet.tools.ocr_child",
    "serve": "neodeskpet.llm.local.llama_server",
    "sound": "neodeskpet.voice.sound_child",
    "speak": "neodeskpet.voice.synthesizers.kokoro_child",
    "unpack": "neodeskpet.figure.files.unpack_child",
    "vectors": "neodeskpet.llm.local.embedding_child",
    "watch": "neodeskpet.app.hang_child",
    "workshop": "neodeskpet.tools.user_tools.tool_file_child",
}
"""The names of child processes, and the modules whose `main(arguments)` they run."""

_NAMES = (
    # the user and folders
    "PATH HOME USER LOGNAME USERNAME SHELL PWD TERM COLORTERM TZ HOSTNAME "
    # language and temporary folders
    "LANG LANGUAGE TMPDIR TMP TEMP "
    # the display
    "DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS DESKTOP_SESSION "
    # certificates of this computer
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS "
    # libraries
    "LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH "
    # Windows
    "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS APPDATA LOCALAPPDATA PROGRAMDATA "
    "ALLUSERSPROFILE PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432 COMMONPROGRAMFILES PUBLIC "
    "USERPROFILE USERDOMAIN HOMEDRIVE HOMEPATH COMPUTERNAME NUMBER_OF_PROCESSORS "
    "PROCESSOR_ARCHITECTURE"
)
_ALLOWED = frozenset(_NAMES.split())
_ALLOWED_STARTS = ("LC_", "XDG_")
_PROXIES = frozenset(
    ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "SOCKS_PROXY"]
)
_USER_OF_PROXY = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*://)?[^/]*@")
_OWN = (
    "PYTHON",
    "QT_",
    "QSG_",
    "QML",
    "LIBGL_",
    "MESA_",
    "GALLIUM_",
    "EGL_",
    "__GL",
    "__EGL",
    "VK_",
    "GGML_",
    "OMP_",
    "OPENBLAS_",
    "FONTCONFIG_",
    "COVERAGE_",
    "NEODESKPET_",
    "_PYI_",
    "VIRTUAL_ENV",
    "_MEIPASS",
)
"""Prefixes of variables that configure our own processes."""
_SECRET = re.compile("key|token|secret|passw|credential", re.IGNORECASE)
_ROOT = Path(__file__).resolve().parents[2]


def child_command(name: str) -> list[str]:
    """Return the command that runs `name` of MODULES; arguments may be added."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "child", name]
    return [sys.executable, "-m", MODULES[name]]


def child_environment() -> dict[str, str]:
    """Return the environment of our own processes: that of any program, and the variables for
    Python, Qt and the graphics libraries.
    """
    environ = os.environ
    ours = {
        name: value
        for name, value in environ.items()
        if name.upper().startswith(_OWN) and not _SECRET.search(name)
    }
    path = filter(None, (str(_ROOT), environ.get("PYTHONPATH", "")))
    return allowed_environment(environ) | ours | {"PYTHONPATH": os.pathsep.join(path)}


def allowed_environment(environ: Mapping[str, str], more: Iterable[str] = ()) -> dict[str, str]:
    """Return the variables that any program needs, and those named in `more`. Any other variable
    could be a secret (DATABASE_URL, GITHUB_PAT). Proxy addresses come without user and password.
    """
    named = {name.upper() for name in more}
    kept: dict[str, str] = {}
    for name, value in environ.items():
        upper = name.upper()
        if upper in named or upper in _ALLOWED or upper.startswith(_ALLOWED_STARTS):
            kept[name] = value
        elif upper in _PROXIES:
            kept[name] = _USER_OF_PROXY.sub(r"\1", value)
    return kept


FRAME_LENGTH = struct.Struct(">I")
"""A frame between parent and child is its length and its bytes."""
_MEMORY = 1 << 30  # bytes
START_SECONDS = 30.0

_log = logging.getLogger(__name__)


def failure_frame(kind: str, error: Exception) -> bytes:
    """Return the answer of a child whose library is missing or fails: the kind of the failure and
    the error, as JSON.
    """
    reply = {"failed": kind, "reason": f"{type(error).__name__}: {error}"[:300]}
    return json.dumps(reply).encode()


def serve_frames(answer: Callable[[bytes], bytes], seconds: float, memory: int = _MEMORY) -> int:
    """Serve frames in the child: send an empty frame when ready, then answer each frame on standard
    input by one on standard output. It ends with its standard input, that is when the parent ends
    for any reason; and with `seconds` for one frame, because nothing inside could detect a hang.
    `memory` is the limit in bytes. Returns the exit code.
    """
    _limit_memory(memory)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries goes to standard error
    write_frame(out, b"")
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, seconds)
        answered = answer(frame)
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_REAL, 0)
        write_frame(out, answered)
    return 0


class FrameWorker:
    """A child that answers frames (`serve_frames`), for a thread that may wait for it. It is
    started with the first request, and again with the next request after a crash. `seconds` is the
    time limit of one request. Not for two threads at once.
    """

    def __init__(
        self,
        name: str,
        seconds: float,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`environment` are additional variables of the child."""
        self._environment = environment or {}
        self._command = [*child_command(name), str(seconds), *arguments]
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        return self._process is not None

    def ask(self, question: bytes) -> bytes | None:
        """Return the answer; None if the child ended, took too long, or can't be started."""
        try:
            process = self._process or self._start()
        except OSError:
            _log.warning("A process can't be started: %s", self._command, exc_info=True)
            return None
        answer = self._converse(process, question) if process is not None else None
        if answer is None:
            self.close()
        return answer

    def stop(self) -> None:
        """Stop the child from any thread; the current request gets no answer."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _start(self) -> subprocess.Popen[bytes] | None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment() | dict(self._environment),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        return None if self._wait(self._process, START_SECONDS) is None else self._process

    def _converse(self, process: subprocess.Popen[bytes], question: bytes) -> bytes | None:
        assert process.stdin is not None
        try:
            write_frame(process.stdin, question)
        except OSError:
            return None
        return self._wait(process, self._seconds + 1.0)

    @staticmethod
    def _wait(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
        assert process.stdout is not None
        late = threading.Timer(seconds, process.kill)
        late.start()
        try:
            return read_frame(process.stdout)
        finally:
            late.cancel()


def read_frame(source: IO[bytes]) -> bytes | None:
    """Return the next frame; None at the end."""
    head = source.read(FRAME_LENGTH.size)
    if len(head) < FRAME_LENGTH.size:
        return None
    (length,) = FRAME_LENGTH.unpack(head)
    frame = source.read(length)
    return frame if len(frame) == length else None


def write_frame(out: IO[bytes], frame: bytes) -> None:
    """Write a frame for `read_frame`."""
    out.write(FRAME_LENGTH.pack(len(frame)) + frame)
    out.flush()


def _limit_memory(most: int) -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
