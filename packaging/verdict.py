"""Checks the bundled companion in each palette and writes the verdicts that come with the app
(`assets/companion/verdicts.json`).
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from neodeskpet.figure.files.isolated_check import SHIPPED_VERDICTS, CheckVerdict, ShippedVerdicts
from neodeskpet.figure.files.model_guard import content_digest, recheck_model
from neodeskpet.figure.files.model_reader import describe_model
from neodeskpet.figure.files.tint import copy_with_textures
from neodeskpet.platform.installation import assets_dir

NEO = assets_dir() / "companion" / "neo"
PALETTES = assets_dir() / "companion" / "palettes"


def main() -> int:
    verdicts: dict[str, CheckVerdict] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = [NEO]
        for textures in sorted(PALETTES.iterdir()):
            models.append(folder / textures.name)
            copy_with_textures(NEO, models[-1], textures)
        for model in models:
            verdict = asyncio.run(recheck_model(model, folder / "cache"))
            if verdict.reason:
                print(f"{model.name}: {verdict.reason}", file=sys.stderr)
                return 1
            verdicts[content_digest(describe_model(model))] = verdict
            print(f"{model.name}: {verdict.reach}")
    text = ShippedVerdicts(verdicts).model_dump_json(indent=2)
    SHIPPED_VERDICTS.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
