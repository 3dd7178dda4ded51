"""The list of all features. To add one, write its folder and add it here."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Literal, TypeVar

T = TypeVar("T")

FEATURES = (
    "realm.server",
    "users.accounts",
    "event_queues",
    "realm.settings",
    "realm.playgrounds",
    "realm.audit_log",
    "realm.welcome_message",
    "realm.unavailable",
    "realm.pictures",
    "users.people",
    "users.avatars",
    "users.mail_domains",
    "users.bots",
    "users.bot_storage",
    "users.profile_fields",
    "users.settings",
    "users.settings_defaults",
    "users.status",
    "users.devices",
    "users.onboarding",
    "users.presence",
    "groups",
    "channels.settings",
    "channels.default_groups",
    "channels.folders",
    "channels.subscriptions",
    "messages.send",
    "messages.incoming_webhooks",
    "messages.fetch",
    "messages.edit",
    "messages.delete",
    "messages.flags",
    "messages.reactions",
    "messages.widgets",
    "messages.receipts",
    "messages.report",
    "messages.scheduled",
    "messages.reminders",
    "personal.drafts",
    "personal.saved_snippets",
    "channels.topic_policies",
    "personal.alert_words",
    "users.muted_users",
    "messages.typing",
    "uploads",
    "messages.attachments",
    "emoji",
    "personal.navigation_views",
    "realm.linkifiers",
)
"""Packages with a router.py, in the order of the documentation."""


class UnlistedFeatureError(Exception):
    """A package has a router or a state that no list names, so it would be missing silently."""


def load_from_features(module: Literal["router", "state"], kind: type[T]) -> Iterator[T]:
    """Import this module of every feature that has one, and return its objects of this kind."""
    root = Path(__file__).parent
    present = {
        ".".join(path.relative_to(root).parent.parts) for path in root.rglob(f"*/{module}.py")
    }
    if unlisted := present.difference(FEATURES):
        raise UnlistedFeatureError(f"Add to {__name__}.FEATURES: {', '.join(sorted(unlisted))}")
    for name in FEATURES:
        if name in present:
            loaded = import_module(f"{__package__}.{name}.{module}")
            yield from (value for value in vars(loaded).values() if isinstance(value, kind))
