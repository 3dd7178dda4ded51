"""Steps: users change personal state, and state shared by the realm."""

from tests.features.emoji.adding import try_add_emoji
from tests.model.actions.chance import among, either
from tests.model.actions.step import Act, action, anybody, numbers, places, powerful, texts, topics
from tests.model.scene import pick

_SETTINGS: tuple[tuple[str, object], ...] = (
    ("twenty_four_hour_time", True),
    ("twenty_four_hour_time", False),
    ("automatically_follow_topics_policy", 1),
    ("presence_enabled", False),
    ("presence_enabled", True),
    ("timezone", "Europe/Berlin"),
)
_REALM: tuple[tuple[str, object], ...] = (
    ("name", "Another name"),
    ("description", "about us"),
    ("topics_policy", "disable_empty_topic"),
    ("topics_policy", "allow_empty_topic"),
    ("message_edit_history_visibility_policy", "none"),
    ("allow_message_editing", False),
    ("allow_message_editing", True),
    ("enable_spectator_access", False),
    ("enable_spectator_access", True),
)
_REALM_PERMISSIONS = (
    "can_create_public_channel_group",
    "can_add_subscribers_group",
    "can_move_messages_between_channels_group",
)


@action(weight=2, channel=places, topic=topics, text=texts)
async def create_draft(act: Act, channel: int, topic: str, text: str) -> None:
    to = [pick(act.scene.channels, channel)]
    draft = {"type": "stream", "to": to, "topic": topic, "content": text}
    response = await act.call("post", "/drafts", drafts=[draft])
    for number in response.body.get("ids", []):
        act.scene.remember("drafts", number)


@action(draft=numbers, person=anybody, is_deleted=either)
async def change_draft(act: Act, draft: int, person: str, is_deleted: bool) -> None:
    chosen = pick(act.scene.made.get("drafts", []), draft)
    if chosen is None:
        return
    if is_deleted:
        await act.call("delete", f"/drafts/{chosen}")
        return
    to = [act.user_id(person)]
    changed = {"type": "private", "to": to, "topic": "", "content": "changed"}
    await act.call("patch", f"/drafts/{chosen}", draft=changed)


@action(is_wanted_again=either)
async def switch_drafts_off(act: Act, is_wanted_again: bool) -> None:
    """The service deletes existing drafts; if turned on again, it starts with none."""
    act.scene.without_drafts.add(act.actor)
    await act.call("patch", "/settings", enable_drafts_synchronization=False)
    if is_wanted_again:
        await act.call("patch", "/settings", enable_drafts_synchronization=True)


@action(title=among(("hello", "bye")))
async def create_snippet(act: Act, title: str) -> None:
    await act.create(
        "snippets", "saved_snippet_id", "post", "/saved_snippets", title=title, content="text"
    )


@action(snippet=numbers, is_deleted=either)
async def change_snippet(act: Act, snippet: int, is_deleted: bool) -> None:
    chosen = pick(act.scene.made.get("snippets", []), snippet)
    if chosen is None:
        return
    if is_deleted:
        await act.call("delete", f"/saved_snippets/{chosen}")
    else:
        await act.call("patch", f"/saved_snippets/{chosen}", title="changed")


@action(fragment=among(("narrow/is/starred", "recent")), is_pinned=either)
async def add_navigation_view(act: Act, fragment: str, is_pinned: bool) -> None:
    name = "mine" if fragment.startswith("narrow") else None
    named = {} if name is None else {"name": name}
    await act.call("post", "/navigation_views", fragment=fragment, is_pinned=is_pinned, **named)


@action(fragment=among(("narrow/is/starred", "recent")), is_deleted=either)
async def change_navigation_view(act: Act, fragment: str, is_deleted: bool) -> None:
    path = f"/navigation_views/{fragment}"
    if is_deleted:
        await act.call("delete", path)
    else:
        await act.call("patch", path, is_pinned=True)


@action(is_added=either)
async def change_alert_words(act: Act, is_added: bool) -> None:
    method = "post" if is_added else "delete"
    await act.call(method, "/users/me/alert_words", alert_words=["alpha"])


@action(person=anybody, is_muted=either)
async def mute_user(act: Act, person: str, is_muted: bool) -> None:
    method = "post" if is_muted else "delete"
    await act.call(method, f"/users/me/muted_users/{act.user_id(person)}")


@action(setting=among(_SETTINGS))
async def change_setting(act: Act, setting: tuple[str, object]) -> None:
    name, value = setting
    await act.call("patch", "/settings", **{name: value})


@action(powerful, setting=among(_REALM))
async def change_realm(act: Act, setting: tuple[str, object]) -> None:
    name, value = setting
    await act.call("patch", "/realm", **{name: value})


@action(powerful, permission=among(_REALM_PERMISSIONS), person=anybody)
async def permit_in_realm(act: Act, permission: str, person: str) -> None:
    new = {"direct_members": [act.user_id(person)], "direct_subgroups": []}
    await act.call("patch", "/realm", **{permission: {"new": new}})


@action(powerful, name=among(("one", "two")), is_added=either)
async def change_emoji(act: Act, name: str, is_added: bool) -> None:
    client, person = act.scene.clients[act.process], act.scene.persons[act.actor]
    if is_added:
        await try_add_emoji(client, person, name)
    else:
        await client.delete(f"/realm/emoji/{name}", person)


@action(powerful)
async def add_linkifier(act: Act) -> None:
    pattern = f"#{len(act.scene.made.get('linkifiers', []))}(?P<id>[0-9]+)"
    await act.create(
        "linkifiers",
        "id",
        "post",
        "/realm/filters",
        pattern=pattern,
        url_template="https://example.com/{id}",
    )


@action(powerful, linkifier=numbers)
async def remove_linkifier(act: Act, linkifier: int) -> None:
    chosen = pick(act.scene.made.get("linkifiers", []), linkifier)
    if chosen is not None:
        await act.call("delete", f"/realm/filters/{chosen}")
