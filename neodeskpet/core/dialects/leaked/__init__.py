"""Leaked calls: calls in a model's own syntax that a gateway passes on as text. They become tool
calls, marked `leaked`, in every mode.
"""

from neodeskpet.core.dialects.leaked.quotes import quotable
from neodeskpet.core.dialects.leaked.reader import LEAK_INDEX, LeakReader

__all__ = ["LEAK_INDEX", "LeakReader", "quotable"]
