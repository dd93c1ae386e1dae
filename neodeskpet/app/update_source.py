"""The place where this copy of NeoDeskPet checks for newer versions. The publisher of a fork
changes this file (`docs/releasing.md` explains how) and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

ADDRESS = ""
"""The address of the note on the newest release (JSON, over HTTPS); its signature has the same
address with `.minisig` appended. "": this copy has no publisher, so no check is made.
"""
KEY = ""
"""The publisher's public key, as `minisign -G` prints it (one line that starts with RW)."""


@dataclass(frozen=True, slots=True)
class UpdateSource:
    address: str = ADDRESS
    key: str = KEY

    def __bool__(self) -> bool:
        return bool(self.address and self.key)
