"""How a question becomes a query."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.memory.recall.recall_query import (
    ASKING_WEIGHT,
    MAX_QUESTION,
    MAX_WORDS,
    VAGUE_WEIGHT,
    build_query,
    use_single_characters,
)
from neodeskpet.memory.recall.recall_types import ItemSide

NOW = datetime(2026, 1, 4, 9)


def heavy(text: str) -> set[str]:
    return {term for term, weight in build_query(text, NOW).weights.items() if weight >= 0.9}


def test_words_of_the_question_form_have_little_weight() -> None:
    query = build_query("What did you say about the harbour hospital?", NOW)
    assert heavy("What did you say about the harbour hospital?") == {"harbour", "hospit"}
    assert query.weights["what"] == ASKING_WEIGHT
    assert not {"the", "you", "i"} & query.weights.keys()
    assert heavy("Why did Mia paint her own door while it rained?") == {
        "mia",
        "paint",
        "door",
        "rain",
    }
    assert "her" not in build_query("Why did she paint her door?", NOW).weights


def test_chinese_text_is_split_before_pairs_are_made() -> None:
    assert heavy("我上次说的那个餐厅叫什么？") == {"餐厅"}
    assert {"吉他", "酒吧"} <= heavy("我的吉他放在哪个酒吧？")
    assert heavy("什么餐厅") == {"餐厅"}


def test_a_single_character_can_be_the_question() -> None:
    assert (
        build_query("猫", NOW).is_single_character
        and build_query("蛇呢？", NOW).is_single_character
    )
    assert build_query("猫", NOW).weights == {"猫": 1.0}
    assert not build_query("我的猫咪", NOW).is_single_character


def test_without_a_known_pair_single_characters_are_used() -> None:
    asked = build_query("狗怕什么？", NOW)
    known = use_single_characters(asked, {"狗怕": 1}).weights
    unknown = use_single_characters(asked, {"狗": 3}).weights
    assert known == asked.weights and known["狗"] < unknown["狗"] == unknown["怕"] < known["狗怕"]
    name = use_single_characters(build_query("欧阳修远", NOW), {"欧阳": 1}).weights
    assert name["欧"] == name["阳"] < name["修"] == name["远"]


def test_negated_words_have_little_weight() -> None:
    assert build_query("When don't I drink tea?", NOW).weights["never"] == ASKING_WEIGHT
    assert "not" not in build_query("When do I drink tea?", NOW).weights


def test_common_words_have_less_weight() -> None:
    weights = build_query("Which nice way did I take, any tips?", NOW).weights
    assert weights["nice"] == weights["take"] == VAGUE_WEIGHT
    assert weights["tip"] == ASKING_WEIGHT


@pytest.mark.parametrize(
    ("asked", "when", "amount"),
    [
        ("When did we fly to Lisbon?", True, False),
        ("When we flew to Lisbon, what broke?", False, False),
        ("What year was the house built?", True, False),
        ("How many cousins do I have?", False, True),
        ("How does the engine work?", False, False),
        ("我什么时候去的西塘？", True, False),
        ("妈妈的生日是几月几号？", True, False),
        ("我租的房子多少钱？", False, True),
        ("我家的猫叫什么？", False, False),
    ],
)
def test_a_time_or_a_number_is_asked_for(asked: str, when: bool, amount: bool) -> None:
    query = build_query(asked, NOW)
    assert (query.asks_when, query.asks_amount) == (when, amount)


def test_a_general_word_stands_for_its_members_and_not_the_other_way_round() -> None:
    assert build_query("Which pet did I want?", NOW).synonyms["hamster"] == "pet"
    assert build_query("我养了什么宠物？", NOW).synonyms["仓鼠"] == "宠物"
    assert "pet" not in build_query("Where is the hamster?", NOW).synonyms
    assert "rabbit" not in build_query("Where is the hamster?", NOW).synonyms


def test_synonyms_stand_for_the_words_of_the_question() -> None:
    query = build_query("Which movie or film did my mom like?", NOW)
    assert query.synonyms["mother"] == "mom" and "movi" not in query.synonyms
    assert build_query("我的工资是多少？", NOW).synonyms["薪水"] == "工资"
    assert not build_query("the lighthouse", NOW).synonyms


def test_whose_words_are_meant() -> None:
    for text, side in (
        ("What did you recommend?", ItemSide.COMPANION),
        ("Which book did I tell you about?", ItemSide.PERSON),
        ("Where is my key?", ItemSide.PERSON),
        ("你推荐的电影是哪部？", ItemSide.COMPANION),
        ("我跟你说过我住哪儿吗？", ItemSide.PERSON),
        ("我的钥匙呢？", ItemSide.PERSON),
        ("Where is the moon?", None),
        ("Can you recommend a quiet hotel?", ItemSide.PERSON),
        ("Do you have any tips for baking?", ItemSide.PERSON),
        ("Can you tell me which hotel you recommended?", ItemSide.COMPANION),
        ("能不能推荐一家安静的酒店？", ItemSide.PERSON),
        ("你推荐过哪家酒店？", ItemSide.COMPANION),
    ):
        assert build_query(text, NOW).side is side, text


def test_names_of_the_speakers() -> None:
    speakers = ("Caroline", "user", "王芳", "assistant")
    query = build_query("When did Caroline's pottery begin?", NOW, speakers)
    assert query.speakers == {"caroline"}
    assert query.weights["carolin"] < query.weights["potteri"]
    assert build_query("王芳去了哪里？", NOW, speakers).speakers == {"王芳"}
    assert not build_query("is the user there?", NOW, speakers).speakers


def test_questions_about_the_past() -> None:
    assert build_query("Where did I live before?", NOW).asks_for_past
    assert build_query("我以前住在哪里？", NOW).asks_for_past
    assert not build_query("Where do I live?", NOW).asks_for_past


def test_days_are_not_searched_as_words() -> None:
    query = build_query("What did I eat yesterday?", NOW)
    assert "yesterday" not in query.weights and "eat" in query.weights
    assert [str(span.first) for span in query.spans] == ["2026-01-03"]
    assert build_query("昨天我说了什么？", NOW).weights == {}


def test_a_holiday_is_a_day_and_a_word() -> None:
    query = build_query("What do we do at Christmas 2024?", NOW)
    assert [str(span.first) for span in query.spans] == ["2024-12-25"]
    assert "christma" in query.weights and "2024" not in query.weights
    assert "eve" not in build_query("What did we do on New Year's Eve?", NOW).weights


@given(st.text(max_size=200))
def test_any_text_can_be_a_question(text: str) -> None:
    query = build_query(text, NOW)
    assert len(query.weights) <= MAX_WORDS
    assert all(0 < weight <= 1 for weight in query.weights.values())


def test_of_a_long_text_the_beginning_is_used() -> None:
    assert "needle" not in build_query("hay " * MAX_QUESTION + "needle", NOW).weights
