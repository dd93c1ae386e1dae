"""Large results are stored completely, sent in part, and can be read on."""

import asyncio
from pathlib import Path

import pytest

from neodeskpet.core.errors import InvalidArguments
from neodeskpet.core.toolspec import Risk
from neodeskpet.toolkit.large_results import (
    KEPT_CHARACTERS,
    SENT_CHARACTERS,
    LargeResults,
    output_tools,
)
from neodeskpet.toolkit.registry import Tool, tool
from neodeskpet.toolkit.toolbox import AppTools, Toolbox


def flood(length: int) -> Tool:
    @tool("flood", risk=Risk.READ)
    def give() -> str:
        """Say much."""
        return "".join(f"{number:07d}" for number in range(length // 7 + 1))[:length]

    return give


def box(folder: Path, length: int) -> Toolbox:
    outputs = LargeResults(folder)
    return Toolbox(AppTools([flood(length), *output_tools(outputs)]), outputs=outputs)


def call(toolbox: Toolbox, name: str, **arguments: object) -> str:
    run = toolbox.offer().run(name, arguments, lambda fraction, text: None)
    return asyncio.run(run).text


def test_a_large_result_is_cut_and_can_be_read_to_its_end(tmp_path: Path) -> None:
    toolbox = box(tmp_path / "outputs", 300_000)
    assert [spec.name for spec in toolbox.specs()] == ["flood"]
    first = call(toolbox, "flood")
    text, _, note = first.partition("\n[280000 more characters: output.read(id=")
    assert len(text) == SENT_CHARACTERS
    id = note.split('"')[1]
    whole = text
    while len(whole) < 300_000:
        whole += call(toolbox, "output.read", id=id, offset=len(whole)).partition("\n[")[0]
    assert whole == "".join(f"{number:07d}" for number in range(300_000))[:300_000]
    assert [spec.name for spec in toolbox.specs()] == ["flood", "output.read"]


def test_of_ten_megabytes_the_beginning_is_kept(tmp_path: Path) -> None:
    call(box(tmp_path, 10_000_000), "flood")
    [kept] = tmp_path.iterdir()
    assert KEPT_CHARACTERS <= kept.stat().st_size < KEPT_CHARACTERS + 200
    assert kept.stat().st_mode & 0o777 == 0o600


def test_an_ordinary_result_is_sent_unchanged(tmp_path: Path) -> None:
    assert len(call(box(tmp_path, 100_000), "flood")) == 100_000
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("id", ["0123456789ab", "../secret", "", "x" * 12])
def test_omitted_parts_are_reported(tmp_path: Path, id: str) -> None:
    (tmp_path / "secret").write_text("s")
    outputs = LargeResults(tmp_path / "outputs")
    outputs.add("kept")
    with pytest.raises(InvalidArguments, match="no longer stored"):
        call(Toolbox(AppTools(output_tools(outputs))), "output.read", id=id)


def test_a_folder_that_cant_be_written_cuts_the_result(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "200000 more characters were cut" in call(box(tmp_path / "file", 300_000), "flood")


def test_old_results_are_deleted(tmp_path: Path) -> None:
    now = [0.0]
    outputs = LargeResults(tmp_path, clock=lambda: now[0])
    first = outputs.add("one")
    now[0] = 9e9
    outputs.add("two")
    assert outputs.get(first) is None
