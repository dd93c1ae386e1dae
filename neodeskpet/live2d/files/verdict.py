"""What a probe found about a model, kept beside its clean copy and by the content's hash.

The bundled companion's verdict comes with it (`packaging/verdict.py` makes it), so that the first
start needn't wait for a trial of files that were tried when they were built. One changed byte, or
another release of the library, and it is tried like any other.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from pydantic import BaseModel, ConfigDict, RootModel

from neodeskpet.live2d.files.formats import Number
from neodeskpet.paths import assets_dir

_log = logging.getLogger(__name__)

_FILE = "verdict.json"
SHIPPED_VERDICTS = assets_dir() / "companion" / "verdicts.json"


class CheckVerdict(BaseModel):
    """`reason` is "" when the model may be used; `reach` is `ModelDescription.reach`; `seal` the
    hash of the copy it is about.
    """

    model_config = ConfigDict(frozen=True)

    reason: str = ""
    reach: tuple[Number, Number, Number, Number] | None = None
    seal: str = ""


class ShippedVerdicts(RootModel[dict[str, CheckVerdict]]):
    """Verdicts by the digest of what was tried."""


def known_verdict(folder: Path) -> CheckVerdict | None:
    """What was found before; None if nothing, or if the copy isn't what it was then."""
    try:
        verdict = CheckVerdict.model_validate_json((folder / _FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return verdict if verdict.seal == _seal(folder) else None


def shipped_verdict(digest: str, file: Path = SHIPPED_VERDICTS) -> CheckVerdict | None:
    """What was found when the app was built; None for all that isn't the app's own."""
    try:
        return ShippedVerdicts.model_validate_json(file.read_bytes()).root.get(digest)
    except (OSError, ValueError):
        _log.warning("The shipped verdicts can't be read", exc_info=True)
        return None


def store_verdict(folder: Path, verdict: CheckVerdict) -> None:
    """Keep it beside the copy; where that fails the model is tried again the next time."""
    try:
        sealed = verdict.model_copy(update={"seal": _seal(folder)})
        (folder / _FILE).write_text(sealed.model_dump_json(), encoding="utf-8")
    except OSError:
        _log.warning("The verdict about %s could not be kept", folder, exc_info=True)


def _seal(folder: Path) -> str:
    """The hash of the copy's files, which a disk or a person may have changed."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.name != _FILE):
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
