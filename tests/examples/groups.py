"""User groups and permissions."""

from tests.examples.stage import Stage


async def tell_of_groups(stage: Stage) -> None:
    call, ada = stage.recorder.call, stage.ada
    stage.recorder.forget_events("UserGroupAddMembersEvent", "UserGroupRemoveMembersEvent")
    created = await call(
        ada,
        "POST /user_groups/create",
        name="marketing",
        description="Everybody who talks to customers.",
        members=[ada.user_id],
    )
    place = {"user_group_id": created["group_id"], "user_id": ada.user_id}
    interns = await call(
        ada, "POST /user_groups/create", name="interns", description="", members=[]
    )
    await call(
        ada,
        "POST /user_groups/{user_group_id}/members",
        place,
        add=[stage.alan.user_id],
        delete=[ada.user_id],
    )
    subgroups = "POST /user_groups/{user_group_id}/subgroups"
    await call(ada, subgroups, place, add=[interns["group_id"]])
    await call(ada, subgroups, place, delete=[interns["group_id"]])
    groups = await call(ada, "GET /user_groups")
    ids = {group["name"]: group["id"] for group in groups["user_groups"]}
    members = {"user_group_id": ids["role:members"], "user_id": ada.user_id}
    await call(ada, "GET /user_groups/{user_group_id}/members", members)
    await call(ada, "GET /user_groups/{user_group_id}/members/{user_id}", members)
    await call(ada, "GET /user_groups/{user_group_id}/subgroups", members)
    await call(
        ada,
        "PATCH /user_groups/{user_group_id}",
        place,
        name="sales",
        can_mention_group={"new": ids["role:members"], "old": ids["role:everyone"]},
    )
    await call(ada, "POST /user_groups/{user_group_id}/deactivate", place)
    await call(
        ada,
        "PATCH /realm",
        description="We make *everything*.",
        can_create_groups={"new": ids["role:moderators"], "old": ids["role:members"]},
    )
