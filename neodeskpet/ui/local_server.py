"""One NeoDeskPet per user and data folder: a second start shows the first, and the user's other
programs connect to it.

The first instance takes a lock (`app/single_instance.py`) before anything else, and writes its
address into the locked file as soon as it listens. Both files are in private folders of the user.
"""

from __future__ import annotations

import logging
import secrets
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from neodeskpet.core.errors import KnownError
from neodeskpet.external_api.local_endpoint import (
    LocalEndpoint,
    endpoint_address,
    read_endpoint_file,
    write_endpoint_file,
)
from neodeskpet.external_api.local_protocol import (
    MAX_REQUEST_BYTES,
    InvalidLine,
    JsonLineReader,
    ToolAnswer,
    ToolHost,
    clean_program_name,
    format_line,
)
from neodeskpet.ui.task_runner import TaskRunner

_STARTING = ToolAnswer("NeoDeskPet is only starting.", failed=True)
_log = logging.getLogger(__name__)

_Asked = Callable[[], Awaitable[Mapping[str, object]]]

START_REQUESTS = ("show", "chat", "settings")

_CONNECT_TIMEOUT_MS = 500
_ANSWER_SECONDS = 10.0
_STEP_MS = 20
_RETRY_PAUSE = 0.1  # seconds between two attempts to reach the first instance
_MAX_CONNECTIONS = 32
_IDLE_TIMEOUT_MS = 5_000
"""Milliseconds within which a connection must authenticate."""
MAX_FILES = 32
"""Maximum number of files of one start."""
_MAX_CALLS = 16
"""Maximum number of concurrent calls of one client."""


def activate_running_instance(
    home: Path,
    word: str = "show",
    timeout: float = 0.0,
    files: Sequence[Path] = (),
    answer_within: float = _ANSWER_SECONDS,
) -> bool:
    """Ask the instance that runs with `home`, if any, to show itself, and pass it `files` (absolute
    paths); return whether one answers. Waits `timeout` seconds for an instance that is starting;
    one that accepts the request but doesn't answer within `answer_within` seconds hangs.
    """
    end = time.monotonic() + timeout
    while not (
        answered := _request_activation(read_endpoint_file(home), word, files, answer_within)
    ):
        if answered is None:
            return False
        if time.monotonic() >= end:
            return False
        time.sleep(_RETRY_PAUSE)
    return True


def _request_activation(
    endpoint: LocalEndpoint | None, word: str, files: Sequence[Path], answer_within: float
) -> bool | None:
    """Return True if it answered, False if it isn't reachable, None if it doesn't answer."""
    if endpoint is None:
        return False
    socket = QLocalSocket()
    socket.connectToServer(endpoint.address)
    if not socket.waitForConnected(_CONNECT_TIMEOUT_MS):
        return False
    brought = [str(file) for file in files[:MAX_FILES]]
    asked = {"id": 1, "do": "ring", "word": word, "files": brought}
    socket.write(format_line({"key": endpoint.key}) + format_line(asked))
    # The system accepts connection and data even if the instance hangs; an answer to the key proves
    # it doesn't.
    end = time.monotonic() + answer_within
    while not (answered := socket.waitForReadyRead(_STEP_MS)) and time.monotonic() < end:
        time.sleep(0)  # Qt holds the GIL while it waits
    socket.disconnectFromServer()
    return answered or None


