"""Pictures are decoded in order; a failure is reported and delays nothing."""

import asyncio
import subprocess
import sys

import pytest

from neodeskpet.storage.image_resize import run_in_picture_queue


def test_in_the_requested_order() -> None:
    done: list[int] = []

    async def main() -> None:
        await asyncio.gather(*(run_in_picture_queue(lambda n=n: done.append(n)) for n in range(9)))

    asyncio.run(main())
    assert done == list(range(9))


def test_a_failure_is_reported_and_delays_nothing() -> None:
    def fail() -> int:
        raise ValueError("no picture")

    async def main() -> int:
        with pytest.raises(ValueError, match="no picture"):
            await run_in_picture_queue(fail)
        return await run_in_picture_queue(lambda: 1)

    assert asyncio.run(main()) == 1


_FOUR = """
import asyncio, resource, struct, zlib
from functools import partial
from neodeskpet.storage.image_resize import MOST_DECODE_BYTES, fit_picture, run_in_picture_queue

SIDE = 7000

def part(kind, content):
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check

packer = zlib.compressobj(1)
row = bytes(1 + 3 * SIDE)
rows = b"".join(packer.compress(row) for _ in range(SIDE)) + packer.flush()
head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
parts = part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")
file = b"\\x89PNG\\r\\n\\x1a\\n" + parts

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

before = peak()

async def main():
    await asyncio.gather(*(run_in_picture_queue(partial(fit_picture, file)) for _ in range(4)))

asyncio.run(main())
print(peak() - before, MOST_DECODE_BYTES)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="what a process took is told elsewhere")
def test_several_pictures_need_no_more_memory_than_one() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _FOUR], capture_output=True, text=True, check=True, timeout=120
    )
    taken, allowed = map(int, told.stdout.split())
    assert taken < allowed
