"""Use case: the state that visitors without an account get from POST /register."""

from collections.abc import Mapping
from typing import Any

from chatapi.auth.context import RealmContext
from chatapi.core.errors import NotLoggedInError
from chatapi.features.event_queues.choices import is_wanted, profile_of
from chatapi.features.event_queues.params import RegisterParams
from chatapi.features.state import sections_for_visitors
from chatapi.permissions.channels import channel_access
from chatapi.wire.version import VERSION_PAYLOAD

_NO_EVENT = _NO_MESSAGE = -1
_NOTHING_UNREAD = {
    "count": 0,
    "pms": [],
    "streams": [],
    "huddles": [],
    "mentions": [],
    "old_unreads_missing": False,
}
_WITHOUT_ACCOUNT: Mapping[frozenset[str], Mapping[str, Any]] = {
    frozenset({"alert_words"}): {"alert_words": []},
    frozenset({"device"}): {"devices": {}},
    frozenset({"drafts"}): {"drafts": []},
    frozenset({"message"}): {"max_message_id": _NO_MESSAGE},
    frozenset({"message", "update_message_flags"}): {"unread_msgs": _NOTHING_UNREAD},
    frozenset({"muted_topics"}): {"muted_topics": []},
    frozenset({"muted_users"}): {"muted_users": []},
    frozenset({"navigation_views"}): {"navigation_views": []},
    frozenset({"realm_bot"}): {"realm_bots": []},
    frozenset({"recent_private_conversations"}): {"recent_private_conversations": []},
    frozenset({"onboarding_steps"}): {"onboarding_steps": [], "navigation_tour_video_url": None},
    frozenset({"reminders"}): {"reminders": []},
    frozenset({"saved_snippets"}): {"saved_snippets": []},
    frozenset({"scheduled_messages"}): {"scheduled_messages": []},
    frozenset({"starred_messages"}): {"starred_messages": []},
    frozenset({"user_status"}): {"user_status": {}},
    frozenset({"user_topic"}): {"user_topics": []},
    # What users of the realm see of each other and of its channels, but visitors do not.
    frozenset({"default_streams"}): {"realm_default_streams": []},
    frozenset({"realm_domains"}): {"realm_domains": []},
    frozenset({"default_stream_groups"}): {"realm_default_stream_groups": []},
}
"""Parts of the state that belong to a user or need one: a visitor has nothing of them."""


class VisitorService:
    """Describes what is web-public; visitors get no queue, and so no events."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx

    async def register(self, params: RegisterParams) -> Mapping[str, Any]:
        """The state of what the realm shows to visitors, if it shows anything."""
        if not (await channel_access(self._ctx)).shows_web_public:
            raise NotLoggedInError
        profile = profile_of(params, ())
        state: dict[str, Any] = {}
        async with self._ctx.state_read():
            await self._ctx.snapshot()
            for section in sections_for_visitors():
                if is_wanted(section.fetch_types, params):
                    state.update(await section.read(self._ctx, profile))
            await self._ctx.release_connection()
        for fetch_types, values in _WITHOUT_ACCOUNT.items():
            if is_wanted(fetch_types, params):
                state.update(values)
        return {**state, **VERSION_PAYLOAD, "queue_id": None, "last_event_id": _NO_EVENT}
