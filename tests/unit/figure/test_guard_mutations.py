"""Some of the thousand damaged models of `tests.bench.mutations`: none crashes this process."""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from tests.bench.mutations import MUTATIONS, Tally, run, small_neo
from tests.support.unmeasured import unmeasured_children

COUNT = 32


@pytest.mark.timeout(400)
def test_damaged_models_are_refused_or_load(tmp_path: Path) -> None:
    base = small_neo(tmp_path / "neo")
    with unmeasured_children():
        tally = asyncio.run(run(COUNT, 20, [base], tmp_path))
    assert tally.wrong == []
    assert tally.loaded + tally.refused == COUNT
    assert tally.refused > COUNT / 8
    assert tally.loaded > COUNT / 8


def test_every_mutation_changes_something(tmp_path: Path) -> None:
    base = small_neo(tmp_path / "neo")
    for mutate, _ in MUTATIONS:
        copy = shutil.copytree(base, tmp_path / mutate.__name__)
        assert mutate(copy, random.Random(4))
        assert contents(copy) != contents(base)


def test_a_crash_would_be_noticed(tmp_path: Path) -> None:
    # A model that was never checked by the guard ends the stand-in for the app.
    from neodeskpet.figure.files.model_reader import describe_model
    from tests.bench.mutations import _stand_in
    from tests.unit.figure.models import make_model

    toy = make_model(tmp_path / "toy")
    (toy.parent / "model.json").write_text(toy.read_text())
    tally = Tally()
    asyncio.run(_stand_in([describe_model(toy)], tally))
    assert len(tally.wrong) == 1


def contents(folder: Path) -> dict[str, object]:
    return {
        path.relative_to(folder).as_posix(): path.is_symlink()
        or (path.is_file() and path.read_bytes())
        for path in folder.rglob("*")
    }
