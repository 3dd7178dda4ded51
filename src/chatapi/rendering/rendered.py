"""What rendering a message results in."""

from msgspec import Struct

from chatapi.core.ids import GroupId, UserId


class RenderedMessage(Struct, frozen=True):
    """The HTML of a message, and what it mentions and links to."""

    html: str
    mentioned_user_ids: frozenset[UserId]
    """Users mentioned by name; not those in a quote, in code, or in a silent mention."""
    mentioned_group_ids: frozenset[GroupId]
    mentions_channel: bool
    mentions_topic: bool
    has_link: bool
    has_image: bool
    upload_paths: frozenset[str]
    """The files of this service it links to: `/user_uploads/...`, without escapes."""
    is_me_message: bool
    has_loading_picture: bool = False
    """Whether a thumbnail that is being drawn has to be inserted later."""


def plain_message(html: str) -> RenderedMessage:
    """The HTML of a text in which nothing is mentioned or linked."""
    return RenderedMessage(
        html=html,
        mentioned_user_ids=frozenset(),
        mentioned_group_ids=frozenset(),
        mentions_channel=False,
        mentions_topic=False,
        has_link=False,
        has_image=False,
        upload_paths=frozenset(),
        is_me_message=False,
    )
