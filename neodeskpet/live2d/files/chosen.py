"""Which model stands there: the one that the settings name, or the one that comes with the app."""

from __future__ import annotations

from pathlib import Path

from neodeskpet.live2d.library import bundled_figure_path
from neodeskpet.settings.model import Settings


def chosen_figure_path(settings: Settings) -> Path:
    """The chosen figure, or the bundled one."""
    chosen = settings.companion.model
    return Path(chosen).expanduser() if chosen else bundled_figure_path()
