"""The text of a question that is asked because of what was read."""

from neodeskpet.core.data_labels import DataSource, FlowCause, FlowQuestion, SourceKind
from neodeskpet.language.approval_reason import approval_reason, mark_private_spans, private_spans


def test_a_question_about_untrusted_text_gives_its_reason_in_one_line() -> None:
    for cause in FlowCause:
        for material in SourceKind:
            question = FlowQuestion(cause, (DataSource(material, "mcp wiki"),), to="a.example")
            assert "\n" not in approval_reason(question) and approval_reason(question).endswith(".")
    assert approval_reason(FlowQuestion(FlowCause.COMPOSED)) == (
        "Text of others was read. This would send the text below to somebody else."
    )
    server = FlowQuestion(
        FlowCause.SERVER, (DataSource(SourceKind.SERVER, "mcp wiki"),), to="mcp mail"
    )
    assert approval_reason(server) == (
        "The tools of wiki answered. This would send the text below to mail."
    )


def test_pieces_of_private_data_are_found_as_addresses_write_them() -> None:
    question = FlowQuestion(FlowCause.COMPOSED, carried=("4921", "Müller"))
    text = "http://a.example/?q=4921&n=M%C3%BCller and müller"
    spans = [text[begin:end] for begin, end in private_spans(question, text)]
    assert spans == ["4921", "M%C3%BCller", "müller"]
    assert list(private_spans(FlowQuestion(FlowCause.COMPOSED), text)) == []


def test_a_terminal_marks_the_pieces_with_characters() -> None:
    question = FlowQuestion(FlowCause.COMPOSED, carried=("4921",))
    assert mark_private_spans(question, "q=4921&x=1") == "q=⟪4921⟫&x=1"
