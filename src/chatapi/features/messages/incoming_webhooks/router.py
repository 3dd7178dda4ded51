"""POST /external/{integration}."""

from chatapi.auth.guards import Webhook
from chatapi.features.messages.incoming_webhooks.integration import WebhookRequest
from chatapi.features.messages.incoming_webhooks.params import IncomingWebhookParams
from chatapi.features.messages.incoming_webhooks.payloads import AcceptedWebhookPayload
from chatapi.features.messages.incoming_webhooks.service import IncomingWebhookService
from chatapi.http.request import ApiRequest
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Incoming webhooks", include_in_schema=False)
"""Not in the OpenAPI document: other programs define the documents. See docs/integrations.md."""


@router.post("/external/{integration}")
async def post_webhook(
    ctx: Webhook, integration: str, params: IncomingWebhookParams, request: ApiRequest
) -> AcceptedWebhookPayload:
    """Post the document of another program as a message."""
    webhook = WebhookRequest(params.document, lambda name: request.header(name.lower().encode()))
    return await IncomingWebhookService(ctx).post(integration, webhook, params)
