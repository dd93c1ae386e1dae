"""What the bundle's program runs: the same as `python -m neodeskpet`."""

import sys

from neodeskpet.__main__ import main

sys.exit(main())
