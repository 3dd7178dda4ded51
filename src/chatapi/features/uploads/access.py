"""Who may open a file: whoever uploaded it, and whoever may see a message that links it."""

from chatapi.core.ids import MessageId
from chatapi.features.uploads.records import AttachmentRecord
from chatapi.features.uploads.repository import AttachmentRepository
from chatapi.permissions.messages import MessageAccess

_MESSAGES_AT_ONCE = 500


async def may_open(
    access: MessageAccess, repository: AttachmentRepository, attachment: AttachmentRecord
) -> bool:
    if access.reader_id == attachment.owner_id:
        return True
    last_id = MessageId(0)
    while messages := await repository.list_linking_messages(
        attachment.id, last_id, _MESSAGES_AT_ONCE
    ):
        if await access.visible(messages):
            return True
        last_id = messages[-1].id
    return False
