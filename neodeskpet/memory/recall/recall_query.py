"""Turns a question into a weighted query for the memory, with synonyms.

Pure. Words of the asking itself ("what did you say about …") get little weight, because many texts
contain them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache

from neodeskpet.core.schedule.parsing.named_days import NamedDays, named_days_in
from neodeskpet.core.text_search import SCRIPTS_WITHOUT_SPACES, is_kept
from neodeskpet.memory.recall.recall_types import ItemSide
from neodeskpet.memory.recall.text_terms import (
    character_pairs,
    is_single_character,
    normalize,
    stem,
    terms_of,
)

_ENGLISH_SYNONYMS = """
movie film|photo picture photograph pic image|car vehicle automobile|bike bicycle
plane airplane aircraft flight|job work occupation profession career|salary wage income earn
boss manager supervisor|colleague coworker workmate|company firm employer|doctor physician gp
medicine medication drug pill tablet|illness sickness disease ill sick|allergy allergic
hospital clinic|pain ache hurt sore|tired exhausted fatigue|dad father papa daddy
mom mother mum mama mommy mummy|grandma grandmother granny nana|grandpa grandfather granddad
kid child toddler|baby infant newborn|wife spouse husband partner|boyfriend girlfriend partner
wedding marry marriage|engage engagement fiance fiancee|friend buddy pal|neighbor neighbour
dog puppy pup doggy doggie doggo pooch|cat kitten kitty|house home apartment flat
move relocate relocation
holiday vacation trip travel journey getaway|hotel hostel motel accommodation
restaurant bistro diner eatery|dinner supper|breakfast brunch|food dish meal cuisine
drink beverage|store shop|buy purchase|cost price spend pay|expensive costly pricey
cheap inexpensive affordable|money cash|gift present|party celebration celebrate
festival fest|concert gig|book novel|author writer|teacher instructor tutor coach trainer
university college|degree diploma graduate graduation
class course lesson workshop training seminar|exam test
laptop computer notebook pc|phone smartphone mobile cellphone|exercise workout fitness training
run jog|hike trek|camp camping|beach seaside shore coast|sea ocean|mountain hill
forest wood woodland|garden yard|color colour|favorite favourite|gray grey|theater theatre
center centre|begin start commence|finish complete|big large huge|small little tiny
happy glad joyful delight|sad unhappy upset|angry mad furious|scared afraid fear frighten
love adore|hate dislike|fix repair mend|lose misplace|choose pick select|live reside
die death dead|accident crash collision|injury injure wound|steal rob theft|meeting appointment
goal aim target|hobby pastime|paint painting|clothes clothing outfit|pants trousers
shoe sneaker trainer|jacket coat|bag backpack purse handbag|city town|country nation
street road|train railway|subway metro underground|couch sofa|fridge refrigerator
trash garbage rubbish|autumn fall|tv television|series show|doctorate phd|license licence
band group|team squad|award prize medal trophy|volunteer volunteering|charity fundraiser
speech talk presentation|meet encounter|quit resign|hire recruit|promote promotion
problem challenge difficulty issue trouble struggle obstacle|stress stressor pressure|relax unwind
lawyer attorney|psychologist therapist counselor counsellor|sibling brother sister
"""

_CHINESE_SYNONYMS = """
爸爸 父亲 老爸 我爸|妈妈 母亲 老妈 我妈|爷爷 祖父|外公 姥爷|奶奶 祖母|外婆 姥姥|丈夫 老公 爱人
妻子 老婆 媳妇 爱人|孩子 小孩|女儿 闺女|同事 同僚|老板 上司 领导|朋友 好友 闺蜜|邻居 隔壁
工作 职业 上班 岗位|公司 单位 企业|工资 薪水 薪资 月薪 收入|老师 教师 导师|考试 测验|成绩 分数
作业 功课|大学 本科|医生 大夫|医院 诊所|生病 患病 得病|疼痛 发疼|感冒 着凉|电影 影片|歌曲 音乐
照片 相片 图片 拍照|手机 电话|电脑 笔记|汽车 车子 轿车|火车 高铁 动车|飞机 航班|旅行 旅游 出游
酒店 宾馆 旅馆 民宿|餐厅 饭店 餐馆 饭馆|吃饭 用餐|早餐 早饭|午餐 午饭|晚餐 晚饭|食物 食品
做饭 烹饪 下厨 做菜|喜欢 喜爱 爱好|讨厌 厌恶|害怕 恐惧|高兴 开心 快乐|难过 伤心|生气 愤怒
礼物 礼品|结婚 婚礼|房子 房屋 公寓|房租 租金|搬家 搬到 搬去|地址 住址|购买 买了|价格 价钱 花费
商店 店铺|衣服 服装|运动 锻炼 健身|跑步 晨跑 夜跑|爬山 登山|书籍 小说|结束 完成|小狗 狗狗
小猫 猫咪|名字 姓名|家乡 老家 故乡|会议 开会|截止 期限|计划 打算|聚会 派对|比赛 竞赛|车祸 事故
困难 难题 麻烦 烦恼 困扰|压力 紧张|课程 培训 上课|方法 办法 技巧
修理 维修|丢失 遗失|自行 单车|学历 毕业|演讲 发言|奖项 获奖 奖牌|志愿 义工|宠物 养了
"""


_ENGLISH_MEMBERS = """
activity: play walk run hike climb swim paint cook camp
animal: dog cat bird horse cow pig sheep rabbit fox bear|art: paint draw sculpture pottery sketch
city: london paris tokyo berlin rome boston beijing shanghai sydney
clothes: shirt skirt jacket shoe hat jeans
color: red blue green yellow purple orange pink black white brown grey
country: france germany italy spain japan china canada mexico brazil india portugal
dessert: cake cookie pie chocolate pastry muffin tart|device: laptop phone tablet camera headphone
drink: coffee tea beer wine juice milk cocktail|exercise: run gym yoga swim cycle
family: mother father sister brother mom dad son daughter wife husband cousin aunt uncle
flower: rose lily tulip sunflower orchid daisy
food: pizza pasta sushi rice noodle soup salad burger steak chicken bread cheese pie
fruit: apple banana strawberry mango grape peach cherry blueberry
furniture: sofa table chair bed desk shelf|game: chess poker puzzle console tournament
hobby: paint read cook garden photography knit hike dance sew
injury: knee ankle wrist shoulder sprain fracture
instrument: guitar piano violin drum flute clarinet cello saxophone
jewelry: necklace ring bracelet earring pendant
language: english french german spanish italian japanese chinese
meat: chicken beef pork lamb turkey|music: song band album concert jazz rock
outdoor: hike camp climb kayak picnic|pet: dog cat puppy kitten hamster rabbit parrot
season: spring summer autumn winter
sport: football soccer basketball tennis swim climb ski hockey golf
vegetable: carrot tomato onion potato spinach|weather: rain snow sunny storm windy
"""

_CHINESE_MEMBERS = """
宠物: 小狗 狗狗 小猫 猫咪 仓鼠 兔子 金鱼 鹦鹉 乌龟|动物: 小狗 猫咪 兔子 大象 熊猫 老虎
颜色: 红色 蓝色 绿色 黄色 黑色 白色 粉色 紫色 橙色 灰色|乐器: 吉他 钢琴 提琴 古筝 二胡 笛子
运动: 篮球 足球 羽毛 乒乓 网球 游泳 瑜伽 骑行|饮料: 咖啡 奶茶 可乐 果汁 啤酒 红茶 绿茶
水果: 苹果 香蕉 橙子 草莓 芒果 葡萄 西瓜|菜系: 川菜 粤菜 湘菜 火锅 烧烤 日料 西餐
家人: 妈妈 爸爸 姐姐 哥哥 弟弟 妹妹 儿子 女儿|心情: 开心 高兴 兴奋 难过 沮丧 郁闷 焦虑 生气
天气: 下雨 下雪 晴天 阴天 台风|季节: 春天 夏天 秋天 冬天|音乐: 歌曲 摇滚 古典 爵士 民谣 乐队
语言: 英语 法语 德语 日语 韩语|城市: 北京 上海 广州 深圳 杭州 成都
国家: 日本 法国 德国 美国 英国 泰国|户外: 徒步 露营 爬山 攀岩 野餐
"""
"""Words with things that they stand for. Only the first is searched for as the others: a question
about a pet means a dog, a question about a dog no other pet.
"""


def synonyms_of(words: Iterable[str]) -> Mapping[str, str]:
    """Return synonyms and members that aren't among `words` (terms), each with the word it
    replaces.
    """
    asked = [*words]
    found: dict[str, str] = {}
    for table in (_synonym_table(), _member_table()):
        for word in asked:
            for other in table.get(word, ()):
                found.setdefault(other, word)
    for word in asked:
        found.pop(word, None)
    return found


@cache
def _synonym_table() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in (_ENGLISH_SYNONYMS + _CHINESE_SYNONYMS).split("\n"):
        for group in line.split("|"):
            terms = [*dict.fromkeys(stem(word) for word in group.split())]
            for term in terms:
                found.setdefault(term, {}).update(dict.fromkeys(terms))
    return {term: tuple(one for one in others if one != term) for term, others in found.items()}


@cache
def _member_table() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in re.split(r"[|\n]", (_ENGLISH_MEMBERS + _CHINESE_MEMBERS).strip()):
        if entry:
            name, _, members = entry.partition(":")
            found[stem(name)] = tuple(dict.fromkeys(stem(word) for word in members.split()))
    return found


MAX_QUESTION = 2000
"""Characters of a question that are examined."""
MAX_WORDS = 48
"""Highest number of terms of a question."""
ASKING_WEIGHT = 0.2
"""Weight of a word that only serves the asking."""
VAGUE_WEIGHT = 0.6
"""Weight of a general word, which looks rare in a small memory."""
SINGLE_CHAR_WEIGHT = 0.15
"""Weight of a single character beside its pairs."""
_GRAMMAR_PAIR_WEIGHT = 0.4
"""Weight of a pair with a grammatical character."""
_LONE_CHAR_WEIGHT = 0.5
"""Weight of a single character that has only grammatical characters beside it."""
_SPEAKER_NAME_WEIGHT = 0.2
"""Weight of the name of a speaker: it may only be an address."""


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """`weights` of the terms. `spans` are the named days. `speakers` are the named ones, in lower
    case; `side` is whose words are meant. `asks_for_past`: it asks for an earlier state.
    `is_single_character`: it is only one character. `is_about_question`: it asks what was asked.
    `asks_when`, `asks_amount`: the answer is a time, or a number.
    """

    weights: Mapping[str, float]
    spans: tuple[NamedDays, ...] = ()
    speakers: frozenset[str] = frozenset()
    side: ItemSide | None = None
    asks_for_past: bool = False
    is_single_character: bool = False
    is_about_question: bool = False
    asks_when: bool = False
    asks_amount: bool = False
    synonyms: Mapping[str, str] = field(default_factory=dict)


def build_query(text: str, now: datetime, speakers: Collection[str] = ()) -> RecallQuery:
    """Return the query of `text`, asked at `now`. `speakers` are all known speakers."""
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
        asks_when=bool(_WHEN.search(asked)),
        asks_amount=bool(_AMOUNT.search(asked)),
        synonyms=synonyms_of(term for term, weight in kept if weight >= 1.0),
    )


def use_single_characters(query: RecallQuery, found_in: Mapping[str, int]) -> RecallQuery:
    """Return `query` for texts with these term counts (`found_in`). If no text contains a pair with
    a character, that character is a word of its own (狗怕什么) and gets the weight of one.
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
    """Return whether a term is about the subject of a text: not grammar, not a number (numbers are
    values, not subjects), and not a word for change.
    """
    if term.isascii():
        return not (term in _GRAMMAR_WORDS or term.isdigit())
    return not (len(term) == 2 and (term[0] in _GRAMMAR_LETTERS or term[1] in _GRAMMAR_LETTERS))


