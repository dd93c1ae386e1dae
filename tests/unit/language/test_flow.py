"""The words of a question that is asked because of what was read."""

from neodeskpet.core.labels import Cause, FlowQuestion, Material, Source
from neodeskpet.language.flow import mark_pieces, spans_of, why_it_asks


def test_a_question_about_what_was_read_says_why_in_one_line() -> None:
    for cause in Cause:
        for material in Material:
            question = FlowQuestion(cause, (Source(material, "mcp wiki"),), to="a.example")
            assert "\n" not in why_it_asks(question) and why_it_asks(question).endswith(".")
    assert why_it_asks(FlowQuestion(Cause.COMPOSED)) == (
        "Text of others was read. This would send the text below to somebody else."
    )
    server = FlowQuestion(Cause.SERVER, (Source(Material.SERVER, "mcp wiki"),), to="mcp mail")
    assert why_it_asks(server) == (
        "The tools of wiki answered. This would send the text below to mail."
    )


def test_pieces_of_private_data_are_found_as_addresses_write_them() -> None:
    question = FlowQuestion(Cause.COMPOSED, carried=("4921", "Müller"))
    text = "http://a.example/?q=4921&n=M%C3%BCller and müller"
    spans = [text[begin:end] for begin, end in spans_of(question, text)]
    assert spans == ["4921", "M%C3%BCller", "müller"]
    assert list(spans_of(FlowQuestion(Cause.COMPOSED), text)) == []


def test_a_terminal_marks_the_pieces_with_signs() -> None:
    question = FlowQuestion(Cause.COMPOSED, carried=("4921",))
    assert mark_pieces(question, "q=4921&x=1") == "q=⟪4921⟫&x=1"
