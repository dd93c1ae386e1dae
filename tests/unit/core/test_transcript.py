"""Blocks become the messages for a model: paired calls, alternating sides, no internal data."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodeskpet.core.attachments import Omission, Omitted
from neodeskpet.core.blocks import (
    Block,
    Document,
    Image,
    Message,
    MessageState,
    Notice,
    Role,
    Text,
    Thinking,
    ToolStatus,
    ToolUse,
)
from neodeskpet.core.errors import SpeechInterrupted
from neodeskpet.core.tool_result import ResultImage
from neodeskpet.core.transcript import (
    CONTINUE_TEXT,
    DELETED_TEXT,
    INTERRUPTED_TEXT,
    AssistantTurn,
    CallPart,
    ImagePart,
    ResultPart,
    TextPart,
    ThinkingPart,
    ToolResults,
    UserTurn,
    build_transcript,
    render_pictures,
)
from tests.unit.core.strategies import check_transcript, messages

GO_ON = UserTurn((TextPart(CONTINUE_TEXT),))


def test_the_user_begins_even_if_their_text_was_deleted() -> None:
    gone = UserTurn((TextPart(DELETED_TEXT),))
    assert build_transcript([reply(Text(0, 0, "Hi"))]) == [
        gone, AssistantTurn((TextPart("Hi"),)), GO_ON
    ]  # fmt: skip
    assert build_transcript([reply()]) == [gone], "an answer that is regenerated without a question"
    assert build_transcript([]) == []


def user(*blocks: Block) -> Message:
    return Message("u", Role.USER, blocks, MessageState.DONE, 0.0)


def asked(text: str = "Well?") -> Message:
    return user(Text(0, 0, text))


def reply(*blocks: Block, state: MessageState = MessageState.DONE) -> Message:
    return Message("a", Role.ASSISTANT, blocks, state, 0.0)


def called(
    index: int, number: int = 0, call_id: str = "c", status: ToolStatus = ToolStatus.SUCCESS
) -> ToolUse:
    arguments = {"n": index}
    raw = json.dumps(arguments)
    return ToolUse(index, number, call_id, "clock", raw, arguments, status, "nine")


def test_a_reply_that_was_interrupted_by_speech_is_cut_and_reported_once() -> None:
    notice = Notice(
        0, 0, SpeechInterrupted.code, {"message": "a", "kept": "9", "heard": "here"}, resolved=True
    )
    mark = Message("n", Role.ASSISTANT, (notice,), MessageState.DONE, 0.0)
    whole = reply(
        Text(0, 0, "So. "), called(1), Text(2, 1, "Here it is, all"), Text(3, 1, " of it")
    )
    transcript = build_transcript([asked("Tell me"), whole, mark, asked("Stop"), reply()])
    texts = [
        part.text
        for turn in transcript
        if isinstance(turn, UserTurn | AssistantTurn)
        for part in turn.parts
        if isinstance(part, TextPart)
    ]
    assert texts == ["Tell me", "So. ", "Here ", INTERRUPTED_TEXT, "Stop"]
    assert transcript[-1] == UserTurn((TextPart(INTERRUPTED_TEXT), TextPart("Stop")))


@pytest.mark.parametrize("kept", ["", "many", "-1", "999"])
def test_an_interruption_that_cuts_nothing(kept: str) -> None:
    notice = Notice(0, 0, SpeechInterrupted.code, {"message": "a", "kept": kept})
    mark = Message("n", Role.ASSISTANT, (notice,), MessageState.DONE, 0.0)
    transcript = build_transcript([asked("Tell me"), reply(Text(0, 0, "All")), mark, asked("Go")])
    assert AssistantTurn((TextPart("All"),)) in transcript


def test_a_plain_conversation() -> None:
    transcript = build_transcript([asked("Hi"), reply(Text(0, 0, "Hello")), asked("Bye")])
    assert transcript == [
        UserTurn((TextPart("Hi"),)),
        AssistantTurn((TextPart("Hello"),)),
        UserTurn((TextPart("Bye"),)),
    ]


def test_the_rounds_of_one_message() -> None:
    blocks = (
        Thinking(0, 0, "Hm", "sig"),
        Text(1, 0, "Look:"),
        called(2, call_id="c1"),
        called(3, call_id="c2"),
        Text(4, 1, "Nine."),
    )
    assert build_transcript([asked(), reply(*blocks), asked()])[1:-1] == [
        AssistantTurn(
            (
                ThinkingPart("Hm", "sig"),
                TextPart("Look:"),
                CallPart("c1", "clock", {"n": 2}),
                CallPart("c2", "clock", {"n": 3}),
            )
        ),
        ToolResults(
            (
                ResultPart("c1", "clock", "nine", ok=True),
                ResultPart("c2", "clock", "nine", ok=True),
            )
        ),
        AssistantTurn((TextPart("Nine."),)),
    ]


def test_the_order_of_text_and_calls_is_kept() -> None:
    turns = build_transcript([asked(), reply(Text(0, 0, "a"), called(1), Text(2, 0, "b"))])
    assert isinstance(turns[1], AssistantTurn)
    assert [type(part) for part in turns[1].parts] == [TextPart, CallPart, TextPart]


def test_notices_and_blank_text_are_not_sent() -> None:
    blocks = (Text(0, 0, " \n"), Text(1, 0, "Hi"), Thinking(2, 0, ""), Notice(3, 0, "round_limit"))
    turns = build_transcript([asked(), reply(*blocks), asked()])
    assert turns[1] == AssistantTurn((TextPart("Hi"),))


def test_thinking_alone_is_not_a_message() -> None:
    turns = build_transcript([asked("a"), reply(Thinking(0, 0, "Hm", "sig")), asked("b")])
    assert turns == [UserTurn((TextPart("a"), TextPart("b")))]


def test_an_opaque_part_without_text_is_sent_back() -> None:
    turns = build_transcript([asked(), reply(Thinking(0, 0, "", "secret"), Text(1, 0, "Yes."))])
    assert turns[1] == AssistantTurn((ThinkingPart("", "secret"), TextPart("Yes.")))


def test_the_opaque_part_of_a_call_is_sent_back() -> None:
    call = ToolUse(0, 0, "c", "clock", "{}", {}, ToolStatus.SUCCESS, "9", opaque="sig")
    turns = build_transcript([asked(), reply(call)])
    assert turns[1] == AssistantTurn((CallPart("c", "clock", {}, "sig"),))


def test_images_of_the_user() -> None:
    own = Image(0, 0, "d1", "image/png", "a.png", "a cat")
    quoted = Image(1, 0, "d2", "image/jpeg", quoted=True)
    message = user(own, quoted, Text(2, 0, "What is this?"), Text(3, 0, ""))
    assert build_transcript([message]) == [
        UserTurn(
            (
                ImagePart("d2", "image/jpeg", quoted=True),
                ImagePart("d1", "image/png", description="a cat"),
                TextPart("What is this?"),
            )
        )
    ]


def test_a_picture_description_comes_after_the_users_text() -> None:
    turn = UserTurn(
        (
            ImagePart("cat", "image/png"),
            TextPart("Look:"),
            ImagePart("new", "image/png"),
            ImagePart("dog", "image/png"),
        )
    )
    seen = {"cat": "[a cat]", "dog": "[a dog]"}
    assert render_pictures(turn, lambda part: seen.get(part.digest)).parts == (
        TextPart("Look: [a cat]"),
        ImagePart("new", "image/png"),
        TextPart("[a dog]"),
    )
    assert render_pictures(turn, lambda part: None) == turn


def test_no_log_contains_the_bytes_of_a_picture() -> None:
    assert "secret" not in repr(ImagePart("d", "image/png", b"secret"))


def test_an_empty_message_of_the_user_is_not_sent() -> None:
    assert build_transcript([user()]) == []
    assert build_transcript([]) == []


def test_two_inputs_in_a_row_are_one_message() -> None:
    turns = build_transcript([asked("a"), reply(state=MessageState.CANCELLED), asked("b")])
    assert turns == [UserTurn((TextPart("a"), TextPart("b")))]


def test_a_reply_that_was_cut_is_continued() -> None:
    turns = build_transcript([asked(), reply(Text(0, 0, "Once upon"))])
    assert turns[1:] == [AssistantTurn((TextPart("Once upon"),)), GO_ON]


def test_a_continued_reply_has_the_request_to_continue_in_between() -> None:
    turns = build_transcript(
        [asked(), reply(Text(0, 0, "Once"), Text(1, 1, "upon")), asked("And?")]
    )
    assert turns[1:] == [
        AssistantTurn((TextPart("Once"),)),
        GO_ON,
        AssistantTurn((TextPart("upon"),)),
        UserTurn((TextPart("And?"),)),
    ]


def test_no_request_to_continue_after_results() -> None:
    assert isinstance(build_transcript([asked(), reply(called(0))])[-1], ToolResults)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (ToolStatus.CANCELLED, "cancelled by the user"),
        (ToolStatus.DENIED, "didn't allow"),
        (ToolStatus.INTERRUPTED, "Not run"),
        (ToolStatus.ERROR, "failed"),
        (ToolStatus.RUNNING, "no result"),
        (ToolStatus.WRITING, "no result"),
    ],
)
def test_a_call_without_success_has_a_result_that_says_so(status: ToolStatus, words: str) -> None:
    result = build_transcript([asked(), reply(called(0, status=status))])[2]
    assert isinstance(result, ToolResults)
    assert not result.results[0].ok
    assert words in result.results[0].output


def test_the_model_gets_the_reason_of_a_failure() -> None:
    call = ToolUse(0, 0, "c", "clock", "{}", {}, ToolStatus.ERROR, error="no clock here")
    turns = build_transcript([asked(), reply(call)])
    assert turns[2] == ToolResults((ResultPart("c", "clock", "no clock here", ok=False),))


def test_a_model_is_told_that_the_user_changed_its_arguments() -> None:
    for status in (ToolStatus.SUCCESS, ToolStatus.ERROR):
        call = replace(called(0, status=status), edited=True, error="no")
        answer = build_transcript([asked(), reply(call, Text(1, 1, "So."))])[2]
        assert isinstance(answer, ToolResults)
        assert answer.results[0].output.startswith("(The user changed the arguments")


def test_text_of_others_is_marked_and_text_of_the_app_is_not() -> None:
    for status, told in (
        (ToolStatus.SUCCESS, "⟦foreign: clock⟧\nnine\n⟦/foreign⟧"),
        (ToolStatus.ERROR, "⟦foreign: clock⟧\nbroken\n⟦/foreign⟧"),
        (ToolStatus.CANCELLED, "broken"),
    ):
        call = replace(called(0, status=status), foreign=True, error="broken")
        answer = build_transcript([asked(), reply(call, Text(1, 1, "So."))])[2]
        assert isinstance(answer, ToolResults)
        assert answer.results[0].output == told


def test_unreadable_arguments_have_a_result() -> None:
    call = ToolUse(0, 0, "c", "clock", "{oops", None, ToolStatus.ERROR, error="Not valid JSON")
    turns = build_transcript([asked(), reply(call)])
    assert turns[1] == AssistantTurn((CallPart("c", "clock", {}),))
    assert turns[2] == ToolResults((ResultPart("c", "clock", "Not valid JSON", ok=False),))


@pytest.mark.parametrize("status", [ToolStatus.INTERRUPTED, ToolStatus.CANCELLED])
def test_a_call_that_was_cut_off_is_not_sent(status: ToolStatus) -> None:
    cut = ToolUse(1, 0, "c", "clock", '{"n', None, status)
    turns = build_transcript([asked(), reply(Text(0, 0, "Look:"), cut), asked()])
    assert turns[1] == AssistantTurn((TextPart("Look:"),))
    assert build_transcript([asked("a"), reply(cut), asked("b")]) == [
        UserTurn((TextPart("a"), TextPart("b")))
    ]


def test_ids_that_a_gateway_uses_again_are_distinguished() -> None:
    conversation = [
        asked(),
        reply(called(0, call_id="c"), called(1, call_id="c"), called(2, 1, call_id="c_2")),
        asked(),
        reply(called(0, call_id="c")),
    ]
    turns = build_transcript(conversation)
    check_transcript(turns)
    ids = [result.call_id for t in turns if isinstance(t, ToolResults) for result in t.results]
    assert ids == ["c", "c_2", "c_2_2", "c_3"]


@settings(max_examples=150, deadline=None)
@given(st.lists(messages(), max_size=6))
def test_any_conversation_gives_a_valid_transcript(conversation: list[Message]) -> None:
    transcript = build_transcript(conversation)
    check_transcript(transcript)
    sent = [part for turn in transcript if isinstance(turn, UserTurn) for part in turn.parts]
    told = "\n".join(part.text for part in sent if isinstance(part, TextPart))
    for message in conversation:
        for block in message.blocks if message.role is Role.USER else ():
            assert not isinstance(block, Text) or block.text.strip() in told


def test_the_check_itself_finds_an_unpaired_call() -> None:
    with pytest.raises(AssertionError):
        check_transcript([AssistantTurn((CallPart("c", "clock", {}),)), GO_ON])
    with pytest.raises(AssertionError):
        check_transcript([ToolResults((ResultPart("c", "clock", "9", ok=True),))])
    with pytest.raises(AssertionError):
        check_transcript([AssistantTurn((TextPart("a"),)), AssistantTurn((TextPart("b"),))])


def test_pictures_of_results_come_in_a_message_after_the_results() -> None:
    image = ResultImage("d", "image/png")
    told = build_transcript([asked(), reply(replace(called(0), images=(image,)))])
    *_, results, pictures = told
    assert isinstance(results, ToolResults)
    assert pictures == UserTurn((TextPart("(What clock shows:)"), ImagePart("d", "image/png")))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (Document(0, 0, "a\fb", "a.pdf"), ""),
        (Document(0, 0, "a\fb", "a.pdf", 9, 7, 2, cut=True), "it contains only pages 1–2 of 7"),
        (Document(0, 0, "a\fb", "a.txt", 9, cut=True), "it contains only the beginning"),
        (
            Document(0, 0, "a\fb", "a.pdf", omitted=(Omitted(Omission.BROKEN_PAGES, 2),)),
            "Not in it: damaged pages: 2.",
        ),
    ],
)
def test_a_file_is_untrusted_text_before_the_users_words(document: Document, said: str) -> None:
    blocks = (document, Text(1, 0, "what is it?"))
    message = Message("u", Role.USER, blocks, MessageState.DONE, 0.0)
    (turn,) = build_transcript([message])
    assert isinstance(turn, UserTurn)
    file, words = turn.parts
    assert isinstance(file, TextPart) and words == TextPart("what is it?")
    assert said in file.text
    assert f"⟦foreign: file {document.name}⟧\na\n\nb\n⟦/foreign⟧" in file.text


def test_pictures_of_the_model_are_sent_back_after_its_text() -> None:
    made = Image(1, 0, "d" * 64, "image/png", description="a cat")
    sent = build_transcript([asked("Draw"), reply(Text(0, 0, "Here."), made), asked("Bluer")])
    assert sent[1] == AssistantTurn((TextPart("Here."),))
    last = sent[2]
    assert isinstance(last, UserTurn)
    assert [type(part) for part in last.parts] == [TextPart, ImagePart, TextPart]
