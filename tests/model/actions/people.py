"""Steps: roles, accounts, bots, groups, statuses and profiles change."""

from collections.abc import Sequence

from tests.model.actions.chance import always, among, either, few, maybe, number
from tests.model.actions.step import Act, action, anybody, numbers, powerful
from tests.model.scene import ROLES, SPARE, pick, restrict_guests

_CHANGEABLE = sorted({*ROLES, SPARE} - {"owner"})
_ROLES = (100, 200, 300, 400, 600)
owners = always("owner")


@action(owners, weight=7, person=among(_CHANGEABLE), role=among(_ROLES))
async def change_role(act: Act, person: str, role: int) -> None:
    await act.call("patch", f"/users/{act.user_id(person)}", role=role)


@action(owners, group=among(("role:members", "role:everyone")))
async def show_people(act: Act, group: str) -> None:
    if act.scene.hides_people:
        await restrict_guests(act.scene, act.actor, act.process, group)


@action(powerful, person=anybody, name=among(("Ann", "Bob")))
async def rename_user(act: Act, person: str, name: str) -> None:
    await act.call("patch", f"/users/{act.user_id(person)}", full_name=f"{name} {person}")


@action(owners)
async def end_or_return_account(act: Act) -> None:
    number = act.user_id(SPARE)
    if act.scene.toggle("user", number):
        await act.call("delete", f"/users/{number}")
    else:
        await act.call("post", f"/users/{number}/reactivate")


@action(visibility=number(1, 5))
async def show_address(act: Act, visibility: int) -> None:
    await act.call("patch", "/settings", email_address_visibility=visibility)


@action(name=among(("one", "two")))
async def create_bot(act: Act, name: str) -> None:
    await act.create("bots", "user_id", "post", "/bots", full_name=name, short_name=name)


@action(powerful, bot=numbers, owner=anybody)
async def give_bot(act: Act, bot: int, owner: str) -> None:
    chosen = pick(act.scene.made.get("bots", []), bot)
    if chosen is not None:
        await act.call("patch", f"/bots/{chosen}", bot_owner_id=act.user_id(owner))


@action(powerful, bot=numbers)
async def end_or_return_bot(act: Act, bot: int) -> None:
    chosen = pick(act.scene.made.get("bots", []), bot)
    if chosen is None:
        return
    if act.scene.toggle("bot", chosen):
        await act.call("delete", f"/bots/{chosen}")
    else:
        await act.call("post", f"/users/{chosen}/reactivate")


@action(powerful, members=few(sorted(ROLES), 0, 2), name=numbers)
async def create_group(act: Act, members: Sequence[str], name: int) -> None:
    response = await act.call(
        "post",
        "/user_groups/create",
        name="crew" if name == 0 else f"group {name}",
        description="",
        members=[act.user_id(each) for each in members],
    )
    if "group_id" in response.body:
        act.scene.groups.append(response.body["group_id"])


@action(powerful, weight=2, group=numbers, person=anybody, is_added=either)
async def change_members(act: Act, group: int, person: str, is_added: bool) -> None:
    chosen = pick(act.scene.groups, group)
    if chosen is not None:
        op = "add" if is_added else "delete"
        path = f"/user_groups/{chosen}/members"
        await act.call("post", path, **{op: [act.user_id(person)]})


@action(powerful, group=numbers, part=numbers, is_added=either)
async def change_subgroups(act: Act, group: int, part: int, is_added: bool) -> None:
    chosen, other = pick(act.scene.groups, group), pick(act.scene.groups, part)
    if chosen is not None:
        op = "add" if is_added else "delete"
        await act.call("post", f"/user_groups/{chosen}/subgroups", **{op: [other]})


@action(powerful, group=numbers)
async def end_or_return_group(act: Act, group: int) -> None:
    chosen = pick(act.scene.groups, group)
    if chosen is None:
        return
    if act.scene.toggle("group", chosen):
        await act.call("post", f"/user_groups/{chosen}/deactivate")
    else:
        await act.call("patch", f"/user_groups/{chosen}", deactivated=False)


@action(powerful, group=numbers, name=among(("team", "band")))
async def rename_group(act: Act, group: int, name: str) -> None:
    chosen = pick(act.scene.groups, group)
    if chosen is not None:
        await act.call("patch", f"/user_groups/{chosen}", name=f"{name} {group}")


@action(text=among(("", "busy")), emoji=among(("", "octopus")))
async def set_status(act: Act, text: str, emoji: str) -> None:
    await act.call("post", "/users/me/status", status_text=text, emoji_name=emoji)


@action(powerful, name=among(("Phone", "Team")))
async def create_profile_field(act: Act, name: str) -> None:
    await act.create("fields", "id", "post", "/realm/profile_fields", name=name, field_type=1)


@action(powerful, field=numbers)
async def delete_profile_field(act: Act, field: int) -> None:
    chosen = pick(act.scene.made.get("fields", []), field)
    if chosen is not None:
        await act.call("delete", f"/realm/profile_fields/{chosen}")


@action(field=numbers, value=maybe(among(("1", "2"))))
async def fill_profile_field(act: Act, field: int, value: str | None) -> None:
    chosen = pick(act.scene.made.get("fields", []), field)
    if chosen is None:
        return
    if value is None:
        await act.call("delete", "/users/me/profile_data", data=[chosen])
    else:
        await act.call("patch", "/users/me/profile_data", data=[{"id": chosen, "value": value}])
