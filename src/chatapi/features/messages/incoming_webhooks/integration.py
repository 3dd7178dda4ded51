"""What an integration is given, and what it returns."""

import hashlib
import hmac
from collections.abc import Callable
from urllib.parse import parse_qs

from msgspec import Struct

from chatapi.core.errors import BadRequestError
from chatapi.features.messages.incoming_webhooks.document import Document
from chatapi.wire.bodies import RequestBody
from chatapi.wire.strict_json import JsonBudget, NotJsonError, TooManyValuesError

_FORM = "application/x-www-form-urlencoded"


class WebhookMessage(Struct, frozen=True):
    """The message for an event."""

    topic: str
    content: str
    event: str = ""
    """The name of the event, for `only_events` and `exclude_events`."""


class IgnoredEvent(Struct, frozen=True):
    """An event that is not posted."""

    event: str


class WebhookRequest(Struct, frozen=True):
    """The document of a sender, and its headers by name."""

    body: RequestBody
    header: Callable[[str], str]

    def document(self) -> Document:
        """The JSON document of the body, or of the form field `payload`."""
        try:
            text = self.body.content.decode()
        except UnicodeDecodeError:
            raise BadRequestError("The request body is not valid UTF-8") from None
        if self.body.content_type == _FORM:
            # Without limits of its own: the body is limited.
            text = parse_qs(text, max_num_fields=100).get("payload", [""])[0]
            if not text:
                raise BadRequestError("The form has no field 'payload'")
        try:
            return Document(JsonBudget().parse(text))
        except NotJsonError as error:
            raise BadRequestError(f"The request body is not valid JSON: {error}") from None
        except TooManyValuesError:
            raise BadRequestError("The request body has too many values") from None

    def is_signed(self, header: str, secret: str, prefix: str = "") -> bool:
        """Whether a header has the HMAC-SHA256 of the body, in hexadecimal."""
        expected = hmac.new(secret.encode(), self.body.content, hashlib.sha256).hexdigest()
        return hmac.compare_digest(self.header(header).encode(), f"{prefix}{expected}".encode())


class Integration(Struct, frozen=True):
    """How documents of one program become messages."""

    name: str
    display_name: str
    read: Callable[[WebhookRequest], WebhookMessage | IgnoredEvent]
    events: tuple[str, ...] = ()
    """Names of the events it posts; empty if the program has no kinds of events."""
    signature_header: str = ""
    """The header with the signature; empty if the program does not sign."""
    is_signed: Callable[[WebhookRequest, str], bool] = lambda _request, _secret: False
    """Whether a document is signed with a secret."""
