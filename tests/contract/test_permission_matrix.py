"""Permissions: every endpoint and every kind of caller, in one table.

The object of a request belongs to another user: the table says who may access it anyway.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from chatapi.http.route import API_PREFIX, ChatRoute
from chatapi.main import ChatApp
from tests.contract import permission_world
from tests.contract.permission_world import People, Preparation, World, make_people, world_of
from tests.support.client import encode_form
from tests.support.clock import MovableClock
from tests.support.databases import WorkerSqlite
from tests.support.responses import ApiResponse
from tests.support.routes import ROUTES, example_of, send_to

KINDS = (
    "owner",
    "admin",
    "moderator",
    "member",
    "new_member",
    "guest",
    "bot",
    "deactivated",
    "anonymous",
    "other_realm",
)

REFUSALS = {
    "-": (401, "UNAUTHORIZED", "Not logged in: send your email address and API key by HTTP Basic"),
    "admin": (400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"),
    "no": (400, "BAD_REQUEST", "Insufficient permission"),
    "nobot": (400, "BAD_REQUEST", "Bots cannot create bots"),
    "mute": (400, "BAD_REQUEST", "Bots have no status."),
    "unseen": (400, "BAD_REQUEST", "Bots have no presence."),
    "bare": (400, "BAD_REQUEST", "Bots have no profile."),
    "hidden": (400, "BAD_REQUEST", "Invalid channel ID"),
    "unnamed": (400, "BAD_REQUEST", "Invalid channel name 'general'"),
    "closed": (400, "BAD_REQUEST", "Unable to access channel (general)."),
    "unknown": (400, "STREAM_DOES_NOT_EXIST", "Channel does not exist"),
    "none": (404, "NOT_FOUND", "There is nothing at this path"),
    "secret": (400, "BAD_REQUEST", "Invalid message(s)"),
    "gone": (400, "REACTION_DOES_NOT_EXIST", "Reaction doesn't exist."),
    "heard": (400, "BAD_REQUEST", "User is not muted"),
    "kept": (400, "BAD_REQUEST", "You don't have permission to delete this message"),
    "topic": (400, "UNAUTHORIZED_PRINCIPAL", "You don't have permission to delete this topic"),
    "other": (400, "BAD_REQUEST", "You don't have permission to edit this message"),
    "text": (400, "BAD_REQUEST", "Invalid image format: use PNG, GIF, JPEG or WebP"),
    "img": (400, "BAD_IMAGE", "Invalid image format: use PNG, GIF, JPEG or WebP"),
    "author": (400, "BAD_REQUEST", "Must be an organization administrator or emoji author"),
    "sent": (400, "BAD_REQUEST", "Scheduled message does not exist"),
    "past": (400, "BAD_REQUEST", "Reminder does not exist"),
    "alien": (400, "BAD_REQUEST", "Invalid attachment"),
    "draft": (400, "BAD_REQUEST", "Draft does not exist"),
    "snip": (400, "BAD_REQUEST", "Saved snippet does not exist."),
    "view": (404, "NOT_FOUND", "Navigation view does not exist."),
    "mail": (400, "BAD_REQUEST", "This server does not receive email"),
    "silent": (400, "BAD_REQUEST", "The organization has no channel for reports of messages"),
    "device": (400, "BAD_REQUEST", "Invalid device_id"),
    "token": (400, "BAD_REQUEST", "token: Token does not exist"),
    "unsent": (400, "PUSH_SERVICE_NOT_CONFIGURED", "This server does not send push notifications."),
    "deaf": (400, "NO_ACTIVE_PUSH_DEVICE", "No active registered push device"),
    "lost": (400, "BAD_REQUEST", "Navigation view does not exist."),
}
"""The table's words for refusals; `ok` means success."""
WRONG_KEY = (401, "UNAUTHORIZED", "Invalid API key")
"""For callers of another realm, who send the key they have there."""

