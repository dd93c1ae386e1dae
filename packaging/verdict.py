"""Tries the bundled companion and keeps the verdict that comes with it (assets/companion)."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from neodeskpet.figure.files.isolated_check import SHIPPED_VERDICTS, ShippedVerdicts
from neodeskpet.figure.files.model_guard import content_digest, recheck_model
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.platform.installation import assets_dir

NEO = assets_dir() / "companion" / "neo"


def main() -> int:
    with tempfile.TemporaryDirectory() as cache:
        verdict = asyncio.run(recheck_model(NEO, Path(cache)))
    if verdict.reason:
        print(verdict.reason, file=sys.stderr)
        return 1
    shipped = ShippedVerdicts({content_digest(describe_model(NEO)): verdict})
    SHIPPED_VERDICTS.write_text(shipped.model_dump_json(indent=2) + "\n", encoding="utf-8")
    print(f"{SHIPPED_VERDICTS.name}: {verdict.reach}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
