"""Profiles of the demo: some custom fields and values."""

import random
from collections.abc import Sequence

from chatapi.auth.context import RealmContext
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.cli.demo.people import DemoPerson, demo_people
from chatapi.cli.demo.step import Plan, Step
from chatapi.cli.operator import acting_as
from chatapi.features.users import (
    CreateFieldParams,
    ProfileFieldService,
    ProfileService,
    ProfileValueParam,
    has_profile_values,
    list_profile_fields,
)

_FIELDS = (
    CreateFieldParams(field_type=1, name="Job title", display_in_profile_summary=True),
    CreateFieldParams(field_type=2, name="About me", hint="Markdown is *welcome*"),
    CreateFieldParams(
        field_type=3,
        name="Office",
        field_data={
            "lisbon": {"text": "Lisbon", "order": "1"},
            "nairobi": {"text": "Nairobi", "order": "2"},
            "osaka": {"text": "Osaka", "order": "3"},
        },
    ),
    CreateFieldParams(field_type=4, name="Birthday"),
    CreateFieldParams(field_type=8, name="Pronouns"),
)
_VALUES = {
    "Job title": ("Engineer", "Designer", "Accountant", "Librarian", "Support lead"),
    "About me": ("I like *long* walks and **short** meetings.", "Ask me about `grep`.", ""),
    "Office": ("lisbon", "nairobi", "osaka"),
    "Birthday": ("1984-02-29", "1990-07-01", "1975-11-23", ""),
    "Pronouns": ("she/her", "he/him", "they/them", ""),
}


async def _make_fields(ctx: RealmContext, fields: Sequence[CreateFieldParams]) -> None:
    await ctx.lock()
    known = {field.name for field in await list_profile_fields(ctx)}
    people = await UserRows(ctx.db, ctx.realm.id).list_all()
    administrator = next(user for user in people if user.is_active and not user.is_bot)
    service = ProfileFieldService(acting_as(ctx, administrator))
    for field in fields:
        if field.name not in known:
            await service.create(field)


async def _fill_profiles(ctx: RealmContext, people: Sequence[DemoPerson]) -> None:
    await ctx.lock()
    users = UserRows(ctx.db, ctx.realm.id)
    fields = await list_profile_fields(ctx)
    for person in people:
        user = await users.find_by_delivery_email(person.email)
        if user is not None and not await has_profile_values(ctx, user.id):
            values = _values_of(user)
            entries = [
                ProfileValueParam(id=field.id, value=values[field.name])
                for field in fields
                if field.name in values
            ]
            await ProfileService(acting_as(ctx, user)).set_values(entries)


def _values_of(user: UserRecord) -> dict[str, str]:
    choose = random.Random(user.delivery_email)  # noqa: S311 (not a secret)
    return {name: choose.choice(values) for name, values in _VALUES.items()}


def _humans(plan: Plan) -> list[DemoPerson]:
    return [person for person in demo_people(plan) if not person.is_bot]


PROFILE_FIELDS = Step("Profile fields", lambda _plan: _FIELDS, _make_fields)
PROFILE_VALUES = Step("Profiles", _humans, _fill_profiles)
