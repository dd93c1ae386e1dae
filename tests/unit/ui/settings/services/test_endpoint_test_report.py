"""The table of a test and its proposal."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from neodeskpet.ui.settings.services.endpoint_test_report import (
    EndpointTestReport,
    ProposalBar,
    taken_text,
)
from neodeskpet.ui.settings.settings_ports import (
    EndpointTestFinding,
    EndpointTestProposal,
    EndpointTestVerdict,
)
from neodeskpet.ui.theme import DARK, LIGHT


def report(qtbot: QtBot) -> EndpointTestReport:
    made = EndpointTestReport(LIGHT)
    qtbot.addWidget(made)
    made.resize(500, 200)
    return made


def words(made: EndpointTestReport) -> list[str]:
    # labels put into a visible layout are shown in the next iteration of the loop
    QApplication.processEvents()
    return [label.text() for label in made.findChildren(QLabel) if not label.isHidden()]


def test_it_is_hidden_while_empty(qtbot: QtBot) -> None:
    made = report(qtbot)
    assert made.isHidden()
    made.add(EndpointTestFinding("a", "Connection", EndpointTestVerdict.GOOD))
    assert not made.isHidden()
    made.clear()
    assert made.isHidden()


def test_a_state_has_an_icon_and_a_word(qtbot: QtBot) -> None:
    made = report(qtbot)
    for verdict in EndpointTestVerdict:
        made.add(EndpointTestFinding(verdict.value, "Row", verdict))
    assert {
        "● trying…",
        "✓ works",
        "! works with a fault",
        "✕ doesn't work",
        "– not tried",
    } <= set(words(made))


def test_a_row_is_replaced_by_its_newer_state(qtbot: QtBot) -> None:
    made = report(qtbot)
    made.add(EndpointTestFinding("a", "Connection", EndpointTestVerdict.RUNNING))
    made.add(EndpointTestFinding("b", "Streaming", EndpointTestVerdict.RUNNING))
    made.add(EndpointTestFinding("a", "Connection", EndpointTestVerdict.GOOD, "12 ms", "3 models"))
    assert words(made) == [
        "Connection",
        "✓ 12 ms",
        "3 models",
        "Streaming",
        "● trying…",
        "",
    ]
    assert [finding.id for finding in made.findings()] == ["a", "b"]


def test_a_screen_reader_hears_the_row(qtbot: QtBot) -> None:
    made = report(qtbot)
    made.add(
        EndpointTestFinding(
            "a", "Streaming", EndpointTestVerdict.FAULT, "comes in one piece", "slow"
        )
    )
    names = [label.accessibleName() for label in made.findChildren(QLabel)]
    assert "Streaming: works with a fault comes in one piece slow" in names


def test_foreign_words_are_no_markup(qtbot: QtBot) -> None:
    made = report(qtbot)
    made.add(EndpointTestFinding("a", "Connection", EndpointTestVerdict.FAILED, "<img src=x>"))
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in made.findChildren(QLabel))


def test_lines_between_rows_are_painted_in_both_themes(qtbot: QtBot) -> None:
    made = report(qtbot)
    for name in "abc":
        made.add(EndpointTestFinding(name, name, EndpointTestVerdict.GOOD))
    made.show()
    light = made.grab().toImage()
    made.set_theme(DARK)
    made.retranslate()
    assert made.grab().toImage() != light


class TestProposal:
    def test_is_taken_once(self, qtbot: QtBot) -> None:
        bar = ProposalBar(LIGHT)
        qtbot.addWidget(bar)
        told: list[object] = []
        bar.taken.connect(told.append)
        proposal = EndpointTestProposal("native", "Two rounds were accepted.")
        bar.show_proposal(proposal)
        QTest.mouseClick(bar.take, Qt.MouseButton.LeftButton)
        assert told == [proposal]
        assert bar.isHidden()

    def test_foreign_words_are_no_markup(self, qtbot: QtBot) -> None:
        bar = ProposalBar(LIGHT)
        qtbot.addWidget(bar)
        bar.show_proposal(EndpointTestProposal("text", "a < b & <b>c</b>", "tool_request"))
        label = bar.findChild(QLabel)
        assert label is not None
        first, second = label.text().split("<br>")
        assert first == "Proposal: <b>Text</b>. a &lt; b &amp; &lt;b&gt;c&lt;/b&gt;"
        assert second == "Writes tool calls as text. Works with every model."
        bar.show_proposal(EndpointTestProposal("text", "It can only talk."))
        assert label.text() == "Proposal: <b>Text</b>. It can only talk."

    def test_an_applied_proposal_is_reported(self) -> None:
        assert taken_text(EndpointTestProposal("auto", "x")) == "Mode Auto is set."
        measured = {"tools": True, "vision": False}
        said = taken_text(EndpointTestProposal("text", "x", "", "m", measured))
        assert said == "Mode Text is set. Noted for m: ✓ native tools, ✕ pictures."

    def test_nothing_to_propose(self, qtbot: QtBot) -> None:
        bar = ProposalBar(LIGHT)
        qtbot.addWidget(bar)
        bar.show_proposal(EndpointTestProposal("auto", "x"))
        bar.set_theme(DARK)
        bar.show_proposal(None)
        assert bar.isHidden()
