"""Rules for smalltalk: greetings, thanks, feelings, jokes, encouragement; and for requests that
only a language model can answer.
"""

from __future__ import annotations

from neodeskpet.llm.offline.request_reader import OfflineRequest
from neodeskpet.llm.offline.rules.gesture_rules import make_move, show_feeling
from neodeskpet.llm.offline.rules.rule import pattern, without_polite_words
from neodeskpet.llm.offline.scripts import Refuse, Say, Script

_HELLO = pattern(
    r"^(?:hi+|hello|hey+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day))\b",
    "^(?:你好(?!可爱|好?看|漂亮|厉害|棒|聪明|美|乖)|您好|嗨|哈喽|哈啰|喂|早上好|早安|上午好|中午好|下午好|晚上好|早呀|早啊|大家好)",
    "^(?:在吗|你在吗|早)$|^我?(?:回来|到家|下班|起床|放学|睡醒|醒)[啦了]|好久不见|^hi\\b",
    r"^i(?:'m| am) (?:back|home|up|awake)\b|^i just (?:woke|got up)|\blong time no see\b"
    r"|^morning\b",
)
_HOW = pattern(
    r"\bhow are you\b", r"\bhow(?:'s| is) it going\b", r"\bhow do you do\b", r"\bwhat'?s up\b",
    "你(?:过得|最近|今天)?(?:好吗|怎么样|还好)", "最近(?:怎么样"
    "|好吗)", "^今天(?:过得)?(?:好吗|怎么样)$",
)  # fmt: skip
_BYE = pattern(
    r"^(?:bye|goodbye|good ?bye|see you|see ya|later|farewell|cu)\b",
    r"^(?:ttyl|gotta go|i(?:'m| am) (?:leaving|off|going out)|i (?:have|need) to go"
    r"|talk to you later)\b",
    "^(?:再见|拜拜|拜|回头见|回头聊|明天见|下次见|886)|^我(?:先)?(?:走|出门|上班|撤|下线|去上班)[啦了]",
)
_NIGHT = pattern(
    r"^(?:good ?night|night(?: night)?|nighty night|sleep well)\b",
    r"\bi(?:'m| am) (?:off|going) to (?:bed|sleep)\b|\bgoing to bed\b",
    "晚安|^我(?:要|先|准备)?(?:去)?睡(?:觉)?(?:去)?[啦了]",
)
_THANKS = pattern(r"\bthank(?:s| you)\b", r"^thx\b", r"^ty$", "谢谢|多谢|感谢|辛苦")
_PRAISE = pattern(
    r"\b(?:good (?:girl|boy|job|work|neo)|well done|cute|adorable|pretty|beautiful|awesome|amazing|"
    r"i (?:love|like) you|you'?re (?:the best|great|sweet|nice|lovely|so sweet)|great|nice one)\b",
    "可爱|真棒|好棒|厉害|喜欢你|爱你|好看|真乖|漂亮|太好了|聪明",
)
_DOWN = pattern(
    r"\bi(?:'m| am| feel) (?:so |very |really |a bit |a little )*"
    r"(?:sad|tired|lonely|down|depressed|unhappy|upset|exhausted|stressed|anxious|angry|sleepy|sick"
    r"|ill|nervous|scared|worried|heartbroken)\b",
    r"\bbad day\b|\bi failed\b|\byelled at me\b|\bbroke up\b|\bcan'?t sleep\b|\bwant to cry\b"
    r"|\bi don'?t feel (?:well|good)\b|\bi(?:'ve| have) (?:got )?a (?:cold|headache|fever)\b",
    "压力(?:好|很|太)?大|没考好|考砸|感冒|发烧|头疼|想哭|失恋|分手|被.{0,6}(?:骂|批评)|心情(?:不好|很差)|睡不着"
    "|(?:我|有点|很|好|真)(?:生气|不开心|不高兴|难受|委屈|焦虑|紧张)|^(?:难过|伤心|累|烦|困)死?了?$",
    "我?(?:好|很|有点|太|真|觉得|感觉)+(?:难过|伤心|累|孤独|孤单|郁闷|沮丧|困|烦|生气|紧张|焦虑|不开心)",
)
_UP = pattern(
    r"\bi(?:'m| am) (?:so |very |really )*(?:happy|glad|excited|proud)\b|\bpromoted\b"
    r"|\bi (?:won|passed)\b",
    r"^(?:ha(?:ha)+|lol|rofl|hehe)\b",
    "升职|加薪|考上|通过了|涨工资|太开心|好开心|真高兴|好高兴|^哈哈|^嘻嘻|^嘿嘿",
)
_AGREED = pattern("ok(?:ay)?|yes|yeah|fine|sure|cool|i see|got it|好的?|嗯+|哦+|行|知道了|明白了?")
_JOKE = pattern(r"\bjokes?\b", r"\bmake me laugh\b", r"\bsomething funny\b", "笑话|逗我|搞笑|段子")

