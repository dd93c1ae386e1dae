"""The smaller pictures of a texture, made without GL where the processor draws.

Mesa's llvmpipe draws each from the one above it, and translates the programs for that anew in every
process: a tenth of a start (70 of 270 ms for a figure with one texture of 2048², live2d-py 1.0.0).
Halving them here gives the same picture, but for the last bit. The largest ones may be left out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from neodeskpet.live2d.gl.pointers import gl_function_address

_WIDTH, _HEIGHT, _FORMAT = 0x1000, 0x1001, 0x1003
_RGBA, _BYTES = 0x1908, 0x1401
_MOST = 4096 * 4096
"""Larger ones would take some hundred megabytes here for a moment."""
_FROM_WHOLE = 3
"""Qt rounds down: those that are seen are made of the whole picture, so that they don't darken."""
_name, _number, _address = ctypes.c_uint, ctypes.c_int, ctypes.c_void_p
_Make = ctypes.CFUNCTYPE(None, _name)
_Ask = ctypes.CFUNCTYPE(None, _name, _number, _name, _address)
_Read = ctypes.CFUNCTYPE(None, _name, _number, _name, _name, _address)
_Write = ctypes.CFUNCTYPE(None, _name, *([_number] * 5), _name, _name, _address)


def mipmap_chain(
    data: bytes | memoryview, width: int, height: int
) -> Iterator[tuple[int, int, bytes]]:
    """The pictures below one of `width` × `height` pixels of four bytes, each half as wide and
    high as the one above it, down to a single pixel: their sizes and bytes.
    """
    # Each byte for itself, as GL does it: Qt leaves premultiplied colours as they are.
    form = QImage.Format.Format_RGBA8888_Premultiplied
    source = QImage(data, width, height, 4 * width, form)
    level = 0
    while width > 1 or height > 1:
        width, height, level = max(1, width // 2), max(1, height // 2), level + 1
        image = source.scaled(
            width,
            height,
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        if level >= _FROM_WHOLE:
            source = image
        yield width, height, bytes(image.constBits())


def all_levels_needed(width: int, height: int) -> int:
    """All of a texture's pictures are wanted."""
    return 0


@contextmanager
def cpu_mipmaps(
    library: Any, unread: Callable[[int, int], int] = all_levels_needed
) -> Iterator[None]:
    """Within it the textures that the library loads get their smaller pictures from `halves`.
    Without as many of the largest as `unread` tells of a width and a height: then the next one is
    the texture, and what is drawn from it is the same where none of those is looked up.
    """
    making, loading = (
        gl_function_address(library, "GenerateMipmap"),
        gl_function_address(library, "TexImage2D"),
    )
    ask = _Ask(gl_function_address(library, "GetTexLevelParameteriv").value or 0)
    read = _Read(gl_function_address(library, "GetTexImage").value or 0)
    write = _Write(loading.value or 0)
    kept, kept_loading = making.value, loading.value
    made = False
    make_there = _Make(kept or 0)

    def told(target: int, what: int) -> int:
        answer = ctypes.c_int()
        ask(target, 0, what, ctypes.addressof(answer))
        return answer.value

    def load(target: int, level: int, form: int, width: int, height: int, *rest: Any) -> None:
        nonlocal made
        *kind, address = rest
        left_out = 0
        if address and kind == [0, _RGBA, _BYTES] and 0 < width * height <= _MOST:
            left_out = min(unread(width, height), min(width, height).bit_length() - 1)
        if not left_out:
            write(target, level, form, width, height, *rest)
            return
        data = (ctypes.c_char * (4 * width * height)).from_address(address)
        below = islice(mipmap_chain(memoryview(data), width, height), left_out - 1, None)
        # The largest comes last: by then Mesa has room for all, and needn't make it twice.
        for smaller, (wide, high, half) in reversed(list(enumerate(below))):
            write(target, smaller, form, wide, high, *kind, half)
        made = True

    def make(target: int) -> None:
        nonlocal made
        if made:
            made = False
            return
        width, height, form = (told(target, what) for what in (_WIDTH, _HEIGHT, _FORMAT))
        if not 0 < width * height <= _MOST:
            make_there(target)
            return
        data = ctypes.create_string_buffer(4 * width * height)
        read(target, 0, _RGBA, _BYTES, ctypes.addressof(data))
        for level, (wide, high, half) in enumerate(
            mipmap_chain(memoryview(data), width, height), 1
        ):
            write(target, level, form, wide, high, 0, _RGBA, _BYTES, half)

    calls = _Make(make), _Write(load)
    making.value, loading.value = (ctypes.cast(one, ctypes.c_void_p).value for one in calls)
    try:
        yield
    finally:
        making.value, loading.value = kept, kept_loading
