"""Creates only the GL programs and mask buffers that a figure needs.

For its first renderer the library would create 482 programs, nearly all of them for blend modes
that only version 6 of the moc has.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum, auto
from functools import partial
from typing import Any

from neodeskpet.figure.live2d.gl_functions import (
    TextureFiltering,
    can_replace_functions,
    gl_function_address,
    is_software,
    renderer,
)
from neodeskpet.figure.live2d.mipmaps import all_levels_needed, cpu_mipmaps

CHANNELS = 4
_SECTIONS = 0x40
_COUNTS, _BEGINS, _LENGTHS, _MASKS = 0, 47, 48, 80
"""Slots of the section table: the counts, and the lists of masks of the meshes."""
_MESHES, _ENTRIES = 4, 17
_MOST = 100_000


def mask_lists(moc: bytes) -> int | None:
    """Return the number of different lists of masks of the meshes of a .moc3; None if unknown."""
    try:
        counts, begins, lengths, masks = (
            struct.unpack_from("<I", moc, _SECTIONS + 4 * slot)[0]
            for slot in (_COUNTS, _BEGINS, _LENGTHS, _MASKS)
        )
        meshes = struct.unpack_from("<I", moc, counts + 4 * _MESHES)[0]
        entries = struct.unpack_from("<I", moc, counts + 4 * _ENTRIES)[0]
        if meshes > _MOST or entries > _MOST:
            return None
        begin = struct.unpack_from(f"<{meshes}i", moc, begins)
        length = struct.unpack_from(f"<{meshes}i", moc, lengths)
        all_masks = struct.unpack_from(f"<{entries}i", moc, masks)
    except struct.error:
        return None
    # The library, too, compares the lists by their contents in any order.
    return len(
        {
            tuple(sorted(all_masks[first : first + number]))
            for first, number in zip(begin, length, strict=True)
            if number > 0
        }
    )


def mask_buffers(lists: int | None) -> int | None:
    """Return the number of buffers to request; None: the library's default."""
    return 1 if lists is not None and lists <= CHANNELS else None


_PLAIN = 5
"""How many programs the library creates first for what it draws here: one copies, one draws masks,
and three draw parts (plain, masked and with an inverted mask). Additive and multiplicative blending
use these programs too. Those after them are for textures with premultiplied alpha, which it never
loads.
"""
_LAST_PLAIN_MOC = 5
_ERRORS = 100
"""The largest number of GL errors that are cleared: a lost context reports errors without end."""
_Call = ctypes.CFUNCTYPE(None, ctypes.c_uint)
_Ask = ctypes.CFUNCTYPE(ctypes.c_uint)
_Plain = ctypes.CFUNCTYPE(None)


class _ProgramsMade(Enum):
    NONE = auto()
    PLAIN = auto()
    ALL = auto()


class GlPrograms:
    """The GL functions and programs of the library. There is one instance, since the library is
    loaded once.
    """

    def __init__(self) -> None:
        self.known = False
        self.software = False
        """Whether the current context renders in software."""
        self._made = _ProgramsMade.NONE

    def begin(self, library: Any) -> None:
        """Have the library load the functions of another current GL context."""
        library.glInit()
        self.known = True
        self.software = is_software(renderer(library))
        self._made = _ProgramsMade.NONE

    def can_limit(self, library: Any, moc_version: int) -> bool:
        """Return whether a figure with this version of the moc is drawn in software and can be
        drawn with these limits.
        """
        return (
            self.software and 1 <= moc_version <= _LAST_PLAIN_MOC and can_replace_functions(library)
        )

    def make_renderer(
        self,
        library: Any,
        model: Any,
        moc_version: int,
        lists: int | None = None,
        unread: Callable[[int, int], int] = all_levels_needed,
    ) -> None:
        """Create a renderer for `model` and the missing programs. `moc_version` is that of its
        .moc3, 0 if unknown; `lists` is its number of lists of masks, if known; `unread` as in
        `cpu_mipmaps`, if that is used. Raises RuntimeError before `begin`.
        """
        if not self.known:
            raise RuntimeError("a model can't be drawn before the library knows a GL context")
        plain = 1 <= moc_version <= _LAST_PLAIN_MOC
        number = mask_buffers(lists) if plain else None
        make = model.CreateRenderer if number is None else partial(model.CreateRenderer, number)
        create = partial(self._create, library, make, unread)
        if plain and can_replace_functions(library):
            if self._made is _ProgramsMade.NONE:
                with _only_first_programs(_PLAIN, library):
                    create()
                self._made = _ProgramsMade.PLAIN
                return
        elif self._made is _ProgramsMade.PLAIN:
            # Programs can't be added: all are created again. Other renderers find them, too.
            library.glRelease()
            self.begin(library)
        create()
        if self._made is _ProgramsMade.NONE:
            self._made = _ProgramsMade.ALL

    def _create(
        self, library: Any, make: Callable[[], None], unread: Callable[[int, int], int]
    ) -> None:
        here = self.software and can_replace_functions(library)
        with cpu_mipmaps(library, unread) if here else nullcontext():
            make()
        if here:
            _release_compiler(library)

    def filtering(self, library: Any, moc_version: int) -> TextureFiltering | None:
        """Return the filtering to draw a figure within; None: it is drawn without."""
        return TextureFiltering(library) if self.can_limit(library, moc_version) else None


def moc_version(content: bytes) -> int:
    """Return the version of a .moc3 by its first bytes; 0 if it is none."""
    return content[4] if content.startswith(b"MOC3") and len(content) > 4 else 0


@contextmanager
def _only_first_programs(most: int, library: Any) -> Iterator[None]:
    """Compile and link only the first `most` programs inside the `with` block; the library treats
    the others as failed and continues.
    """
    compiling, linking = (
        gl_function_address(library, "CompileShader"),
        gl_function_address(library, "LinkProgram"),
    )
    kept = compiling.value, linking.value
    compile_it, link_it = (_Call(address or 0) for address in kept)
    linked = 0

    def compile_first(shader: int) -> None:
        if linked < most:
            compile_it(shader)

    def link_first(program: int) -> None:
        nonlocal linked
        linked += 1
        if linked <= most:
            link_it(program)

    calls = _Call(compile_first), _Call(link_first)
    compiling.value, linking.value = (ctypes.cast(one, ctypes.c_void_p).value for one in calls)
    try:
        yield
    finally:
        compiling.value, linking.value = kept
        _forget_errors(library)


def _release_compiler(library: Any) -> None:
    """Free what the driver keeps to compile shaders, 6 MiB in Mesa. It is made again if it is
    needed. OpenGL before 4.1 has no such function.
    """
    address = gl_function_address(library, "ReleaseShaderCompiler").value
    if address:
        _Plain(address)()


def _forget_errors(library: Any) -> None:
    """Clear the errors of the missing programs, so that other code doesn't take them for
    its own.
    """
    ask = _Ask(gl_function_address(library, "GetError").value or 0)
    for _ in range(_ERRORS):
        if not ask():
            return
