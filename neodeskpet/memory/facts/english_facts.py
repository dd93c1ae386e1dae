"""English sentences with a lasting statement about the writer. Pure.

This is a list of accepted forms: a sentence in no such form is not a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from neodeskpet.memory.facts.fact import FactClaim

_LEAD_IN = re.compile(
    r"^(?:(?:hi|hello|hey|btw|by the way|oh|well|so|and|but|also|actually|anyway|just so you know|"
    r"fyi|ok|okay|yes|yeah|no|nope|sure|haha|please|please remember(?: that)?|remember(?: that)?|"
    r"don't forget(?: that)?|note that|for the record|for reference|correction|sorry|in fact|"
    r"honestly|"
    r"to be honest|as i said|you know|you should know that|good to know|then|"
    r"i meant|i mean|it's true that|the thing is)\b[,:;.! –—-]*)+",
    re.IGNORECASE,
)
_NAME = r"(?P<value>[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*){0,3}|[\u3400-\u9fff]{1,6})"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = (
    rf"(?P<value>(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\.?(?:,? \d{{4}})?"
    rf"|{_MONTH}\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|\d{{4}}-\d\d?-\d\d?"
    r"|\d\d?[/.]\d\d?(?:[/.]\d{2,4})?)"
)
_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|daughter|kid|child|baby|"
    r"mother|mom|"
    r"mum|father|dad|brother|sister|twin|grandma|grandmother|grandpa|grandfather|aunt|uncle|cousin|"
    r"niece|nephew|best friend|roommate|flatmate|boss)"
)
_PET = (
    r"(?:cat|kitten|dog|puppy|rabbit|bunny|hamster|parrot|bird|budgie|turtle|tortoise|goldfish|"
    r"fish|"
    r"horse|pony|snake|gecko|guinea pig|ferret|hedgehog|chicken)"
)
_JOB = (
    r"(?:teacher|nurse|engineer|student|developer|programmer|doctor|lawyer|designer|accountant|"
    r"chef|"
    r"cook|baker|barista|waiter|waitress|driver|pilot|journalist|writer|author|editor|translator|"
    r"artist|painter|musician|photographer|actor|actress|dentist|surgeon|pharmacist|vet|"
    r"veterinarian|"
    r"scientist|researcher|physicist|chemist|biologist|professor|librarian|architect|electrician|"
    r"plumber|carpenter|mechanic|farmer|gardener|firefighter|police officer|soldier|salesperson|"
    r"manager|consultant|analyst|economist|banker|secretary|receptionist|hairdresser|therapist|"
    r"psychologist|social worker|freelancer|paramedic|technician|tailor|butcher|florist|"
    r"phd student|freshman|sophomore|postdoc|midwife|optician|locksmith|bookseller)"
)
_SUBJECT = (
    r"(?:exam|interview|flight|appointment|wedding|anniversary|wedding anniversary|trip|deadline|"
    r"surgery|operation|graduation|defen[cs]e|move|holiday|vacation|name day|driving test|concert|"
    r"marathon|recital|due date|contract)"
)
_AM = r"i(?:'m|’m| am| ?m(?= ))"
_VERY = (
    r"(?:(?:really|absolutely|just|totally|also|still|truly|do|always|particularly|especially) )*"
)
_THING = r"(?P<value>[^,;:.!]{2,60}?)"
_END = r"(?:,? (?:too|though|as well|actually|by the way|btw|haha|lol|:\)))?[.! ]*$"
_COUNT = r"(?:an?|one|two|three|four|five|six|\d{1,2})"

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("name", rf"(?-i:[Mm]y (?:full |first |real |legal )?name(?:'s| is) {_NAME})"),
    (
        "nickname",
        rf"(?-i:(?:[Yy]ou can |[Pp]lease |[Jj]ust )*(?:[Cc]all me|I go by|(?:[Pp]eople|"
        rf"[Ee]veryone|[Mm]y friends|[Ff]riends) calls? me|[Mm]y nickname is) {_NAME})",
    ),
    ("surname", rf"(?-i:[Mm]y (?:last|family|sur) ?name(?:'s| is) {_NAME})"),
    ("birthday", rf"my birthday(?:'s| is)(?: on)? {_DATE}"),
    ("birthday", rf"i was born on {_DATE}"),
    ("birth year", r"i was born in (?P<value>(?:19|20)\d\d)"),
    (
        "age",
        rf"(?:{_AM}|i (?:just )?turned|i'?ll be) (?P<value>\d{{1,2}})(?: years old| yrs old| yo)?",
    ),
    (
        "home",
        rf"(?:i live|i reside|{_AM} (?:based|living|located)) in (?P<value>"
        r"(?!fear|hope|denial|peace|the past|the moment|the future|shame|chaos|a (?:bubble|"
        r"simulation|"
        r"dream|hurry|society|world)|an? \w+ world|interesting|hell|my (?:head|own)|constant|"
        r"a time|"
        r"the same|this|that|these|harmony|luxury|squalor|exile|terror|sin|your)[\w' -]{2,40})",
    ),
    (
        "home",
        r"(?:i(?:'ve| have)? (?:just |recently )?moved|i moved)(?: from [\w' -]{2,25})? to "
        r"(?P<value>(?-i:[A-Z\u3400-\u9fff])[\w' -]{1,40}?)(?: (?:last|in|two|three|a) [\w ]+)?",
    ),
    ("home", r"my (?:home|house|flat|apartment|place) is in (?P<value>[\w' -]{2,40})"),
    (
        "origin",
        rf"(?:{_AM}|i come) (?:originally )?from (?P<value>(?-i:[A-Z\u3400-\u9fff])"
        r"[\w' -]{1,40})",
    ),
    (
        "origin",
        r"(?:my home ?town is|i grew up in|i was born in) (?P<value>(?!the \d|19|20)"
        r"[\w' -]{2,40})",
    ),
    (
        "job",
        rf"{_AM} (?:(?:an?|the) (?:[\w-]+ ){{0,3}})?(?P<value>{_JOB})(?: (?:at|in|for|from|with) "
        r"[\w' .&-]{2,40})?",
    ),
    ("job", r"i work as (?:an? |the )?(?P<value>[\w' -]{3,40})"),
    (
        "employer",
        r"i work (?:at|for) (?P<value>(?!home|night|the (?:moment|time|office|weekend)|"
        r"(?:a few |\w+ )?(?:hours|days|weeks|months|years)|me\b|you\b|free\b|this\b|it\b|hours|"
        r"least|"
        r"myself|nothing|peanuts|that\b|everyone|us\b|once)[\w' .&-]{2,40})",
    ),
    (
        "employer",
        r"i work in (?P<value>(?:an? |the )?[\w' -]{0,20}(?:bakery|hospital|school|bank|"
        r"shop|store|restaurant|caf[eé]|library|factory|office|studio|lab|laboratory|kitchen|"
        r"warehouse|"
        r"hotel|pharmacy|marketing|finance|logistics|insurance|publishing|it|hr|sales|construction|"
        r"healthcare|education|kindergarten|museum|garage|call center))",
    ),
    (
        "job",
        r"my (?:job|profession|occupation) is (?P<value>[\w' -]{4,40}ing|[\w' -]{0,20}"
        rf"{_JOB})",
    ),
    (
        "study",
        rf"(?:{_AM} (?:studying|majoring in)|i study|i major in|my major is) (?P<value>"
        r"(?!this|that|it\b|for\b|the (?:problem|docs|code|question)|hard|a lot|all|every|"
        r"at night|with|"
        r"better|in (?:the|my)|your)[\w' &-]{3,40})",
    ),
    (
        "",
        rf"{_AM} (?:retired|a retiree|self-employed|unemployed|a stay-at-home (?:mom|mum|dad|"
        rf"parent))",
    ),
    (
        "",
        r"i (?:own|run|have) an? (?:small |little |tiny |family )*(?:bakery|shop|store|restaurant|"
        r"company|farm|caf[eé]|business|studio|bookshop|bike shop|hotel)(?: in [\w' -]{2,25})?",
    ),
    (
        "",
        rf"{_AM} (?:married|divorced|single|engaged|widowed|an only child|a (?:mother|father|mom|"
        rf"mum|"
        rf"dad|parent|grandmother|grandfather|twin)(?: of [\w ]+)?)(?: to [\w' -]{{2,30}}|"
        rf" with [\w ]+)?",
    ),
    (
        "kin",
        rf"my (?P<who>(?:older |younger |little |big |eldest |youngest |twin )?(?:{_KIN}|{_PET}))"
        rf"(?:'s name is| is (?:called|named)| goes by) {_NAME}",
    ),
    (
        "",
        rf"my (?:older |younger |little |big |"
        rf"twin )?{_KIN}(?:,? (?-i:[A-Z]\w+),?)? (?:is an? (?:\w+ )"
        rf"{{0,2}}{_JOB}|lives in (?-i:[A-Z])[\w' -]{{1,40}}|works (?:as|at|for) [\w' -]{{3,40}}|"
        r"studies [\w' -]{3,30})",
    ),
    (
        "",
        rf"i(?:'ve| have)?(?: got| have)? {_COUNT} (?:\w+ ){{0,2}}(?:{_PET}|{_KIN}|children|kids|"
        r"sibling)s?(?:,? (?:called|named) [\w', &-]{2,40}|[,:] (?-i:[A-Z])[\w', &-]{1,40})?",
    ),
    (
        "favourite",
        r"my (?:all[- ]time )?favou?rite (?P<who>[\w ]{3,25}?) (?:is|are|has always been) "
        r"(?P<value>(?!this|that|those|these|the (?:first|second|third|last|one)|when|how|your|"
        r"what|to\b)"
        r"[\w' &:-]{2,50})",
    ),
    ("+", rf"i {_VERY}(?:love|like|enjoy|adore|prefer) {_THING}"),
    (
        "+",
        rf"{_AM} {_VERY}(?:(?:a (?:big|huge|great|massive) )?(?:a )?fan of|into|fond of|passionate "
        rf"about|crazy about|keen on|interested in) {_THING}",
    ),
    (
        "-",
        rf"i {_VERY}(?:hate|dislike|detest|can(?:'t|’t|not) stand|(?:don(?:'t|’t)|do not) "
        rf"(?:really |particularly )?(?:like|enjoy|eat|drink)|never (?:eat|drink)|avoid|"
        rf"stopped eating|"
        rf"no longer (?:eat|drink|like)) {_THING}",
    ),
    (
        "",
        rf"{_AM} (?:\w+ )?(?:(?:severely |mildly )?allergic to [\w' ,-]{{3,40}}|(?:a )?vegetarian|"
        r"(?:a )?vegan|a pescatarian|lactose[- ]intolerant|gluten[- ]intolerant|"
        r"(?:type \d )?diabetic|"
        r"colou?r[- ]?blind|left[- ]handed|right[- ]handed|deaf|blind|dyslexic|autistic|pregnant|"
        r"short-?sighted|a night owl|an early bird|an introvert|an extrovert|teetotal|"
        r"a non-?smoker|"
        r"afraid of [\w' -]{3,30}|scared of [\w' -]{3,30})",
    ),
    (
        "",
        r"i have (?:an? |type \d |mild |severe )*(?:diabetes|asthma|adhd|autism|epilepsy|"
        r"migraines?|"
        r"hay fever|celiac disease|coeliac disease|arthritis|(?:\w+ )?allergy|insomnia|high blood "
        r"pressure|a bad (?:back|knee)|tinnitus|anemia)(?: to [\w ]+)?",
    ),
    ("", r"i can(?:'t|’t|not) (?:eat|drink|swim|drive|have|smell|digest) (?P<value>[\w' -]{3,40})"),
    (
        "",
        r"i (?:also |can )*speak (?P<value>(?:(?:fluent|some|basic|"
        r"a little) )?(?-i:[A-Z])[\w, ]{3,50})",
    ),
    ("language", r"my (?:native language|mother tongue|first language) is (?P<value>[\w ]{3,30})"),
    (
        "",
        r"i (?:usually|normally|always|typically|often|never) (?:get up|wake up|go to (?:bed|"
        r"the gym|"
        r"sleep|church|work)|go (?:running|swimming|hiking|cycling|jogging)|have (?:breakfast|"
        r"lunch|"
        r"dinner|coffee|tea)|drink|cook|cycle|run|swim|train|take the (?:bus|train|tube|metro)|"
        r"skip "
        r"breakfast|walk)\b[\w' :,-]{0,50}",
    ),
    (
        "",
        r"(?:every|each) (?:morning|evening|night|day|week|weekend|year|summer|winter|"
        r"\w+day) i (?!wake "
        r"up (?:tired|sad)|feel|ask|think|see|get (?:this|the)|hear|wonder|wish|"
        r"have to)[\w' :-]{5,60}",
    ),
    (
        "",
        r"i [\w' ]{3,30}(?<!have to) every (?:morning|evening|day|night|week|weekend|year|summer|"
        r"winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    ),
    (
        "",
        r"i (?:play|practi[cs]e|do|coach|teach)(?: the)? (?:guitar|piano|violin|cello|drums|"
        r"flute|bass|"
        r"football|soccer|tennis|basketball|badminton|table tennis|volleyball|chess|golf|rugby|"
        r"hockey|"
        r"yoga|karate|judo|pilates|ballet|go|mahjong|saxophone|erhu|guzheng)(?: [\w' ]{2,40})?",
    ),
    ("", r"i drive an? (?P<value>[\w' -]{3,30})"),
    (
        "date",
        rf"(?:my|our) (?P<who>(?:[\w']+ ){{0,2}}{_SUBJECT})(?:'s| is)(?: on| scheduled for|"
        rf" planned "
        rf"for)? {_DATE}",
    ),
    ("date", rf"i have (?:an?|my) (?P<who>(?:[\w']+ ){{0,2}}{_SUBJECT}) on {_DATE}"),
    ("date", rf"(?P<who>{_AM} getting married|we(?:'re| are) getting married) on {_DATE}"),
    (
        "",
        r"i(?:'ve| have)? (?:promised?|swear|vow(?:ed)?)(?: (?:you|myself|her|him|them|"
        r"my [\w ]{2,15}?))?"
        r",? (?:that i(?:'ll| will) |i(?:'ll| will) |to )(?!be (?:right back|quick)|shut up|"
        r"stop asking)"
        r"[\w' -]{6,80}",
    ),
    (
        "",
        r"(?:my|our) (?:goal|aim|plan|new year's resolution|resolution|dream)(?: for (?:this|"
        r"next) year| "
        r"this year| for \d{4})? is to (?!get this|fix|make this|understand this|"
        r"solve)[\w' -]{6,80}",
    ),
    (
        "",
        r"i(?:'ve| have)? (?:decided to|quit|given up|gave up) (?!this|that|it\b|on\b|ask|"
        r"go with|use "
        r"(?:this|your)|the game|trying)[\w' -]{5,60}",
    ),
)


@cache
def _compiled_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the compiled patterns. They are compiled at first use, not when the app starts."""
    return tuple((topic, re.compile(f"^{form}{_END}", re.IGNORECASE)) for topic, form in _PATTERNS)


