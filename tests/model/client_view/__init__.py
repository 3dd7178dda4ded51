"""A client whose state comes from POST /register and the events since."""

from tests.model.client_view import channels, files, messages, organization, people, personal
from tests.model.client_view.beginning import begin
from tests.model.client_view.differences import differences, differing_presence
from tests.model.client_view.view import View, apply_event

__all__ = ["View", "apply_event", "begin", "differences", "differing_presence"]

_PARTS = (channels, files, messages, organization, people, personal)
"""Importing these modules registers the handlers of events."""
