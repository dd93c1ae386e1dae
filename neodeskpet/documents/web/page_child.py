"""Converts a fetched page to text, in a child process: `python -m
neodeskpet.documents.web.page_child SECONDS`. A small page can take a minute and a gigabyte to read,
so time and memory are limited (`serve_frames`). A frame is the length of a head, the head (JSON:
address and media type) and the page's bytes; its answer is the page as JSON, or why it was refused.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from neodeskpet.core.i18n import N_
from neodeskpet.core.json_text import read_json, repair_surrogates
from neodeskpet.documents.web.fetcher import Fetched, FetchRefused
from neodeskpet.platform.child_process import FRAME_LENGTH, serve_frames
from neodeskpet.platform.text_encoding import decode_text

MOST_PAGE_BYTES = 3_000_000
"""Most bytes of a page."""
_HTML = ("text/html", "application/xhtml+xml")


class FetchUnreadable(FetchRefused):
    code = "fetch_unreadable"
    what = N_("{address} can't be read as text ({kind}).")
    hint = N_("Open it in the browser.")


class FetchCostly(FetchRefused):
    """`detail` is the library's message, "" after a timeout."""

    code = "fetch_costly"
    what = N_("{address} takes too much time or memory to be read.")
    hint = N_("Open it in the browser.")


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as text; `address` is the final one after redirects."""

    address: str
    title: str
    text: str


def read_page(fetched: Fetched) -> WebPage:
    """Convert a page to text. Call it only in the child process: a page can take minutes and
    gigabytes. Raises FetchUnreadable.
    """
    kind = fetched.media_type or "text/html"
    if kind in _HTML:
        return _read_html(fetched)
    if kind.startswith("text/") or kind in ("application/xml", "application/rss+xml"):
        return WebPage(fetched.address, "", decode_text(fetched.content)[0])
    if kind == "application/json" or kind.endswith("+json"):
        return WebPage(fetched.address, "", _tidy(decode_text(fetched.content)[0]))
    raise FetchUnreadable(address=fetched.address[:200], kind=kind[:60])


def _read_html(fetched: Fetched) -> WebPage:
    from trafilatura import extract, extract_metadata, html2txt  # late: it imports many modules

    metadata = extract_metadata(fetched.content)
    main = extract(
        fetched.content, url=fetched.address, output_format="markdown", include_links=True
    )
    title = str(metadata.title or "") if metadata is not None else ""
    return WebPage(fetched.address, title[:300], main or html2txt(fetched.content))


def _tidy(text: str) -> str:
    try:
        return json.dumps(read_json(text), ensure_ascii=False, indent=1)
    except ValueError:
        return text


_FIRST = Fetched("https://localhost/", b"<title>T</title><body><p>Hi there</p>", "text/html")
"""Short enough that the library tries all its ways to find the main text."""


def main(arguments: Sequence[str]) -> int:
    """Answer frames until standard input ends; return the exit code."""
    logging.disable()
    # Read a page before the child reports that it is ready: the library loads its parts and lists
    # on first use, and that time must not count for the first page.
    answer_page_frame(page_request(_FIRST))
    return serve_frames(answer_page_frame, float(arguments[0]))


def page_request(fetched: Fetched) -> bytes:
    """Return the request frame for a fetched page."""
    head = json.dumps([fetched.address, fetched.media_type]).encode()
    return FRAME_LENGTH.pack(len(head)) + head + fetched.content


def answer_page_frame(frame: bytes) -> bytes:
    try:
        reply: dict[str, object] = asdict(read_page(_fetched(frame)))
    except FetchUnreadable:
        reply = {"refused": "kind"}
    except (MemoryError, RecursionError):
        reply = {"refused": "costly"}
    except Exception as error:  # noqa: BLE001 - the libraries raise many types of errors
        reply = {"refused": "costly", "detail": f"{type(error).__name__}: {error}"[:200]}
    return json.dumps(repair_surrogates(reply)).encode()


def _fetched(frame: bytes) -> Fetched:
    (size,) = FRAME_LENGTH.unpack_from(frame)
    start = FRAME_LENGTH.size + size
    address, media_type = json.loads(frame[FRAME_LENGTH.size : start])
    return Fetched(address, frame[start:], media_type)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