_REFERENCE = re.compile(
    r"^(?:it|this|that|these|those|him|her|them|you|your|yours|what|when|how|where|who|"
    r"the (?:idea|way|"
    r"sound|look|fact|first|second|third|last|other|new|old|previous|next|latest|current|"
    r"original)|to "
    r"(?:see|know|ask|think|say|hear|get|have|be|start|go with|thank|change)|being|"
    r"getting (?:stuck|"
    r"errors)|having to|waiting|asking|talking|chatting|both|all of|either|none|neither|some|one|"
    r"everything|anything|nothing|option|version|such|his|my (?:life|job|boss|luck)|not|doing this|"
    r"working with you|myself|seeing|knowing|hearing|saying|nor|as)\b"
    r"|\b(?:option|version|idea|answer|draft|joke|title|wording|suggestion|approach|layout|"
    r"example|plan|response|reply|proposal|one|variant|paragraph|function|bug|bugs|error|errors|"
    r"output|"
    r"code|file|button|font|ending|tone|solution|so far|more|better|most|much|enough|way|when|"
    r"because|"
    r"but|so|you|your|yours|this|that|these|those|it|if|instead|point|style here|attitude|vibe|"
    r"question|choice|result|design|feature)\b",
    re.IGNORECASE,
)


def english_claims(sentence: str) -> Iterator[FactClaim]:
    """Yield the claim of `sentence` about its writer; at most one."""
    said = _LEAD_IN.sub("", sentence.replace("’", "'")).strip()
    for topic, form in _compiled_patterns():
        found = form.match(said)
        if found is None:
            continue
        groups = found.groupdict()
        value = " ".join((groups.get("value") or "").casefold().split())
        if topic in ("+", "-"):
            if not _REFERENCE.search(value):
                yield FactClaim(f"like {value}", topic)
                return
            continue
        who = groups.get("who")
        yield FactClaim(f"{topic} {who.casefold()}" if who else topic, value if topic else "")
        return
