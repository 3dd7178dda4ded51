"""Links files to messages: users who may see a message may open the files it links."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.core.ids import AttachmentId, MessageId, RealmId, UserId
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Users
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.uploads.access import may_open, visible_links
from chatapi.features.uploads.events import AttachmentUpdated
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.repository import AttachmentRepository, ImageRepository
from chatapi.permissions.channels import channel_access_of
from chatapi.permissions.messages import MessageAccess

PREFIX = "/user_uploads/"
"""The prefix of the addresses of files, in messages and elsewhere."""


class Claim(Struct, frozen=True):
    """A new message and the addresses of the files it links."""

    message_id: MessageId
    sender: UserRecord
    upload_paths: frozenset[str]
    has_loading_picture: bool = False
    """Whether it was rendered before a thumbnail of a file was drawn."""

    def links(self, attachment: AttachmentRecord) -> bool:
        return PREFIX + attachment.path_id in self.upload_paths


async def claim_attachments(
    runtime: Runtime, work: UnitOfWork, realm: RealmRecord, claims: Sequence[Claim]
) -> None:
    """Link files to a batch of new messages; the realm is locked.

    Senders cannot give access to files that they may not open themselves: such links have no
    effect.
    """
    paths = {path.removeprefix(PREFIX) for claim in claims for path in claim.upload_paths}
    if not paths:
        return
    repository = AttachmentRepository(work.db, realm.id)
    attachments = {each.id: each for each in await repository.list_by_path(paths)}
    readers = _Readers(RealmContext.without_request(runtime, work, realm), repository)
    links = [
        (attachment.id, claim.message_id)
        for claim in claims
        for attachment in attachments.values()
        if claim.links(attachment) and await readers.may_open(claim.sender, attachment)
    ]
    if links:
        await repository.link(links)
        loading = {claim.message_id for claim in claims if claim.has_loading_picture}
        if awaited := {attachment for attachment, message in links if message in loading}:
            await _await_pictures(runtime, work, realm.id, awaited)
        claimed = sorted({attachment_id for attachment_id, _message in links})
        await _emit(readers, [attachments[each] for each in claimed])


async def _await_pictures(
    runtime: Runtime, work: UnitOfWork, realm_id: RealmId, attachment_ids: Collection[AttachmentId]
) -> None:
    """Update a message again that was rendered before a picture was drawn.

    If that happened before this message was written, nothing else would update it.
    """
    await ImageRepository(work.db, realm_id).reopen(attachment_ids, runtime.clock.now())
    work.after_commit(runtime.thumbnails.notify)


async def relink_attachments(ctx: RealmContext, claim: Claim) -> list[AttachmentRecord]:
    """Update the links of an edited message; returns the files that no message links any more."""
    repository = AttachmentRepository(ctx.db, ctx.realm.id)
    before = await repository.list_of_message(claim.message_id)
    known = {PREFIX + attachment.path_id for attachment in before}
    added = replace(claim, upload_paths=claim.upload_paths - known)
    await claim_attachments(ctx.runtime, ctx.work, ctx.realm, [added])
    if claim.has_loading_picture and before:
        awaited = {attachment.id for attachment in before}
        await _await_pictures(ctx.runtime, ctx.work, ctx.realm.id, awaited)
    gone = [attachment for attachment in before if not claim.links(attachment)]
    if not gone:
        return []
    gone_ids = [attachment.id for attachment in gone]
    await repository.unlink(claim.message_id, gone_ids)
    await release_attachments(ctx, gone_ids)
    linked = await repository.list_links(gone_ids)
    return [attachment for attachment in gone if not linked.get(attachment.id)]


async def release_attachments(ctx: RealmContext, attachment_ids: Collection[AttachmentId]) -> None:
    """Some messages that linked files were deleted; the realm is locked.

    A file that no message links any more is treated like one that was never linked.
    """
    if not attachment_ids:
        return
    repository = AttachmentRepository(ctx.db, ctx.realm.id)
    await repository.release(attachment_ids)
    attachments = await repository.list_some(attachment_ids)
    await _emit(_Readers(ctx, repository), attachments)


async def list_linked_attachments(
    ctx: RealmContext, message_ids: Collection[MessageId]
) -> list[AttachmentId]:
    """The files that messages link; call it before the messages are deleted."""
    return await AttachmentRepository(ctx.db, ctx.realm.id).list_linked_by(message_ids)


async def list_linked_paths(
    db: DatabaseSession, realm_id: RealmId, message_id: MessageId
) -> list[str]:
    """The paths of the files that a message links."""
    linked = await AttachmentRepository(db, realm_id).list_of_message(message_id)
    return [attachment.path_id for attachment in linked]


class _Readers:
    """The access of the senders of a batch and of the owners of files, each looked up once."""

    def __init__(self, ctx: RealmContext, repository: AttachmentRepository) -> None:
        self.ctx = ctx
        self.repository = repository
        self._access: dict[int, MessageAccess] = {}
        self._may_open: defaultdict[int, dict[AttachmentId, bool]] = defaultdict(dict)

    async def may_open(self, sender: UserRecord, attachment: AttachmentRecord) -> bool:
        if sender.id == attachment.owner_id:
            return True
        known = self._may_open[sender.id]
        if attachment.id not in known:
            access = await self.access_of(sender)
            known[attachment.id] = await may_open(access, self.repository, attachment)
        return known[attachment.id]

    async def access_of(self, user: UserRecord) -> MessageAccess:
        if user.id not in self._access:
            channels = await channel_access_of(self.ctx, user)
            self._access[user.id] = MessageAccess(self.ctx, channels)
        return self._access[user.id]

    async def visible_links(
        self, attachments: Sequence[AttachmentRecord]
    ) -> dict[AttachmentId, list[MessageId]]:
        """The messages that link files, as far as the owners of the files may see them."""
        links = await self.repository.list_links([each.id for each in attachments])
        linked: defaultdict[UserId, list[AttachmentId]] = defaultdict(list)
        for attachment in attachments:
            if attachment.id in links:
                linked[attachment.owner_id].append(attachment.id)
        visible: dict[AttachmentId, list[MessageId]] = {}
        users = UserRows(self.ctx.db, self.ctx.realm.id)
        for owner in await users.list_some(list(linked)):
            of_owner = {attachment_id: links[attachment_id] for attachment_id in linked[owner.id]}
            visible |= await visible_links(await self.access_of(owner), of_owner)
        return visible


async def _emit(readers: _Readers, attachments: Sequence[AttachmentRecord]) -> None:
    """Emit changes of files to their owners, without messages that the owners may not see."""
    message_ids = await readers.visible_links(attachments)
    space_used = await readers.repository.get_space_used()
    for attachment in attachments:
        readers.ctx.emit(
            AttachmentUpdated(
                attachment=attachment.payload(message_ids.get(attachment.id, ())),
                upload_space_used=space_used,
            ),
            to=Users.only(attachment.owner_id),
        )
