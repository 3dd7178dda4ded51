"""The part of the POST /register response about integrations."""

from chatapi.auth.context import RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.messages.incoming_webhooks.integrations import INTEGRATIONS
from chatapi.features.messages.incoming_webhooks.payloads import WebhookBotsState
from chatapi.features.state import public_section

_STATE: WebhookBotsState = {
    "realm_incoming_webhook_bots": [
        {
            "name": integration.name,
            "display_name": integration.display_name,
            "all_event_types": list(integration.events),
            "config_options": [],
            "url_options": [],
        }
        for integration in INTEGRATIONS.values()
    ]
}


@public_section("realm_incoming_webhook_bots")
async def load_webhook_bots(_ctx: RealmContext, _profile: ClientProfile) -> WebhookBotsState:
    return _STATE
