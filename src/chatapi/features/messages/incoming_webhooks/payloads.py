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


class WebhookOptionPayload(TypedDict):
    """A setting of a bot that receives the notifications of a service."""

    key: str
    label: str
    validator: str


class WebhookUrlOptionPayload(TypedDict):
    """A part of the address to which a service sends notifications."""

    key: str
    label: str
    input_type: str


class WebhookBotPayload(TypedDict):
    """A service whose notifications the server understands."""

    name: str
    display_name: str
    all_event_types: list[str]
    config_options: list[WebhookOptionPayload]
    url_options: list[WebhookUrlOptionPayload]


class WebhookBotsState(TypedDict):
    """The services whose notifications become messages."""

    realm_incoming_webhook_bots: list[WebhookBotPayload]
