"""What is asked, shaped so that it finds what was said. Pure.

The words of the question itself ("what did you say about …", 我上次说的…是什么) count little: they
are in all that is said. Chinese is cut at them *before* pairs of characters are made, so that no
pair joins the end of one word with the beginning of another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from neodeskpet.core.find.needle import SCRIPTS_WITHOUT_SPACES
from neodeskpet.core.find.tokens import is_kept
from neodeskpet.core.schedule.words.named_days import NamedDays, named_days_in
from neodeskpet.memory.recall.alike import synonyms_of
from neodeskpet.memory.recall.words import (
    character_pairs,
    is_single_character,
    normalize,
    stem,
    terms_of,
)
from neodeskpet.memory.recollection import ItemSide

MAX_QUESTION = 2000
"""Characters of a question that are looked at."""
MAX_WORDS = 48
"""Terms of a question that count."""
ASKING_WEIGHT = 0.2
"""What a word of the question itself counts."""
VAGUE_WEIGHT = 0.6
"""What a word counts that is said of anything: where little is remembered it seems to be rare."""
SINGLE_CHAR_WEIGHT = 0.15
"""What one character counts beside the pairs it is in."""
_GRAMMAR_PAIR_WEIGHT = 0.4
"""What a pair counts that holds a character of grammar."""
_LONE_CHAR_WEIGHT = 0.5
"""What one character counts that only such stand beside."""
_SPEAKER_NAME_WEIGHT = 0.2
"""What a name counts that somebody goes by: those who are spoken to are named, too."""


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """`weights`: what each term counts. `spans` are the days that are named. `speakers` are those
    named, in small letters; `side` is whose words the wording points to. `past`: it asks for what
    held before. `single`: one character is all that is asked for. `is_about_question`: it asks what
    was asked.
    """

    weights: Mapping[str, float]
    spans: tuple[NamedDays, ...] = ()
    speakers: frozenset[str] = frozenset()
    side: ItemSide | None = None
    asks_for_past: bool = False
    is_single_character: bool = False
    is_about_question: bool = False
    synonyms: Mapping[str, str] = field(default_factory=dict)


def build_query(text: str, now: datetime, speakers: Collection[str] = ()) -> RecallQuery:
    """The query that `text`, asked at `now`, means. `speakers`: who has said something."""
    asked = normalize(text[:MAX_QUESTION])
    spans = tuple(span for span in named_days_in(asked, now))
    rest = _without_dates(asked, spans)
    weights = _weights(rest)
    for term in terms_of(rest) if weights or not spans else ():
        weights.setdefault(
            term, SINGLE_CHAR_WEIGHT * ASKING_WEIGHT if is_single_character(term) else ASKING_WEIGHT
        )
    denied = not _NEGATIONS.isdisjoint(weights)
    for term in _STOP_WORDS & weights.keys():
        del weights[term]
    if denied:
        weights |= dict.fromkeys(_NEGATIONS, ASKING_WEIGHT)
    named = _named_speakers(asked, speakers)
    for name in named:
        for term in terms_of(name):
            if term in weights and not is_single_character(term):
                weights[term] = min(weights[term], _SPEAKER_NAME_WEIGHT)
    single = not any(
        w >= _GRAMMAR_PAIR_WEIGHT and not is_single_character(t) for t, w in weights.items()
    )
    kept = sorted(weights.items(), key=lambda one: -one[1])[:MAX_WORDS]
    return RecallQuery(
        dict(kept),
        spans,
        named,
        _meant_side(asked),
        bool(_PAST_WORDS.search(asked)),
        is_single_character=single,
        is_about_question=bool(_ASKED_WORDS.search(asked)),
        synonyms=synonyms_of(term for term, weight in kept if weight >= 1.0),
    )


def use_single_characters(query: RecallQuery, found_in: Mapping[str, int]) -> RecallQuery:
    """`query` for texts of which `found_in` tells in how many each term is. Where no pair that
    holds a character is in any, it was a word of its own (狗怕什么), and counts as one.
    """
    weights = dict(query.weights)
    pairs_asked = [
        term
        for term, weight in weights.items()
        if weight >= _GRAMMAR_PAIR_WEIGHT and len(term) == 2 and not term.isascii()
    ]
    for sign in "".join(pairs_asked):
        if sign in weights and sign not in _GRAMMAR:
            held = (found_in.get(pair, 0) for pair in pairs_asked if sign in pair)
            if not any(held):
                weights[sign] = max(weights[sign], _LONE_CHAR_WEIGHT)
    return query if weights == query.weights else replace(query, weights=weights)


def is_topic_word(term: str) -> bool:
    """Whether a term of a text tells what it is about: neither grammar, nor a number (which is what
    the matter is said to be), nor a word that says that something has changed.
    """
    if term.isascii():
        return not (term in _GRAMMAR_WORDS or term.isdigit())
    return not (len(term) == 2 and (term[0] in _GRAMMAR_LETTERS or term[1] in _GRAMMAR_LETTERS))


def _weights(asked: str) -> dict[str, float]:
    """The words that say what is looked for."""
    weights: dict[str, float] = {}
    for run in _DENSE_RUN.split(asked):
        if not run:
            continue
        if _DENSE_RUN.fullmatch(run):
            for piece in _split_at_stop_words(run):
                weights |= {
                    sign: SINGLE_CHAR_WEIGHT
                    for sign in piece
                    if sign not in weights and is_kept(sign)
                }
                if len(piece) == 1 and piece not in _GRAMMAR and is_kept(piece):
                    weights[piece] = 1.0
                elif len(word := piece.strip(_GRAMMAR_CHARS)) == 1 and is_kept(word):
                    weights[word] = max(weights[word], _LONE_CHAR_WEIGHT)
                for pair in character_pairs(piece):
                    glued = pair[0] in _GRAMMAR or pair[1] in _GRAMMAR
                    weights[pair] = max(
                        weights.get(pair, 0.0), _GRAMMAR_PAIR_WEIGHT if glued else 1.0
                    )
        else:
            for term in terms_of(run):
                if term not in _ASKING_WORDS_SET:
                    weights[term] = VAGUE_WEIGHT if term in _VAGUE else 1.0
    return weights


def _split_at_stop_words(run: str) -> list[str]:
    """`run` without the words that ask: what stands between them."""
    pieces = [""]
    for match in _CHINESE_SPLITTER.finditer(run):
        if match["stop"]:
            pieces.append("")
        else:
            pieces[-1] += match[0]
    return [piece for piece in pieces if piece]


def _without_dates(text: str, spans: Collection[NamedDays]) -> str:
    """A feast stays: who asks for Christmas may mean what was said of it in summer."""
    for span in sorted(spans, key=lambda one: -one.at):
        text = f"{text[: span.at]} {span.festival} {text[span.end :]}"
    return text


def _named_speakers(asked: str, speakers: Collection[str]) -> frozenset[str]:
    lowered = asked.casefold()
    found = set()
    for speaker in speakers:
        name = normalize(speaker).casefold()
        if len(name) < 2 or name in ("user", "assistant", "document"):
            continue
        if name.isascii():
            if re.search(rf"\b{re.escape(name)}\b", lowered):
                found.add(name)
        elif name in lowered:
            found.add(name)
    return frozenset(found)


def _meant_side(asked: str) -> ItemSide | None:
    asked, wishes = _POLITE_REQUEST.subn(" ", asked)
    if _TOLD_BY_USER.search(asked):
        return ItemSide.PERSON
    if _ABOUT_COMPANION.search(asked):
        return ItemSide.COMPANION
    return ItemSide.PERSON if wishes or _ABOUT_USER.search(asked) else None


_POLITE_REQUEST = re.compile(
    r"(?i)\b(?:can|could|would|will) you (?:please |perhaps |maybe )?"
    r"(?:recommend|suggest|give|help|find|think of|tell|explain|write|show|list|name)\b"
    r"(?! me (?:again )?(?:what|which|who|where|when|how) (?:you|we))"
    r"|\b(?:do|would) you have (?:any |some )?"
    r"(?:advice|suggestions?|recommendations?|tips|ideas?)\b"
    r"|(?:你)?(?:能不能|能否|可不可以|可以|能|请|麻烦)(?:再|帮我|给我|为我)?"
    r"(?:推荐|建议|介绍|写|讲|列|想|找|出)(?!过|的)"
)
"""A wish for something new: it doesn't ask what was said."""
_ABOUT_COMPANION = re.compile(
    r"(?i)\b(?:did|have|had|could|would|were) you\b"
    r"|\byou(?:'ve| have| had)? (?:\w+ )?(?:said|say|told|tell|recommend|suggest|mention|advis|"
    r"explain|promis|wrote|write|gave|give|answer|taught|teach)"
    r"|\byour (?:advice|suggestion|recommendation|answer|idea|explanation)"
    r"|你(?:[^我]{0,6})(?:说|推荐|建议|提到|提过|告诉|讲|介绍|教|答应|回答|解释|给我|帮我|写)"
    r"|你的(?:建议|推荐|回答|看法|意见)"
)
_TOLD_BY_USER = re.compile(
    r"(?i)\b(?:did|have|had|what|that|when|where|who|which|if|as) i (?:\w+ )?"
    r"(?:tell|told|say|said|mention|ask)"
    r"|\bi (?:told|said|mentioned|asked)\b"
    r"|我.{0,3}(?:跟|和|对|向|告诉|给)你.{0,3}(?:说|讲|提|聊)?|我(?:之前|以前|上次|刚才)?(?:说|提|讲)过?"
)
_ABOUT_USER = re.compile(r"(?i)\b(?:i|my|me|mine|i'm|i've|i'd)\b|我")

