"""A child process is started by a question, and ends when there are no more."""

import json

from pytestqt.qtbot import QtBot

from neodeskpet.ui.qt_child_worker import QtChildWorker

QUESTION = json.dumps({"code": "x = 1", "language": "python"}).encode()


def test_an_idle_child_ends_and_the_next_question_starts_another(qtbot: QtBot) -> None:
    worker = QtChildWorker("colour", 60.0, idle=0.05)
    answers: list[bytes | None] = []
    assert not worker.running
    for count in (1, 2):
        worker.ask(QUESTION, answers.append)
        assert worker.running
        qtbot.waitUntil(lambda wanted=count: len(answers) == wanted, timeout=60_000)
        qtbot.waitUntil(lambda: not worker.running, timeout=60_000)
    assert answers[0] is not None
    assert answers[1] == answers[0]


def test_a_child_with_questions_does_not_end(qtbot: QtBot) -> None:
    worker = QtChildWorker("colour", 60.0, idle=0.0)
    answers: list[bytes | None] = []
    for _ in range(5):
        worker.ask(QUESTION, answers.append)
    qtbot.waitUntil(lambda: len(answers) == 5, timeout=60_000)
    assert None not in answers
