"""Errors of incoming webhooks."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class UnknownIntegrationError(ApiError):
    """There is no integration of this name."""

    code: ClassVar[str] = "UNKNOWN_INTEGRATION"
    status: ClassVar[int] = 404
    text: ClassVar[str] = "There is no integration '{integration}'; there are: {integrations}"
    integration: str
    integrations: str


@dataclass(eq=False)
class WebhookSignatureError(ApiError):
    """The document is not signed with the secret of `webhook_secret`."""

    code: ClassVar[str] = "BAD_WEBHOOK_SIGNATURE"
    status: ClassVar[int] = 401
    text: ClassVar[str] = "The signature in {header} is missing or does not match webhook_secret"
    header: str
