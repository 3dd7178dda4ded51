"""Payloads of incoming webhooks."""

from typing import NotRequired

from typing_extensions import TypedDict


class AcceptedWebhookPayload(TypedDict):
    """A document was accepted."""

    id: NotRequired[int]
    """The message; missing if the document was ignored."""
    ignored_event_type: NotRequired[str]
    """An event that the integration does not post, or that the query excludes.

    It is no error: some senders stop sending to addresses that answer with errors.
    """
