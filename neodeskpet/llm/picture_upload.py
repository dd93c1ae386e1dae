"""Uploads pictures for services that only accept the address of a picture.

The endpoint's `upload` in `llm-config.json` says where and how. The picture is sent as
multipart/form-data, and the address in the answer replaces the picture in the request.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from neodeskpet.core.errors import BadReply, LlmError, NotFound, PictureNotUploaded, RequestRefused
from neodeskpet.core.i18n import N_
from neodeskpet.core.model import Model, ModelRequest
from neodeskpet.core.transcript import ImagePart, ModelMessage, TextPart, UserTurn
from neodeskpet.core.wire import WireEvent
from neodeskpet.llm.catalog.model_catalog import Endpoint, Upload
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.llm.protocols.protocol import HttpRequest, ModelOptions, MultipartForm
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS

_TIMEOUT = 60.0
"""Seconds without a byte after which an upload counts as failed."""
_LONGEST = 8_000
"""Maximum characters of an address."""


class Uploader:
    """Uploads pictures to the address that `endpoint` names."""

    def __init__(
        self,
        client: HttpClient,
        endpoint: Endpoint,
        upload: Upload,
        key: Callable[[Endpoint], Awaitable[str]],
    ) -> None:
        self._client = client
        self._endpoint = endpoint
        self._upload = upload
        self._key = key

    async def send(self, part: ImagePart) -> str:
        """Upload a picture and return its address. Raises PictureNotUploaded."""
        host = urlsplit(self._upload.url).netloc.rpartition("@")[2]
        try:
            key, headers = await self._access()
            kind = part.media_type.partition("/")[2] or "png"
            form = MultipartForm(
                self._upload.fields,
                self._upload.field,
                f"picture.{kind.replace('jpeg', 'jpg')}",
                part.media_type,
                part.data,
            )
            request = HttpRequest("POST", self._upload.url, headers, form=form)
            answer = await self._client.fetch(request, key=key, timeout=_TIMEOUT)
            return address_in(answer, self._upload)
        except LlmError as error:
            raise PictureNotUploaded(str(error), host=host, status=error.status) from error

    async def _access(self) -> tuple[str, Mapping[str, str]]:
        """Return the headers with the key. The endpoint's own headers are only sent to its own
        server.
        """
        upload, endpoint = self._upload, self._endpoint
        if not upload.key_variable and _origin(upload.url) == _origin(endpoint.base_url):
            key = (await self._key(endpoint)).strip()
            options = ModelOptions(endpoint.base_url, "", key, headers=endpoint.headers)
            return key, PROTOCOLS[endpoint.protocol].build_listing(options).headers
        changes = {"base_url": upload.url, "key_variable": upload.key_variable}
        key = (await self._key(endpoint.model_copy(update=changes))).strip()
        return key, {"Authorization": f"Bearer {key}"} if key else {}


def address_in(answer: object, upload: Upload) -> str:
    """Return the address at `upload.result` in the JSON answer. Raises BadReply."""
    value = answer
    for step in upload.result.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            value = None
    address = urljoin(upload.url, value.strip()) if isinstance(value, str) and value.strip() else ""
    if not address.startswith(("http://", "https://")) or len(address) > _LONGEST:
        raise BadReply(
            reason=N_("The answer to the upload has no address at “{path}”."), path=upload.result
        )
    return address


class UploadingModel:
    """Sends requests to `model` with the addresses of uploaded pictures. An address is reused while
    the app runs; if the service refuses a request with such an address (it may have expired), the
    pictures are uploaded again once.
    """

    def __init__(self, model: Model, uploader: Uploader) -> None:
        self._model = model
        self._uploader = uploader
        self._addresses: dict[str, str] = {}

    @property
    def label(self) -> str:
        return self._model.label

    async def stream(self, request: ModelRequest) -> AsyncGenerator[WireEvent, None]:
        """Raises PictureNotUploaded before the model is asked."""
        before = set(self._addresses)
        messages, used = await self._uploaded(request)
        shown = False
        try:
            async with aclosing(self._model.stream(replace(request, messages=messages))) as events:
                async for event in events:
                    shown = True
                    yield event
            return
        except (RequestRefused, NotFound):
            old = used & before
            if shown or not old:
                raise
            for digest in old:
                del self._addresses[digest]
        messages, _ = await self._uploaded(request)
        async with aclosing(self._model.stream(replace(request, messages=messages))) as events:
            async for event in events:
                yield event

    async def _uploaded(self, request: ModelRequest) -> tuple[list[ModelMessage], set[str]]:
        """Return the messages with addresses in place of picture data, and the pictures that have
        one.
        """
        used: set[str] = set()
        messages: list[ModelMessage] = []
        for message in request.messages:
            if isinstance(message, UserTurn):
                parts: list[TextPart | ImagePart] = []
                for part in message.parts:
                    if isinstance(part, ImagePart) and part.data:
                        used.add(part.digest)
                        part = replace(part, data=b"", url=await self._address(part))
                    parts.append(part)
                message = UserTurn(tuple(parts))
            messages.append(message)
        return messages, used

    async def _address(self, part: ImagePart) -> str:
        known = self._addresses.get(part.digest)
        if known is None:
            known = self._addresses[part.digest] = await self._uploader.send(part)
        return known


def _origin(address: str) -> tuple[str, str, int | None]:
    parts = urlsplit(address if "://" in address else f"https://{address}")
    return parts.scheme, (parts.hostname or "").casefold(), parts.port
