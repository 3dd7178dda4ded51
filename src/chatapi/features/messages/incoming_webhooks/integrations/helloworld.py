"""A greeting with an article: to try that a webhook arrives."""

from chatapi.features.messages.incoming_webhooks.integration import (
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.features.messages.incoming_webhooks.markup import link


def read(request: WebhookRequest) -> WebhookMessage:
    document = request.document()
    article = link(document.get_text("featured_title"), document.get_text("featured_url"))
    return WebhookMessage(topic="Hello World", content=f"Hello! Today's article is {article}.")


INTEGRATION = Integration("helloworld", "Hello World", read)
