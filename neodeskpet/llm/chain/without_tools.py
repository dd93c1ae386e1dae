"""Requests with tools that a service refuses for no reason that is known.

Services refuse tools in any words, or in none. Nothing is tried by itself then: the error offers to
send without tools or to switch to text mode, and names the service that the choice is kept for.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from neodeskpet.core.errors import (
    BadReply,
    LlmError,
    NotFound,
    RequestRefused,
    ServiceFailed,
    ToolsInDoubt,
)

_UNSPECIFIC = frozenset({400, 404, 405, 415, 422, 500, 501, 502, 503})


def tools_in_doubt(error: LlmError, base_url: str) -> LlmError:
    """The error of a request with tools that showed nothing: the question about the tools, if they
    may be the reason.
    """
    if not _may_be_the_tools(error):
        return error
    doubted = ToolsInDoubt(
        error.detail, status=error.status, retry_after=error.retry_after, raw=error.raw
    )
    doubted.params |= {"status": str(error.status), "service": service_of(base_url)}
    return doubted


def service_of(base_url: str) -> str:
    """The address of a service without what may be secret in it."""
    text = base_url.strip()
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
    except ValueError:  # it is no address at all, which its request will say
        return ""
    place = parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")
    return (f"{parts.scheme}://{place}" if parts.scheme else place).casefold()


def _may_be_the_tools(error: LlmError) -> bool:
    """A 404 with an error object names a route or a model; a bare one may mean anything. A 5xx
    that may pass was tried again with the tools before.
    """
    if isinstance(error, NotFound) and error.raw is not None:
        return False
    kinds = (RequestRefused, ServiceFailed, NotFound, BadReply)
    return isinstance(error, kinds) and error.status in _UNSPECIFIC
