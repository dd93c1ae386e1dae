"""Finds facts about the user in the user's own words.

Pure. Most sentences are not facts, so only known forms are accepted (`english_facts`,
`chinese_facts`); pasted text, questions, orders, guesses, quotes and secrets are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from neodeskpet.memory.facts.chinese_facts import chinese_claims
from neodeskpet.memory.facts.english_facts import english_claims
from neodeskpet.memory.facts.fact import MAX_FACT, FactClaim
from neodeskpet.memory.recall.text_terms import is_dense, is_single_character, terms_of

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
    """Return whether the sentence can't be a fact, even on request."""
    return bool(_REFUSED_PATTERN.search(sentence) or _SECRET_PATTERN.search(sentence))


def is_temporary(sentence: str) -> bool:
    """Return whether the statement is true only for a while."""
    return bool(_TEMPORARY_PATTERN.search(sentence))


MAX_MESSAGE = 1200
"""Highest number of characters outside quotations: a longer message was pasted."""
_MAX_SENTENCE = 160
_MIN_SENTENCE = 3
_CODE_FENCE = re.compile(r"(?ms)^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)")
_QUOTED_LINE = re.compile(
    r"^\s*(?:>|\||[-*+•·]\s|\d+[.)、]\s|#{1,6}\s|\$\s|\[|<|\{|at\s.+\(.*\)$|.*(?:://|=>|->|;$|\{$))"
)
_END = re.compile(r"(?<=[.!?。！？；;…])(?:\s+|(?<=[。！？；…]))|\n+|(?<=[~～])\s+")
_SPEAKER = re.compile(r"(?i)^\s*(?:user|assistant|system|human|ai|bot|用户|助手|系统)\s*[:：]")
_TRANSFORM_REQUEST = re.compile(
    r"(?i)^.{0,80}\b(?:translate|rewrite|rephrase|proofread|summari[sz]e|correct|analy[sz]e|explain|"
    r"continue|paraphrase|edit|fix|improve|polish|grammar)\b[^.!?\n]{0,80}[:：]"
    r"|^.{0,40}(?:翻译|润色|改写|总结|概括|校对|续写|修改|分析|解释|造句|仿写|扩写|缩写)"
    r"[^。！？\n]{0,40}[:：]"
)


def own_sentences(text: str) -> list[str]:
    """Return the user's own sentences in `text`, in order."""
    written = _CODE_FENCE.sub("\n", text)
    lines = [line for line in written.splitlines() if not _QUOTED_LINE.match(line)]
    own = "\n".join(lines)
    if len(own) > MAX_MESSAGE or any(map(_SPEAKER.match, lines)):
        return []
    given = _TRANSFORM_REQUEST.search(own)
    if given is not None:  # the following text is material to work on
        own = own[: given.start()]
    return list(_sentences(own))


def _sentences(text: str) -> Iterator[str]:
    for piece in _END.split(text):
        sentence = " ".join(piece.split())
        if _MIN_SENTENCE <= len(sentence) <= _MAX_SENTENCE:
            yield sentence


def normalized(text: str) -> str:
    """Return `text` normalized for literal comparison: without case, spaces and symbols at the
    ends.
    """
    return " ".join(text.casefold().replace("’", "'").split()).strip(" .,!?。，！？…~～;；:：\"'“”")


_CHINESE_CHARS = re.compile("[\u3400-\u9fff]")
_CLAUSE_START = re.compile(r"(?i)(?:[,;] ?| )(?:and|but|so) (?=(?:i|my|we|our|he|she|they|it)\b)")
"""The boundary between two statements in one sentence: "My name is Ida and I'm a baker"."""
_REMEMBER_REQUEST = re.compile(
    r"(?i)\b(?:please )?(?:remember|keep in mind|note|don't forget|memori[sz]e)(?: that|:|"
    r",)? (?=\w)"
    r"|(?:请|帮我)?(?:记住|记得|记一下|记下来?|别忘了|不要忘了)[，,：: ]*(?=.)"
)
_NEUTRAL_TERMS = frozenset(
    terms_of(
        "the a an person user they their them is are was be has have does do not lives live likes "
        "like loves love name named called from in on at of to and or for with by who as works "
        "work prefers i me my mine you your birthday age years old also he she his her"
    )
)
_NEUTRAL_CHARS = frozenset("用户的他她是在叫喜欢名字不有和住于生日年人与")


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """Words of the user, literally, and their claim."""

    words: str
    claim: FactClaim


def find_facts(text: str) -> list[FactCandidate]:
    """Return the facts in a message of the user, in order."""
    return [said for sentence in own_sentences(text) for said in find_in_sentence(sentence)]


def find_in_sentence(sentence: str) -> list[FactCandidate]:
    """Return the facts in one own sentence of the user."""
    if is_refused(sentence):
        return []
    if _CHINESE_CHARS.search(sentence):
        return [
            FactCandidate(words, claim)
            for words, claim in chinese_claims(sentence)
            if not _is_lasting(words, claim)
        ]
    return [
        FactCandidate(words, claim)
        for words in _CLAUSE_START.split(sentence)
        for claim in english_claims(words)
        if not _is_lasting(sentence, claim)
    ]


def _is_lasting(words: str, claim: FactClaim) -> bool:
    """Return whether the claim is lasting: a date must include the day, and a new home must be
    permanent.
    """
    return is_temporary(words) and claim.topic.split(" ")[0] not in _LASTING_TOPICS


_LASTING_TOPICS = frozenset({"name", "birthday", "home", "date", "age"})


def is_remember_request(sentence: str) -> bool:
    """Return whether the user asks to remember something that may be remembered."""
    return bool(_REMEMBER_REQUEST.search(sentence)) and not is_refused(sentence)


def find_claim(text: str) -> FactClaim:
    """Return the claim of a fact of any origin; it contradicts other claims of its topic."""
    for said in find_in_sentence(text):
        return said.claim
    return FactClaim()


def find_quoted_sentence(quote: str, message: str) -> str | None:
    """Return the user's own sentence in `message` that contains `quote` literally; None if there is
    none.
    """
    wanted = normalized(quote)
    if len(wanted) < 2:
        return None
    for sentence in own_sentences(message):
        if wanted in normalized(sentence):
            return sentence
    return None


def can_be_fact(sentence: str) -> bool:
    """Return whether an own sentence of the user may become a fact when a model asks for it."""
    return bool(find_in_sentence(sentence)) or is_remember_request(sentence)


def fact_wording(fact: str, words: str) -> str:
    """Return the stored wording of a fact: the model's, if the user's `words` contain everything it
    says; otherwise these words.
    """
    text = " ".join(fact.split())
    if not text or len(text) > MAX_FACT or is_refused(text):
        return words
    known = set(terms_of(words))
    terms = {term for term in terms_of(text) if not is_dense(term) or is_single_character(term)}
    new = {
        term for term in terms - known if term not in _NEUTRAL_TERMS and term not in _NEUTRAL_CHARS
    }
    return words if new or not terms & known else text
