"""The generator is in assets/, outside of the installed package."""

import sys
from pathlib import Path

ASSETS = Path(__file__).parents[3] / "assets"
if str(ASSETS) not in sys.path:
    sys.path.insert(0, str(ASSETS))
