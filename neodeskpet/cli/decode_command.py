"""`neodeskpet decode`: decodes a saved response body (SSE or JSON), for bug reports.

Prints one JSON object. With `--tools` (a JSON list of `{"name", "parameters"}`: the offered tools),
calls that leaked into the text become tool calls too, with `"leaked": true`; an incomplete one is
dropped, and its text is hidden.

Exit codes: 0 decoded, 1 the reply contains an error or is incomplete (the received part is
printed), 2 wrong usage.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from neodeskpet.core.call_arguments import repair_arguments
from neodeskpet.core.dialects import NATIVE
from neodeskpet.core.dialects.leaked import LeakReader
from neodeskpet.core.dialects.leaked.families import FAMILIES
from neodeskpet.core.dialects.leaked.source import Family
from neodeskpet.core.dialects.leaked.template import BadDeclaration
from neodeskpet.core.errors import InvalidArguments, KnownError, LlmError
from neodeskpet.core.i18n import N_, Reason
from neodeskpet.core.json_text import read_json
from neodeskpet.core.toolspec import ToolSpec
from neodeskpet.core.wire import (
    PictureReceived,
    RefusalDelta,
    ResponseFinished,
    StopReason,
    TextDelta,
    TextRetracted,
    ThinkingDelta,
    ThinkingRetracted,
    ToolArgsDelta,
    ToolCallReady,
    ToolCallStarted,
    UsageReported,
    WireEvent,
)
from neodeskpet.language import format_error, tr
from neodeskpet.llm.leaked_call_forms import read_forms
from neodeskpet.llm.protocols.body_reader import BodyReader
from neodeskpet.llm.protocols.protocol_list import PROTOCOLS
from neodeskpet.platform.private_files import TooLarge, read_regular
from neodeskpet.settings.config_files import read_error_reason

_CHUNK = 1 << 16
_MAX_BODY = 64_000_000
"""Most bytes of a body; no service sends as much."""


def run(argv: list[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    parser = _parser()
    try:
        options = parser.parse_args(argv)
        body = _read(options.file)
        tools = read_tools(options.tools) if options.tools else None
        forms = _read_forms(options.forms) if options.forms else FAMILIES
    except SystemExit as ended:  # argparse has printed the error
        return int(ended.code or 0)
    except _BodyNotDecoded as error:
        print(format_error(error), file=sys.stderr)
        return 2
    decoded = decode(options.protocol, body, options.split, tools, forms)
    _print_utf8(json.dumps(decoded, ensure_ascii=False))
    return 1 if decoded["error"] is not None else 0


def _print_utf8(line: str) -> None:
    """Print in UTF-8 whatever the terminal's encoding; lone surrogates are accepted."""
    data = line.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    print(data, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neodeskpet decode",
        description=tr("Decode a saved response body of a model service."),
    )
    parser.add_argument("--protocol", choices=sorted(PROTOCOLS), required=True)
    parser.add_argument(
        "--split", type=_positive, metavar="BYTES", help=tr("feed the body in chunks of this size")
    )
    parser.add_argument(
        "--tools",
        metavar="FILE",
        help=tr("the offered tools, as JSON: calls that leaked into the text are read"),
    )
    parser.add_argument(
        "--forms",
        metavar="FILE",
        help=tr("further forms of leaked calls, as in call-forms.json (docs/call-forms.md)"),
    )
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help=tr("- reads stdin"))
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


class _BodyNotDecoded(KnownError):
    code = "decode_unread"
    what = N_("“{name}” can't be decoded.")
    hint = ""

    def __init__(self, name: str, why: Reason) -> None:
        super().__init__(name=name, reason=why.text, **why.params)


def _read(name: str) -> bytes:
    try:
        if name != "-":
            return read_regular(Path(name), _MAX_BODY)
        body = sys.stdin.buffer.read(_MAX_BODY + 1)
        if len(body) > _MAX_BODY:
            raise TooLarge(_MAX_BODY)
    except (OSError, ValueError) as error:
        raise _BodyNotDecoded(name, read_error_reason(error)) from error
    return body


