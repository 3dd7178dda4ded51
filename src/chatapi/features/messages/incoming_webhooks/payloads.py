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
    """The name of the setting."""
    label: str
    """What clients show for it."""
    validator: str
    """The kind of value it takes."""


class WebhookUrlOptionPayload(TypedDict):
    """A part of the address to which a service sends notifications."""

    key: str
    """The name of the parameter in the address."""
    label: str
    """What clients show for it."""
    input_type: str
    """The kind of input that clients offer for it."""


class WebhookBotPayload(TypedDict):
    """A service whose notifications the server understands."""

    name: str
    """The last part of the address to which the service sends: `/external/{name}`."""
    display_name: str
    """The name of the service for people."""
    all_event_types: list[str]
    """Kinds of notifications that can be selected by `only_events` and `exclude_events`."""
    config_options: list[WebhookOptionPayload]
    """Settings of a bot for this service. Always empty here."""
    url_options: list[WebhookUrlOptionPayload]
    """Further parts of the address. Always empty here."""


class WebhookBotsState(TypedDict):
    """The services whose notifications become messages."""

    realm_incoming_webhook_bots: list[WebhookBotPayload]
    """The services whose notifications become messages."""
