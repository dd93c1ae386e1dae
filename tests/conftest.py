"""What every test has: no service and no keyring of the person's own."""

from __future__ import annotations

import os

import keyring
from keyring.backends.null import Keyring as NoKeyring

for _name in [name for name in os.environ if name.startswith("NEODESKPET_")]:
    del os.environ[_name]

# Left to itself keyring takes the best backend it finds, doubles of the tests among them.
keyring.set_keyring(NoKeyring())
