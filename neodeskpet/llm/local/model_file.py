"""A model file on this computer: its address (`local:` and its path), and a check of its GGUF
header before it is loaded. llama.cpp maps the file into memory and would end its process on a
truncated one, so every length is checked against the file.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from neodeskpet.core.i18n import N_
from neodeskpet.llm.local.local_errors import BadModelFile, ModelFileMissing

SCHEME = "local:"
LOCAL_MODELS_FOLDER = "language-models"
"""The folder in the data folder for downloads, and the base of relative paths."""


def is_model_file(base_url: str) -> bool:
    """Return whether this address is a local model file."""
    return base_url.strip().casefold().startswith(SCHEME)


def address_of(file: Path) -> str:
    """Return the address of a model file."""
    return f"{SCHEME}{file}"


def file_of(base_url: str, folder: Path) -> Path:
    """Return the model file of an address. Relative paths start in `folder`. Any number of slashes
    may follow the colon, as in other addresses.
    """
    text = base_url.strip()[len(SCHEME) :].strip()
    if text.startswith("//"):
        text = "/" + text.lstrip("/")
    return folder / Path(text).expanduser()


def model_name(file: Path) -> str:
    """Return the name of the model: the file name without the ending."""
    return file.name[: -len(".gguf")] if file.name.casefold().endswith(".gguf") else file.name


_MAGIC = b"GGUF"
_NUMBERS = dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?")))
_NUMBERS |= dict(enumerate(("<Q", "<q", "<d"), 10))
_TEXT, _LIST = 8, 9
_KEPT = 64  # numbers kept of a list; token lists have 100,000
_MANY = 1 << 20  # no model has more entries or tensors
_DEEP = 4

_BLOCKS = (
    dict.fromkeys((0, 26), (1, 4))
    | dict.fromkeys((1, 25, 30), (1, 2))
    | dict.fromkeys((27, 28), (1, 8))
    | {24: (1, 1), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36)}
    | {20: (32, 18), 39: (32, 17), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176)}
    | {14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98)}
    | {19: (256, 50), 21: (256, 110), 22: (256, 82), 23: (256, 136), 29: (256, 56)}
    | {34: (256, 54), 35: (256, 66)}
)
"""ggml's number types: numbers per block and bytes per block. For a type that is missing here
(newer than this table) only the start of the tensor is checked.
"""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The content of the header. Sizes are in bytes; `context` is the context length of the
    training in tokens, 0 if unknown; `per_token` is the memory for one token of context.
    """

    file: Path
    size: int
    architecture: str
    name: str = ""
    context: int = 0
    per_token: int = 0
    chats: bool = True
    """Whether it contains a chat template."""

    def memory(self, context: int) -> int:
        """Return the approximate memory in bytes with so many tokens of context."""
        return self.size + min(context, self.context or context) * self.per_token + _WORKING


_WORKING = 150_000_000


