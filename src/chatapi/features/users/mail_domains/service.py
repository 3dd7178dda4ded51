"""Use cases: list, add, change and remove mail domains."""

import re

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.events.audience import Everyone
from chatapi.features.users.mail_domains.events import DomainAdded, DomainChanged, DomainRemoved
from chatapi.features.users.mail_domains.params import (
    MAX_DOMAIN_LENGTH,
    MAX_DOMAINS,
    AddDomainParams,
    ChangeDomainParams,
)
from chatapi.features.users.mail_domains.payloads import CreatedDomainPayload, DomainPayload
from chatapi.features.users.mail_domains.repository import DomainRepository

_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})+")


class DomainService:
    """Changes mail domains for administrators; all users may read them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._domains = DomainRepository(ctx.db, ctx.realm.id)

    async def list_all(self) -> list[DomainPayload]:
        """GET /realm/domains."""
        return await self._domains.list_all()

    async def add(self, params: AddDomainParams) -> CreatedDomainPayload:
        """POST /realm/domains."""
        domain = _check_domain(params.domain)
        await self._ctx.lock()
        known = await self._domains.list_all()
        if any(each["domain"] == domain for each in known):
            raise BadRequestError(f"domain: {domain} is already a part of your organization.")
        if len(known) >= MAX_DOMAINS:
            raise BadRequestError(f"Too many domains (maximum {MAX_DOMAINS})")
        added: DomainPayload = {"domain": domain, "allow_subdomains": params.allow_subdomains}
        await self._domains.add(added)
        self._ctx.emit(DomainAdded(realm_domain=added), to=Everyone())
        self._audit(AuditKind.MAIL_DOMAIN_ADDED, None, added)
        return {"new_domain": [self._ctx.realm.id, domain]}

    async def change(self, name: str, params: ChangeDomainParams) -> None:
        """PATCH /realm/domains/{domain}."""
        await self._ctx.lock()
        old = await self._get(name)
        new: DomainPayload = {**old, "allow_subdomains": params.allow_subdomains}
        if new != old:
            await self._domains.change(new)
            self._ctx.emit(DomainChanged(realm_domain=new), to=Everyone())
            self._audit(AuditKind.MAIL_DOMAIN_CHANGED, old, new)

    async def remove(self, name: str) -> None:
        """DELETE /realm/domains/{domain}."""
        await self._ctx.lock()
        old = await self._get(name)
        await self._domains.remove(old["domain"])
        self._ctx.emit(DomainRemoved(domain=old["domain"]), to=Everyone())
        self._audit(AuditKind.MAIL_DOMAIN_REMOVED, old, None)

    def _audit(self, kind: AuditKind, old: DomainPayload | None, new: DomainPayload | None) -> None:
        self._ctx.audit(AuditChange(kind, old=old, new=new))

    async def _get(self, name: str) -> DomainPayload:
        for domain in await self._domains.list_all():
            if domain["domain"] == name.strip().lower():
                return domain
        raise BadRequestError(f"No entry found for domain {name}.")


def _check_domain(text: str) -> str:
    domain = text.strip().lower()
    if not _DOMAIN.fullmatch(domain) or len(domain) > MAX_DOMAIN_LENGTH:
        raise BadRequestError("domain: Invalid domain")
    return domain