# The callers, from left to right: owner, administrator, moderator, member, member in the waiting
# period, guest, bot of a member; deactivated, without an account, of another organization.
TABLE = """
GET    /health                                  ok ok    ok    ok    ok    ok    ok    ok ok ok
GET    /ready                                   ok ok    ok    ok    ok    ok    ok    ok ok ok
GET    /server_settings                         ok ok    ok    ok    ok    ok    ok    ok ok ok
POST   /fetch_api_key                           ok ok    ok    ok    ok    ok    ok    ok ok ok
POST   /users/me/api_key/regenerate             ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /users/me/api_keys                       ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /users/me/api_keys/{key_id}              ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /register                                ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /events                                  ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /events                                  ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /realm                                   ok ok    admin admin admin admin admin -  -  -
GET    /users                                   ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /users/query                             ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /users                                   ok ok    admin admin admin admin admin -  -  -
GET    /users/me                                ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /users/me                                ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /users/{user_id_or_email}                ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /users/{user_id_or_email}                ok ok    admin admin admin admin admin -  -  -
DELETE /users/{user_id_or_email}                ok ok    admin admin admin admin admin -  -  -
POST   /users/{user_id}/reactivate              ok ok    admin admin admin admin admin -  -  -
GET    /bots                                    ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /bots                                    ok ok    ok    ok    no    no    nobot -  -  -
PATCH  /bots/{bot_id}                           ok ok    no    no    no    no    no    -  -  -
DELETE /bots/{bot_id}                           ok ok    no    no    no    no    no    -  -  -
GET    /bots/{bot_id}/api_key                   ok ok    no    no    no    no    no    -  -  -
POST   /bots/{bot_id}/api_key/regenerate        ok ok    no    no    no    no    no    -  -  -
GET    /bot_storage                             ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /bot_storage/query                       ok ok    ok    ok    ok    ok    ok    -  -  -
PUT    /bot_storage                             ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /bot_storage                             ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /messages/{message_id}/report  silent silent silent silent silent secret silent -  -  -
POST   /realm/test_welcome_bot_custom_message   ok ok    admin admin admin admin admin -  -  -
GET    /realm/audit_log                         ok ok    admin admin admin admin admin -  -  -
GET    /realm/domains                           ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /realm/domains                           ok ok    admin admin admin admin admin -  -  -
PATCH  /realm/domains/{domain}                  ok ok    admin admin admin admin admin -  -  -
DELETE /realm/domains/{domain}                  ok ok    admin admin admin admin admin -  -  -
POST   /realm/playgrounds                       ok ok    admin admin admin admin admin -  -  -
DELETE /realm/playgrounds/{playground_id}       ok ok    admin admin admin admin admin -  -  -
PATCH  /realm/user_settings_defaults            ok ok    admin admin admin admin admin -  -  -
POST   /users/me/onboarding_steps               ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /register_client_device                  ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /remove_client_device  device device device device device device device -  -  -
POST   /mobile_push/register  device device device device device device device -  -  -
POST   /mobile_push/test_notification  unsent unsent unsent unsent unsent unsent unsent -  -  -
POST   /mobile_push/e2ee/test_notification      deaf deaf deaf deaf deaf deaf deaf -  -  -
POST   /users/me/android_gcm_reg_id             ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /users/me/android_gcm_reg_id             token token token token token token token -  -  -
POST   /users/me/apns_device_token              ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /users/me/apns_device_token              token token token token token token token -  -  -
GET    /realm/profile_fields                    ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /realm/profile_fields                    ok ok    admin admin admin admin admin -  -  -
PATCH  /realm/profile_fields                    ok ok    admin admin admin admin admin -  -  -
PATCH  /realm/profile_fields/{field_id}         ok ok    admin admin admin admin admin -  -  -
DELETE /realm/profile_fields/{field_id}         ok ok    admin admin admin admin admin -  -  -
PATCH  /users/me/profile_data                   ok ok    ok    ok    ok    ok    bare  -  -  -
DELETE /users/me/profile_data                   ok ok    ok    ok    ok    ok    bare  -  -  -
PATCH  /settings                                ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /settings/notifications                  ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /users/me/status                         ok ok    ok    ok    ok    ok    mute  -  -  -
GET    /users/{user_id}/status                  ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /users/{user_id}/status                  ok ok    admin admin admin admin admin -  -  -
POST   /users/me/presence                       ok ok    ok    ok    ok    ok    unseen -  -  -
GET    /users/{user_id_or_email}/presence       ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /realm/presence                          ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /user_groups                             ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /user_groups/create                      ok ok    ok    ok    no    no    ok    -  -  -
PATCH  /user_groups/{user_group_id}             ok no    no    no    no    no    no    -  -  -
POST   /user_groups/{user_group_id}/deactivate  ok no    no    no    no    no    no    -  -  -
GET    /user_groups/{user_group_id}/members     ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /user_groups/{user_group_id}/members     ok no    no    no    no    no    no    -  -  -
GET    /user_groups/{user_group_id}/members/{user_id}  ok ok ok ok   ok    ok    ok    -  -  -
GET    /user_groups/{user_group_id}/subgroups   ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /user_groups/{user_group_id}/subgroups   ok no    no    no    no    no    no    -  -  -
GET    /streams                                 ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /streams/{stream_id}                     ok ok    ok    ok    ok    hidden ok   -  -  -
PATCH  /streams/{stream_id}                     ok ok    no    no    no    hidden no   -  -  -
DELETE /streams/{stream_id}                     ok ok    no    no    no    hidden no   -  -  -
POST   /streams/{stream_id}/delete_topic        ok ok    topic topic topic hidden topic -  -  -
GET    /streams/{stream_id}/email_address       mail mail mail mail mail hidden mail - - -
GET    /streams/{stream_id}/members             ok ok    ok    ok    ok    hidden ok   -  -  -
GET    /get_stream_id                           ok ok    ok    ok    ok    unnamed ok  -  -  -
GET    /users/me/{stream_id}/topics             ok ok    ok    ok    ok    hidden ok   -  -  -
POST   /default_streams                         ok ok    admin admin admin admin admin -  -  -
DELETE /default_streams                         ok ok    admin admin admin admin admin -  -  -
POST   /default_stream_groups/create            ok ok    admin admin admin admin admin -  -  -
PATCH  /default_stream_groups/{group_id}        ok ok    admin admin admin admin admin -  -  -
DELETE /default_stream_groups/{group_id}        ok ok    admin admin admin admin admin -  -  -
PATCH  /default_stream_groups/{group_id}/streams ok ok   admin admin admin admin admin -  -  -
POST   /channel_folders/create                  ok ok    admin admin admin admin admin -  -  -
GET    /channel_folders                         ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /channel_folders                         ok ok    admin admin admin admin admin -  -  -
PATCH  /channel_folders/{channel_folder_id}     ok ok    admin admin admin admin admin -  -  -
POST   /channels/create                         ok ok    ok    ok    ok    no    ok    -  -  -
GET    /users/me/subscriptions                  ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /users/me/subscriptions                  ok ok    ok    ok    ok    closed ok   -  -  -
PATCH  /users/me/subscriptions                  ok ok    ok    ok    ok    closed ok   -  -  -
DELETE /users/me/subscriptions                  ok ok    no    no    no    unknown no  -  -  -
POST   /users/me/subscriptions/properties       ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /users/me/subscriptions/{stream_id}      ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /users/{user_id}/subscriptions/{stream_id}  ok ok ok    ok    ok    hidden ok   -  -  -
GET    /users/{user_id}/channels                ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /messages                                ok ok    ok    ok    ok    unknown ok  -  -  -
GET    /messages                                ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /messages/query                          ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /messages/{message_id}                   ok ok    ok    ok    ok    secret ok   -  -  -
GET    /messages/matches_narrow                 ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /messages/matches_narrow/query           ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /messages/render                         ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /messages/{message_id}                   ok ok    ok    ok    ok    secret ok   -  -  -
GET    /messages/{message_id}/history           ok ok    ok    ok    ok    secret ok   -  -  -
POST   /messages/flags                          ok ok    ok    ok    ok    secret ok   -  -  -
POST   /messages/flags/narrow                   ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /mark_all_as_read                        ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /mark_stream_as_read                     ok ok    ok    ok    ok    hidden ok   -  -  -
POST   /mark_topic_as_read                      ok ok    ok    ok    ok    hidden ok   -  -  -
DELETE /messages/{message_id}                   ok ok    kept  kept  kept  secret kept -  -  -
POST   /messages/{message_id}/reactions         ok ok    ok    ok    ok    secret ok   -  -  -
DELETE /messages/{message_id}/reactions         gone gone gone gone  gone  secret gone -  -  -
POST   /submessage                              ok ok    ok    ok    ok    secret ok   -  -  -
GET    /messages/{message_id}/read_receipts     ok ok    ok    ok    ok    secret ok   -  -  -
POST   /messages/{message_id}/typing            other other other other other secret other -  -  -
POST   /user_topics                             ok ok    ok    ok    ok    hidden ok   -  -  -
PATCH  /users/me/subscriptions/muted_topics     ok ok    ok    ok    ok    hidden ok   -  -  -
GET    /users/me/alert_words                    ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /users/me/alert_words                    ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /users/me/alert_words                    ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /users/me/muted_users/{muted_user_id}    ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /users/me/muted_users/{muted_user_id}    heard heard heard heard heard heard heard - -  -
POST   /typing                                  ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /user_uploads                            ok ok    ok    ok    ok    ok    ok    -  -  -
GET    /user_uploads/{realm_id}/{shelf}/{token}/{filename}  none none none none none none none - - -
GET    /scheduled_messages                      ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /scheduled_messages                      ok ok    ok    ok    ok    unknown ok  -  -  -
PATCH  /scheduled_messages/{scheduled_message_id}  sent sent sent sent sent sent sent - - -
DELETE /scheduled_messages/{scheduled_message_id}  sent sent sent sent sent sent sent - - -
GET    /reminders                               ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /reminders                               ok ok    ok    ok    ok    secret ok   -  -  -
DELETE /reminders/{reminder_id}                 past past past  past  past  past  past  -  -  -
POST   /users/me/avatar                         img img  img   img   img   img   img   -  -  -
DELETE /users/me/avatar                         ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /realm/icon                              img img  admin admin admin admin admin -  -  -
DELETE /realm/icon                              ok ok    admin admin admin admin admin -  -  -
POST   /realm/logo                              img img  admin admin admin admin admin -  -  -
DELETE /realm/logo                              ok ok    admin admin admin admin admin -  -  -
GET /thumbnail/status/{realm_id}/{shelf}/{token}/{filename} none none none none none none none - - -
GET    /realm/emoji                             ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /realm/emoji/{emoji_name}                text text text  text  text  no    text  -  -  -
DELETE /realm/emoji/{emoji_name}                ok ok    author author author author author -  -  -
GET    /attachments                             ok ok    ok    ok    ok    ok    ok    -  -  -
DELETE /attachments/{attachment_id}             alien alien alien alien alien alien alien -  -  -
GET    /drafts                                  ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /drafts                                  ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /drafts/{draft_id}                       draft draft draft draft draft draft draft -  -  -
DELETE /drafts/{draft_id}                       draft draft draft draft draft draft draft -  -  -
GET    /saved_snippets                          ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /saved_snippets                          ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /saved_snippets/{saved_snippet_id}       snip snip snip snip snip snip snip -  -  -
DELETE /saved_snippets/{saved_snippet_id}       snip snip snip snip snip snip snip -  -  -
GET    /navigation_views                        ok ok    ok    ok    ok    ok    ok    -  -  -
POST   /navigation_views                        ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /navigation_views/{fragment}             view view view view view view view -  -  -
DELETE /navigation_views/{fragment}             lost lost lost lost lost lost lost -  -  -
GET    /realm/linkifiers                        ok ok    ok    ok    ok    ok    ok    -  -  -
PATCH  /realm/linkifiers                        ok ok    admin admin admin admin admin -  -  -
POST   /realm/filters                           ok ok    admin admin admin admin admin -  -  -
PATCH  /realm/filters/{filter_id}               ok ok    admin admin admin admin admin -  -  -
DELETE /realm/filters/{filter_id}               ok ok    admin admin admin admin admin -  -  -
"""

