"""The cost of the bundle (size, start, memory), beside the same app from the checkout and a window
of Chromium with a page, in one run and measured from outside: windows by the X server, memory by
the kernel. Needs a bundle (`./run bundle`, or what `--try` left) and a display.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.xobject.drawable import Window

from tests.bench.light.measure import personal_environment
from tests.soak.process import taken, worked

_ROOT = Path(__file__).resolve().parents[2]
_BUILT = (_ROOT / "dist", _ROOT / "build" / "bundle" / "tried")
_STARTS = 4
"""The first is left out: it fills the system's cache."""
_TIMEOUT = 120.0
_REST = 5.0
_LARGE = 500
"""Points of a side: a chat or a page is at least that large, a figure isn't."""
_COLOURS = 300
"""A figure has more than that; the bubble and an empty window have fewer."""
_MB = 1e6
_PAGE = """<!doctype html><title>A page</title><style>body{font:15px sans-serif;margin:2em}</style>
<h1>Chat</h1><p>Hello.</p><p>Good morning! What shall we do?</p><textarea></textarea>"""


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds until a large window existed and until a figure was drawn (nan: never), the processor
    seconds of the whole tree by then (other load hardly changes them), and its memory some seconds
    later (PSS, MiB).
    """

    window: float
    figure: float
    worked: float
    memory: float


def measure() -> dict[str, float]:
    """Return all rows; it takes about two minutes. Raises FileNotFoundError without a bundle."""
    program = find_bundle()
    checkout = [sys.executable, "-m", "neodeskpet"]
    figures = {
        "bundle_folder_mb": size(program.parent),
        "checkout_folder_mb": size(_ROOT / "neodeskpet") + size(Path(sys.prefix)),
    }
    for package in sorted(program.parent.parent.glob("neodeskpet[_-]*.[dt]*")):
        if package.is_file():
            kind = "deb" if package.suffix == ".deb" else "tar"
            figures[f"bundle_{kind}_mb"] = package.stat().st_size / _MB
    # A client that stays: an X server starts again when its last client leaves, and
    with tempfile.TemporaryDirectory() as folder, closing(Display()):
        for name, command in (("bundle", [str(program)]), ("checkout", checkout)):
            home = Path(folder) / name
            words = [*command, "--data-dir", str(home), "--chat"]
            figures |= _several(name, words, "neodeskpet", figure=True)
        browser = shutil.which("chromium")
        if browser is not None:
            page = Path(folder) / "page.html"
            page.write_text(_PAGE, "utf-8")
            own = [f"--user-data-dir={folder}/chromium", f"--app={page.as_uri()}"]
            quiet = ["--no-sandbox", "--no-first-run", "--disable-background-networking"]
            figures["chromium_folder_mb"] = size(Path("/usr/lib/chromium"))
            figures |= _several("chromium", [browser, *quiet, *own], "chromium", figure=False)
    return figures


def find_bundle() -> Path:
    """The newest program that was built here. Raises FileNotFoundError."""
    found = [file for file in (one / "neodeskpet/neodeskpet" for one in _BUILT) if file.is_file()]
    if not found:
        raise FileNotFoundError("There is no bundle to measure: ./run bundle builds one.")
    return max(found, key=lambda file: file.stat().st_mtime)


def size(folder: Path) -> float:
    """Of all its files, in MB."""
    files = (Path(place) / name for place, _, names in os.walk(folder) for name in names)
    return sum(file.lstat().st_size for file in files) / _MB


def _several(name: str, command: Sequence[str], kind: str, *, figure: bool) -> dict[str, float]:
    starts = [_start(command, kind, figure=figure) for _ in range(_STARTS)][1:]
    figures = {
        f"{name}_start_s": statistics.median(start.window for start in starts),
        f"{name}_start_worked_s": statistics.median(start.worked for start in starts),
        f"{name}_memory_mib": statistics.median(start.memory for start in starts),
    }
    drawn = [start.figure for start in starts]
    if all(one == one for one in drawn):
        figures[f"{name}_figure_s"] = statistics.median(drawn)
    return figures


def _start(command: Sequence[str], kind: str, *, figure: bool) -> Start:
    display = Display()
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=personal_environment(),  # the checkout isn't compiled at each start
    )
    try:
        window, drawn = _watch(display, kind, began, figure=figure)
        spent = worked(process.pid)
        time.sleep(_REST)
        told = taken(process.pid)
        return Start(window, drawn, spent, told.pss if told is not None else float("nan"))
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        display.close()


def _watch(display: Display, kind: str, began: float, *, figure: bool) -> tuple[float, float]:
    """Return the seconds from `began` to the large window and to the figure; nan for what never
    comes.
    """
    window = drawn = float("nan")
    while time.perf_counter() - began < _TIMEOUT:
        seen = list(_windows(display, kind))
        now = time.perf_counter() - began
        if window != window and any(map(_is_large, seen)):
            window = now
        if figure and drawn != drawn and any(map(_has_figure, seen)):
            drawn = now
        if window == window and (drawn == drawn or not figure):
            break
        time.sleep(0.01)
    return window, drawn


def _windows(display: Display, kind: str) -> Iterator[Window]:
    """Return the visible ones of this class."""
    for window in display.screen().root.query_tree().children:
        with suppress(XError):
            named = window.get_wm_class() or ("", "")
            seen = window.get_attributes().map_state == X.IsViewable
            if seen and kind in " ".join(named).lower():
                yield window


def _is_large(window: Window) -> bool:
    place = window.get_geometry()
    return bool(place.width >= _LARGE and place.height >= _LARGE)


def _has_figure(window: Window) -> bool:
    """Return whether something was drawn in a window that isn't large."""
    place = window.get_geometry()
    if _is_large(window) or place.width < 50 or place.height < 100:
        return False
    found = window.get_image(0, 0, place.width, place.height, X.ZPixmap, 0xFFFFFFFF).data
    points = [found[at : at + 4] for at in range(0, len(found), 4 * 37)]
    return len(set(points)) > _COLOURS
