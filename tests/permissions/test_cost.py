"""The cost of group membership queries in a realm of 5,000 users and 300 groups."""

import random

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import GroupId
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.db.session import DatabaseSession
from chatapi.permissions.memberships import GroupMemberships
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import RealmPermission
from tests.factories import MakeUser, Person
from tests.features.groups.groups import add_group, ids
from tests.permissions.organizations import (
    Drawing,
    DrawnGroup,
    DrawnPerson,
    Organization,
    context_of,
    make_organization,
    read_user,
)
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements

PEOPLE = 5_000
GROUPS = 300
ANY_TABLE = ""


def draw_large() -> Drawing:
    """Each group has 40 users and the group before it, so that the last contains all."""
    chance = random.Random(7)
    people = [
        DrawnPerson(chance.choice([Role.MEMBER, Role.MEMBER, Role.GUEST])) for _ in range(PEOPLE)
    ]
    groups = [
        DrawnGroup(
            members=frozenset(chance.sample(range(PEOPLE), 40)),
            subgroups=frozenset({number - 1} if number else set()),
        )
        for number in range(GROUPS)
    ]
    return Drawing(people, groups)


class TestLargeOrganization:
    @pytest.fixture
    async def drawing(self) -> Drawing:
        return draw_large()

    @pytest.fixture
    async def large(self, runtime: Runtime, drawing: Drawing) -> Organization:
        return await make_organization(runtime, drawing)

    async def test_members_of_a_group_take_one_statement(
        self, runtime: Runtime, drawing: Drawing, large: Organization
    ) -> None:
        everybody = frozenset[int]().union(*(group.members for group in drawing.groups))
        async with DatabaseSession(runtime.database) as db:
            memberships = GroupMemberships(db, large.realm)
            with recorded_statements(runtime.database, ANY_TABLE) as statements:
                members = await memberships.members_of([large.group_ids[-1]])
            assert members == {large.user_ids[place] for place in everybody}
            assert len(statements) == 1
            internet = large.realm.system_groups[SystemGroup.INTERNET]
            with recorded_statements(runtime.database, ANY_TABLE) as statements:
                members = await memberships.members_of([GroupId(internet), *large.group_ids])
            assert members == set(large.user_ids)
            assert len(statements) == 1

    @pytest.mark.slow
    async def test_groups_of_all_users_take_one_statement(
        self, runtime: Runtime, drawing: Drawing, large: Organization
    ) -> None:
        async with DatabaseSession(runtime.database) as db:
            memberships = GroupMemberships(db, large.realm)
            with recorded_statements(runtime.database, ANY_TABLE) as statements:
                members = await memberships.direct_members()
            assert len(statements) == 1
            assert {group_id: set(members[group_id]) for group_id in large.group_ids} == {
                group_id: {large.user_ids[place] for place in group.members}
                for group_id, group in zip(large.group_ids, drawing.groups, strict=True)
            }
            place = min(drawing.groups[0].members)
            user = await read_user(db, large.user_ids[place])
            with recorded_statements(runtime.database, ANY_TABLE) as statements:
                groups = await memberships.groups_of(user)
            # A member of the first group is in all of them.
            assert groups >= set(large.group_ids)
            assert len(statements) == 1

    @pytest.mark.slow
    async def test_only_the_first_check_of_a_request_runs_a_statement(
        self, runtime: Runtime, large: Organization
    ) -> None:
        ctx = await context_of(runtime, large, large.user_ids[0])
        try:
            with recorded_statements(runtime.database, ANY_TABLE) as statements:
                for permission in RealmPermission:
                    await is_allowed_in_realm(ctx, permission)
            assert len(statements) == 1
        finally:
            await ctx.db.close()


class TestThroughTheApi:
    async def test_memberships_are_cached_until_they_change(
        self, client: ApiClient, runtime: Runtime, owner: Person, make_user: MakeUser
    ) -> None:
        helper, other = await make_user(), await make_user()
        helpers = await add_group(client, owner, [helper])
        group_id = await add_group(client, owner, can_manage_group=helpers)
        path = f"/user_groups/{group_id}"

        async def groups_asked_for(person: Person) -> int:
            """How many times the supergroups were read."""
            with recorded_statements(runtime.database, "above") as statements:
                response = await client.patch(path, person, description="The same")
                if person is helper:
                    assert_success(response)
                else:
                    assert_error(response)
            return len(statements)

        assert [await groups_asked_for(helper) for _ in range(3)] == [1, 0, 0]
        assert [await groups_asked_for(other) for _ in range(2)] == [1, 0]
        joining = await make_user()
        assert_success(await client.post(f"{path}/members", helper, add=ids(joining)))
        # Only the users who joined are looked up again.
        assert [await groups_asked_for(helper) for _ in range(2)] == [0, 0]

    async def test_listing_all_groups_takes_three_statements(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person
    ) -> None:
        for number in range(5):
            await add_group(client, owner, [owner], name=f"group {number}")
        assert_success(await client.get("/users/me", owner))
        with recorded_statements(runtime.database, "user_group") as statements:
            assert_success(await client.get("/user_groups", owner))
        assert len(statements) == 3
