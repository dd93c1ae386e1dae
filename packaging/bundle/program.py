"""What the bundle's program runs: the same as `python -m neodeskpet`, with what was added later."""

import sys

from neodeskpet.__main__ import main
from neodeskpet.extras import look_into_extras

look_into_extras()
sys.exit(main())
