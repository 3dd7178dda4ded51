"""Random realms: group memberships compared with plainly computed sets."""

import os
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatapi.auth.runtime import Runtime
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.db.session import DatabaseSession
from chatapi.permissions.memberships import GroupMemberships
from chatapi.permissions.require import is_allowed, require
from chatapi.permissions.settings import GroupPermission
from chatapi.wire.group_values import GroupValue
from tests.permissions.organizations import (
    Drawing,
    DrawnGroup,
    DrawnPerson,
    GroupRef,
    Organization,
    context_of,
    make_organization,
    read_user,
)

ORGANIZATIONS = int(os.environ.get("CHATAPI_TEST_ORGANIZATIONS", "30"))
FOR_GUESTS_TOO = GroupPermission.CAN_LEAVE
NOT_FOR_GUESTS = GroupPermission.CAN_MANAGE
BY_WIDTH = [
    "role:owners",
    "role:administrators",
    "role:moderators",
    "role:fullmembers",
    "role:members",
    "role:everyone",
    "role:internet",
]


def narrowest_group(person: DrawnPerson) -> str:
    match person.role:
        case Role.OWNER:
            return "role:owners"
        case Role.ADMIN:
            return "role:administrators"
        case Role.MODERATOR:
            return "role:moderators"
        case Role.GUEST:
            return "role:everyone"
        case Role.MEMBER:
            return "role:fullmembers" if person.is_full_member else "role:members"


@dataclass(frozen=True)
class Oracle:
    """The same results, computed by walking through every group again and again."""

    drawing: Drawing

    @property
    def all_groups(self) -> list[GroupRef]:
        return [*range(len(self.drawing.groups)), *SystemGroup]

    def subgroups(self, group: GroupRef) -> set[GroupRef]:
        if not isinstance(group, SystemGroup):
            return set(self.drawing.groups[group].subgroups)
        width = BY_WIDTH.index(group) if group in BY_WIDTH else 0
        return {SystemGroup(BY_WIDTH[width - 1])} if width else set()

    def members(self, group: GroupRef) -> set[int]:
        """Direct members, including deactivated users."""
        if not isinstance(group, SystemGroup):
            return set(self.drawing.groups[group].members)
        people = enumerate(self.drawing.people)
        return {place for place, person in people if narrowest_group(person) == group}

    def parts(self, group: GroupRef) -> set[GroupRef]:
        """The group and all its subgroups."""
        return {group}.union(*(self.parts(subgroup) for subgroup in self.subgroups(group)))

    def everybody_in(self, group: GroupRef) -> set[int]:
        return set().union(*(self.members(part) for part in self.parts(group)))

    def active(self, places: set[int]) -> set[int]:
        return {place for place in places if self.drawing.people[place].is_active}

    def is_named(self, place: int, value: DrawnGroup) -> bool:
        groups = value.subgroups
        return place in value.members or any(place in self.everybody_in(group) for group in groups)


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    """Groups contain only earlier ones, in any shape that has no cycle."""
    people = draw(
        st.lists(
            st.builds(
                DrawnPerson,
                role=st.sampled_from(Role),
                is_full_member=st.booleans(),
                is_active=st.sampled_from([True, True, True, False]),
            ),
            min_size=1,
            max_size=6,
        )
    )
    places = st.frozensets(st.integers(0, len(people) - 1), max_size=3)

    def group_of(count: int) -> st.SearchStrategy[DrawnGroup]:
        system: st.SearchStrategy[GroupRef] = st.sampled_from(SystemGroup)
        inside = system | st.integers(0, count - 1) if count else system
        return st.builds(
            DrawnGroup,
            members=places,
            subgroups=st.frozensets(inside, max_size=3),
            deactivated=st.booleans(),
        )

    groups: list[DrawnGroup] = []
    for _ in range(draw(st.integers(0, 7))):
        groups.append(draw(group_of(len(groups))))
    values = draw(st.lists(group_of(len(groups)), min_size=1, max_size=3))
    return Drawing(people, groups, values)


@settings(
    max_examples=ORGANIZATIONS,
    deadline=None,
    # Every example creates its own realm; the database may be shared.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(drawing=drawings())
async def test_random_organizations(runtime: Runtime, drawing: Drawing) -> None:
    made = await make_organization(runtime, drawing)
    async with DatabaseSession(runtime.database) as db:
        await assert_groups_agree(db, made, Oracle(drawing))
    await assert_people_agree(runtime, made, Oracle(drawing))


async def assert_groups_agree(db: DatabaseSession, made: Organization, oracle: Oracle) -> None:
    memberships = GroupMemberships(db, made.realm)
    direct_members = await memberships.direct_members()
    direct_subgroups = await memberships.direct_subgroups()
    for group in oracle.all_groups:
        group_id = made.id_of(group)
        members = {made.user_ids[place] for place in oracle.active(oracle.members(group))}
        assert direct_members.get(group_id, []) == sorted(members)
        assert await memberships.direct_members_of(group_id) == members
        subgroups = sorted(made.id_of(subgroup) for subgroup in oracle.subgroups(group))
        assert direct_subgroups.get(group_id, []) == subgroups
        everybody = {made.user_ids[place] for place in oracle.active(oracle.everybody_in(group))}
        assert await memberships.members_of([group_id]) == everybody
        parts = {made.id_of(part) for part in oracle.parts(group)}
        assert await memberships.subgroups_of([group_id]) == parts
        around = {other for other in oracle.all_groups if group in oracle.parts(other)}
        assert await memberships.supergroups_of(group_id) == {made.id_of(each) for each in around}


async def assert_people_agree(runtime: Runtime, made: Organization, oracle: Oracle) -> None:
    for place, user_id in enumerate(made.user_ids):
        ctx = await context_of(runtime, made, user_id)
        try:
            user = await read_user(ctx.db, user_id)
            groups = await GroupMemberships(ctx.db, made.realm).groups_of(user)
            assert groups == {
                made.id_of(group)
                for group in oracle.all_groups
                if place in oracle.everybody_in(group)
            }
            for drawn in oracle.drawing.values:
                value = value_of(made, drawn)
                is_named = oracle.is_named(place, drawn)
                assert value.includes(user_id, groups) is is_named
                # Written and read again, it names the same users.
                assert GroupValue.from_wire(value.to_wire()) == value
                guarded = HasPermissions(value)
                assert await is_allowed(ctx, FOR_GUESTS_TOO, guarded) is is_named
                is_guest = oracle.drawing.people[place].role is Role.GUEST
                if is_named and not is_guest:
                    await require(ctx, NOT_FOR_GUESTS, guarded)
                else:
                    with pytest.raises(BadRequestError, match="Insufficient permission"):
                        await require(ctx, NOT_FOR_GUESTS, guarded)
        finally:
            await ctx.db.close()


@dataclass(frozen=True)
class HasPermissions:
    """An object whose permissions all have the same value."""

    value: GroupValue

    def permission(self, permission: GroupPermission) -> GroupValue:
        del permission
        return self.value


def value_of(made: Organization, drawn: DrawnGroup) -> GroupValue:
    return GroupValue(
        frozenset(made.user_ids[place] for place in drawn.members),
        frozenset(GroupId(made.id_of(group)) for group in drawn.subgroups),
    )
