"""Users of the demo: names from many places, guests, bots and deactivated users."""

import random
import unicodedata
from collections.abc import Sequence
from itertools import product

from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.cli.demo.step import Plan, Step
from chatapi.core.roles import BotType, Role
from chatapi.features.users import NewUser, add_user, deactivate_user

_FIRST_NAMES = (
    "Amara Aoife Björn Camila Chidi Daniela Dmitri Elif Farid Fatima Giulia Hana Henrik Ines "
    "Ivan Jae-won Jamal Joana Kaito Kofi Lakshmi Leila Lucía Maëlle Marek Mei Nadia Ngozi Noah "
    "Olga Omar Priya Quentin Rafael Rosa Samira Søren Tariq Thandiwe Tomás Uma Viktor Wanjiru "
    "Xavier Yara Yusuf Zainab Zoë"
)
_LAST_NAMES = (
    "Abebe Achterberg Almeida Bakker Banerjee Castillo Chowdhury Diallo Dubois Eriksson Fischer "
    "Fujita García Haddad Hernández Ibrahim Ivanova Jensen Kapoor Kim Kowalski Laurent Lindqvist "
    "Mahlangu Mbeki Moreau Nakamura Nguyen Novák Okafor Oliveira O'Brien Petrov Quispe Rossi "
    "Schneider Sharma Silva Takahashi Tanaka Torres Umarova Vasquez Weber Wójcik Yilmaz Zhang"
)
_BOT_EVERY = 10
_GUEST_EVERY = 8
_LEFT_EVERY = 15
_SEED = 20_240_229
_LETTERS_NO_NORMAL_FORM_SPLITS = str.maketrans({"ø": "o", "ł": "l", "'": None})


class DemoPerson(Struct, frozen=True):
    """A user to be created."""

    full_name: str
    email: str
    role: Role
    password_hash: str | None
    is_bot: bool
    is_deactivated: bool


def demo_people(plan: Plan) -> list[DemoPerson]:
    """Returns the same users every time, so that a second run finds those of the first."""
    names = [
        f"{first} {last}" for first, last in product(_FIRST_NAMES.split(), _LAST_NAMES.split())
    ]
    random.Random(_SEED).shuffle(names)  # noqa: S311 (not a secret)
    return [
        _person(number, names[number % len(names)], plan.password_hash)
        for number in range(plan.people)
    ]


def _person(number: int, name: str, password_hash: str) -> DemoPerson:
    is_bot = number % _BOT_EVERY == _BOT_EVERY - 1
    full_name = f"{name.split(maxsplit=1)[0]}'s bot" if is_bot else name
    return DemoPerson(
        full_name=full_name,
        email=f"{_local_part(full_name)}.{number + 1}@example.com",
        role=_role(number, is_bot=is_bot),
        password_hash=None if is_bot else password_hash,
        is_bot=is_bot,
        is_deactivated=number % _LEFT_EVERY == _LEFT_EVERY - 1,
    )


def _role(number: int, *, is_bot: bool) -> Role:
    if is_bot:
        return Role.MEMBER
    if number == 0:
        return Role.ADMIN
    if number == 1:
        return Role.MODERATOR
    return Role.GUEST if number % _GUEST_EVERY == _GUEST_EVERY - 1 else Role.MEMBER


def _local_part(name: str) -> str:
    plain = name.lower().translate(_LETTERS_NO_NORMAL_FORM_SPLITS)
    folded = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return folded.replace(" ", ".")


async def _make(ctx: RealmContext, people: Sequence[DemoPerson]) -> None:
    await ctx.lock()
    users = UserRows(ctx.db, ctx.realm.id)
    everybody = await users.list_all()
    known = {user.delivery_email.lower() for user in everybody}
    owners = [user for user in everybody if not user.is_bot]
    for person in people:
        if person.email not in known:
            user = await _add(ctx, person, owners)
            if not user.is_bot:
                owners.append(user)


async def _add(ctx: RealmContext, person: DemoPerson, owners: Sequence[UserRecord]) -> UserRecord:
    owner = owners[-1] if person.is_bot and owners else None
    created = await add_user(
        ctx,
        NewUser(
            email=person.email,
            full_name=person.full_name,
            role=person.role if owner is None else person.role.capped_at(owner.role),
            password_hash=person.password_hash,
            bot_type=BotType.GENERIC if person.is_bot else None,
            bot_owner_id=None if owner is None else owner.id,
        ),
    )
    if person.is_deactivated:
        await deactivate_user(ctx, created.user)
    return created.user


PEOPLE = Step("People", demo_people, _make)
