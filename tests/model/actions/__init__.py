"""All actions that users can take in a history."""

from tests.model.actions import administration, channels, files, messages, people, personal
from tests.model.actions.step import Focus, Step, any_focus, any_step

__all__ = ["Focus", "Step", "any_focus", "any_step"]

_PARTS = (administration, channels, files, messages, people, personal)
"""Importing these modules registers their actions."""
