"""Where this copy of NeoDeskPet asks for newer versions. Who publishes a fork changes this file
(`docs/releasing.md` says how), and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

ADDRESS = ""
"""Of the note on the newest release (JSON, over HTTPS); its signature lies beside it, with
`.minisig` behind the name. "": nobody publishes this copy, so there is nothing to ask.
"""
KEY = ""
"""The publisher's public key, as `minisign -G` prints it (one line that begins with RW)."""


@dataclass(frozen=True, slots=True)
class UpdateSource:
    address: str = ADDRESS
    key: str = KEY

    def __bool__(self) -> bool:
        return bool(self.address and self.key)
