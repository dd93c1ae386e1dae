"""The stored form of a sprite figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neodeskpet.core.errors import ModelFileError
from neodeskpet.figure.sprites.sprite_figure import (
    SPRITE_FIGURE_FILE,
    Animation,
    Frame,
    read_sprite_figure,
    write_sprite_figure,
)
from tests.unit.figure.sprites.test_sprite_actor import body


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "sheet-0.png").write_bytes(b"x")
    write_sprite_figure(tmp_path, body(looks=4))
    assert read_sprite_figure(tmp_path) == body(looks=4)


def test_frames_by_time_and_by_loudness() -> None:
    frames = tuple(Frame(cel=n, seconds=0.5) for n in range(3))
    once, again = Animation(frames=frames, loops=False), Animation(frames=frames)
    assert [once.frame_at(t) for t in (-1.0, 0.0, 0.6, 1.4, 99.0)] == [0, 0, 1, 2, 2]
    assert [again.frame_at(t) for t in (0.0, 1.6, 99.1)] == [0, 0, 0]
    assert [once.frame_for(level) for level in (-1.0, 0.0, 0.4, 2.0)] == [0, 0, 1, 2]


@pytest.mark.parametrize(
    "change",
    [
        {"canvas": [0, 5]},
        {"canvas": [5, 10**9]},
        {"sheets": ["../../etc/passwd"]},
        {"sheets": ["gone.png"]},
        {"sheets": []},
        {"cels": []},
        {"looks": [99]},
        {"faces": {"smile": "nothing"}},
        {"figure": [5, 0, 5, 9]},
        {"animations": {}},
        {"animations": {"idle": {"frames": [{"cel": 99, "seconds": 1}]}}},
        {"animations": {"idle": {"frames": [{"cel": 0, "seconds": 1e9}]}}},
        {"cels": [{"sheet": 7, "left": 0, "top": 0, "width": 1, "height": 1, "x": 0, "y": 0}] * 60},
    ],
)
def test_inconsistent_figures(tmp_path: Path, change: dict[str, object]) -> None:
    (tmp_path / "sheet-0.png").write_bytes(b"x")
    write_sprite_figure(tmp_path, body())
    file = tmp_path / SPRITE_FIGURE_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(ModelFileError):
        read_sprite_figure(tmp_path)


def test_invalid_json(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError):
        read_sprite_figure(tmp_path)
    (tmp_path / SPRITE_FIGURE_FILE).write_text('{"canvas": [NaN, 1]}')
    with pytest.raises(ModelFileError):
        read_sprite_figure(tmp_path)