def check_model_file(file: Path) -> ModelFile:
    """Read the header; takes up to some tenths of a second. Raises BadModelFile,
    ModelFileMissing."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(0)
            return _Header(stream, size).read(file)
    except FileNotFoundError:
        raise ModelFileMissing(file=str(file)) from None
    except IsADirectoryError:
        raise BadModelFile(reason=N_("It is a folder."), file=file.name) from None
    except OSError as error:
        raise BadModelFile(str(error), file=file.name) from None
    except _BadHeader as wrong:
        refused = BadModelFile(file=file.name, reason=wrong.reason)
        refused.params |= wrong.params
        raise refused from None


class _BadHeader(Exception):
    """The reason why the file can't be used, as in a KnownError."""

    def __init__(self, reason: str, **params: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.params = params


@dataclass(slots=True)
class _Header:
    """Reads one header from its start. Raises _BadHeader."""

    stream: BinaryIO
    size: int
    facts: dict[str, Any] = field(default_factory=dict)

    def read(self, file: Path) -> ModelFile:
        if self._take(4) != _MAGIC:
            raise _BadHeader(N_("It isn't a GGUF file."))
        version = self._number("<I")
        if version not in (2, 3):
            raise _BadHeader(N_("Its GGUF version {version} isn't known."), version=str(version))
        tensors, entries = self._number("<Q"), self._number("<Q")
        if max(tensors, entries) > _MANY:
            raise _BadHeader(N_("It is damaged."))
        for _ in range(entries):
            name = self._text()
            self.facts[name] = self._value(self._number("<I"), 0)
        ends = [self._tensor() for _ in range(tensors)]
        self._check_end(max(ends, default=0))
        return self._read_metadata(file)

    def _check_end(self, length: int) -> None:
        step = self._count("general.alignment") or 32
        begin = -(-self.stream.tell() // step) * step
        if begin + length > self.size:
            missing = f"{(begin + length - self.size) / 1e6:,.1f}"
            raise _BadHeader(N_("It is incomplete: {count} MB are missing."), count=missing)

    def _read_metadata(self, file: Path) -> ModelFile:
        kind = self.facts.get("general.architecture")
        if not isinstance(kind, str) or not kind:
            raise _BadHeader(N_("It doesn't name its model type."))
        if kind in ("clip", "mmproj"):
            raise _BadHeader(
                N_("This file is only the vision part of a model; choose the model itself.")
            )
        name = self.facts.get("general.name")
        return ModelFile(
            file,
            self.size,
            kind,
            name if isinstance(name, str) else "",
            self._count(f"{kind}.context_length"),
            self._per_token(kind),
            "tokenizer.chat_template" in self.facts,
        )

    def _per_token(self, kind: str) -> int:
        """Return the bytes for keys and values of all layers, in half precision."""
        layers = self._count(f"{kind}.block_count")
        heads = self._count(f"{kind}.attention.head_count")
        pairs = self._count(f"{kind}.attention.head_count_kv") or heads
        width = self._count(f"{kind}.attention.key_length")
        if not width and heads:
            width = self._count(f"{kind}.embedding_length") // heads
        return layers * pairs * width * 2 * 2

    def _count(self, name: str) -> int:
        value = self.facts.get(name)
        if isinstance(value, list):  # a number for each layer
            value = max((one for one in value if isinstance(one, int)), default=0)
        return value if isinstance(value, int) and 0 < value < 1 << 32 else 0

    # The parts

    def _take(self, count: int) -> bytes:
        if count > self.size - self.stream.tell():
            raise _BadHeader(N_("It is incomplete."))
        return self.stream.read(count)

    def _skip(self, count: int) -> None:
        if count > self.size - self.stream.tell():
            raise _BadHeader(N_("It is incomplete."))
        self.stream.seek(count, 1)

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _text(self) -> str:
        return self._take(self._number("<Q")).decode("utf-8", "replace")

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _TEXT:
            return self._text()
        if kind == _LIST and depth < _DEEP:
            return self._list(depth)
        raise _BadHeader(N_("It is damaged."))

    def _list(self, depth: int) -> list[Any]:
        kind, count = self._number("<I"), self._number("<Q")
        form = _NUMBERS.get(kind)
        if form is not None:
            kept = [self._number(form) for _ in range(min(count, _KEPT))]
            self._skip((count - len(kept)) * struct.calcsize(form))
            return kept
        if kind == _TEXT:
            for _ in range(count):
                self._skip(self._number("<Q"))
            return []
        return [self._value(kind, depth + 1) for _ in range(count)][:_KEPT]

    def _tensor(self) -> int:
        """Return the end of the tensor's data, relative to the start of all data."""
        self._text()
        dimensions = self._number("<I")
        if dimensions > 8:
            raise _BadHeader(N_("It is damaged."))
        count = 1
        for _ in range(dimensions):
            count *= self._number("<Q")
        kind, offset = self._number("<I"), self._number("<Q")
        numbers, taken = _BLOCKS.get(kind, (1, 0))
        return int(offset + count // numbers * taken)
