"""Writes small GGUF files: a header like a real one, and as many bytes of data as it states."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

FACTS: Mapping[str, object] = {
    "general.architecture": "tiny",
    "general.name": "Tiny 小",
    "tiny.context_length": 4096,
    "tiny.block_count": 2,
    "tiny.attention.head_count": 4,
    "tiny.attention.head_count_kv": 2,
    "tiny.embedding_length": 64,
    "tokenizer.ggml.tokens": ["a", "b", "c"],
    "tokenizer.ggml.scores": [0.5] * 100,
    "tokenizer.chat_template": "{{ messages }}",
}


def text(words: str) -> bytes:
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def value(thing: object) -> bytes:
    """Its type and its bytes."""
    match thing:
        case bool():
            return struct.pack("<I?", 7, thing)
        case int():
            return struct.pack("<II", 4, thing)
        case float():
            return struct.pack("<If", 6, thing)
        case str():
            return struct.pack("<I", 8) + text(thing)
        case [first, *_]:
            whole = [value(one) for one in thing]
            kind = value(first)[:4]
            return (
                struct.pack("<I", 9)
                + kind
                + struct.pack("<Q", len(whole))
                + b"".join(one[4:] for one in whole)
            )
        case _:
            raise TypeError(thing)


def gguf(
    facts: Mapping[str, object] = FACTS,
    tensors: Sequence[tuple[str, tuple[int, ...], int, int]] = (("w", (64, 4), 8, 0),),
    *,
    data: int = 64 * 4 // 32 * 34,
    version: int = 3,
) -> bytes:
    """The bytes of a file. A tensor is name, dimensions, type and offset (8 is Q8_0)."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(facts))
    for name, thing in facts.items():
        head += text(name) + value(thing)
    for name, sides, kind, offset in tensors:
        head += text(name) + struct.pack("<I", len(sides))
        head += b"".join(struct.pack("<Q", side) for side in sides)
        head += struct.pack("<IQ", kind, offset)
    return head + bytes(-len(head) % 32 + data)


def write_gguf(folder: Path, name: str = "tiny.gguf") -> Path:
    file = folder / name
    file.write_bytes(gguf())
    return file