_JOKES = (
    ("Why do programmers mix up Halloween and Christmas? Because OCT 31 equals DEC 25.",
     "为什么程序员分不清万圣节和圣诞节？因为 OCT 31 等于 DEC 25。"),
    ("I would tell you a UDP joke, but you might not get it.",
     "我想讲一个 UDP 的笑话，但是不确定你能不能收到。"),
    ("There are 10 kinds of people: those who understand binary and those who don't.",
     "世界上有 10 种人：懂二进制的，和不懂的。"),
)  # fmt: skip


def read_greeting(clause: str, ask: OfflineRequest) -> Script | None:
    text = clause.strip()
    if _NIGHT.search(text) and len(text) < 40:
        return _say_good_night(ask)
    if _BYE.search(text) and len(text) < 40:
        return _say_goodbye(ask)
    if _HOW.search(text):
        return _say_how(ask)
    return _greet(ask) if _HELLO.search(text) else None


def _greet(ask: OfflineRequest) -> Script:
    if ask.company > 1:
        yield Say(ask.pick("Hi! ", "你好呀！"))
        yield from show_feeling(ask, "smile", "joy")
        return
    if ask.turn:
        yield Say(ask.pick("Hi again! ", "又见面啦！"))
        yield from show_feeling(ask, "smile", "joy")
        yield Say(ask.pick("What can I do?", "要我做点什么？"))
        return
    yield Say(ask.pick("Hi, nice to see you! ", "你好呀，很高兴见到你！"))
    yield from show_feeling(ask, "smile", "joy")
    yield Say(
        ask.pick(
            f"I'm {ask.name}. No language model is connected, so the **offline helper** answers: "
            "rules and real tools, no more. ",
            f"我是{ask.name}。现在没有连接语言模型，由**离线助手**来回答：只有规则和真正的工具。",
        )
    )
    yield from make_move(ask, "wave")
    yield Say(
        ask.pick(
            "Try “what time is it?”, “remind me in 5 minutes to drink water”, “smile”, or ask "
            "what I can do.",
            "可以试试“现在几点？”、“十分钟后提醒我喝水”、“笑一个”，或者问我会什么。",
        )
    )


def _say_how(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("I'm fine, ", "我很好，"))
    yield from show_feeling(ask, "smile", "joy")
    yield Say(
        ask.pick(
            "as far as a few rules can be. And you? If there is something to calculate, to note "
            "or to be reminded of, tell me.",
            "虽然我只是几条规则。你呢？有什么要算的、要记的、要提醒的，尽管说。",
        )
    )


def _say_good_night(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("Good night! ", "晚安！"))
    yield from show_feeling(ask, "smile", "joy")
    yield Say(ask.pick("Sleep well.", "好好休息，做个好梦。"))


def _say_goodbye(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("See you! ", "再见！"))
    yield from make_move(ask, "wave")
    yield Say(ask.pick("I'll be here on your desktop.", "我就在桌面上等你。"))


def read_feelings(clause: str, ask: OfflineRequest) -> Script | None:
    text = without_polite_words(clause) or clause
    if len(text) > 60:
        return None
    if _THANKS.search(clause):
        return _thank(ask)
    if _DOWN.search(text):
        return _comfort(ask)
    if _UP.search(text):
        return _rejoice(ask)
    if _PRAISE.search(text):
        return _be_praised(ask)
    return _nod(ask) if _AGREED.fullmatch(text) or clause.strip() in ("好的", "好") else None


def _thank(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("You're welcome! ", "不客气！"))
    yield from show_feeling(ask, "smile", "joy")


def _comfort(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("Oh. ", "唉。"))
    yield from show_feeling(ask, "sad", "shy")
    yield Say(
        ask.pick(
            "I'm sorry to hear that. I'm only a few rules and can't talk it through with you, but "
            "I can stay here, tell a joke, or remind you to take a break.",
            "听你这么说，我也有点难过。我只是几条规则，没法好好陪你聊，不过我可以待在这里、讲个笑话，"
            "或者提醒你休息一下。",
        )
    )


def _rejoice(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("That's great! ", "太好了！"))
    yield from show_feeling(ask, "joy", "smile")


def _be_praised(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("Oh! ", "嘿嘿，"))
    yield from show_feeling(ask, "shy", "love", "smile")
    yield Say(ask.pick("Thank you, that's kind.", "谢谢夸奖！"))


def _nod(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("Good. ", "好的。"))
    yield from make_move(ask, "nod")


def read_joke(clause: str, ask: OfflineRequest) -> Script | None:
    return _tell_joke(ask) if _JOKE.search(clause) else None