_PAST_WORDS = re.compile(
    r"(?i)\b(?:before|earlier|previous|previously|used to|formerly|original|originally|at first|"
    r"first|old|oldest|back then|in the past|once|initially)\b"
    r"|以前|之前|从前|原来|原先|最早|最初|当初|曾经|过去|本来|旧|一开始|起初|上一"
)
_ASKED_WORDS = re.compile(r"(?i)\bask(?:ed|ing)?\b|问(?!题)|请教|咨询")
_DENSE_RUN = re.compile(f"([{SCRIPTS_WITHOUT_SPACES}]+)")

# English. What stands here in full is stemmed below.
_STOP_WORD_LIST = (
    "the a an i you he she it we they me him her us them my your his its our their mine yours hers "
    "ours theirs myself yourself himself herself itself ourselves themselves is am "
    "are was were be been being do does did doing done have has had having to of in on at for and "
    "or but with as by from this that these those there here so if then than not no can could "
    "will would shall should may might must s t d ll m re ve o ok"
)
_ASKING_WORDS = (
    "what when where which who whom whose why how many much long often tell told say said talk "
    "talked mention mentioned remember remind recall know think about ever again please any some "
    "something anything thing things stuff just also still now last time date day name called "
    "question answer asked ask chat conversation discuss discussed earlier before previously ago "
    "kind type sort happen happened get got go went let want like really very did while during "
    "both each own such other more most into over up out because since until "
    "advice advise advised suggest suggested suggestion recommend recommended recommendation tip "
    "tips idea ideas lately recently currently nowadays"
)
_VAGUE_WORDS = (
    "use make take give put keep try begin come new good great nice few lot different same able "
    "possible next way part every another always usually maybe around back down off away together "
    "look feel need set turn"
)
_STOP_WORDS = frozenset(stem(word) for word in _STOP_WORD_LIST.split())
_VAGUE = frozenset(stem(word) for word in _VAGUE_WORDS.split())
_NEGATIONS = frozenset(("not", "never"))
_CHANGE_WORDS = "actually instead correction changed switched moved now longer anymore updated"
_GRAMMAR_WORDS = _STOP_WORDS | frozenset(stem(word) for word in _CHANGE_WORDS.split())
_ASKING_WORDS_SET = _STOP_WORDS | frozenset(stem(word) for word in _ASKING_WORDS.split()) - {
    "like",
    "name",
}

