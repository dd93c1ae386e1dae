"""What a fetched file says, as text: of a page its main part as Markdown, by trafilatura.

Nothing of it is run, and nothing that it names is loaded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from neodeskpet.core.json_text import read_json
from neodeskpet.core.wording import N_
from neodeskpet.encodings import decode_text
from neodeskpet.web.fetcher import Fetched, FetchRefused

MOST_PAGE_BYTES = 3_000_000
"""Bytes of a page that is read."""
_HTML = ("text/html", "application/xhtml+xml")


class FetchUnreadable(FetchRefused):
    code = "fetch_unreadable"
    what = N_("{address} is no text that can be read here ({kind}).")
    hint = N_("Open it in the browser.")


class FetchCostly(FetchRefused):
    """`detail` is what the library said, "" if it took too long."""

    code = "fetch_costly"
    what = N_("{address} takes too much time or memory to be read.")
    hint = N_("Open it in the browser.")


@dataclass(frozen=True, slots=True)
class WebPage:
    """`address` is where it was found at last."""

    address: str
    title: str
    text: str


def read_page(fetched: Fetched) -> WebPage:
    """Only in the child process (`page_child`): a page can take minutes and gigabytes. Raises
    FetchUnreadable.
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
    from trafilatura import extract, extract_metadata, html2txt  # late: it brings many others

    told = extract_metadata(fetched.content)
    main = extract(
        fetched.content, url=fetched.address, output_format="markdown", include_links=True
    )
    title = str(told.title or "") if told is not None else ""
    return WebPage(fetched.address, title[:300], main or html2txt(fetched.content))


def _tidy(text: str) -> str:
    try:
        return json.dumps(read_json(text), ensure_ascii=False, indent=1)
    except ValueError:
        return text