PREPARATIONS: dict[str, Preparation] = {
    "POST /fetch_api_key": permission_world.a_login,
    "DELETE /users/me/api_keys/{key_id}": permission_world.an_api_key,
    "GET /events": permission_world.a_queue,
    "DELETE /events": permission_world.a_queue,
    "PATCH /realm": permission_world.a_description,
    "POST /users": permission_world.a_new_address,
    "GET /users/{user_id_or_email}": permission_world.a_user_to_read,
    "PATCH /users/{user_id_or_email}": permission_world.a_user,
    "DELETE /users/{user_id_or_email}": permission_world.a_user_to_end,
    "POST /users/{user_id}/reactivate": permission_world.a_deactivated_user,
    "POST /bots": permission_world.a_new_bot,
    "PATCH /bots/{bot_id}": permission_world.a_bot,
    "DELETE /bots/{bot_id}": permission_world.a_bot,
    "GET /bots/{bot_id}/api_key": permission_world.a_bot,
    "POST /bots/{bot_id}/api_key/regenerate": permission_world.a_bot,
    "POST /realm/profile_fields": permission_world.a_new_field,
    "PATCH /realm/profile_fields": permission_world.all_fields,
    "PATCH /realm/profile_fields/{field_id}": permission_world.a_field,
    "DELETE /realm/profile_fields/{field_id}": permission_world.a_field,
    "PATCH /users/me/profile_data": permission_world.a_value,
    "DELETE /users/me/profile_data": permission_world.a_value_to_remove,
    "POST /users/me/status": permission_world.a_new_status,
    "GET /users/{user_id}/status": permission_world.a_new_status,
    "POST /users/{user_id}/status": permission_world.a_new_status,
    "GET /users/{user_id_or_email}/presence": permission_world.somebody_seen,
    "POST /user_groups/create": permission_world.a_new_group,
    "PATCH /user_groups/{user_group_id}": permission_world.a_described_group,
    "POST /user_groups/{user_group_id}/deactivate": permission_world.a_group,
    "GET /user_groups/{user_group_id}/members": permission_world.a_group,
    "POST /user_groups/{user_group_id}/members": permission_world.a_member_to_add,
    "GET /user_groups/{user_group_id}/members/{user_id}": permission_world.a_group,
    "GET /user_groups/{user_group_id}/subgroups": permission_world.a_group,
    "POST /user_groups/{user_group_id}/subgroups": permission_world.a_subgroup_to_add,
    "GET /streams/{stream_id}": permission_world.a_channel,
    "PATCH /streams/{stream_id}": permission_world.a_described_channel,
    "DELETE /streams/{stream_id}": permission_world.a_channel,
    "POST /streams/{stream_id}/delete_topic": permission_world.a_channel,
    "GET /streams/{stream_id}/email_address": permission_world.a_channel,
    "GET /streams/{stream_id}/members": permission_world.a_channel,
    "GET /get_stream_id": permission_world.the_general_channel,
    "GET /users/me/{stream_id}/topics": permission_world.a_channel,
    "POST /messages": permission_world.a_topic_to_write_in,
    "GET /messages": permission_world.the_newest_messages,
    "GET /messages/matches_narrow": permission_world.no_narrow,
    "POST /messages/query": permission_world.the_newest_messages,
    "POST /messages/matches_narrow/query": permission_world.no_narrow,
    "POST /messages/flags/narrow": permission_world.no_narrow,
    "GET /messages/{message_id}": permission_world.a_message,
    "PATCH /messages/{message_id}": permission_world.a_message_to_move,
    "GET /messages/{message_id}/history": permission_world.a_message,
    "POST /messages/flags": permission_world.a_message,
    "DELETE /messages/{message_id}": permission_world.a_message,
    "POST /messages/{message_id}/reactions": permission_world.a_message,
    "DELETE /messages/{message_id}/reactions": permission_world.a_reaction,
    "POST /submessage": permission_world.a_poll,
    "GET /messages/{message_id}/read_receipts": permission_world.a_message,
    "POST /messages/{message_id}/typing": permission_world.a_message,
    "POST /mark_stream_as_read": permission_world.a_channel_to_name,
    "POST /mark_topic_as_read": permission_world.a_channel_to_name,
    "POST /default_streams": permission_world.a_channel_to_name,
    "DELETE /default_streams": permission_world.a_channel_to_name,
    "POST /default_stream_groups/create": permission_world.a_new_default_group,
    "PATCH /default_stream_groups/{group_id}": permission_world.a_default_group,
    "DELETE /default_stream_groups/{group_id}": permission_world.a_default_group,
    "PATCH /default_stream_groups/{group_id}/streams": permission_world.channels_for_a_group,
    "POST /channel_folders/create": permission_world.a_new_folder,
    "PATCH /channel_folders": permission_world.all_folders,
    "PATCH /channel_folders/{channel_folder_id}": permission_world.a_folder,
    "POST /channels/create": permission_world.a_new_channel,
    "POST /users/me/subscriptions": permission_world.the_general_channel,
    "PATCH /users/me/subscriptions": permission_world.a_channel_to_join,
    "DELETE /users/me/subscriptions": permission_world.somebody_to_take_out,
    "POST /users/me/subscriptions/properties": permission_world.a_subscription,
    "PATCH /users/me/subscriptions/{stream_id}": permission_world.a_subscription,
    "GET /users/{user_id}/subscriptions/{stream_id}": permission_world.a_channel,
    "GET /users/{user_id}/channels": permission_world.a_channel,
    "POST /user_topics": permission_world.a_channel_to_name,
    "PATCH /users/me/subscriptions/muted_topics": permission_world.a_channel_to_name,
    "POST /users/me/muted_users/{muted_user_id}": permission_world.a_user_to_mute,
    "DELETE /users/me/muted_users/{muted_user_id}": permission_world.a_user_to_mute,
    "POST /typing": permission_world.somebody_to_type_to,
    "GET /user_uploads/{realm_id}/{shelf}/{token}/{filename}": permission_world.a_file,
    "GET /thumbnail/status/{realm_id}/{shelf}/{token}/{filename}": permission_world.a_file,
    "POST /realm/emoji/{emoji_name}": permission_world.a_new_emoji,
    "DELETE /realm/emoji/{emoji_name}": permission_world.an_emoji,
    "DELETE /attachments/{attachment_id}": permission_world.a_file,
    "POST /scheduled_messages": permission_world.a_channel_to_schedule_for,
    "PATCH /scheduled_messages/{scheduled_message_id}": permission_world.a_scheduled_message,
    "DELETE /scheduled_messages/{scheduled_message_id}": permission_world.a_scheduled_message,
    "POST /reminders": permission_world.a_message_to_remember,
    "DELETE /reminders/{reminder_id}": permission_world.a_reminder,
    "POST /drafts": permission_world.a_new_draft,
    "PATCH /drafts/{draft_id}": permission_world.a_draft,
    "DELETE /drafts/{draft_id}": permission_world.a_draft,
    "PATCH /saved_snippets/{saved_snippet_id}": permission_world.a_snippet,
    "DELETE /saved_snippets/{saved_snippet_id}": permission_world.a_snippet,
    "PATCH /navigation_views/{fragment}": permission_world.a_view,
    "DELETE /navigation_views/{fragment}": permission_world.a_view,
    "POST /messages/{message_id}/report": permission_world.a_message,
    "POST /realm/domains": permission_world.a_new_domain,
    "PATCH /realm/domains/{domain}": permission_world.a_domain,
    "DELETE /realm/domains/{domain}": permission_world.a_domain,
    "POST /realm/playgrounds": permission_world.a_new_playground,
    "DELETE /realm/playgrounds/{playground_id}": permission_world.a_playground,
    "POST /remove_client_device": permission_world.a_device,
    "POST /mobile_push/register": permission_world.a_device,
    "DELETE /users/me/android_gcm_reg_id": permission_world.a_new_token,
    "DELETE /users/me/apns_device_token": permission_world.a_new_token,
    "PATCH /realm/linkifiers": permission_world.all_linkifiers,
    "POST /realm/filters": permission_world.a_new_linkifier,
    "PATCH /realm/filters/{filter_id}": permission_world.a_linkifier,
    "DELETE /realm/filters/{filter_id}": permission_world.a_linkifier,
}
"""What must exist first, where the documented example alone cannot succeed."""


