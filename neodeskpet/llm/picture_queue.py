"""Pictures are decoded one after the other: each may take hundreds of megabytes while it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

# A thread of its own: what waits in it keeps no thread from other work.
_queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")


async def run_in_picture_queue(work: Callable[[], T]) -> T:
    """The result of `work`, done on a thread when all pictures before it are done."""
    return await asyncio.get_running_loop().run_in_executor(_queue, work)
