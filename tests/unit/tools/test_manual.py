"""The documentation, from the declarations."""

from typing import Annotated, Literal

from pydantic import Field

from neodeskpet.core.toolspec import Risk
from neodeskpet.tools.manual import write_manual
from neodeskpet.tools.registry import tool


@tool("tea.brew", risk=Risk.OWN, eager=True, timeout=2.5)
def brew(
    kind: Annotated[Literal["green", "黑"], Field(description="Which tea.")],
    extras: Annotated[list[str] | None, Field(description="What goes in.")] = None,
    size: Annotated[int | str, Field(description="How much.")] = 1,
) -> None:
    """Brew tea."""


@tool("tea.pour", risk=Risk.READ)
def pour() -> None:
    """Pour it."""


def test_a_section_for_each_tool() -> None:
    assert write_manual([brew.spec, pour.spec]) == (
        "### `tea.brew`\n\nBrew tea.\n\n"
        "Risk: own, acts while the reply still streams. Time limit: 2.5 s.\n\n"
        '- `kind` (one of "green", "黑"): Which tea.\n'
        "- `extras` (list of string, optional): What goes in.\n"
        "- `size` (integer or string, optional): How much.\n\n"
        "### `tea.pour`\n\nPour it.\n\n"
        "Risk: read. Time limit: 60 s.\n"
    )
