"""Payloads of groups of default channels, in responses and events."""

from collections.abc import Iterable

from typing_extensions import TypedDict

from chatapi.features.channels.repository import DefaultGroupRecord


class DefaultChannelGroupPayload(TypedDict):
    """A group of channels that new users can choose to join."""

    id: int
    name: str
    description: str
    streams: list[int]


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
