"""Every endpoint that writes leaves entries in the audit log, or is listed as one that need not.

The story of the recorded examples calls every endpoint, so a new one fails until it is decided.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import func, select
from typing_extensions import override

from chatapi.db.models import AuditLogEntry
from chatapi.http.route import API_PREFIX
from chatapi.main import ChatApp
from tests.examples.recorder import Recorder
from tests.examples.story import record
from tests.factories import Person
from tests.support.routes import ROUTES

AUDITED = {
    "POST /fetch_api_key": {"login_succeeded"},
    "POST /users/me/api_key/regenerate": {"api_key_added", "api_keys_revoked"},
    "DELETE /users/me/api_keys/{key_id}": {"api_key_revoked"},
    "GET /bots/{bot_id}/api_key": {"api_key_added"},
    "POST /bots/{bot_id}/api_key/regenerate": {"api_key_added", "api_keys_revoked"},
    "POST /users": {"user_created"},
    "PATCH /users/{user_id_or_email}": {"user_role_changed"},
    "DELETE /users/{user_id_or_email}": {"api_keys_revoked", "user_deactivated"},
    "DELETE /users/me": {"api_keys_revoked", "user_deactivated"},
    "POST /users/{user_id}/reactivate": {"user_reactivated"},
    "POST /bots": {"bot_created"},
    "PATCH /bots/{bot_id}": {"api_keys_revoked", "bot_owner_changed"},
    "DELETE /bots/{bot_id}": {"user_deactivated"},
    "PATCH /realm": {"realm_setting_changed"},
    "PATCH /realm/user_settings_defaults": {"default_user_setting_changed"},
    "POST /realm/icon": {"realm_setting_changed"},
    "DELETE /realm/icon": {"realm_setting_changed"},
    "POST /realm/logo": {"realm_setting_changed"},
    "DELETE /realm/logo": {"realm_setting_changed"},
    "POST /realm/domains": {"mail_domain_added"},
    "PATCH /realm/domains/{domain}": {"mail_domain_changed"},
    "DELETE /realm/domains/{domain}": {"mail_domain_removed"},
    "POST /realm/filters": {"linkifier_added"},
    "PATCH /realm/filters/{filter_id}": {"linkifier_changed"},
    "DELETE /realm/filters/{filter_id}": {"linkifier_removed"},
    "POST /realm/playgrounds": {"playground_added"},
    "DELETE /realm/playgrounds/{playground_id}": {"playground_removed"},
    "POST /channels/create": {"channel_created"},
    "POST /users/me/subscriptions": {"channel_created"},
    "PATCH /streams/{stream_id}": {"channel_setting_changed"},
    "DELETE /streams/{stream_id}": {"channel_archived"},
    "POST /default_streams": {"channel_setting_changed"},
    "DELETE /default_streams": {"channel_setting_changed"},
    "POST /user_groups/create": {"group_created", "group_members_added"},
    "PATCH /user_groups/{user_group_id}": {"group_setting_changed"},
    "POST /user_groups/{user_group_id}/deactivate": {"group_deactivated"},
    "POST /user_groups/{user_group_id}/members": {
        "group_members_added",
        "group_members_removed",
    },
    "POST /user_groups/{user_group_id}/subgroups": {
        "group_subgroups_added",
        "group_subgroups_removed",
    },
}
CONTENT_OF_THE_ORGANIZATION = {
    "PATCH /channel_folders",
    "PATCH /channel_folders/{channel_folder_id}",
    "POST /channel_folders/create",
    "POST /default_stream_groups/create",
    "PATCH /default_stream_groups/{group_id}",
    "PATCH /default_stream_groups/{group_id}/streams",
    "DELETE /default_stream_groups/{group_id}",
    "POST /realm/emoji/{emoji_name}",
    "DELETE /realm/emoji/{emoji_name}",
    "PATCH /realm/linkifiers",
    "POST /realm/profile_fields",
    "PATCH /realm/profile_fields",
    "PATCH /realm/profile_fields/{field_id}",
    "DELETE /realm/profile_fields/{field_id}",
    "POST /realm/test_welcome_bot_custom_message",
}
"""What administrators arrange, and everyone sees: it gives no user a permission."""
BEGINNINGS_OF_PERSONAL_PATHS = (
    "/attachments",
    "/bot_storage",
    "/drafts",
    "/events",
    "/external",
    "/mark_",
    "/messages",
    "/mobile_push",
    "/navigation_views",
    "/register",
    "/reminders",
    "/remove_client_device",
    "/remotes/push",
    "/saved_snippets",
    "/scheduled_messages",
    "/settings",
    "/streams/{stream_id}/delete_topic",
    "/submessage",
    "/typing",
    "/user_topics",
    "/user_uploads",
    "/users/me/",
    "/users/query",
    "/users/{user_id}/status",
)
"""Messages, and what users keep for themselves."""


@dataclass
class AuditingRecorder(Recorder):
    """Keeps which entries of the audit log each endpoint leaves."""

    kinds: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @override
    async def _send(
        self,
        person: Person | None,
        endpoint: str,
        places: Mapping[str, object] | None,
        content: dict[str, Any],
        shown: dict[str, Any],
    ) -> dict[str, Any]:
        app = self.client.app
        assert isinstance(app, ChatApp)
        async with app.runtime.reading() as db:
            last = (await db.execute(select(func.max(AuditLogEntry.id)))).scalar_one()
        own_keys = await super()._send(person, endpoint, places, content, shown)
        async with app.runtime.reading() as db:
            rows = await db.execute(select(AuditLogEntry.kind).where(AuditLogEntry.id > last))
        self.kinds[endpoint].update(kind for (kind,) in rows)
        return own_keys


@pytest.mark.slow
async def test_endpoints_leave_the_entries_of_the_table_and_no_others() -> None:
    recorder = await record(AuditingRecorder)
    assert isinstance(recorder, AuditingRecorder)
    left = {endpoint: kinds for endpoint, kinds in recorder.kinds.items() if kinds}
    assert left == AUDITED


def test_every_endpoint_that_writes_is_decided() -> None:
    writing = {
        f"{route.method} {route.path_format.removeprefix(API_PREFIX)}"
        for route in ROUTES
        if route.method not in {"GET", "HEAD"}
    }
    undecided = {
        endpoint
        for endpoint in writing - AUDITED.keys() - CONTENT_OF_THE_ORGANIZATION
        if not endpoint.partition(" ")[2].startswith(BEGINNINGS_OF_PERSONAL_PATHS)
    }
    assert undecided == set()
