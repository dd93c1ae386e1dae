"""Words that people say for the same thing: who asks for the film has spoken of a movie. Pure.

Everyday words of English and Chinese, by groups; no word stands for a wider one (a dog is a pet,
but who asks for the dog doesn't mean the cat). What such a word counts is in `ranking`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from neodeskpet.memory.recall.words import stem

_ENGLISH_SYNONYMS = """
movie film|photo picture photograph pic image|car vehicle automobile|bike bicycle
plane airplane aircraft flight|job work occupation profession career|salary wage income earn
boss manager supervisor|colleague coworker workmate|company firm employer|doctor physician gp
medicine medication drug pill tablet|illness sickness disease ill sick|allergy allergic
hospital clinic|pain ache hurt sore|tired exhausted fatigue|dad father papa daddy
mom mother mum mama mommy mummy|grandma grandmother granny nana|grandpa grandfather granddad
kid child toddler|baby infant newborn|wife spouse husband partner|boyfriend girlfriend partner
wedding marry marriage|engage engagement fiance fiancee|friend buddy pal|neighbor neighbour
dog puppy pup|cat kitten kitty|house home apartment flat|move relocate relocation
holiday vacation trip travel journey getaway|hotel hostel motel accommodation
restaurant bistro diner eatery|dinner supper|breakfast brunch|food dish meal cuisine
drink beverage|store shop|buy purchase|cost price spend pay|expensive costly pricey
cheap inexpensive affordable|money cash|gift present|party celebration celebrate
festival fest|concert gig|book novel|author writer|teacher instructor tutor coach trainer
university college|degree diploma graduate graduation|class course lesson|exam test
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
修理 维修|丢失 遗失|自行 单车|学历 毕业|演讲 发言|奖项 获奖 奖牌|志愿 义工|宠物 养了
"""


def synonyms_of(words: Iterable[str]) -> Mapping[str, str]:
    """Words for the same things that aren't among `words` (terms), each with the first it stands
    for.
    """
    asked = [*words]
    found: dict[str, str] = {}
    for word in asked:
        for other in _synonym_table().get(word, ()):
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
