"""A React chat in Chromium for comparison: its packages are downloaded by npm when it is measured.

A page with React, react-markdown and remark-gfm, bundled by esbuild, drawn without a graphics card
as ours is. Missing parts (npm, Chromium, a network) are reported in a sentence, and nothing fails.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError

from tests.bench.view import SIZE

PACKAGES = {
    "react": "19.2.0",
    "react-dom": "19.2.0",
    "react-markdown": "10.1.0",
    "remark-gfm": "4.0.1",
    "esbuild": "0.25.10",
}
_SOURCE = Path(__file__).with_name("chat.jsx")
_PAGE = """<!doctype html><meta charset="utf-8"><title>begins</title>
<style>body {font: 14px sans-serif; margin: 12px}</style><div id="chat"></div>
<script src="chat.js"></script>"""
_FETCH_SECONDS, _START_SECONDS, _END_SECONDS = 120, 40, 120
_TURN_SECONDS = 0.05


class Missing(Exception):
    """The reason why the chat can't be measured, as a sentence."""


def build(folder: Path) -> Path:
    """The page in `folder`, with its dependencies. Raises Missing."""
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("npm isn't there, so no React chat is measured.")
    folder.mkdir(parents=True)
    wanted = {"private": True, "dependencies": PACKAGES}
    (folder / "package.json").write_text(json.dumps(wanted), encoding="utf-8")
    shutil.copy(_SOURCE, folder / _SOURCE.name)
    (folder / "index.html").write_text(_PAGE, encoding="utf-8")
    bundle = [
        "node_modules/.bin/esbuild",
        _SOURCE.name,
        "--bundle",
        "--minify",
        "--outfile=chat.js",
        '--define:process.env.NODE_ENV="production"',
    ]
    for command in ([npm, "install", "--no-audit", "--no-fund", "--silent"], bundle):
        try:
            subprocess.run(
                command, cwd=folder, check=True, timeout=_FETCH_SECONDS, capture_output=True
            )
        except (OSError, subprocess.SubprocessError):
            raise Missing("The React chat's packages can't be fetched or built here.") from None
    return folder / "index.html"


def find_browser() -> str:
    """Its program. Raises Missing."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (found := shutil.which(name)) is not None:
            return found
    raise Missing("Chromium isn't there, so no React chat is measured.")


class Browser:
    """Chromium with the page; the page sends a request to `url` by itself, some seconds after it
    was loaded.
    """

    def __init__(self, process: subprocess.Popen[bytes], display: Display) -> None:
        self.process = process
        self._display = display
        self.window = self._wait_for({"ready"}, _START_SECONDS)

    def wait_for_end(self) -> None:
        self._wait_for({"done"}, _END_SECONDS)

    def _wait_for(self, titles: set[str], seconds: float) -> int:
        """Return the number of the window whose title begins like this. Raises Missing."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            for window in self._display.screen().root.query_tree().children:
                if self._title(window).split(" ")[0] in titles:
                    return int(window.id)
            time.sleep(_TURN_SECONDS)
        raise Missing("Chromium doesn't show the React chat here.")

    def _title(self, window: object) -> str:
        try:
            told = window.get_full_text_property(  # type: ignore[attr-defined]
                self._display.intern_atom("_NET_WM_NAME"), X.AnyPropertyType
            )
        except XError:  # it was closed
            return ""
        return str(told or "")


@contextmanager
def react_chat(folder: Path, url: str) -> Iterator[Browser]:
    """The page in a browser of its own. Raises Missing."""
    page, width, height = build(folder / "page"), *SIZE
    process = subprocess.Popen(
        [
            find_browser(),
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            # No window manager reports that it is visible; it is, and must be drawn.
            "--disable-backgrounding-occluded-windows",
            "--disable-renderer-backgrounding",
            "--disable-background-timer-throttling",
            "--test-type",
            "--disable-extensions",
            "--disable-background-networking",
            "--disable-sync",
            f"--user-data-dir={folder / 'profile'}",
            f"--window-size={width},{height}",
            f"--app={page.as_uri()}#{url}",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    display = Display()
    try:
        yield Browser(process, display)
    finally:
        display.close()
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
