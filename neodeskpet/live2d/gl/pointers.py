"""Where the library keeps the addresses of the GL functions it calls, and one to do nothing."""

from __future__ import annotations

import ctypes
from typing import Any

_MEASURED = "1.0.0"


def gl_function_address(library: Any, name: str) -> ctypes.c_void_p:
    """The address of the GL function `name` (without "gl"); what is written to `value` is called
    instead. Raises ValueError where this build doesn't show it.
    """
    return ctypes.c_void_p.in_dll(ctypes.CDLL(library._live2d.__file__), f"glad_gl{name}")


def can_replace_functions(library: Any) -> bool:
    """Whether its calls of GL can be led elsewhere: only with the build that was measured, once it
    knows a context.
    """
    if getattr(library, "__version__", "") != _MEASURED:
        return False
    try:
        return bool(gl_function_address(library, "CompileShader").value)
    except ValueError:
        return False
