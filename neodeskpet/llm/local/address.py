"""How a model file is written where an endpoint's address is due: `local:` and its path."""

from __future__ import annotations

from pathlib import Path

SCHEME = "local:"
LOCAL_MODELS_FOLDER = "language-models"
"""In the data folder: where downloads go, and where a path that isn't absolute begins."""


def is_model_file(base_url: str) -> bool:
    """Whether this address is a model file on this computer."""
    return base_url.strip().casefold().startswith(SCHEME)


def address_of(file: Path) -> str:
    """The address of a model file."""
    return f"{SCHEME}{file}"


def file_of(base_url: str, folder: Path) -> Path:
    """The model file of an address; one that isn't absolute lies in `folder`. Any number of
    slashes may follow the colon, as people expect them of an address.
    """
    text = base_url.strip()[len(SCHEME) :].strip()
    if text.startswith("//"):
        text = "/" + text.lstrip("/")
    return folder / Path(text).expanduser()


def model_name(file: Path) -> str:
    """What the model is called: its file's name without the ending."""
    return file.name[: -len(".gguf")] if file.name.casefold().endswith(".gguf") else file.name
