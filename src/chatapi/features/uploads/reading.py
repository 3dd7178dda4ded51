"""Opening files: the only code that serves their bytes, after checking access."""

from chatapi.auth.context import RealmContext, VisitorContext
from chatapi.auth.user_rows import api_key_exists
from chatapi.core.errors import NotFoundError, NotLoggedInError
from chatapi.core.ids import RealmId
from chatapi.features.uploads.access import may_open
from chatapi.features.uploads.claims import PREFIX
from chatapi.features.uploads.links import TemporaryLink
from chatapi.features.uploads.payloads import TemporaryAddressPayload
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.repository import AttachmentRepository
from chatapi.files.names import name_in_path
from chatapi.permissions.messages import message_access

TEMPORARY = "temporary"


class FileReader:
    """Looks up files that the reader may open; other files are reported as not found."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._attachments = AttachmentRepository(ctx.db, ctx.realm.id)

    async def get(self, realm_id: int, path: str) -> AttachmentRecord:
        """A file by its address."""
        if RealmId(realm_id) != self._ctx.realm.id:
            raise self._refusal()
        found = await self._attachments.list_by_path([f"{realm_id}/{path}"])
        access = await message_access(self._ctx)
        if not found or not await may_open(access, self._attachments, found[0]):
            raise self._refusal()
        return found[0]

    async def temporary_address(self, realm_id: int, path: str) -> TemporaryAddressPayload:
        """An address at which the file can be opened without credentials, for a short time."""
        attachment = await self.get(realm_id, path)
        caller = self._ctx.maybe_caller
        if caller is None or caller.key_id is None:
            raise self._refusal()
        link = TemporaryLink.to(attachment, caller.key_id, self._ctx.now())
        return {"url": f"{PREFIX}{TEMPORARY}/{link}/{name_in_path(attachment.name)}"}

    async def get_by_link(self, text: str) -> AttachmentRecord:
        """A file by its temporary address."""
        link = TemporaryLink.parse(text)
        attachment = None if link is None else await self._attachments.find(link.attachment_id)
        if link is None or attachment is None or not link.opens(attachment, self._ctx.now()):
            raise NotFoundError
        if not await api_key_exists(self._ctx.db, link.key_id):
            raise NotFoundError
        return attachment

    def _refusal(self) -> NotFoundError | NotLoggedInError:
        """Anonymous readers are asked to log in; it is not revealed whether the file exists."""
        if isinstance(self._ctx, VisitorContext) and self._ctx.visitor is None:
            return NotLoggedInError()
        return NotFoundError()
