"""The OpenGL functions that the library calls, replacing one of them, and cheaper texture filtering
for software rendering.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_MEASURED = "1.0.0"


def gl_function_address(library: Any, name: str) -> ctypes.c_void_p:
    """Return the address of the library's pointer to the GL function `name` (without "gl"); a
    function that is written to `value` is called instead. Raises ValueError if this build has no
    such pointer.
    """
    return ctypes.c_void_p.in_dll(ctypes.CDLL(library._live2d.__file__), f"glad_gl{name}")


def can_replace_functions(library: Any) -> bool:
    """Return whether the library's GL functions can be replaced: only in the build that was
    measured, and once it has a context.
    """
    if getattr(library, "__version__", "") != _MEASURED:
        return False
    try:
        return bool(gl_function_address(library, "CompileShader").value)
    except ValueError:
        return False


_RENDERER = 0x1F01
_SMALLER_FILTER = 0x2801
_BOTH_MIPMAPS, _NEARER_MIPMAP = 0x2703, 0x2701
_Ask = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)
_Set = ctypes.CFUNCTYPE(None, ctypes.c_uint, ctypes.c_uint, ctypes.c_int)
_NAMES = ("llvmpipe", "softpipe", "swrast", "software rasterizer", "gdi generic")


def renderer(library: Any) -> str:
    """Return the renderer of the current context by its GL name; "" if unknown."""
    try:
        address = gl_function_address(library, "GetString").value
    except ValueError:
        return ""
    name = _Ask(address)(_RENDERER) if address else None
    return name.decode("utf-8", "replace") if name else ""


def is_software(renderer: str) -> bool:
    """Return whether this renderer, by its GL name, draws in software."""
    return any(name in renderer.casefold() for name in _NAMES)


def texture_parameter(name: int, value: int) -> int:
    """Return the value to use for the parameter `name` of a texture instead of `value`."""
    if name == _SMALLER_FILTER and value == _BOTH_MIPMAPS:
        return _NEARER_MIPMAP
    return value


class TextureFiltering:
    """Replaces the filtering of one figure's textures. The figure must be drawn within `drawing`
    only.
    """

    def __init__(self, library: Any) -> None:
        """Find the pointers. Raises ValueError if this build has none."""
        self._parameter = gl_function_address(library, "TexParameteri")
        self._real = self._parameter.value
        self._set = _Set(self._real or 0)
        self._override = _Set(self._set_parameter)
        self._led_to = ctypes.cast(self._override, ctypes.c_void_p).value
        # This call changes nothing, for any number.
        self._harmless = gl_function_address(library, "IsTexture").value

    @contextmanager
    def drawing(self) -> Iterator[None]:
        self._parameter.value = self._led_to
        try:
            yield
        finally:
            self._parameter.value = self._real
            self._led_to = self._harmless

    def _set_parameter(self, target: int, name: int, value: int) -> None:
        self._set(target, name, texture_parameter(name, value))