def _weights(asked: str) -> dict[str, float]:
    """Return the weights of the words that are searched for."""
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
    """Return the parts of `run` between question words."""
    pieces = [""]
    for match in _CHINESE_SPLITTER.finditer(run):
        if match["stop"]:
            pieces.append("")
        else:
            pieces[-1] += match[0]
    return [piece for piece in pieces if piece]


def _without_dates(text: str, spans: Collection[NamedDays]) -> str:
    """Remove the dates but keep festivals: a question about Christmas may mean something said in
    summer.
    """
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
    asked, count = _POLITE_REQUEST.subn(" ", asked)
    if _TOLD_BY_USER.search(asked):
        return ItemSide.PERSON
    if _ABOUT_COMPANION.search(asked):
        return ItemSide.COMPANION
    return ItemSide.PERSON if count or _ABOUT_USER.search(asked) else None


_POLITE_REQUEST = re.compile(
    r"(?i)\b(?:can|could|would|will) you (?:please |perhaps |maybe )?"
    r"(?:recommend|suggest|give|help|find|think of|tell|explain|write|show|list|name)\b"
    r"(?! me (?:again )?(?:what|which|who|where|when|how) (?:you|we))"
    r"|\b(?:do|would) you have (?:any |some )?"
    r"(?:advice|suggestions?|recommendations?|tips|ideas?)\b"
    r"|(?:你)?(?:能不能|能否|可不可以|可以|能|请|麻烦)(?:再|帮我|给我|为我)?"
    r"(?:推荐|建议|介绍|写|讲|列|想|找|出)(?!过|的)"
)
"""Matches a request for something new, which doesn't ask about the past."""
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
_WHEN = re.compile(
    r"(?i)\bwhen(?:'s| (?:did|do|does|is|are|was|were|will|would|has|have|had|should|can))\b"
    r"|\b(?:what|which) (?:time|day|date|month|year)\b"
    r"|什么时候|何时|哪天|哪一天|哪年|哪一年|几号|几月|几点|(?:星期|周|礼拜)几|日期"
)
_AMOUNT = re.compile(
    r"(?i)\bhow (?:many|much|long|often|old|far|tall|big|heavy)\b"
    r"|多少|多久|多长|多大|多远|多高|多重|几(?:个|次|岁|天|年|周|人|位|本|部|只|条|块|公里)"
)
_DENSE_RUN = re.compile(f"([{SCRIPTS_WITHOUT_SPACES}]+)")

# English. Full words are stemmed below.
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

# Chinese. Words that contain other words of the list come first and stay whole.
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
