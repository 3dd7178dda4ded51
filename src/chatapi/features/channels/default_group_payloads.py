"""Payloads of groups of default channels, in responses and events."""

from collections.abc import Iterable

from typing_extensions import TypedDict

from chatapi.features.channels.repository import DefaultGroupRecord


class DefaultChannelGroupPayload(TypedDict):
    """A group of channels that new users can choose to join."""

    id: int
    """Names the group in `PATCH` and `DELETE /default_stream_groups/{group_id}`."""
    name: str
    """What new users see; unique in the organization, regardless of case."""
    description: str
    """What the channels of the group have in common, as plain text; may be empty."""
    streams: list[int]
    """Ids of the channels in the group."""


def default_groups_payload(
    groups: Iterable[DefaultGroupRecord],
) -> list[DefaultChannelGroupPayload]:
    return [
        {
            "id": group.id,
            "name": group.name,
            "description": group.description,
            "streams": [*group.channel_ids],
        }
        for group in groups
    ]
