"""Endpoint that deletes uploaded files; the others of the section are those of the uploads."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import AttachmentId
from chatapi.features.messages.attachments.service import AttachmentService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

AttachmentInPath = Annotated[Id, Field(description="The `id` of a file that you uploaded.")]

router = FeatureRouter("Files")


@router.delete("/attachments/{attachment_id:int}")
async def remove_attachment(ctx: LoggedIn, attachment_id: AttachmentInPath) -> None:
    """Delete a file you uploaded.

    Links to it in messages no longer work. Your clients receive an `attachment/remove` event.
    Messages that wait for a thumbnail of it show a link instead, by `update_message` events.
    """
    await AttachmentService(ctx).delete(AttachmentId(attachment_id))
