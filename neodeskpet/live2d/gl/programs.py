"""Only the GL programs that a figure can need, and no more mask buffers than it fills.

For its first renderer the library makes 482 GL programs, all but 8 of them for the blend modes
that came with version 6 of the moc (Cubism 5.3): 165 MiB and 0.2 to 2 seconds of the interface's
thread, by measurement (live2d-py 1.0.0, llvmpipe). A moc of an earlier version can't ask for those
modes, so for it the others are left unmade. What isn't known for sure gets them all.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum, auto
from functools import partial
from typing import Any

from neodeskpet.live2d.gl.masks import mask_buffers
from neodeskpet.live2d.gl.mipmaps import all_levels_needed, cpu_mipmaps
from neodeskpet.live2d.gl.pointers import can_replace_functions, gl_function_address
from neodeskpet.live2d.gl.software import TextureFiltering, is_software, renderer

_PLAIN = 8
"""The library makes these first: one that copies, one for masks, and a plain, a masked and an
outside one, each for colours with and without their alpha. Adding and multiplying use the same.
"""
_LAST_PLAIN_MOC = 5
_ERRORS = 100
"""Of GL, that are taken away at most: a lost context has no end of them."""
_Call = ctypes.CFUNCTYPE(None, ctypes.c_uint)
_Ask = ctypes.CFUNCTYPE(ctypes.c_uint)


class _ProgramsMade(Enum):
    NONE = auto()
    PLAIN = auto()
    ALL = auto()


class GlPrograms:
    """What the library knows of GL and has made there. There is one, as there is one library."""

    def __init__(self) -> None:
        self.known = False
        self.software = False
        """Whether the processor draws in the current context."""
        self._made = _ProgramsMade.NONE

    def begin(self, library: Any) -> None:
        """Another GL context is current: the library learns its functions."""
        library.glInit()
        self.known = True
        self.software = is_software(renderer(library))
        self._made = _ProgramsMade.NONE

    def can_limit(self, library: Any, moc_version: int) -> bool:
        """Whether the processor draws a figure of this version of the moc as is wished here."""
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
        """Give `model` a renderer, and make the programs for it that aren't there. `moc_version`
        is that of its .moc3, 0 where it isn't known; `lists` how many lists of masks it has, if
        that is known; `unread` as in `cpu_mipmaps`, where it `leads`. Raises RuntimeError before
        `begin`.
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
            # The others can't be added: all are made anew. Other renderers find them too.
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

    def filtering(self, library: Any, moc_version: int) -> TextureFiltering | None:
        """What a figure with a renderer is to be drawn within; None: it is just drawn."""
        return TextureFiltering(library) if self.can_limit(library, moc_version) else None


def moc_version(content: bytes) -> int:
    """The version of a .moc3 by its first bytes; 0 if it is none."""
    return content[4] if content.startswith(b"MOC3") and len(content) > 4 else 0


@contextmanager
def _only_first_programs(most: int, library: Any) -> Iterator[None]:
    """Within it only the first `most` programs are compiled and linked; the library takes the
    others for failed and goes on.
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


def _forget_errors(library: Any) -> None:
    """Those that the missing programs left, lest somebody else takes them for their own."""
    ask = _Ask(gl_function_address(library, "GetError").value or 0)
    for _ in range(_ERRORS):
        if not ask():
            return