# Chinese. Words of which a part stands among the others come first, and stay whole.
_WHOLE_WORDS = (
    "吉他 其他 其它 酒吧 网吧 贴吧 吧台 了解 目的 的士 我国 自我 有名 没收 所有 拥有 现在 "
    "存在 哪吒 谁知 几何 茶几 了不起 为了 除了 受不了 呢子 么么 什锦 什么样 过敏 过年 "
    "过期 难过 不过 经过 超过 通过 得到 获得 觉得 值得 心得 地方 地址 地铁 地图 地点 地震 "
    "工地 土地 草地 基地 当地 外地 目的地 说明 小说 说法 传说 听说 说服 叫声 名叫 问题 "
    "疑问 顾问 学问 记者 笔记 日记 登记 忘记 记忆 记录 书记 聊天室 讲座 讲师 演讲 知识 "
    "通知 求知 关于我们 想法 理想 思想 梦想 联想 回想 是非"
)
_CHINESE_STOP_WORDS = (
    "我们 你们 他们 她们 它们 咱们 我 你 您 他 她 它 咱 什么时候 什么地方 为什么 干什么 "
    "做什么 是什么 叫什么 什么样 什么 怎么样 怎么办 怎么 怎样 如何 哪里 哪儿 哪个 哪些 "
    "哪天 哪一天 哪家 哪位 哪种 哪年 哪 谁 多少 多久 多长 多大 多远 几个 几次 几点 几岁 "
    "几号 几 是不是 有没有 能不能 可不可以 会不会 要不要 对不对 好不好 是否 能否 可否 "
    "请问 请 告诉 还记得 记不记得 记得 知道 知不知道 记住 说过 说的 说了 提到过 提到 提过 "
    "讲过 聊过 聊到 谈到 谈过 问过 告诉过 曾经 关于 对于 有关 一下 一个 一些 一种 一次 "
    "这个 那个 这些 那些 这样 那样 这次 那次 这 那 上次 上回 之前 以前 刚才 刚刚 最近 "
    "当时 后来 时候 的时候 因为 所以 但是 可是 而且 然后 如果 虽然 还是 或者 以及 吗 呢 "
    "吧 啊 呀 嘛 哦 啦 的 了 们 么 と は が を に で も の か です ます でした ました だ "
    "から まで"
)
_GRAMMAR_CHARS = (
    "是在有和与跟就还也都很不说给把被让去来会要过着得地对从到为个最只又再能可以叫里上下做想用"
)
_GRAMMAR = frozenset(_GRAMMAR_CHARS)
_GRAMMAR_LETTERS = _GRAMMAR | frozenset(
    word for word in _CHINESE_STOP_WORDS.split() if len(word) == 1
)
_CHINESE_SPLITTER = re.compile(
    "(?P<whole>{})|(?P<stop>{})|.".format(
        *(
            "|".join(sorted(words.split(), key=len, reverse=True))
            for words in (_WHOLE_WORDS, _CHINESE_STOP_WORDS)
        )
    ),
    re.DOTALL,
)
