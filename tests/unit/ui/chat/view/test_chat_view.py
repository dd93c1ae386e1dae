"""The view as its owner and the user see it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from neodeskpet.core.approval import ConsentAnswer
from neodeskpet.core.blocks import MessageState, Notice, ShownPath, Text, Thinking, ToolStatus
from neodeskpet.core.errors import Action
from neodeskpet.core.turn.turn_events import (
    BlockChanged,
    BlockEnded,
    BlockStarted,
    TextAppended,
    TurnEnded,
    TurnStarted,
)
from neodeskpet.language import set_language, tr_in
from neodeskpet.ui.chat.items.code_items import CodeItem, MonospaceItem
from neodeskpet.ui.chat.items.message_footer import FooterItem
from neodeskpet.ui.chat.items.notice_item import NoticeItem
from neodeskpet.ui.chat.items.text_items import MarkdownItem, TextItem
from neodeskpet.ui.chat.items.thinking_items import ThinkingHead
from neodeskpet.ui.chat.items.tool_card_items import ApprovalButtons, CardHead, CardLinks, GroupHead
from neodeskpet.ui.chat.items.user_message import UserTextItem
from neodeskpet.ui.theme import DARK, LIGHT
from tests.support.menus import choose_in_menu
from tests.support.paints import Paints
from tests.support.reader import children, expanded, messages, name_of, parts, read
from tests.unit.ui.chat.doubles import (
    NOW,
    call,
    click,
    companion,
    drag,
    entry,
    find,
    head_of,
    move,
    open_view,
    part,
    person,
    said,
    serve,
    spot,
    stream,
)

LONG = "\n\n".join(f"Paragraph {n} has some words that say little." for n in range(60))


class TestConversations:
    def test_a_conversation_opens_at_its_end_and_requests_the_visible_messages(
        self, qtbot: QtBot
    ) -> None:
        view = open_view(qtbot)
        messages = [said(f"m{n}", f"Message {n}\n\nwith two lines") for n in range(300)]
        asked = serve(view, messages)
        bar = view.verticalScrollBar()
        assert bar.value() == bar.maximum() > 0
        wanted = [one for ids in asked for one in ids]
        assert "m299" in wanted
        assert "m0" not in wanted
        assert len(wanted) == len(set(wanted)) < 60

    def test_scrolling_up_requests_more(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        messages = [said(f"m{n}", f"Message {n}") for n in range(300)]
        asked = serve(view, messages)
        view.verticalScrollBar().setValue(0)
        assert "m0" in asked[-1]
        qtbot.waitUntil(lambda: view.message_text("m0") == "Message 0")

    def test_another_conversation_replaces_the_first(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello"))
        serve(view, [said("x", "Other")])
        assert view.message_text("u") == ""
        qtbot.waitUntil(lambda: view.message_text("x") == "Other")

    def test_messages_that_were_not_requested_are_ignored(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello"))
        view.add_loaded_messages([said("unknown", "x"), person("u", "Changed")])
        assert view.message_text("u") == "Hello"
        assert view.message_text("unknown") == ""

    def test_a_message_can_be_removed(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello"), said("a", "Hi"))
        view.show_path(ShownPath("", [head_of(said("a", "Hi"))]), [])
        view.show_path(ShownPath("nobody", []), [])
        assert read(view) == [read(open_view(qtbot, said("a", "Hi")))[0]]

    def test_an_empty_conversation_explains_itself(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        face = QPixmap(64, 64)
        face.fill(QColor("#FF0000"))
        view.set_portrait(face)
        image = view.grab().toImage()
        red = QColor("#FF0000").rgb()
        assert any(image.pixel(240, y) == red for y in range(image.height()))


class TestStreaming:
    def test_a_turn_becomes_one_message(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello"))
        stream(view, "a", "Hel", "lo **you", "**")
        view.apply([("a", BlockEnded(Text(0, 0, "Hello **you**")))])
        view.apply([("a", BlockStarted(call(1, ToolStatus.WRITING)))])
        view.apply([("a", BlockEnded(call(1)))])
        view.apply([("a", TurnEnded(MessageState.DONE, NOW + 2))])
        assert view.message_text("a") == "Hello **you**"
        assert len(messages(view)) == 2
        assert read(view)[1].startswith("Hello you\nweb.search, rain, It rains.\n")
        assert parts(messages(view)[1])[0] == "web.search, rain, It rains."

    def test_the_first_delta_is_painted_before_apply_returns(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        stream(view, "a")
        before = view.grab().toImage()
        view.apply([("a", TextAppended(0, "Hello"))])
        _, item = find(view, "a", MarkdownItem)
        assert item.width
        assert view.grab().toImage() != before

    def test_events_of_an_unknown_message_are_ignored(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        view.apply([("ghost", TextAppended(0, "x"))])
        assert messages(view) == []

    def test_events_of_a_message_that_isnt_loaded_leave_it_unloaded(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        view.open_conversation([head_of(said("a", "x"))])
        view.apply([("a", TurnStarted("a", resumed=True))])
        assert messages(view) == []

    def test_the_end_is_followed_while_it_is_visible(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        stream(view, "a", *LONG.split(" "))
        bar = view.verticalScrollBar()
        assert bar.value() == bar.maximum() > 0
        assert not view.scroller.newest_button.isVisible()

    def test_scrolling_up_stops_following_and_a_button_returns(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        stream(view, "a", LONG)
        bar = view.verticalScrollBar()
        view.scroller.scroll_by(-200)
        before = view.scroller.anchor()
        top = bar.value()
        assert view.scroller.newest_button.isVisible()
        stream(view, "a", "\n\n" + LONG)
        assert (bar.value(), view.scroller.anchor()) == (top, before)
        view.scroller.newest_button.click()
        assert bar.value() == bar.maximum()
        assert not view.scroller.newest_button.isVisible()
        stream(view, "a", "\n\n" + LONG)
        assert bar.value() == bar.maximum()

    def test_the_users_own_message_scrolls_to_the_end(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", LONG))
        view.scroller.scroll_by(-300)
        view.add_message(person("u", "And now?"))
        assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()

    def test_few_documents_exist_in_a_conversation_of_any_length(self, qtbot: QtBot) -> None:
        view = open_view(qtbot)
        stream(view, "a", LONG * 20)
        for top in range(0, view.verticalScrollBar().maximum(), 400):
            view.verticalScrollBar().setValue(top)
        assert view.scene.documents.made > 200
        assert len(view.scene.documents) <= 64


class TestCards:
    def test_opening_a_card_does_not_move_it(self, qtbot: QtBot) -> None:
        blocks = [Text(0, 0, LONG), call(1, output="line\n" * 40), Text(2, 0, LONG)]
        view = open_view(qtbot, companion("a", *blocks))
        place, _ = find(view, "a", CardHead)
        view.scroller.reveal(place)
        view.scroller.scroll_by(-100)
        y = view.scroller.row_rect(place).top()
        click(view, place, "toggle")
        assert view.scroller.row_rect(place).top() == y
        assert any(isinstance(item, MonospaceItem) for item in entry(view, "a").items)
        click(view, place, "toggle")
        assert view.scroller.row_rect(place).top() == y
        assert not any(isinstance(item, MonospaceItem) for item in entry(view, "a").items)

    def test_what_was_opened_stays_open_when_the_state_changes(self, qtbot: QtBot) -> None:
        running = companion("a", call(0, ToolStatus.RUNNING), state=MessageState.RUNNING)
        view = open_view(qtbot, running)
        place, _ = find(view, "a", CardHead)
        click(view, place, "toggle")
        view.apply([("a", BlockEnded(call(0)))])
        assert expanded(view, "web.search")
        assert '{"query": "rain"}' in read(view)[0]
        assert "It rains." in read(view)[0]

    def test_a_long_output_is_clipped_until_everything_is_wanted(self, qtbot: QtBot) -> None:
        output = "\n".join(f"line {n}" for n in range(100))
        view = open_view(qtbot, companion("a", call(0, output=output)))
        click(view, find(view, "a", CardHead)[0], "toggle")
        texts = [i for i in entry(view, "a").items if isinstance(i, MonospaceItem)]
        assert texts[-1].source.count("\n") == 11
        place, links = find(view, "a", CardLinks, 1)
        click(view, place, "all")
        shown = [i.source for i in entry(view, "a").items if isinstance(i, MonospaceItem)]
        assert "\n".join(shown[1:]) == output
        place, links = find(view, "a", CardLinks, 1)
        view.scroller.reveal(place)
        click(view, place, "copy")
        assert QGuiApplication.clipboard().text() == output
        assert [p.name for p in links.hit_regions(view.scene)] == ["show less", "copied"]

    def test_approval_is_given_in_the_card(self, qtbot: QtBot) -> None:
        asking = companion("a", call(3, ToolStatus.ASKING), state=MessageState.RUNNING)
        view = open_view(qtbot, asking)
        answers: list[tuple[str, int, str, str]] = []
        view.approval_given.connect(lambda *answer: answers.append(answer))
        place, _ = find(view, "a", ApprovalButtons)
        click(view, place, "once")
        click(view, place, "always_menu")
        choose_in_menu("Always")
        assert answers == [("a", 3, ConsentAnswer.ONCE, ""), ("a", 3, ConsentAnswer.ALWAYS, "")]

    def test_denying_asks_for_a_reason_first(self, qtbot: QtBot) -> None:
        asking = companion("a", call(3, ToolStatus.ASKING), state=MessageState.RUNNING)
        view = open_view(qtbot, asking)
        answers: list[tuple[str, int, str, str]] = []
        view.approval_given.connect(lambda *answer: answers.append(answer))
        place, _ = find(view, "a", ApprovalButtons)
        click(view, place, "more")
        choose_in_menu("No, with a reason…")
        field = view.reason_field
        assert field.isVisible()
        assert answers == []
        field.setText("Not today")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert answers == [("a", 3, ConsentAnswer.DENY, "Not today")]
        assert not field.isVisible()

    def test_denying_can_be_cancelled(self, qtbot: QtBot) -> None:
        asking = companion("a", call(3, ToolStatus.ASKING), state=MessageState.RUNNING)
        view = open_view(qtbot, asking)
        place, buttons = find(view, "a", ApprovalButtons)
        click(view, place, "more")
        choose_in_menu("No, with a reason…")
        assert [p.key for p in buttons.hit_regions(view.scene)] == ["keep", "back"]
        click(view, place, "back")
        assert [p.key for p in buttons.hit_regions(view.scene)] == [
            "once",
            "keep",
            "always_menu",
            "more",
        ]
        click(view, place, "more")
        choose_in_menu("No, with a reason…")
        with qtbot.waitSignal(view.approval_given) as given:
            click(view, place, "keep")
        assert given.args == ["a", 3, ConsentAnswer.DENY, ""]

    def test_the_field_moves_with_its_card(self, qtbot: QtBot) -> None:
        asking = companion("a", call(3, ToolStatus.ASKING), state=MessageState.RUNNING)
        view = open_view(qtbot, asking)
        click(view, find(view, "a", ApprovalButtons)[0], "more")
        choose_in_menu("No, with a reason…")
        view.apply([("a", BlockChanged(call(3, ToolStatus.CANCELLED)))])
        assert not view.reason_field.isVisible()

    def test_finished_calls_are_grouped_and_can_be_opened(self, qtbot: QtBot) -> None:
        calls = [call(n) for n in range(4)]
        view = open_view(qtbot, companion("a", *calls, Text(4, 0, "Done.")))
        place, _ = find(view, "a", GroupHead)
        click(view, place, "toggle")
        card = "web.search, rain, It rains."
        assert parts(messages(view)[0]).count(card) == 4
        click(view, place, "toggle")
        assert card not in parts(messages(view)[0])

    def test_thinking_opens_and_closes(self, qtbot: QtBot) -> None:
        block = Thinking(0, 0, "First this.\n\n- then that", started=NOW, ended=NOW + 3.2)
        view = open_view(qtbot, companion("a", block, Text(1, 0, "So.")))
        place, _ = find(view, "a", ThinkingHead)
        closed = read(view)
        assert "First this." not in closed[0]
        assert not expanded(view, "Thought for 3.2 s")
        click(view, place, "toggle")
        assert "First this.\n• then that" in read(view)[0]
        assert expanded(view, "Thought for 3.2 s")
        click(view, place, "toggle")
        assert read(view) == closed


class TestActions:
    def test_a_button_of_a_notice_sends_a_request(self, qtbot: QtBot) -> None:
        notice = Notice(0, 0, "stream_broken", actions=(Action.CONTINUE, Action.RETRY))
        view = open_view(qtbot, companion("a", notice, state=MessageState.FAILED))
        with qtbot.waitSignal(view.action_requested) as asked:
            click(view, find(view, "a", NoticeItem)[0], "continue")
        assert asked.args == ["a", "continue"]

    def test_retry_and_copy_of_a_message(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello **you**"), said("a", "Hi *there*"))
        place, _ = find(view, "a", FooterItem)
        with qtbot.waitSignal(view.retry_requested) as asked:
            click(view, place, "message.retry")
        assert asked.args == ["a"]
        click(view, place, "message.copy")
        assert QGuiApplication.clipboard().text() == "Hi *there*"
        click(view, find(view, "u", UserTextItem)[0], "message.copy")
        assert QGuiApplication.clipboard().text() == "Hello **you**"

    def test_code_is_copied_completely(self, qtbot: QtBot) -> None:
        code = "\n".join(f"line({n})" for n in range(200))
        view = open_view(qtbot, said("a", f"```py\n{code}\n```"))
        click(view, find(view, "a", CodeItem)[0], "unfold")
        place, _ = find(view, "a", CodeItem, 2)
        view.scroller.reveal(place)
        move(view, spot(view, place, 30, 30))
        click(view, place, "copy")
        assert QGuiApplication.clipboard().text() == code

    def test_releasing_elsewhere_than_pressing_does_nothing(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, companion("a", call(0), Text(1, 0, "text")))
        place, _ = find(view, "a", CardHead)
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QTest.mousePress(view.viewport(), left, none, spot(view, place, 20, 10))
        QTest.mouseRelease(view.viewport(), left, none, QPoint(5, 400))
        assert not expanded(view, "web.search")

    def test_only_web_and_mail_links_are_reported(self, qtbot: QtBot) -> None:
        text = "[one](https://example.org/a)\n\n[two](file:///etc/passwd)\n\n[three](javascript:x)"
        view = open_view(qtbot, said("a", text))
        told: list[str] = []
        view.link_activated.connect(told.append)
        for number in range(3):
            place, _ = find(view, "a", MarkdownItem, number)
            QTest.mouseClick(
                view.viewport(),
                Qt.MouseButton.LeftButton,
                Qt.KeyboardModifier.NoModifier,
                spot(view, place, 8, 10),
            )
        assert told == ["https://example.org/a"]


class TestSelection:
    def test_selection_across_blocks_and_messages(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello there"), said("a", "First **bold**.\n\nSecond."))
        start, _ = find(view, "u", UserTextItem)
        end, item = find(view, "a", MarkdownItem, 1)
        box = view.scroller.row_rect(start)
        drag(view, QPoint(box.left(), box.top() + 2), spot(view, end, 300, item.height - 2))
        assert view.selected_text() == "Hello there\n\nFirst bold.\n\nSecond."
        assert view.selected_markdown() == "Hello there\n\nFirst **bold**.\n\nSecond."

    def test_selection_backwards_and_in_part(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", "One two\n\nthree four"))
        first, _ = find(view, "a", MarkdownItem)
        second, item = find(view, "a", MarkdownItem, 1)
        assert isinstance(item, TextItem)
        wide = view.item_style.metrics.horizontalAdvance("three")
        drag(view, spot(view, second, wide, 10), spot(view, first, 0, 2))
        assert view.selected_text() == "One two\n\nthree"
        QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "One two\n\nthree"

    def test_selection_by_word_and_paragraph(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", "One two three"))
        place, _ = find(view, "a", MarkdownItem)
        where = spot(view, place, view.item_style.metrics.horizontalAdvance("One t"), 10)
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QTest.mouseClick(view.viewport(), left, none, where)
        assert view.selected_text() == ""
        QTest.mousePress(view.viewport(), left, none, where)
        QTest.mouseRelease(view.viewport(), left, none, where)
        assert view.selected_text() == "two"
        QTest.mousePress(view.viewport(), left, none, where)
        QTest.mouseRelease(view.viewport(), left, none, where)
        assert view.selected_text() == "One two three"

    def test_shift_click_extends_the_selection(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", "One two three"))
        place, _ = find(view, "a", MarkdownItem)
        left = Qt.MouseButton.LeftButton
        start, end = spot(view, place, 0, 10), spot(view, place, 400, 10)
        QTest.mouseClick(view.viewport(), left, Qt.KeyboardModifier.NoModifier, start)
        QTest.mouseClick(view.viewport(), left, Qt.KeyboardModifier.ShiftModifier, end)
        assert view.selected_text() == "One two three"

    def test_select_all_requests_missing_messages_before_copying(self, qtbot: QtBot) -> None:
        messages = [said(f"m{n}", f"Message {n}") for n in range(120)]
        view = open_view(qtbot)
        serve(view, messages)
        QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        assert "Message 0\n" not in view.selected_text()
        QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        whole = "\n\n".join(f"Message {n}" for n in range(120))
        qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == whole)

    def test_the_selection_stays_while_text_arrives_below(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hello there"))
        stream(view, "a", "One")
        place, _ = find(view, "u", UserTextItem)
        box = view.scroller.row_rect(place)
        drag(view, QPoint(box.left() + 2, box.top() + 2), QPoint(box.right(), box.bottom() - 2))
        stream(view, "a", " two\n\n", "three\n\n")
        assert view.selected_text() == "Hello there"

    def test_copied_code_and_lists_are_complete_markdown(self, qtbot: QtBot) -> None:
        text = "1. one\n   ```sh\n   ls\n   ```\n2. two\n\n---\n\n| a |\n|---|\n| 1 |"
        view = open_view(qtbot, said("a", text))
        view.select_all()
        assert view.selected_markdown().replace("\n\n", "\n") == text.replace("\n\n", "\n")

    def test_dragging_out_of_the_window_scrolls(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", LONG))
        bar = view.verticalScrollBar()
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QTest.mousePress(view.viewport(), left, none, QPoint(200, 200))
        move(view, QPoint(200, -60), held=True)
        qtbot.waitUntil(lambda: bar.value() < bar.maximum() - 100)
        QTest.mouseRelease(view.viewport(), left, none, QPoint(200, -60))
        assert view.selected_text()

    def test_escape_clears_the_selection(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", "One two"))
        view.select_all()
        assert view.selected_text()
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert view.selected_text() == ""


class TestLooks:
    def test_another_theme(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", "Hello"))
        view.set_theme(DARK)
        assert view.grab().toImage().pixelColor(5, 400) == QColor(DARK.window)

    def test_a_larger_size_is_laid_out_again(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, person("u", "Hi"), said("a", LONG))
        before = messages(view)[1].rect().height()
        view.set_theme(LIGHT.sized(20))
        assert messages(view)[1].rect().height() > before * 1.2

    @pytest.mark.parametrize("width", [320, 480, 1400])
    def test_the_column_fits_any_width(self, qtbot: QtBot, width: int) -> None:
        view = open_view(qtbot, person("u", "Hi"), said("a", LONG), size=(width, 400))
        frame = view.scroller.frame
        assert frame.left + frame.width <= width - 12
        assert frame.width <= view.item_style.column_width
        left, right = frame.left - frame.gutter, width - frame.left - frame.width
        assert abs(left - right) <= 12

    def test_resizing_keeps_the_reading_position(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", LONG + "\n\n" + LONG))
        view.scroller.scroll_by(-700)
        before = view.scroller.anchor()
        view.resize(380, 500)
        assert view.scroller.anchor().item is before.item

    def test_portraits(self, qtbot: QtBot) -> None:
        faces = []
        for name in ("#FF0000", "#00FF00"):
            face = QPixmap(64, 64)
            face.fill(QColor(name))
            faces.append(face)
        view = open_view(qtbot, said("a", "One"), said("b", "Two"))
        view.set_portrait(faces[0])
        view.set_portrait(faces[1])
        image = view.grab().toImage()
        colors = []
        for name in ("a", "b"):
            place, _ = find(view, name, MarkdownItem)
            center = view.scroller.row_rect(place).topLeft() + QPoint(
                -view.scroller.frame.gutter + 16, 12
            )
            colors.append(image.pixelColor(center).name())
        assert colors == ["#ff0000", "#00ff00"]

    def test_another_language(self, qtbot: QtBot) -> None:
        asking = call(0, ToolStatus.ASKING, arguments={"a": "x", "b": "y"})
        notice = Notice(1, 0, "round_limit", {"count": "3"}, actions=(Action.CONTINUE,))
        refused = Text(2, 0, "No.", refusal=True)
        view = open_view(qtbot, companion("a", asking, notice, refused), size=(480, 700))
        place, _ = find(view, "a", CardHead)
        click(view, place, "toggle")
        before = [item.accessible_text for item in entry(view, "a").items if item.accessible_text]
        try:
            assert set_language("zh_CN") == "zh_CN"
            view.retranslate()
            after = [
                item.accessible_text for item in entry(view, "a").items if item.accessible_text
            ]
            parts = [p.name for i in entry(view, "a").items for p in i.hit_regions(view.scene)]
        finally:
            set_language("en")
        assert len(after) == len(before)
        assert {tr_in("zh_CN", "Allow"), tr_in("zh_CN", "Don't allow")} <= set(parts)
        changed = [one != other for one, other in zip(before, after, strict=True)]
        assert changed.count(False) <= 3  # the texts of the refusal and of the arguments
        assert "Continue" not in parts

    def test_a_new_portrait_paints_only_itself(self, qtbot: QtBot) -> None:
        view = open_view(qtbot, said("a", "One"), said("b", "Two"))
        view.set_portrait(QPixmap(64, 64))
        QApplication.processEvents()
        painted = Paints(view.viewport()).areas
        view.set_portrait(QPixmap(32, 32))
        QApplication.processEvents()
        assert len(painted) == 1
        assert painted[0].width() < 60
        assert painted[0].height() < 60

    def test_time_advances_only_animated_items(self, qtbot: QtBot) -> None:
        running = companion("a", call(0, ToolStatus.RUNNING), state=MessageState.RUNNING)
        view = open_view(qtbot, running)
        place, _ = find(view, "a", CardHead)
        before = view.grab(view.scroller.row_rect(place)).toImage()
        clock = view.scene.clock
        clock.now += 3.3  # type: ignore[attr-defined]
        qtbot.waitUntil(lambda: view.scene.pulse > 0)
        assert view.grab(view.scroller.row_rect(place)).toImage() != before
        view.set_reduced_motion(True)
        assert view.scene.reduced

    def test_main_arguments_are_provided_by_the_owner(self, qtbot: QtBot) -> None:
        named = call(0, arguments={"city": "Berlin", "query": "rain"})
        view = open_view(qtbot, companion("a", named), size=(700, 500))
        other = companion("a", call(0, arguments={"query": "rain"}))
        alone = open_view(qtbot, other, size=(700, 500))
        assert view.grab().toImage() != alone.grab().toImage()
        view.set_main_argument_names({"web.search": "query"})
        assert view.grab().toImage() == alone.grab().toImage()

    def test_everything_can_be_painted(self, qtbot: QtBot) -> None:
        calls = [call(n, status) for n, status in enumerate(ToolStatus)]
        view = open_view(qtbot, companion("a", *calls), size=(480, 1100))
        # visible at the pointer
        small = ("Copy", "Retry", "What happened in this turn", "More…")
        cards = [one for one in children(messages(view)[0]) if name_of(one) not in small]
        assert len(cards) >= len(calls)
        window = QColor(LIGHT.window)
        for card in cards:
            box = card.rect().translated(view.mapFromGlobal(QPoint()))
            assert view.rect().contains(box)
            image = view.grab(box).toImage()
            row = [image.pixelColor(x, box.height() // 2) for x in range(0, box.width(), 2)]
            assert any(color != window for color in row), name_of(card)

    def test_parts_are_inside_of_their_items(self, qtbot: QtBot) -> None:
        calls = [call(n, status) for n, status in enumerate(ToolStatus)]
        notice = Notice(9, 0, "tools_unsupported", actions=(Action.SWITCH_TO_TEXT, Action.RETRY))
        view = open_view(qtbot, companion("a", *calls, notice), size=(320, 1400))
        for item in entry(view, "a").items:
            for one in item.hit_regions(view.scene):
                assert one.rect.right() <= item.width + 1, one
                assert one.rect.bottom() <= item.height + 1, one
                assert part(view, item, one.key) == one
