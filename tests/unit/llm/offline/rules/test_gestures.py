"""Which names of a figure's expressions and motions fit a feeling."""

from __future__ import annotations

from neodeskpet.llm.offline.rules.gesture_rules import match_name, named_option


def test_names_that_fit() -> None:
    assert match_name(["exp_Sad", "Smile"], ["smile", "happy"]) == "Smile"
    assert match_name(["exp_Sad", "Smile"], ["sad"]) == "exp_Sad"
    assert match_name(["Nod"], ["shake", "no"]) == ""
    assert match_name(["No"], ["shake", "no"]) == "No"
    assert match_name([], ["smile"]) == ""


def test_names_in_a_message() -> None:
    assert named_option(["F0", "F01", ""], "show f01!") == "F01"
    assert named_option(["F0", ""], "show f01") == ""