class LocalServer(QObject):
    """Accepts second starts and other programs. Only processes of this user can connect: the socket
    is in a private folder, and each client must know the key.

    Signals: `start_requested(word)`, one of WORDS; `files_received(files)`, the paths of a second
    start.
    """

    start_requested = Signal(str)
    files_received = Signal(list)

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = home
        self._host: ToolHost | None = None
        self._callers: list[_ClientConnection] = []
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)
        address, self._made = endpoint_address(home)
        self.endpoint = LocalEndpoint(address, secrets.token_urlsafe(32))
        QLocalServer.removeServer(address)  # left behind by a killed process
        if self._server.listen(address):
            write_endpoint_file(home, self.endpoint)

    def set_tool_host(self, host: ToolHost) -> None:
        """Set what executes the calls of other programs."""
        self._host = host

    def close(self) -> None:
        """Stop listening, close all connections, and drop their calls."""
        self._server.close()
        write_endpoint_file(self._home, None)
        for caller in list(self._callers):
            caller.close()
        self._callers.clear()
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    def _answer(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            if len(self._callers) >= _MAX_CONNECTIONS:
                socket.abort()
                socket.deleteLater()
                continue
            caller = _ClientConnection(socket, self)
            self._callers.append(caller)
            caller.disconnected.connect(partial(self._forget, caller))
            caller.read()

    def _forget(self, caller: _ClientConnection) -> None:
        if caller in self._callers:
            self._callers.remove(caller)

    @property
    def tool_host(self) -> ToolHost | None:
        return self._host


class _ClientConnection(QObject):
    """One connection: the client sends key and name first, then calls. It is closed after any
    invalid line (`external_api/local_protocol.py`), and its calls are dropped.
    """

    disconnected = Signal()

    def __init__(self, socket: QLocalSocket, server: LocalServer) -> None:
        super().__init__(server)
        self._socket = socket
        self._server = server
        self._reader = JsonLineReader()
        self._name: str | None = None
        self._work = TaskRunner("program", failed=self._fail)
        socket.setParent(self)
        socket.setReadBufferSize(MAX_REQUEST_BYTES + 1)
        socket.readyRead.connect(self.read)
        socket.disconnected.connect(self._leave)
        QTimer.singleShot(_IDLE_TIMEOUT_MS, self, self._expect)

    def read(self) -> None:
        """Read the received data."""
        while self._socket.bytesAvailable():
            data = bytes(self._socket.readAll().data())
            try:
                for line in self._reader.feed(data):
                    self._take(line)
            except InvalidLine as error:
                _log.warning("A client was disconnected: %s", error)
                self._socket.abort()
                return

    def close(self) -> None:
        self._work.cancel_all()
        self._socket.abort()

    def _expect(self) -> None:
        if self._name is None:
            self._socket.abort()

    def _leave(self) -> None:
        self.read()  # a second start disconnects at once
        self._work.cancel_all()
        self.disconnected.emit()
        self.deleteLater()

    def _take(self, line: Mapping[str, object]) -> None:
        """Handle a line. Raises InvalidLine."""
        if self._name is None:
            key = str(line.get("key", ""))
            if not secrets.compare_digest(key.encode(), self._server.endpoint.key.encode()):
                raise InvalidLine("not the key")
            self._name = clean_program_name(line.get("name"))
            self._say({"ok": True})
            return
        number = line.get("id")
        if not isinstance(number, int):
            raise InvalidLine("no number")
        match line.get("do"):
            case "ring" if line.get("word") in START_REQUESTS:
                self._server.start_requested.emit(line["word"])
                self._bring(line.get("files"))
            case "cancel":
                self._work.cancel_task(str(number))
            case "tools":
                self._start(number, self._list)
            case "windows":
                self._start(number, self._list_windows)
            case "window":
                self._start(number, partial(self._show, str(line.get("name", ""))))
            case "call":
                self._start(number, partial(self._call, line))
            case _:
                raise InvalidLine("not a known word")

    def _bring(self, files: object) -> None:
        named = files if isinstance(files, list) else []
        paths = [Path(one) for one in named[:MAX_FILES] if isinstance(one, str)]
        whole = [path for path in paths if path.is_absolute()]
        if whole:
            self._server.files_received.emit(whole)

    def _start(self, number: int, work: _Asked) -> None:
        async def carry_out() -> None:
            self._say({"id": number, **await work()})

        if self._work.busy(str(number)) or self._work.count >= _MAX_CALLS:
            raise InvalidLine("too many calls at once")
        self._work.start(str(number), carry_out)

    async def _list(self) -> Mapping[str, object]:
        host = self._server.tool_host
        return {"tools": [one.to_json() for one in await host.tools()] if host else []}

    async def _list_windows(self) -> Mapping[str, object]:
        host = self._server.tool_host
        return {"windows": [one.to_json() for one in await host.windows()] if host else []}

    async def _show(self, name: str) -> Mapping[str, object]:
        host = self._server.tool_host
        if host is None:
            return _STARTING.to_json()
        return (await host.window(self._name or "", name)).to_json()

    async def _call(self, line: Mapping[str, object]) -> Mapping[str, object]:
        host, given = self._server.tool_host, line.get("arguments")
        if host is None:
            return _STARTING.to_json()
        arguments = given if isinstance(given, dict) else {}
        answer = await host.call(self._name or "", str(line.get("tool", "")), arguments)
        return answer.to_json()

    def _say(self, message: Mapping[str, object]) -> None:
        if self._socket.state() is QLocalSocket.LocalSocketState.ConnectedState:
            self._socket.write(format_line(message))

    def _fail(self, error: KnownError) -> None:
        _log.warning("A call of a client failed: %s", error)
