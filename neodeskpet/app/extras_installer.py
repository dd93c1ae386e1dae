"""Adds and removes optional packages for the settings window: runs `neodeskpet extras` in a process
of its own.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from neodeskpet.platform.child_process import child_environment
from neodeskpet.platform.installation import add_extras_to_path, extras_dir, own_command

_MAX_OUTPUT = 2_000
"""The number of characters of the command's error output that an error contains."""
_POLL_SECONDS = 0.3
PART_PREFIX, _DOWNLOAD_PREFIX = ".part-", ".download-"

OnBytes = Callable[[int], object]
"""Gets the bytes downloaded so far."""


class ExtraCommandFailed(Exception):
    """The command failed. Its argument is the end of what it printed."""


async def add_extra(name: str, on_bytes: OnBytes = lambda _count: None) -> None:
    """Download and install an optional package. A cancelled installation leaves nothing behind.
    Raises ExtraCommandFailed.
    """
    try:
        downloads = await asyncio.to_thread(_make_folder)
        before = await asyncio.to_thread(_parts)
    except OSError as error:
        raise ExtraCommandFailed(str(error)) from error
    # pip reads its index and its certificates from its own environment variables.
    environment = {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
    environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(downloads))
    completed = False
    try:
        await _run(["add", name], environment, downloads, on_bytes)
        completed = True
    finally:
        leftovers = [downloads] if completed else [downloads, *(_parts() - before)]
        for folder in leftovers:
            await asyncio.to_thread(partial(shutil.rmtree, folder, ignore_errors=True))
    await asyncio.to_thread(add_extras_to_path)


async def remove_extra(name: str) -> None:
    """Remove an optional package. Raises ExtraCommandFailed."""
    await _run(["remove", name], {})


async def _run(
    words: Sequence[str],
    environment: Mapping[str, str],
    downloads: Path | None = None,
    on_bytes: OnBytes = lambda _count: None,
) -> None:
    start = partial(
        subprocess.Popen,
        [*own_command(), "extras", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=child_environment() | dict(environment),
    )
    try:
        child = await asyncio.to_thread(start)
    except OSError as error:
        raise ExtraCommandFailed(str(error)) from error
    waiting = asyncio.get_running_loop().run_in_executor(None, child.communicate)
    try:
        while not (await asyncio.wait([waiting], timeout=_POLL_SECONDS))[0]:
            if downloads is not None:
                on_bytes(await asyncio.to_thread(_downloaded, downloads))
        _, said = await waiting
    finally:
        if child.poll() is None:
            child.kill()
            await asyncio.shield(waiting)
    if child.returncode != 0:
        raise ExtraCommandFailed(said[-_MAX_OUTPUT:].strip())


def _make_folder() -> Path:
    extras_dir().mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=_DOWNLOAD_PREFIX, dir=extras_dir()))


def _parts() -> set[Path]:
    return set(extras_dir().glob(f"{PART_PREFIX}*"))


def _downloaded(folder: Path) -> int:
    """Return the bytes of all wheels in the folder, complete or not."""
    total = 0
    for wheel in folder.rglob("*.whl"):
        with suppress(OSError):
            total += wheel.stat().st_size
    return total
