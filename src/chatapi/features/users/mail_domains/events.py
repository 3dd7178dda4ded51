"""Events about mail domains."""

from typing import ClassVar

from chatapi.events.event import Event
from chatapi.features.users.mail_domains.payloads import DomainPayload


class DomainAdded(Event):
    """A mail domain was added."""

    type = "realm_domains"
    op: ClassVar = "add"

    realm_domain: DomainPayload
    """The new mail domain."""


class DomainChanged(Event):
    """Whether subdomains are allowed changed."""

    type = "realm_domains"
    op: ClassVar = "change"

    realm_domain: DomainPayload
    """The mail domain as it is now."""


class DomainRemoved(Event):
    """A mail domain was removed."""

    type = "realm_domains"
    op: ClassVar = "remove"

    domain: str
    """The mail domain that was removed."""
