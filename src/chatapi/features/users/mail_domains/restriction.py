"""Which addresses the mail domains of a realm allow."""

from collections.abc import Iterable

from chatapi.auth.context import RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.features.users.mail_domains.payloads import DomainPayload
from chatapi.features.users.mail_domains.repository import DomainRepository


async def require_allowed_address(ctx: RealmContext, email: str) -> None:
    """Refuse an address outside of the mail domains, if the realm restricts addresses to them."""
    if not ctx.realm.options.emails_restricted_to_domains:
        return
    domains = await DomainRepository(ctx.db, ctx.realm.id).list_all()
    if not _is_allowed(email.rpartition("@")[2].lower(), domains):
        raise BadRequestError("email: Addresses of this domain are not allowed here")


def _is_allowed(host: str, domains: Iterable[DomainPayload]) -> bool:
    return any(
        host == each["domain"] or (each["allow_subdomains"] and host.endswith("." + each["domain"]))
        for each in domains
    )
