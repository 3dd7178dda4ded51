"""The mail domains part of the POST /register response."""

from typing_extensions import TypedDict

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import shared_by_all, state_section
from chatapi.features.users.mail_domains.payloads import DomainPayload
from chatapi.features.users.mail_domains.service import DomainService


class DomainsState(TypedDict):
    """All mail domains."""

    realm_domains: list[DomainPayload]
    """The mail domains to which addresses of users can be restricted, by name."""


@state_section("realm_domains", cache_key=shared_by_all)
async def load_domains(ctx: Context, profile: ClientProfile) -> DomainsState:
    del profile
    return {"realm_domains": await DomainService(ctx).list_all()}
