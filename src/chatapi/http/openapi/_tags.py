"""Tags in the OpenAPI document, in an order in which the API can be read from start to end."""

from collections.abc import Sequence
from typing import Any

from chatapi.http.route import FeatureRouter

TAG_GROUPS: dict[str, Sequence[str]] = {
    "Server and login": ("Server", "Accounts", "Health"),
    "Users": ("Users", "Avatars", "User status", "Presence", "Profile fields", "Muted users"),
    "Channels": (
        "Channels",
        "Subscriptions",
        "Topics",
        "Channel folders",
        "Default channel groups",
    ),
    "Messages": (
        "Messages",
        "History",
        "Edits",
        "Deleting",
        "Flags",
        "Reactions",
        "Files",
        "Typing",
        "Read receipts",
        "Scheduled messages",
        "Reminders",
        "Widgets",
        "Reports",
    ),
    "Events": ("Event queues",),
    "Groups": ("User groups",),
    "Personal": (
        "Settings",
        "Drafts",
        "Saved snippets",
        "Alert words",
        "Navigation views",
        "Onboarding",
        "Devices",
    ),
    "Organization": (
        "Organizations",
        "Custom emoji",
        "Linkifiers",
        "Playgrounds",
        "Icon and logos",
        "Welcome message",
        "Default settings",
        "Mail domains",
    ),
    "Bots": ("Bots", "Bot storage"),
}
_ORDER = [tag for tags in TAG_GROUPS.values() for tag in tags]
_OTHERS = "More"
_PLACES = {tag: place for place, tag in enumerate(_ORDER)}


def describe_tags(features: Sequence[FeatureRouter]) -> list[dict[str, Any]]:
    """The tags of the features with their descriptions; those of no group come last."""
    described = [feature for feature in features if feature.description]
    described.sort(key=lambda feature: _PLACES.get(feature.tag, len(_PLACES)))
    return [{"name": feature.tag, "description": feature.description} for feature in described]


def describe_tag_groups(features: Sequence[FeatureRouter]) -> list[dict[str, Any]]:
    """The groups by which documentation tools arrange the tags in a sidebar."""
    present = [tag["name"] for tag in describe_tags(features)]
    groups = {name: [tag for tag in present if tag in tags] for name, tags in TAG_GROUPS.items()}
    groups[_OTHERS] = [tag for tag in present if tag not in _PLACES]
    return [{"name": name, "tags": tags} for name, tags in groups.items() if tags]
