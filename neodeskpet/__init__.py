"""NeoDeskPet: a Live2D companion on the desktop whose chat never breaks."""

import sys
from types import ModuleType
from typing import cast

__version__ = "0.1.0"

# httpx brings the parts of its command line (click, rich, Pygments) with it where they are
# installed: five megabytes and 50 ms of each start that nobody here uses. So it finds none.
sys.modules.setdefault("httpx._main", cast(ModuleType, None))

# Pydantic asks each package that is installed whether it brings a plugin for it: 30 to 90 ms of
# each start, and nobody here has one.
_no_plugins = ModuleType("pydantic.plugin._loader")
_no_plugins.__dict__["get_plugins"] = lambda: ()
sys.modules.setdefault(_no_plugins.__name__, _no_plugins)
