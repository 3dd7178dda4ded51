"""Endpoints of mail domains."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import Admin, LoggedIn
from chatapi.features.users.mail_domains.params import AddDomainParams, ChangeDomainParams
from chatapi.features.users.mail_domains.payloads import CreatedDomainPayload, DomainsPayload
from chatapi.features.users.mail_domains.service import DomainService
from chatapi.http.route import FeatureRouter

DomainInPath = Annotated[str, Field(description="The mail domain itself, such as `example.com`.")]

router = FeatureRouter("Mail domains", "To which addresses of users can be restricted.")


@router.get("/realm/domains")
async def get_realm_domains(ctx: LoggedIn) -> DomainsPayload:
    """Get all mail domains of the organization.

    They restrict addresses of new users only if `emails_restricted_to_domains` is set.
    """
    return {"domains": await DomainService(ctx).list_all()}


@router.post("/realm/domains")
async def create_realm_domain(ctx: Admin, params: AddDomainParams) -> CreatedDomainPayload:
    """Add a mail domain.

    With the setting `emails_restricted_to_domains`, new users must have an address of one of them.
    """
    return await DomainService(ctx).add(params)


@router.patch("/realm/domains/{domain}")
async def patch_realm_domain(ctx: Admin, domain: DomainInPath, params: ChangeDomainParams) -> None:
    """Change whether addresses of subdomains are allowed.

    For administrators. It applies to users who are created from now on. Clients receive a
    `realm_domains/change` event.
    """
    await DomainService(ctx).change(domain, params)


@router.delete("/realm/domains/{domain}")
async def delete_realm_domain(ctx: Admin, domain: DomainInPath) -> None:
    """Remove a mail domain.

    For administrators. Users who have an address of it stay. Clients receive a
    `realm_domains/remove` event.
    """
    await DomainService(ctx).remove(domain)