@dataclass(frozen=True)
class Row:
    """One endpoint and the outcome for each kind of caller."""

    endpoint: str
    outcomes: dict[str, str]


def read_table() -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for line in TABLE.strip().splitlines():
        method, path, *cells = line.split()
        endpoint = f"{method} {path}"
        assert endpoint not in rows
        rows[endpoint] = Row(endpoint, dict(zip(KINDS, cells, strict=True)))
    return rows


def endpoint_of(route: ChatRoute) -> str:
    return f"{route.method} {route.path_format.removeprefix(API_PREFIX)}"


ROWS = read_table()
every_endpoint = pytest.mark.parametrize(
    "route", [pytest.param(route, id=endpoint_of(route)) for route in ROUTES]
)


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """Permissions are decided above the database; what they read is tested on both."""
    return str(request.param)


@pytest.fixture
async def people(backend: str, sqlite_database: WorkerSqlite) -> People:
    return await sqlite_database.fill("people of all kinds", make_people)


@pytest.fixture
def database_url(people: People, sqlite_database: WorkerSqlite) -> str:
    return sqlite_database.url


@pytest.fixture
async def world(people: People, app: ChatApp, clock: MovableClock) -> AsyncIterator[World]:
    world = world_of(people, app, clock)
    yield world
    await world.client.aclose()


def test_every_endpoint_has_a_row() -> None:
    assert set(ROWS) == {endpoint_of(route) for route in ROUTES}
    assert PREPARATIONS.keys() <= ROWS.keys()
    for row in ROWS.values():
        assert set(row.outcomes.values()) <= {"ok", *REFUSALS}


@every_endpoint
async def test_matrix(world: World, route: ChatRoute) -> None:
    row = ROWS[endpoint_of(route)]
    prepare = PREPARATIONS.get(row.endpoint, permission_world.nothing)
    seen = {}
    for kind, caller in world.callers.items():
        prepared = await prepare(world, caller)
        values = {**example_of(route), **encode_form(prepared.values)}
        response = await send_to(world.client, route, caller, values, prepared.places)
        seen[kind] = outcome_of(response)
    assert seen == row.outcomes


def outcome_of(response: ApiResponse) -> str:
    """The table's word for a response, or the response itself where there is none."""
    if response.status == 200:
        return "ok"
    refusal = (response.status, response["code"], response["msg"])
    words = {refused: word for word, refused in REFUSALS.items()} | {WRONG_KEY: "-"}
    return words.get(refusal, str(response.body))
