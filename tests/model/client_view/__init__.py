"""A client that believes what POST /register said and what events have told since."""

from tests.model.client_view import channels, messages, organization, people, personal
from tests.model.client_view.beginning import begin
from tests.model.client_view.differences import differences
from tests.model.client_view.view import View, apply_event

__all__ = ["View", "apply_event", "begin", "differences"]

_PARTS = (channels, messages, organization, people, personal)
"""Importing them is what makes events known."""
