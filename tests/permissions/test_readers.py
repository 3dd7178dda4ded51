"""Group memberships of readers: a caller, a visitor, or no user at all."""

import pytest

from chatapi.auth.context import RealmContext, VisitorContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.readers import membership_of
from tests.factories import realm_context
from tests.permissions.organizations import (
    Drawing,
    DrawnGroup,
    DrawnPerson,
    Organization,
    context_of,
    make_organization,
)


@pytest.fixture
async def made(runtime: Runtime) -> Organization:
    """A realm with a guest who is in one group."""
    group = DrawnGroup(members=frozenset({0}))
    return await make_organization(runtime, Drawing([DrawnPerson(Role.GUEST)], [group]))


def groups_by_role(realm: RealmRecord, *groups: SystemGroup) -> set[int]:
    return {realm.system_groups[group] for group in groups}


async def test_visitor_with_an_account_has_the_groups_of_the_user(
    runtime: Runtime, made: Organization
) -> None:
    ctx = await context_of(runtime, made, made.user_ids[0])
    visit = VisitorContext(
        runtime=runtime,
        work=ctx.work,
        origin=ctx.origin,
        maybe_realm=made.realm,
        realm=made.realm,
        visitor=ctx.caller,
    )
    try:
        expected = groups_by_role(made.realm, SystemGroup.EVERYONE, SystemGroup.INTERNET)
        for each in (visit, ctx):
            assert (await membership_of(each)).groups == {*expected, *made.group_ids}
    finally:
        await ctx.db.close()


@pytest.mark.any_database
async def test_reader_without_account_is_in_the_internet_group(
    runtime: Runtime, made: Organization
) -> None:
    nobody: RealmContext = realm_context(runtime, made.realm)
    stranger = VisitorContext(
        runtime=runtime,
        work=nobody.work,
        origin=nobody.origin,
        maybe_realm=made.realm,
        realm=made.realm,
        visitor=None,
    )
    for each in (nobody, stranger):
        assert (await membership_of(each)).groups == groups_by_role(
            made.realm, SystemGroup.INTERNET
        )
