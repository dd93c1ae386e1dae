"""Models that can be downloaded by name, and the download of a model file. A download can be
resumed; only files with the right size and checksum are kept. An incomplete file ends in `.part`.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from neodeskpet.core.errors import LlmError, StreamBroken
from neodeskpet.core.i18n import N_
from neodeskpet.llm.chain.model_wrappers import is_retryable
from neodeskpet.llm.http_client import RemoteFile
from neodeskpet.llm.local.local_errors import DownloadError, NoSpace, WrongChecksum

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class DownloadableModel:
    """`path` is relative to the hub's address, `size` is in bytes. `sha256` is "" if unknown."""

    title: str
    path: str
    size: int
    sha256: str
    licence: str

    @property
    def file(self) -> str:
        return self.path.rpartition("/")[2]

    def url(self, hub: str = HUB) -> str:
        return f"{hub.rstrip('/')}/{self.path}"


DOWNLOADABLE_MODELS = (
    DownloadableModel(
        "Qwen3 0.6B",
        "Qwen/Qwen3-0.6B-GGUF/resolve/23749fefcc72300e3a2ad315e1317431b06b590a/Qwen3-0.6B-Q8_0.gguf",
        639_446_688,
        "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
        "Apache-2.0",
    ),
    DownloadableModel(
        "Qwen3 1.7B",
        "Qwen/Qwen3-1.7B-GGUF/resolve/90862c4b9d2787eaed51d12237eafdfe7c5f6077/Qwen3-1.7B-Q8_0.gguf",
        1_834_426_016,
        "061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a",
        "Apache-2.0",
    ),
    DownloadableModel(
        "Qwen3 4B",
        "Qwen/Qwen3-4B-GGUF/resolve/bc640142c66e1fdd12af0bd68f40445458f3869b/Qwen3-4B-Q4_K_M.gguf",
        2_497_280_256,
        "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        "Apache-2.0",
    ),
)


FREE_DISK_BYTES = 200_000_000
"""Bytes to leave free on the disk."""

_PIECE = 1 << 20
_SECONDS = 0.5  # the longest time between two writes and progress reports
_TRIES = 5  # attempts without progress

OpenDownload = Callable[[str, int], AbstractAsyncContextManager[RemoteFile]]
"""Opens the file at an address, from this byte on if the server supports that. Raises LlmError."""


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """`done` of `total` bytes, `rate` in bytes per second; `checking`: the file is complete and its
    checksum is being computed.
    """

    done: int
    total: int
    rate: float = 0.0
    checking: bool = False


@dataclass(frozen=True, slots=True)
class Downloader:
    """Downloads into `folder`. `free` returns the free bytes of its disk."""

    folder: Path
    open: OpenDownload
    clock: Callable[[], float] = time.monotonic
    free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free

    def target(self, offer: DownloadableModel) -> Path:
        return self.folder / offer.file

    def kept(self, offer: DownloadableModel) -> int:
        """Return the bytes already downloaded, of a partial or complete file."""
        for file in (self.target(offer), self._part(offer)):
            if file.exists():
                return file.stat().st_size
        return 0

    def discard(self, offer: DownloadableModel) -> None:
        """Delete a partial download."""
        self._part(offer).unlink(missing_ok=True)

    async def fetch(
        self, offer: DownloadableModel, url: str, report: Callable[[DownloadProgress], None]
    ) -> Path:
        """Download the file and return its path. Raises DownloadError. A cancelled download keeps
        its partial file.
        """
        target, part = self.target(offer), self._part(offer)
        try:
            if await asyncio.to_thread(_size, target) == offer.size:
                report(DownloadProgress(offer.size, offer.size, checking=True))
                if await asyncio.to_thread(_is_right, target, offer):
                    return target
                await asyncio.to_thread(target.unlink)  # the file was changed or damaged
            await asyncio.to_thread(self._make_room, offer)
            digest = await self._fill(offer, url, report)
            report(DownloadProgress(offer.size, offer.size, checking=True))
            await asyncio.to_thread(_check, part, offer, digest)
            await asyncio.to_thread(part.replace, target)
        except OSError as error:
            raise DownloadError(str(error)) from error
        return target

    def _part(self, offer: DownloadableModel) -> Path:
        return self.folder / f"{offer.file}.part"

    def _make_room(self, offer: DownloadableModel) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        missing = offer.size - _size(self._part(offer)) + FREE_DISK_BYTES - self.free(self.folder)
        if missing > 0:
            raise NoSpace(count=f"{missing / 1e9:.1f}", folder=str(self.folder))

    async def _fill(
        self, offer: DownloadableModel, url: str, report: Callable[[DownloadProgress], None]
    ) -> str:
        """Download until the file is complete. Returns the checksum sent by the server, ""
        if none.
        """
        part, digest, idle = self._part(offer), "", 0
        while True:
            have = await asyncio.to_thread(_size, part)
            if have > offer.size:
                await asyncio.to_thread(part.unlink)
                have = 0
            if have == offer.size:
                return digest
            broken: LlmError = StreamBroken()
            try:
                digest = await self._read(offer, url, have, report)
            except LlmError as error:
                broken = error
            idle = 0 if await asyncio.to_thread(_size, part) > have else idle + 1
            if idle >= _TRIES or not is_retryable(broken):
                raise DownloadError(str(broken)) from broken

    async def _read(
        self,
        offer: DownloadableModel,
        url: str,
        have: int,
        report: Callable[[DownloadProgress], None],
    ) -> str:
        async with self.open(url, have) as remote:
            start = have if remote.start == have else 0
            if remote.total not in (None, offer.size):
                raise WrongChecksum(reason=N_("It has another size than it should have."))
            file = await asyncio.to_thread(_open, self._part(offer), start)
            try:
                await self._write(file, remote, DownloadProgress(start, offer.size), report)
            finally:
                file.close()
            return remote.sha256

    async def _write(
        self,
        file: BinaryIO,
        remote: RemoteFile,
        at: DownloadProgress,
        report: Callable[[DownloadProgress], None],
    ) -> None:
        began = last = self.clock()
        first, done, waiting = at.done, at.done, bytearray()
        report(at)
        try:
            async with aclosing(remote.chunks) as chunks:
                async for chunk in chunks:
                    waiting += chunk
                    now = self.clock()
                    if len(waiting) < _PIECE and now - last < _SECONDS:
                        continue
                    piece, waiting, last = bytes(waiting), bytearray(), now
                    await asyncio.to_thread(file.write, piece)
                    done += len(piece)
                    if done > at.total:
                        return
                    report(
                        DownloadProgress(done, at.total, (done - first) / max(now - began, 1e-3))
                    )
        finally:
            file.write(waiting)  # keep the last incomplete piece when the stream breaks


def _open(part: Path, start: int) -> BinaryIO:
    """Open the partial file for writing at `start` and truncate it there."""
    file = part.open("r+b" if part.exists() else "w+b")
    file.truncate(start)
    file.seek(start)
    return file


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_right(file: Path, offer: DownloadableModel) -> bool:
    return not offer.sha256 or _hash(file) == offer.sha256


def _check(part: Path, offer: DownloadableModel, checksum: str) -> None:
    """Check size and checksum, against the known ones or those sent by the server. A wrong file is
    deleted, because resuming would not repair it.
    """
    found = _hash(part)
    if found != (offer.sha256 or checksum or found):
        part.unlink()
        raise WrongChecksum(found)
