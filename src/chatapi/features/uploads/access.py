"""File access: a file is open to its owner and to readers of messages that link it."""

from collections.abc import Mapping, Sequence

from chatapi.core.ids import AttachmentId, MessageId
from chatapi.features.uploads.records import AttachmentRecord, LinkingMessage
from chatapi.features.uploads.repository import AttachmentRepository
from chatapi.permissions.messages import MessageAccess

_MESSAGES_AT_ONCE = 500


async def visible_links(
    access: MessageAccess, links: Mapping[AttachmentId, Sequence[LinkingMessage]]
) -> dict[AttachmentId, list[MessageId]]:
    """The linking messages that the reader may see, whether the files are the reader's or not.

    Any user who may open a file can link it, also where its owner may not read.
    """
    visible = await access.visible([message for linking in links.values() for message in linking])
    return {
        attachment_id: [message.id for message in linking if message.id in visible]
        for attachment_id, linking in links.items()
    }


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