def _tell_joke(ask: OfflineRequest) -> Script:
    english, chinese = _JOKES[ask.turn % len(_JOKES)]
    yield Say(ask.pick(english, chinese) + " ")
    yield from show_feeling(ask, "joy", "smile")


_CHAT = pattern(
    r"\b(?:talk|chat|speak) (?:to|with) (?:me|someone|somebody)\b",
    r"\b(?:let'?s|can we|shall we|want to|wanna) (?:talk|chat)\b|^(?:chat|talk)$",
    r"\bkeep me company\b|\bsay something$|\bentertain me\b|\bi'?m (?:so |really |very )?bored\b",
    r"聊聊|聊天|聊会儿?|聊点|聊一聊|说说话|说会儿?话|找人说话|陪陪我|陪我(?!专注|学习|\d)|无聊|没人陪|唠[唠嗑]",
)
_CHEER = pattern(
    r"\b(?:cheer me up|encourage me|motivate me|pep talk|wish me luck|comfort me)\b",
    r"\bsay something nice\b|\b(?:give|send) me an? (?:hug|compliment|pep talk)\b"
    r"|\bhug me\b|^hugs?$",
    r"\bi (?:have|'ve got|got) (?:an?|my) (?:big |final )?(?:exam|interview|test|presentation)\b",
    r"\bi can'?t (?:do (?:this|it)|go on|take it)\b",
    "加油|鼓励|夸夸?我|打气|祝我好运|好运|说点好听|安慰|抱抱|坚持不下去|撑不住",
    "我.{0,4}(?:要|有).{0,4}(?:考试|面试|答辩|比赛)|我.{0,3}考试$",
)
_OUTSIDE = pattern(
    r"\b(?:weather|forecast|rain|snow|temperature)\b|\bnews\b|\bstocks?\b|\bstock market\b",
    r"\b(?:write|draft|compose)\b.*\b(?:poem|email|letter|essay|code|script|story|song)\b",
    r"\btranslate\b|\btell me a (?:story|tale)\b|\b(?:search|google|look up)\b.*\b(?:web"
    r"|online|internet)\b",
    r"\bplay (?:some |a )?(?:music|songs?)\b|\bsing\b|\brecommend\b|\bsummari[sz]e\b|^explain\b",
    "天气|下雨|下雪|气温|新闻|股票|股市|翻译|推荐|解释一下|总结一下|唱(?:首|个)?歌|放(?:首|点|个)?(?:歌|音乐)",
    "写(?:一?[首篇封段个])?.{0,6}(?:诗|邮件|信|文章|作文|代码|故事|小说|文案|程序|歌)|讲(?:个|一个)?故事|搜(?:一下|索)?(?!.{0,8}笔记)",
)


def read_chat(clause: str, ask: OfflineRequest) -> Script | None:
    return _chat(ask) if _CHAT.search(without_polite_words(clause)) and len(clause) < 40 else None


def _chat(ask: OfflineRequest) -> Script:
    yield Say(ask.pick("I'm here. ", "我在呢。"))
    yield from show_feeling(ask, "smile", "joy")
    lines = (
        (
            "I only know a few rules, so I'm better at listening: how was your day? A joke, a coin "
            "to flip or a pomodoro I can do too.",
            "我只会几条规则，更擅长听：今天过得怎么样？想听笑话、抛个硬币，或者开个番茄钟也行。",
        ),
        (
            "Tell me one good thing that happened today. I can keep it as a note.",
            "说一件今天发生的好事吧，我可以帮你记下来。",
        ),
        (
            "When did you last look out of the window? Let's both do that for a minute.",
            "上一次看窗外是什么时候？我们一起看一分钟吧。",
        ),
    )
    yield Say(ask.pick(*lines[ask.turn % len(lines)]))


def read_cheer(clause: str, ask: OfflineRequest) -> Script | None:
    return _cheer(ask) if _CHEER.search(without_polite_words(clause)) and len(clause) < 60 else None


def _cheer(ask: OfflineRequest) -> Script:
    lines = (
        ("You can do it. One small step at a time.", "你可以的，一步一步来就好。"),
        ("You came this far by yourself. Keep going!", "能走到这里都是你自己的本事，加油！"),
        ("Take a deep breath. Good luck!", "深呼吸一下，祝你顺利！"),
    )
    yield Say(ask.pick(*lines[ask.turn % len(lines)]) + " ")
    yield from make_move(ask, "nod")


def read_outside(clause: str, ask: OfflineRequest) -> Script | None:
    return (
        _decline(ask)
        if _OUTSIDE.search(without_polite_words(clause)) and len(clause) < 80
        else None
    )


def _decline(ask: OfflineRequest) -> Script:
    yield Refuse(
        ask.pick(
            "I can't do that offline: connect a language model in "
            "**Settings › Models › Services**.",
            "离线时我做不到这个，请在**设置 › 模型 › 服务**里连接一个语言模型。",
        )
    )
