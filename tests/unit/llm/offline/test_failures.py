"""The reason why a tool failed, as a sentence for the user."""

from __future__ import annotations

import pytest

from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.offline.scripts import render_failure

ENGLISH, CHINESE = OfflineRequest("", chinese=False), OfflineRequest("", chinese=True)


@pytest.mark.parametrize(
    ("output", "english", "chinese"),
    [
        ("The user didn't allow this call.", "All right, I won't do it.", "好的，那我就不做了。"),
        ("The tool failed. x: OSError", "That didn't work: x: OSError", "没有成功：x: OSError"),
        ("The arguments are not valid. text: odd", "That didn't work: odd", "没有成功：odd"),
        (
            "Not free at 2090-05-17 Wed 17:00, see /plan-2090-05-17",
            "That didn't work: Not free at Wed, 17 May 2090 17:00, see /plan-2090-05-17",
            "没有成功：Not free at 2090年5月17日 周三 17:00, see /plan-2090-05-17",
        ),
        ("", "That didn't work.", "没有成功。"),
    ],
)  # fmt: skip
def test_why_it_failed(output: str, english: str, chinese: str) -> None:
    assert render_failure(ENGLISH, output) == english
    assert render_failure(CHINESE, output) == chinese
