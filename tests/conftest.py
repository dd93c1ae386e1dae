"""What every test has: no service of the person's own."""

from __future__ import annotations

import os

for _name in [name for name in os.environ if name.startswith("NEODESKPET_")]:
    del os.environ[_name]
