"""The error tree: all errors of the service, with code, status and extra keys.

    ApiError                   400  BAD_REQUEST unless stated otherwise
      BadRequestError          400  BAD_REQUEST, with a message of its own
      UnauthorizedError        401  UNAUTHORIZED
        NotLoggedInError       401  UNAUTHORIZED, without an API key
        WebhookRefusedError    401  UNAUTHORIZED, for bots that may only send
      ...                           features add their own in errors.py

A subclass is a dataclass; its fields are the extra keys of the response.
"""

from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar

from typing_extensions import override

from chatapi.core.ids import QueueId


def wire_key(extra: Field[Any]) -> str:
    """The response key of a field; some keys are not valid Python names."""
    return str(extra.metadata.get("wire_key", extra.name))


@dataclass(eq=False)
class ApiError(Exception):
    """An error that is reported to the client; any other exception becomes a 500."""

    code: ClassVar[str] = "BAD_REQUEST"
    status: ClassVar[int] = 400
    text: ClassVar[str] = "Invalid request"

    @property
    def msg(self) -> str:
        """The message for users; names of extra keys in braces are filled in."""
        return self.text.format_map(self.extra())

    @classmethod
    def extra_fields(cls) -> tuple[Field[Any], ...]:
        return fields(cls)

    def extra(self) -> dict[str, object]:
        return {wire_key(key): getattr(self, key.name) for key in self.extra_fields()}

    def headers(self) -> dict[str, str]:
        return {}

    def envelope(self) -> dict[str, object]:
        return {"result": "error", "msg": self.msg, "code": self.code, **self.extra()}


@dataclass(eq=False)
class BadRequestError(ApiError):
    """An invalid or missing parameter, or an unknown id; the message says which."""

    message: str

    @property
    @override
    def msg(self) -> str:
        return self.message

    @classmethod
    @override
    def extra_fields(cls) -> tuple[Field[Any], ...]:
        return ()


@dataclass(eq=False)
class UnauthorizedError(ApiError):
    """The email or the API key is wrong, or the account is deactivated."""

    code = "UNAUTHORIZED"
    status = 401
    text = "Invalid API key"

    @override
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": 'Basic realm="chatapi", charset="UTF-8"'}


@dataclass(eq=False)
class NotLoggedInError(UnauthorizedError):
    """The request has no API key, and needs one."""

    text = "Not logged in: send your email address and API key by HTTP Basic"


@dataclass(eq=False)
class MissingWebhookKeyError(UnauthorizedError):
    """The request of another program has no API key in its query."""

    text = "Missing 'api_key' argument"


@dataclass(eq=False)
class WebhookRefusedError(UnauthorizedError):
    """An incoming webhook bot, which may only send messages, called another endpoint."""

    text = "This API is not available to incoming webhook bots."


@dataclass(eq=False)
class AdministratorRequiredError(ApiError):
    """Only administrators of the organization may do this."""

    code = "UNAUTHORIZED_PRINCIPAL"
    status = 400
    text = "Must be an organization administrator"


@dataclass(eq=False)
class OwnerRequiredError(ApiError):
    """Only owners of the organization may do this."""

    code = "UNAUTHORIZED_PRINCIPAL"
    status = 400
    text = "Must be an organization owner"


@dataclass(eq=False)
class UnknownOrganizationError(ApiError):
    """There is no organization at the host name of the request."""

    code = "NONEXISTENT_SUBDOMAIN"
    status = 404
    text = "There is no organization at this host name"


@dataclass(eq=False)
class NotFoundError(ApiError):
    """No endpoint has this path."""

    code = "NOT_FOUND"
    status = 404
    text = "There is nothing at this path"


@dataclass(eq=False)
class MethodNotAllowedError(ApiError):
    """The path exists, but not for this HTTP method."""

    code = "METHOD_NOT_ALLOWED"
    status = 405
    allowed_methods: list[str]
    """The HTTP methods that the path has."""

    @property
    @override
    def msg(self) -> str:
        return f"Method not allowed; allowed: {', '.join(self.allowed_methods)}"

    @override
    def headers(self) -> dict[str, str]:
        return {"Allow": ", ".join(self.allowed_methods)}


@dataclass(eq=False)
class RequestTooLargeError(ApiError):
    """The body of the request is larger than the server accepts."""

    code = "REQUEST_TOO_LARGE"
    status = 413
    text = "The request is larger than {max_bytes} bytes"
    max_bytes: int
    """The largest body that the server accepts for this request, in bytes."""


@dataclass(eq=False)
class RateLimitedError(ApiError):
    """Too many requests; try again after the given number of seconds."""

    code = "RATE_LIMIT_HIT"
    status = 429
    text = "API usage exceeded rate limit"
    retry_after: float = field(metadata={"wire_key": "retry-after"})
    """Seconds to wait before the next request, as a decimal number."""

    @override
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(max(1, round(self.retry_after)))}


@dataclass(eq=False)
class BadEventQueueIdError(ApiError):
    """The queue is unknown, expired, deleted or another user's: register again."""

    code = "BAD_EVENT_QUEUE_ID"
    text = "Bad event queue ID: {queue_id}"
    queue_id: QueueId
    """The queue that you passed; register a new one."""


@dataclass(eq=False)
class InternalError(ApiError):
    """An unexpected failure; the log has the details under the request id."""

    code = "INTERNAL_SERVER_ERROR"
    status = 500
    text = "Internal server error"


@dataclass(eq=False)
class UnavailableError(ApiError):
    """The database cannot be reached or is overloaded; try again shortly."""

    code = "SERVICE_UNAVAILABLE"
    status = 503
    text = "The service is temporarily unavailable"

    @override
    def headers(self) -> dict[str, str]:
        return {"Retry-After": "1"}


@dataclass(eq=False)
class TooExpensiveError(ApiError):
    """The request takes the database longer than one request may take."""

    code = "REQUEST_TOO_EXPENSIVE"
    status = 400
    text = "This takes too long to look up: narrow it to a channel or topic, or use other words"


class StaleCallerError(Exception):
    """The caller changed while the request was running: it must be authorized again.

    Raised before anything is written or emitted; the route starts the request over.
    """
