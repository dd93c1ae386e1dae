"""The user's language: the choice, the translations, and the texts without one."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from babel.messages.pofile import read_po

from neodeskpet.core.blocks import ToolUse
from neodeskpet.core.errors import (
    InvalidArguments,
    RoundLimit,
    ToolCrashed,
    ToolDenied,
    ToolError,
    ToolFailed,
    ToolFault,
    ToolTimedOut,
    Unreachable,
)
from neodeskpet.core.i18n import Reason
from neodeskpet.core.toolspec import ToolNames, ToolSpec
from neodeskpet.language import (
    LANGUAGES,
    LOCALES,
    join_hint,
    join_sentences,
    language,
    set_language,
    system_language,
    tool_title,
    tr,
    translate_code,
    translate_error,
    translate_failure,
)


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = language()
    set_language("en")
    yield
    set_language(before)


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_can_be_chosen(name: str) -> None:
    assert set_language(name) == name
    assert language() == name


def test_an_unknown_one_is_english() -> None:
    assert set_language("tlh") == "en"
    assert language() == "en"


@pytest.fixture
def all_chinese() -> dict[str, str]:
    """Return all texts of the catalogue with their Chinese."""
    source = LOCALES / "zh_CN/LC_MESSAGES/neodeskpet.po"
    with source.open("rb") as file:
        catalogue = read_po(file, locale="zh_CN")
    return {str(one.id): str(one.string) for one in catalogue if one.id}


VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


@pytest.mark.parametrize(
    ("environment", "taken"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_TW"}, "zh_CN"),
        ({"LANG": "Chinese_China.936"}, "zh_CN"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh_CN"),
        ({"LC_ALL": "", "LANG": "zh_CN"}, "zh_CN"),
    ],
)
def test_the_language_of_the_system(
    environment: dict[str, str], taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert system_language() == taken
    assert set_language("system") == taken


def test_a_system_without_a_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert system_language() in LANGUAGES


def test_english_is_the_key_and_the_text() -> None:
    assert tr("Stop") == "Stop"
    assert tr("Paused after {count} rounds.", count="3") == "Paused after 3 rounds."
    assert tr("") == ""


def test_a_text_without_a_translation_stays_english() -> None:
    set_language("zh_CN")
    assert tr("qwertz {n}", n="1") == "qwertz 1"
    assert tr("") == ""


@pytest.mark.skipif(
    not (LOCALES / "zh_CN/LC_MESSAGES/neodeskpet.mo").exists(), reason="no catalogue is compiled"
)
def test_an_error_is_shown_in_the_users_language() -> None:
    english = translate_error(Unreachable("ECONNREFUSED"))
    set_language("zh_CN")
    chinese = translate_error(Unreachable("ECONNREFUSED"))
    assert chinese[0].endswith("ECONNREFUSED"), "foreign text is never translated"
    assert set_language("en") == "en"
    assert translate_error(Unreachable("ECONNREFUSED")) == english


def test_an_error_says_what_happened_and_what_to_do() -> None:
    what, hint = translate_error(Unreachable("ECONNREFUSED"))
    assert what == "The model service can't be reached. ECONNREFUSED"
    assert hint == "Check the address and the network, then retry."


def test_a_detail_follows_a_full_width_stop_without_a_space() -> None:
    set_language("zh_CN")
    what, _ = translate_error(Unreachable("ECONNREFUSED"))
    assert what.endswith("。ECONNREFUSED")


def test_chinese_has_no_spaces_between_its_own_words() -> None:
    set_language("zh_CN")
    assert tr("{name} is listening", name="尼奥") == "尼奥在听你说"
    assert tr("{name} is listening", name="Neo") == "Neo 在听你说"
    assert join_sentences("好了。", "请重试。") == "好了。请重试。"
    assert join_sentences("", "Neo", "是谁？") == "Neo 是谁？"


def test_a_stored_notice_has_the_text_of_its_error() -> None:
    error = RoundLimit(count="12")
    assert translate_code("round_limit", {"count": "12"}) == translate_error(error)
    assert translate_error(error)[0] == "The reply is not finished after 12 rounds of tool calls."


def test_a_notice_of_another_version_is_still_readable() -> None:
    assert translate_code("from_the_future", {}, "Details") == (
        "Something went wrong. Details",
        "Try again.",
    )


BROKEN = InvalidArguments(
    reasons=[
        Reason("must be an integer, got {got}", {"got": '"x"'}, "params.a[0]"),
        Reason("is required", {}, "name"),
    ],
    advice="Received: ?",
)


@pytest.mark.parametrize(
    ("error", "english", "chinese"),
    [
        (
            BROKEN,
            "The arguments are not valid. "
            'params.a[0]: must be an integer, got "x"; name: is required',
            '参数不符合要求。params.a[0]：必须是整数，收到的是 "x"；name：缺少这一项',
        ),
        (
            ToolNames(["note.add"]).unknown("note.ad"),
            "There is no tool named note.ad. Did you mean note.add? All tools: note.add.",
            "没有名为 note.ad 的工具。是不是想用 note.add？全部工具：note.add。",
        ),
        (
            ToolCrashed("dig: ZeroDivisionError: oops.", advice="Try another way."),
            "The tool has an internal error. dig: ZeroDivisionError: oops.",
            "工具内部出错。dig: ZeroDivisionError: oops.",
        ),
        (
            ToolFailed(
                "disk full",
                reasons=[
                    Reason("Check the free disk space and the permissions of the data folder.")
                ],
            ),
            "The tool failed. Check the free disk space and the permissions of the data folder.",
            "工具运行失败。请检查",
        ),
        (
            ToolTimedOut(seconds="3", advice="Try something smaller."),
            "The tool didn't finish within 3 s. It was stopped and may be half done.",
            "工具在 3 秒内没有完成，已被停止，可能只做了一半。",
        ),
    ],
)
def test_the_reason_of_a_failed_call_follows_the_language(
    error: ToolError, english: str, chinese: str
) -> None:
    call = ToolUse(0, 0, "1", "t", error=str(error), fault=ToolFault.of(error))
    assert translate_failure(call) == english
    set_language("zh_CN")
    assert translate_failure(call).startswith(chinese)
    assert str(error).startswith(english.split("; ")[0])


def test_a_text_that_an_earlier_version_stored_is_unchanged() -> None:
    set_language("zh_CN")
    assert (
        translate_failure(ToolUse(0, 0, "1", "t", error="The tool failed.")) == "The tool failed."
    )


def test_a_foreign_tool_never_has_the_title_of_one_of_ours() -> None:
    ours = ToolSpec("note.add", "Keep it.", title="Add a note")
    set_language("zh_CN")
    assert tool_title(ours) == "添加笔记"
    assert tool_title(replace(ours, source="others")) == "note.add"
    assert tool_title(replace(ours, title="")) == "note.add"


def test_foreign_text_ends_before_the_advice() -> None:
    assert join_hint("It failed. no room", "Try again.") == "It failed. no room. Try again."
    assert join_hint("It failed. (no “room”)", "Try again.") == "It failed. (no “room”). Try again."
    assert join_hint("It failed.", "Try again.") == "It failed. Try again."
    assert join_hint("It failed. no room", "") == "It failed. no room"
    set_language("zh_CN")
    assert join_hint("存不下。no room", "请重试。") == "存不下。no room。请重试。"


def test_texts_address_the_user_directly() -> None:
    call = ToolUse(0, 0, "c", "file.write", fault=ToolFault.of(ToolDenied("Not there.")))
    assert translate_failure(call) == "You didn't allow this call. Not there."
    assert "The user" in str(ToolDenied())


_LITERAL_CHINESE = (
    "这么多分钟没有提问后",
    "按名称所知",
    "差事",
    "关于你的事",
    "先等着",
    "我替一位朋友",
    "处理器的多少个线程",
    "想的时候打个招呼",
    "现在不会到来",
    "永远不会到来",
    "它使测试进程",
    "好的：一天内",
    "仍在进行",
    "四季也会",
    "随日子",
    "消遣",
    "下午我们做点",
    "行不通",
    "新的对",
    "旧的对",
    "第一位伙伴身边",
    "沿着脚下",
    "没能得知问题",
    "喂{name}",
    "(Esc)",
    "- 表示",
    "便签",
    "免打扰",
    "主动发言",
)
"""Chinese that was translated word by word, or whose words differ from the glossary."""
_NATURAL_CHINESE = {
    "After this many minutes without a request, the model is removed from memory.": (
        "空闲这么多分钟后，从内存中卸载模型。"
    ),
    "As known by its name: {answer}": "根据名称判断：{answer}",
    "Background prompts": "后台小事",
    "Facts about you": "你的信息",
    "What I know about you": "我记得的你",
    "Have you eaten? I ask for a friend. The friend is me.": (
        "吃过饭了吗？帮一位朋友问的——那位朋友就是我。"
    ),
    "It has no next time.": "已经不会再响了。",
    "“{text}” never occurs.": "“{text}”这个时间不存在。",
    "It crashed the check process (at: {step}).": "它导致测试进程崩溃（步骤：{step}）。",
    "All right: none of these for a day, and fewer after that.": "好，今天不再提了，以后也少说。",
    "Shall we make something good of the afternoon?": "下午一起做点什么好事吧？",
    "The newer one": "新的正确",
    "The older one": "旧的正确",
    "Give {name} a snack": "给 {name} 喂零食",
    "Cancel (Esc)": "取消（Esc）",
    "Close (Esc)": "关闭（Esc）",
    "- reads stdin": "“-”表示从标准输入读取",
    "Folder {name}, {count}, closed": "文件夹“{name}”（{count} 个对话），已收起",
    "Dismiss": "知道了",
    "Calm": "文静",
    "Quiet": "安静",
    "Not now": "先不要",
    "Cancel it": "确认取消",
    "1 line": "1 行",
    "Saved.": "已保存。",
    "{count} facts": "{count} 条信息",
}


def test_chinese_reads_as_chinese(all_chinese: dict[str, str]) -> None:
    found = [
        f"{english}: {chinese}"
        for english, chinese in all_chinese.items()
        if any(words in chinese.replace("新的对话", "") for words in _LITERAL_CHINESE)
    ]
    assert found == []
    assert {english: all_chinese.get(english) for english in _NATURAL_CHINESE} == _NATURAL_CHINESE


def test_one_chinese_text_stands_for_one_meaning(all_chinese: dict[str, str]) -> None:
    """A sentence of several English ones without a common word was given to the wrong one."""
    texts: dict[str, list[str]] = {}
    for english, chinese in all_chinese.items():
        if len(chinese) > 4:
            texts.setdefault(chinese, []).append(english)
    found = {
        chinese: english
        for chinese, english in texts.items()
        if not set.intersection(*(set(re.findall(r"[a-z]{4}", one.lower())) for one in english))
    }
    assert {one: english for one, english in found.items() if len(english) > 1} == {}
