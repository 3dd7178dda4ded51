"""How a client applies events about users, bots and groups."""

from typing import Any

from tests.model.client_view.view import Event, View, applies, drop, put

_OWNER, _ADMIN, _MODERATOR, _GUEST = 100, 200, 300, 600
_LISTS = ("realm_users", "realm_non_active_users")


@applies("realm_user")
def change_users(view: View, event: Event) -> None:
    if not view.knows("realm_users"):
        return
    person = event["person"]
    match event["op"]:
        case "add":
            put(view.state["realm_users"], "user_id", person)
        case "remove":
            for name in _LISTS:
                drop(view.state[name], "user_id", person["user_id"])
            view.state.get("presences", {}).pop(str(person["user_id"]), None)
        case _:
            for name in _LISTS:
                for user in list(view.state[name]):
                    if user["user_id"] == person["user_id"]:
                        _update(view, user, person)
            if person["user_id"] == view.user_id:
                _update_self(view, person)


def _update(view: View, user: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        match key:
            case "custom_profile_field":
                _set_value(user, value)
            case "new_email":
                user["email"] = value
            case "avatar_source" | "avatar_url_medium":
                pass  # of one's own picture only
            case "role":
                user["role"] = value
                user["is_owner"] = value == _OWNER
                user["is_admin"] = value <= _ADMIN
                user["is_guest"] = value == _GUEST
            case "is_active":
                user["is_active"] = value
                for name in _LISTS:
                    drop(view.state[name], "user_id", user["user_id"])
                view.state[_LISTS[0] if value else _LISTS[1]].append(user)
                if not value and view.knows("realm_bots"):
                    drop(view.state["realm_bots"], "user_id", user["user_id"])
            case _:
                user[key] = value


def _set_value(user: dict[str, Any], field: dict[str, Any]) -> None:
    values = user["profile_data"]
    number = str(field["id"])
    if field["value"] is None:
        values.pop(number, None)
    else:
        values[number] = {key: value for key, value in field.items() if key != "id"}


def _update_self(view: View, changes: dict[str, Any]) -> None:
    state = view.state
    if "role" in changes:
        role = changes["role"]
        state["is_owner"] = role == _OWNER
        state["is_admin"] = role <= _ADMIN
        state["is_moderator"] = role == _MODERATOR
        state["is_guest"] = role == _GUEST
    if "new_email" in changes:
        state["email"] = changes["new_email"]
    for key in ("full_name", "delivery_email", "avatar_source", "avatar_url_medium"):
        if key in changes:
            state[key] = changes[key]


@applies("realm_bot")
def change_bots(view: View, event: Event) -> None:
    if not view.knows("realm_bots"):
        return
    bots = view.state["realm_bots"]
    match event["op"]:
        case "add":
            put(bots, "user_id", event["bot"])
        case "update":
            for bot in bots:
                if bot["user_id"] == event["bot"]["user_id"]:
                    bot.update(event["bot"])
        case _:
            drop(bots, "user_id", event["bot"]["user_id"])


@applies("user_group")
def change_groups(view: View, event: Event) -> None:
    if not view.knows("realm_user_groups"):
        return
    groups = view.state["realm_user_groups"]
    match event["op"]:
        case "add":
            put(groups, "id", event["group"])
        case "remove":
            drop(groups, "id", event["group_id"])
        case _:
            for group in groups:
                if group["id"] == event["group_id"]:
                    _change_group(group, event)


def _change_group(group: dict[str, Any], event: Event) -> None:
    parts = set(group["direct_subgroup_ids"])
    match event["op"]:
        case "update":
            group.update(event["data"])
        case "add_members":
            group["members"] = sorted({*group["members"], *event["user_ids"]})
        case "remove_members":
            group["members"] = sorted(set(group["members"]) - set(event["user_ids"]))
        case "add_subgroups":
            group["direct_subgroup_ids"] = sorted(parts | set(event["direct_subgroup_ids"]))
        case "remove_subgroups":
            group["direct_subgroup_ids"] = sorted(parts - set(event["direct_subgroup_ids"]))
        case unknown:
            raise AssertionError(unknown)


@applies("user_status")
def change_status(view: View, event: Event) -> None:
    if not view.knows("user_status"):
        return
    statuses = view.state["user_status"]
    key = str(event["user_id"])
    status = statuses.pop(key, {})
    for name in ("away", "status_text", "emoji_name", "emoji_code", "reaction_type"):
        if name in event:
            status[name] = event[name]
    if not status.get("emoji_name"):
        for name in ("emoji_name", "emoji_code", "reaction_type"):
            status.pop(name, None)
    status = {name: value for name, value in status.items() if value}
    if status:
        statuses[key] = status


@applies("custom_profile_fields")
def replace_profile_fields(view: View, event: Event) -> None:
    """Deleted fields take their values with them."""
    if view.knows("custom_profile_fields"):
        view.state["custom_profile_fields"] = event["fields"]
    left = {str(field["id"]) for field in event["fields"]}
    for name in _LISTS:
        for user in view.state.get(name, []):
            values = user.get("profile_data", {})
            for number in set(values) - left:
                del values[number]


@applies("presence")
def change_presence(view: View, event: Event) -> None:
    """Only in the newer form, which is the one of the state as well."""
    if view.knows("presences"):
        view.state["presences"].update(event.get("presences", {}))


@applies("typing")
@applies("typing_edit_message")
@applies("restart")
def hear_only(view: View, event: Event) -> None:
    """Ephemeral events; not part of the state that is compared."""
