"""The parts of stream decoding that all protocols share: SSE, surrogate pairs, thinking between
tags.
"""
