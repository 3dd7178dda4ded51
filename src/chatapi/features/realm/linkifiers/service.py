"""Use cases: list, add, change, reorder and remove linkifiers."""

from msgspec.structs import asdict

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import Context, RealmContext
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import LinkifierId
from chatapi.events.audience import Everyone
from chatapi.features.realm.linkifiers.events import FiltersChanged, LinkifiersChanged
from chatapi.features.realm.linkifiers.params import (
    MAX_LINKIFIERS,
    LinkifierParams,
    ReorderLinkifiersParams,
)
from chatapi.features.realm.linkifiers.payloads import (
    CreatedLinkifierPayload,
    LinkifierPayload,
    filter_payloads,
    linkifier_payload,
)
from chatapi.features.realm.linkifiers.records import LinkifierDefinition, LinkifierRecord
from chatapi.features.realm.linkifiers.repository import LinkifierRepository
from chatapi.features.realm.linkifiers.rules import check_linkifier


class LinkifierService:
    """Changes linkifiers for administrators; all users may read them.

    Messages that were already sent stay unchanged; links of topics are computed when they are read.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = LinkifierRepository(ctx.db, ctx.realm.id)

    async def list_all(self) -> list[LinkifierPayload]:
        """GET /realm/linkifiers."""
        return await list_linkifiers(self._ctx)

    async def add(self, params: LinkifierParams) -> CreatedLinkifierPayload:
        """POST /realm/filters: appended after all others."""
        definition = _definition(params)
        check_linkifier(definition)
        await self._ctx.lock()
        others = await self._repository.list_all()
        if len(others) >= MAX_LINKIFIERS:
            raise BadRequestError(f"Too many linkifiers (maximum {MAX_LINKIFIERS})")
        _check_new(definition, others)
        position = others[-1].position + 1 if others else 1
        linkifier_id = await self._repository.add(definition, position)
        self._audit(AuditKind.LINKIFIER_ADDED, new=definition)
        await self._emit()
        return {"id": linkifier_id}

    async def change(self, linkifier_id: LinkifierId, params: LinkifierParams) -> None:
        """PATCH /realm/filters/{filter_id}: optional values that are not passed stay unchanged."""
        await self._ctx.lock()
        linkifiers = await self._repository.list_all()
        old = _find(linkifiers, linkifier_id)
        definition = _definition(params, old)
        check_linkifier(definition)
        _check_new(definition, [each for each in linkifiers if each.id != linkifier_id])
        if any(getattr(old, name) != value for name, value in asdict(definition).items()):
            await self._repository.change(linkifier_id, definition)
            self._audit(AuditKind.LINKIFIER_CHANGED, old=old, new=definition)
            await self._emit()

    async def remove(self, linkifier_id: LinkifierId) -> None:
        """DELETE /realm/filters/{filter_id}."""
        await self._ctx.lock()
        old = _find(await self._repository.list_all(), linkifier_id)
        await self._repository.remove(linkifier_id)
        self._audit(AuditKind.LINKIFIER_REMOVED, old=old)
        await self._emit()

    async def reorder(self, params: ReorderLinkifiersParams) -> None:
        """PATCH /realm/linkifiers: the list contains each of them once."""
        await self._ctx.lock()
        positions = {int(each.id): each.position for each in await self._repository.list_all()}
        order = params.ordered_linkifier_ids
        if sorted(order) != sorted(positions):
            raise BadRequestError(
                "ordered_linkifier_ids must contain the id of every linkifier exactly once"
            )
        moved = {
            linkifier_id: position
            for position, linkifier_id in enumerate(order, start=1)
            if positions[linkifier_id] != position
        }
        for linkifier_id, position in moved.items():
            await self._repository.move(LinkifierId(linkifier_id), position)
        if moved:
            await self._emit()

    def _audit(
        self,
        kind: AuditKind,
        *,
        old: LinkifierDefinition | None = None,
        new: LinkifierDefinition | None = None,
    ) -> None:
        self._ctx.audit(AuditChange(kind, old=_shown(old), new=_shown(new)))

    async def _emit(self) -> None:
        linkifiers = await self.list_all()
        self._ctx.emit(LinkifiersChanged(realm_linkifiers=linkifiers), to=Everyone())
        self._ctx.emit(FiltersChanged(realm_filters=filter_payloads(linkifiers)), to=Everyone())


async def list_linkifiers(ctx: RealmContext) -> list[LinkifierPayload]:
    """All linkifiers, in the order in which they are applied."""
    linkifiers = await LinkifierRepository(ctx.db, ctx.realm.id).list_all()
    return [linkifier_payload(each) for each in linkifiers]


def _shown(linkifier: LinkifierDefinition | None) -> dict[str, str] | None:
    """What a linkifier does, for the audit log."""
    if linkifier is None:
        return None
    return {"pattern": linkifier.pattern, "url_template": linkifier.url_template}


def _find(linkifiers: list[LinkifierRecord], linkifier_id: LinkifierId) -> LinkifierRecord:
    for linkifier in linkifiers:
        if linkifier.id == linkifier_id:
            return linkifier
    raise BadRequestError("Linkifier not found.")


def _check_new(definition: LinkifierDefinition, others: list[LinkifierRecord]) -> None:
    if any(other.pattern == definition.pattern for other in others):
        raise BadRequestError("pattern: A linkifier with this pattern already exists")


def _definition(
    params: LinkifierParams, old: LinkifierDefinition | None = None
) -> LinkifierDefinition:
    """The passed values, and the old ones for optional values that were not passed."""
    passed = params.model_dump()
    if old is not None:
        left_out = passed.keys() - params.model_fields_set
        passed |= {name: getattr(old, name) for name in left_out}
    for name in ("example_input", "reverse_template"):
        passed[name] = passed[name] or None
    return LinkifierDefinition(**passed)
