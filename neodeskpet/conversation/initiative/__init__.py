"""The companion speaks without being spoken to: the words, and the life of a remark."""
