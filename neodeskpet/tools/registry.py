"""The former place of `neodeskpet.toolkit.registry`, which files of users import."""

from neodeskpet.toolkit.registry import OneOf, Progress, Tool, tool

__all__ = ["OneOf", "Progress", "Tool", "tool"]
