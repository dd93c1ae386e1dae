"""What is asked of the model for summaries, and read in its answer. How it learns: the stories."""

from __future__ import annotations

from neodeskpet.conversation.facts.learner import SYSTEM, facts_errand, read_answer


def test_the_sentences_alone_are_shown() -> None:
    errand = facts_errand(["I live in Ulm", "我叫林涛"])
    assert errand.words == "1. I live in Ulm\n2. 我叫林涛" and errand.system == SYSTEM
    assert (errand.purpose, errand.rounds, errand.tools) == ("summary", 1, frozenset())


def test_lines_with_a_number_are_read_and_nothing_else() -> None:
    answer = "Sure!\n1: Lives in Ulm \n 2. 名字叫林涛\n3）x\n9: no\n0: no\nnone"
    assert read_answer(answer, 3) == {1: "Lives in Ulm", 2: "名字叫林涛"}
    assert read_answer("none", 3) == {}
