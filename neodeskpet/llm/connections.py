"""The ways out: one client without a proxy of its own, and one for each proxy."""

from __future__ import annotations

from collections.abc import Callable

from neodeskpet.llm.client import HttpClient, no_plain_host


class HttpClients:
    """`builder.ConnectClient`: the client for a proxy's address, "" for none. Those for proxies are
    made when they are first asked for, and are this object's to close; `plain` isn't.
    `plain_to` as `HttpClient` has it.
    """

    def __init__(
        self, plain: HttpClient, *, plain_to: Callable[[str], bool] = no_plain_host
    ) -> None:
        self._plain = plain
        self._plain_to = plain_to
        self._proxied: dict[str, HttpClient] = {}

    def __call__(self, proxy: str) -> HttpClient:
        if not proxy:
            return self._plain
        if proxy not in self._proxied:
            self._proxied[proxy] = HttpClient(proxy, plain_to=self._plain_to)
        return self._proxied[proxy]

    async def aclose(self) -> None:
        while self._proxied:
            _, client = self._proxied.popitem()
            await client.aclose()
