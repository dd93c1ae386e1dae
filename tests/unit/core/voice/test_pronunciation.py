"""Numbers, dates, times, units and signs in words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodeskpet.core.voice.pronunciation import pronounceable


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("我有3个苹果和2只猫。", "我有三个苹果和两只猫。"),
        ("第2次，第2个", "第二次，第二个"),
        (
            "10、12、20、101、110、1000、1001、1010",
            "十、十二、二十、一百零一、一百一十、一千、一千零一、一千零一十",
        ),
        ("10500人", "一万零五百人"),
        ("100000001", "一零零零零零零零一"),
        ("共1,234,567.89元", "共一百二十三万四千五百六十七点八九元"),
        ("100,000,000,000,000,000", "一零零零零零零零零零零零零零零零零零"),
        ("100,010,000", "一亿零一万"),
        ("100,000,001", "一亿零一"),
        ("0.5", "零点五"),
        ("2026-11-08", "二零二六年十一月八日"),
        ("2026/1/5出发", "二零二六年一月五日出发"),
        ("2026-13-08", "二千零二十六-十三-零八"),
        ("2026年11月28日", "二零二六年十一月二十八日"),
        ("下午14:05、9:30、2:00、10:20:30", "下午十四点零五分、九点三十分、两点、十点二十分三十秒"),
        ("湿度40%，气温21°C，-5℃", "湿度百分之四十，气温二十一摄氏度，负五摄氏度"),
        ("请看第5-7页", "请看第五到七页"),
        ("¥19.9或$5", "十九点九元或五美元"),
        ("电话010-12345678", "电话零一零，一二三四五六七八"),
        ("手机13800138000", "手机一三八零零一三八零零零"),
        ("2 km、16 GB、5m²", "两公里、十六吉字节、五平方米"),
        ("版本3.11.7", "版本三点十一点七"),
        ("H264和GPT-4", "H264和GPT-4"),
        ("用Python 3写", "用Python 三写"),
        ("3 × 4 = 12，2 + 3", "三乘四等于十二，二加三"),
        ("A → B & C", "A，B和C"),
    ],
)
def test_chinese(text: str, spoken: str) -> None:
    assert pronounceable(text, "zh") == spoken


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Due on 2026-11-28.", "Due on November 28, 2026."),
        ("2026-13-28", "2026-13-28"),
        (
            "It is 21 °C and 40 % humid, 1 km away.",
            "It is 21 degrees Celsius and 40 percent humid, 1 kilometre away.",
        ),
        ("It costs $5 or £1.", "It costs 5 dollars or 1 pound."),
        ("Read pages 5-7.", "Read pages 5 to 7."),
        ("Call 555-1234.", "Call 555-1234."),
        ("Version 3.11.7 of 1,000", "Version 3 point 11 point 7 of 1,000"),
        ("-5 °C, well-known x-2", "minus 5 degrees Celsius, well-known x-2"),
        ("salt & pepper, AT&T, a → b", "salt and pepper, AT&T, a, b"),
        ("3 × 4 = 12, ≈ 5", "3 times 4 equals 12, about 5"),
        ("16GB of 5 mm", "16 gigabytes of 5 millimetres"),
        ("at 14:30", "at 14:30"),
        ("from 8:00 to 20:00, at 0:00", "from 8 o'clock to 8 PM, at midnight"),
        ("10:05, 6:00 pm, 1:02:03", "10 oh 5, 6 pm, 1:02:03"),
    ],
)
def test_english(text: str, spoken: str) -> None:
    assert pronounceable(text, "en") == spoken


@given(st.integers(0, 10**7))
def test_a_chinese_integer_can_be_read_back(number: int) -> None:
    words = pronounceable(f"{number:,}", "zh")
    digits = dict(zip("零一二三四五六七八九", range(10), strict=True))
    units = {"十": 10, "百": 100, "千": 1000}
    total = section = 0
    digit: int | None = None
    for one in words:
        if one == "万":
            total, section, digit = (total + section + (digit or 0)) * 10_000, 0, None
        elif one in units:
            section += (1 if digit is None else digit) * units[one]
            digit = None
        else:
            digit = digits[one] or None
    assert total + section + (digit or 0) == number


@given(st.text(max_size=200), st.sampled_from(["zh", "en"]))
def test_any_text_can_be_read(text: str, language: str) -> None:
    spoken = pronounceable(text, language)
    if not re.search(r"[^\W\d_]|-|\d[^\x00-\x7f]", text) and language == "zh":
        assert not re.search("[0-9]", spoken)
