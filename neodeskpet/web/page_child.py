"""The child process that reads fetched pages: `python -m neodeskpet.web.page_child SECONDS`.

Pages are made by strangers, and a small one can take a minute and a gigabyte to read: here time
and memory are limited (`children.serve_frames`). A frame is the length of a head, the head (JSON:
address and media type) and the page's bytes; its answer is the page as JSON, or why it was refused.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict

from neodeskpet.children import FRAME_LENGTH, serve_frames
from neodeskpet.core.json_text import repair_surrogates
from neodeskpet.web.fetcher import Fetched
from neodeskpet.web.page import FetchUnreadable, read_page

_FIRST = Fetched("https://localhost/", b"<title>T</title><body><p>Hi there</p>", "text/html")
"""So short that all ways of finding the main part are tried."""


def main(arguments: Sequence[str]) -> int:
    """Answer until standard input ends; the exit code."""
    logging.disable()
    # A page is read before the child says that it is ready: the library loads its parts and lists
    # at their first use, and that time doesn't count as time of the first page.
    answer_page_frame(page_request(_FIRST))
    return serve_frames(answer_page_frame, float(arguments[0]))


def page_request(fetched: Fetched) -> bytes:
    """The frame that asks for the page in `fetched`."""
    head = json.dumps([fetched.address, fetched.media_type]).encode()
    return FRAME_LENGTH.pack(len(head)) + head + fetched.content


def answer_page_frame(frame: bytes) -> bytes:
    try:
        told: dict[str, object] = asdict(read_page(_fetched(frame)))
    except FetchUnreadable:
        told = {"refused": "kind"}
    except (MemoryError, RecursionError):
        told = {"refused": "costly"}
    except Exception as error:  # noqa: BLE001 - libraries fail in many ways over foreign pages
        told = {"refused": "costly", "detail": f"{type(error).__name__}: {error}"[:200]}
    return json.dumps(repair_surrogates(told)).encode()


def _fetched(frame: bytes) -> Fetched:
    (size,) = FRAME_LENGTH.unpack_from(frame)
    start = FRAME_LENGTH.size + size
    address, media_type = json.loads(frame[FRAME_LENGTH.size : start])
    return Fetched(address, frame[start:], media_type)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
