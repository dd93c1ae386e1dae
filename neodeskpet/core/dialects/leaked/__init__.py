"""Calls that leak into the text: what models write in their own syntax and a gateway passes on as
content. They become tool calls, marked `leaked`, in every mode.
"""

from neodeskpet.core.dialects.leaked.quotes import quotable
from neodeskpet.core.dialects.leaked.reader import LEAK_INDEX, LeakReader

__all__ = ["LEAK_INDEX", "LeakReader", "quotable"]
