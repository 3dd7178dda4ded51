"""Any JSON document, indented."""

import orjson

from chatapi.features.messages.incoming_webhooks.integration import (
    Integration,
    WebhookMessage,
    WebhookRequest,
)
from chatapi.wire.limits import MAX_MESSAGE_LENGTH

_OPENING, _CLOSING = "```json\n", "\n```"
_CUT = "\n…"


def read(request: WebhookRequest) -> WebhookMessage:
    document = request.document()
    text = orjson.dumps(document.value, option=orjson.OPT_INDENT_2).decode()
    room = MAX_MESSAGE_LENGTH - len(_OPENING) - len(_CLOSING)
    if len(text) > room:
        text = text[: room - len(_CUT)] + _CUT
    return WebhookMessage(topic="JSON", content=f"{_OPENING}{text}{_CLOSING}")


INTEGRATION = Integration("json", "JSON", read)
