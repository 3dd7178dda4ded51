"""Everything that people can do in a history."""

from tests.model.actions import channels, messages, people, personal
from tests.model.actions.step import Step, any_step

__all__ = ["Step", "any_step"]

_PARTS = (channels, messages, people, personal)
"""Importing them is what makes their actions possible."""
