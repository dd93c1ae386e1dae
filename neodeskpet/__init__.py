"""NeoDeskPet: a Live2D companion on the desktop whose chat never breaks."""

import sys
from types import ModuleType
from typing import cast

__version__ = "0.1.0"

# httpx brings the parts of its command line (click, rich, Pygments) with it where they are
# installed: five megabytes and 50 ms of each start that nobody here uses. So it finds none.
sys.modules.setdefault("httpx._main", cast(ModuleType, None))