def read_tools(name: str) -> list[ToolSpec]:
    """Read the tools in a file. Raises KnownError."""
    try:
        read = read_json(read_regular(Path(name), _MAX_BODY).decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise _BodyNotDecoded(name, read_error_reason(error)) from error
    if not isinstance(read, list):
        raise _BodyNotDecoded(name, Reason(N_("It must be a list of tools.")))
    tools = []
    for one in read:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise _BodyNotDecoded(name, Reason(N_("Each tool must be an object with a name.")))
        parameters = one.get("parameters")
        tools.append(ToolSpec(one["name"], "", parameters if isinstance(parameters, dict) else {}))
    return tools


def _read_forms(name: str) -> tuple[Family, ...]:
    """Return the forms of leaked calls in a file and the built-in ones. Raises KnownError."""
    try:
        return read_forms(Path(name))
    except BadDeclaration as error:
        why = Reason(N_("It declares an invalid form: {why}."), {"why": str(error)})
        raise _BodyNotDecoded(name, why) from error
    except (OSError, ValueError) as error:
        raise _BodyNotDecoded(name, read_error_reason(error)) from error


def decode(
    protocol: str,
    body: bytes,
    split: int | None = None,
    tools: Sequence[ToolSpec] | None = None,
    forms: Sequence[Family] = FAMILIES,
) -> dict[str, object]:
    """Decode `body` in chunks of `split` bytes; leaked calls of `tools` are read."""
    size = split or _CHUNK
    chunks = [body[i : i + size] for i in range(0, len(body), size)]
    return decode_chunks(protocol, chunks, tools, forms)


def decode_chunks(
    protocol: str,
    chunks: Sequence[bytes],
    tools: Sequence[ToolSpec] | None = None,
    forms: Sequence[Family] = FAMILIES,
) -> dict[str, object]:
    """Decode a body that arrives in these chunks."""
    decoder = PROTOCOLS[protocol].new_decoder()
    reader = NATIVE.reader() if tools is None else LeakReader(NATIVE.reader(), tools, (), forms)
    seen = _DecodedReply()
    error: object = None
    try:
        for event in _events(BodyReader(decoder), chunks):
            for read in reader.read(event):
                seen.add(read)
    except LlmError as failed:
        error = failed.raw or {"type": failed.code, "message": str(failed)}
        for read in reader.read(ResponseFinished(StopReason.OTHER)):
            seen.add(read)
    return seen.to_json() | {
        "finish_reason": decoder.finish_reason,
        "usage": seen.usage,
        "error": error,
    }


def _events(reader: BodyReader, chunks: Sequence[bytes]) -> Iterator[WireEvent]:
    for chunk in chunks:
        if reader.done:
            break
        yield from reader.feed(chunk)
    yield from reader.end()


class _DecodedReply:
    """Collects the content of a reply from its events."""

    def __init__(self) -> None:
        self.usage: object = None
        self._words: dict[type[WireEvent], list[str]] = {
            TextDelta: [],
            ThinkingDelta: [],
            RefusalDelta: [],
        }
        self._part = (-1, 0)  # the current thinking part, and the start of its text
        self._pictures: list[dict[str, object]] = []
        self._calls: dict[int, ToolCallStarted] = {}
        self._ready: set[int] = set()
        self._arguments: dict[int, list[str]] = {}

    def add(self, event: WireEvent) -> None:
        match event:
            case TextDelta(text=text) | RefusalDelta(text=text):
                self._words[type(event)].append(text)
            case ThinkingDelta() | ThinkingRetracted():
                self._take_thinking(event)
            case PictureReceived(data=data, media_type=media_type):
                self._pictures.append({"media_type": media_type, "bytes": len(data)})
            case TextRetracted():
                self._words[ThinkingDelta] += self._words[TextDelta]
                self._words[TextDelta] = []
            case ToolCallStarted(index=index):
                self._calls[index] = event
                self._arguments[index] = []
            case ToolArgsDelta(index=index, json=piece):
                self._arguments[index].append(piece)
            case ToolCallReady(index=index):
                self._ready.add(index)
            case UsageReported(raw=raw):
                self.usage = raw
            case _:
                pass

    def _take_thinking(self, event: ThinkingDelta | ThinkingRetracted) -> None:
        thinking = self._words[ThinkingDelta]
        if isinstance(event, ThinkingRetracted):
            begun = self._part[1]
            self._words[TextDelta] += [event.opening, *thinking[begun:]]
            del thinking[begun:]
            return
        if event.index != self._part[0]:
            self._part = (event.index, len(thinking))
        thinking.append(event.text)

    def to_json(self) -> dict[str, object]:
        pictures: dict[str, object] = {"images": self._pictures} if self._pictures else {}
        return pictures | {
            "text": "".join(self._words[TextDelta]),
            "thinking": "".join(self._words[ThinkingDelta]),
            "refusal": "".join(self._words[RefusalDelta]),
            "tool_calls": [
                self._call(index)
                for index, call in self._calls.items()
                if index in self._ready or not call.leaked
            ],
        }

    def _call(self, index: int) -> dict[str, object]:
        raw = "".join(self._arguments[index])
        record: dict[str, object] = {"name": self._calls[index].name}
        try:
            record["arguments"] = repair_arguments(raw)[0]
        except InvalidArguments:
            record |= {"arguments": None, "arguments_raw": raw}
        return record | {"leaked": True} if self._calls[index].leaked else record
