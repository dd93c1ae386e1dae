"""The parts of a day, and what an hour means in them."""

from __future__ import annotations

PARTS = {
    "一大早": "am", "一早": "am", "清早": "am",
    "凌晨": "am", "清晨": "am", "早上": "am", "早晨": "am", "上午": "am", "早": "am",
    "今早": "am", "明早": "am", "in the morning": "am", "morning": "am",
    "am": "am", "a.m": "am", "a.m.": "am",
    "中午": "noon", "下午": "pm", "傍晚": "pm", "in the afternoon": "pm", "afternoon": "pm",
    "pm": "pm", "p.m": "pm", "p.m.": "pm", "in the evening": "pm", "evening": "pm",
    "晚上": "night", "夜里": "night", "晚": "night", "今晚": "night", "明晚": "night",
    "今夜": "night", "夜": "night", "at night": "night", "night": "night", "tonight": "night",
}  # fmt: skip
"""Which half of the day each word means."""


def hour_in(hour: int, part: str) -> int:
    """The hour of the day; 24 and more for the small hours of a night that began the day before.
    `part` is a value of PARTS.
    """
    match part:
        case "am":
            return hour % 12 if hour == 12 else hour
        case "pm":
            return hour + 12 if hour < 12 else hour
        case "noon":
            return hour + 12 if hour < 10 else hour
        case _:
            if hour == 12 or hour < 5:
                return hour % 12 + 24
            return hour + 12 if hour < 12 else hour
