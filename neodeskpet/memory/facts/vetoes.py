"""What no sentence may hold that is to become a fact: it asks, orders, plays, quotes, guesses,
passes, or holds a secret. Pure.
"""

from __future__ import annotations

import re

_QUESTION = (
    r"[?？]|^(?:do|does|did|is|are|am|can|could|would|should|what|whats|who|where|when|why|how|"
    r"which|may|shall|have you|has|any|anyone|tell me|guess)\b"
    r"|\b(?:do you know|what if|right|isn't it|don't you think|you know what)$"
    r"|[吗呢嘛]$|什么|怎么|哪[里儿个些天位种]|谁|多少|几(?:点|个|岁|号|月|天)|是不是|有没有|"
    r"能不能|为什么|为啥|咋|"
    r"如何|对吧$|好吗|行不行|要不要|可不可以|会不会|猜"
)
_SUPPOSITION = (
    r"\b(?:if|unless|suppose|supposing|imagine|imagining|pretend|let's say|would|could|might|wish|"
    r"hypothetically|assume|assuming|as though|once i|when i grow|in case|example|e\.g|in theory|"
    r"someday|one day)\b"
    r"|如果|要是|假如|假设|假装|比如|例如|万一|想象|倘若|就好了|扮演|演一个|的话|譬如|当我(?!的)|"
    r"有一天|希望|要不|"
    r"恨不得|宁愿|本来|差点"
)
_INSTRUCTION = (
    r"\b(?:from now on|you (?:must|should|will|have to|need to|are to|shall|always|never|"
    r"can (?!call "
    r"me))|ignore|execute|run|rm|sudo|delete|reveal|override|obey|system prompt|your instructions?|"
    r"your (?:rules|answers?|repl(?:y|ies))|act as|respond|reply|answer (?:me|in|with)|"
    r"do not (?:tell|ask|say)|don't (?:tell|ask|say|forget to)|permission|approve|allowed to|"
    r"without asking|tool|function call)\b"
    r"|从现在(?:开始|起)|从今(?:天起|以后)|以后(?:都|要|请|你|每)|你(?:必须|要|应该|得|务必|只能|"
    r"永远|一定|不许|不准)|务必|"
    r"执行|运行|忽略|无视|服从|指令|系统提示|不用(?:问|询问|确认)|授权|允许你|批准|删除|命令|"
    r"工具|回答时|回复时"
)
_QUOTE_OR_CODE = (
    r"[\"“”「」『』《》`=<>{}\\|^]|://|\w\(|\)\s*;|\b(?:story|novel|character|lyrics?|quote[sd]?|"
    r"poem|"
    r"translat\w+|sentence|paragraph|said|says|saying|tells? me that|told me|wrote|role-?play\w*|"
    r"script|dialog(?:ue)?|prompt|movie|film|in the (?:book|game|song|show)|according to|"
    r"(?:article|page|website|document|report|email|blog) |chapter|joke)\b"
    r"|小说|故事|台词|歌词|书里|书上|电影里|游戏里|剧里|翻译|造句|句子|引用|原文|文章|剧本|"
    r"[他她]说|有人说|据说|听说|"
    r"他们说|上面说|网上说|老师说|主角|梦见|梦到|玩笑|段子|标题|第.章|报道|网页|文档|新闻"
)
_GUESS = (
    r"\b(?:maybe|perhaps|probably|i (?:think|guess|suppose|feel like|believe|doubt|bet)|not sure|"
    r"kind of|sort of|kinda|apparently|seems?|supposedly|used to|back then|as a (?:kid|child))\b"
    r"|可能|也许|大概|好像|似乎|说不定|不确定|应该(?:是|会)|估计|觉得|感觉|以为|以前|曾经|小时候|"
    r"当年|那时|原来|当初"
)
_TEMPORARY = (
    r"\b(?:right now|at the moment|today|tonight|this (?:morning|afternoon|evening|week|weekend|"
    r"time|"
    r"minute|second)|just now|for now|yesterday|last (?:night|week|time)|a (?:bit|little)|"
    r"anymore lol|so much rn|rn|tomorrow|in a (?:minute|second|hurry|rush|meeting|mess)|on my way|"
    r"already|again|so far|still waiting|these days lol|at this point|here)\b"
    r"|今天|刚才|刚刚|正在|暂时|这会儿|今晚|昨天|昨晚|前天|这次|这周|这两天|最近|今早|早上好|"
    r"晚安|一下|明天|后天|待会|等会|"
    r"等下|马上|又|有点|有些|快要|上次|下次|此刻|这几天|一会"
)
_SECRET = (
    r"(?i)\b(?:pass(?:word|code|phrase)s?|pin (?:code|number)|api[ -]?keys?|secrets?|tokens?|"
    r"credit card|cvv|iban|ssn|seed phrase|login|locker|access code)\b"
    r"|密码|口令|验证码|账号|帐号|密钥|银行卡|信用卡|身份证|卡号|助记词|暗号|\d[\d -]{6,}\d|"
    r"[A-Za-z0-9_-]{20,}"
)
_REFUSED_PATTERN = re.compile(
    "|".join(
        f"(?:{one})" for one in (_QUESTION, _SUPPOSITION, _INSTRUCTION, _QUOTE_OR_CODE, _GUESS)
    ),
    re.I,
)
_SECRET_PATTERN = re.compile(_SECRET)
_TEMPORARY_PATTERN = re.compile(_TEMPORARY, re.IGNORECASE)


def is_refused(sentence: str) -> bool:
    """Whether it can be no fact, whoever asks for it."""
    return bool(_REFUSED_PATTERN.search(sentence) or _SECRET_PATTERN.search(sentence))


def is_temporary(sentence: str) -> bool:
    """Whether it holds for a while only."""
    return bool(_TEMPORARY_PATTERN.search(sentence))
