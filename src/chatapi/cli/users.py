"""`chatapi user`: users of an organization, without permission checks."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Annotated, TypeVar

import typer
from msgspec import Struct

from chatapi.auth.context import RealmContext
from chatapi.auth.runtime import Runtime
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.cli.addresses import site_of
from chatapi.cli.operator import OrganizationOption, organization, run_command
from chatapi.cli.passwords import AskForPassword, PasswordArgument, PasswordFromStdin, read_password
from chatapi.cli.terminal import AsJson, note, print_result, printable, table
from chatapi.cli.zuliprc import SiteOption, Zuliprc, ZuliprcOption, zuliprc_file
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ApiKeyId
from chatapi.core.roles import Role
from chatapi.features.users import (
    MAX_KEY_NAME_LENGTH,
    ApiKeyRecord,
    NewUser,
    add_api_key,
    add_user,
    change_password,
    change_role,
    check_password,
    deactivate_user,
    list_api_keys,
    reactivate_user,
    revoke_access,
    revoke_api_key,
)

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Create, list and change the users.")


class NewKey(Struct, frozen=True):
    """A key that was just made, and the address at which it is valid, if that is known."""

    user: UserRecord
    api_key: str
    site: str | None


class RoleName(StrEnum):
    """Role names for the command line."""

    OWNER = "owner"
    ADMIN = "admin"
    MODERATOR = "moderator"
    MEMBER = "member"
    GUEST = "guest"

    @property
    def role(self) -> Role:
        return Role[self.name]


def _check_key_name(name: str) -> str:
    if len(name) > MAX_KEY_NAME_LENGTH or not name.isprintable():
        raise typer.BadParameter(f"at most {MAX_KEY_NAME_LENGTH} printable characters")
    return name


EmailOption = Annotated[str, typer.Option("--email", help="The user's email address.")]
KeyNameOption = Annotated[
    str, typer.Option("--name", help="What the key is for.", callback=_check_key_name)
]
RoleOption = Annotated[RoleName, typer.Option("--role", help="What the user may do.")]


@app.command()
def create(
    email: EmailOption,
    name: Annotated[str, typer.Option(help="Full name.")],
    role: RoleOption = RoleName.MEMBER,
    password: PasswordArgument = None,
    password_stdin: PasswordFromStdin = False,
    ask_password: AskForPassword = False,
    zuliprc: ZuliprcOption = None,
    site: SiteOption = None,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Create a user and print the API key, which is never shown again.

    Without a password, the user can authenticate only with the API key.
    """
    chosen = read_password(password, from_stdin=password_stdin, asks=ask_password, as_json=as_json)

    async def work(ctx: RealmContext) -> NewKey:
        password_hash = None
        if chosen is not None:
            password_hash = await ctx.runtime.passwords.hash(check_password(chosen))
        created = await add_user(ctx, NewUser(email, name, role.role, password_hash))
        return NewKey(created.user, created.api_key, await site_of(ctx))

    with zuliprc_file(zuliprc, site, as_json=as_json) as file:
        _answer_with_key(_in_organization(work, org, as_json=as_json), file, as_json=as_json)


@app.command("list")
def list_all(org: OrganizationOption = None, as_json: AsJson = False) -> None:
    """List all users, deactivated ones and bots included."""

    async def work(ctx: RealmContext) -> list[UserRecord]:
        return await UserRows(ctx.db, ctx.realm.id).list_all()

    users = [_describe(user) for user in _in_organization(work, org, as_json=as_json)]
    headings = ["Id", "Email", "Name", "Role", "Active", "Bot"]
    print_result(
        {"users": users}, table(headings, [list(user.values()) for user in users]), as_json=as_json
    )


@app.command()
def deactivate(
    email: EmailOption,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Deactivate a user; API keys, event queues and waiting polls end at once."""

    async def work(ctx: RealmContext) -> UserRecord:
        await deactivate_user(ctx, await _get(ctx, email))
        return await _get(ctx, email)

    user = _in_organization(work, org, as_json=as_json)
    print_result(_describe(user), f"Deactivated {printable(user.delivery_email)}.", as_json=as_json)


@app.command()
def reactivate(
    email: EmailOption,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Reactivate a user; the password is valid again, API keys are not: add one."""

    async def work(ctx: RealmContext) -> UserRecord:
        user = await _get(ctx, email)
        if not user.is_active:
            await reactivate_user(ctx, user)
        return await _get(ctx, email)

    user = _in_organization(work, org, as_json=as_json)
    text = f"{printable(user.delivery_email)} is active."
    print_result(_describe(user), text, as_json=as_json)


@app.command("role")
def set_role(
    email: EmailOption,
    role: RoleOption,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Change a user's role."""

    async def work(ctx: RealmContext) -> UserRecord:
        await change_role(ctx, await _get(ctx, email), role.role)
        return await _get(ctx, email)

    user = _in_organization(work, org, as_json=as_json)
    text = f"{printable(user.delivery_email)} is now {user.role.name.lower()}."
    print_result(_describe(user), text, as_json=as_json)


@app.command("api-key")
def new_api_key(
    email: EmailOption,
    name: KeyNameOption = "",
    zuliprc: ZuliprcOption = None,
    site: SiteOption = None,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Add an API key and print it; the other keys of the user stay valid."""

    async def work(ctx: RealmContext) -> NewKey:
        user = await _get(ctx, email)
        return NewKey(user, await add_api_key(ctx, user, name), await site_of(ctx))

    with zuliprc_file(zuliprc, site, as_json=as_json) as file:
        _answer_with_key(_in_organization(work, org, as_json=as_json), file, as_json=as_json)
    if not as_json:
        note("Earlier keys stay valid; `chatapi user revoke-api-key` ends them.")


@app.command("api-keys")
def list_keys(email: EmailOption, org: OrganizationOption = None, as_json: AsJson = False) -> None:
    """List a user's API keys by number, name and last use; the keys themselves are not stored."""

    async def work(ctx: RealmContext) -> list[ApiKeyRecord]:
        return await list_api_keys(ctx, (await _get(ctx, email)).id)

    keys = [_describe_key(key) for key in _in_organization(work, org, as_json=as_json)]
    headings = ["Id", "Name", "From a login", "Created", "Last used"]
    rows = [["never" if cell is None else cell for cell in key.values()] for key in keys]
    print_result({"api_keys": keys}, table(headings, rows), as_json=as_json)


@app.command("revoke-api-key")
def revoke_key(
    email: EmailOption,
    key_id: Annotated[int | None, typer.Option("--id", help="As `api-keys` lists it.")] = None,
    all_keys: Annotated[bool, typer.Option("--all", help="Revoke every key.")] = False,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Revoke one API key or all of them; the user's event queues end with it."""

    async def work(ctx: RealmContext) -> UserRecord:
        user = await _get(ctx, email)
        if all_keys == (key_id is not None):
            raise BadRequestError("Choose one key with --id, or all of them with --all")
        if key_id is None:
            await revoke_access(ctx, user.id)
        else:
            await revoke_api_key(ctx, user.id, ApiKeyId(key_id))
        return user

    user = _in_organization(work, org, as_json=as_json)
    which = "All API keys" if all_keys else f"API key {key_id}"
    print_result(
        _describe(user), f"{which} of {printable(user.delivery_email)} revoked.", as_json=as_json
    )


@app.command("password")
def set_password(
    email: EmailOption,
    password: PasswordArgument = None,
    password_stdin: PasswordFromStdin = False,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Change a user's password; the API keys are not changed.

    Asks for it, without showing it, unless it is read from standard input.
    """
    asks = password is None and not password_stdin
    chosen = read_password(password, from_stdin=password_stdin, asks=asks, as_json=as_json)

    async def work(ctx: RealmContext) -> UserRecord:
        password_hash = await ctx.runtime.passwords.hash(check_password(chosen or ""))
        user = await _get(ctx, email)
        await change_password(ctx, user, password_hash)
        return user

    user = _in_organization(work, org, as_json=as_json)
    text = f"{printable(user.delivery_email)} has another password."
    print_result(_describe(user), text, as_json=as_json)


def _in_organization(
    work: Callable[[RealmContext], Awaitable[T]], subdomain: str | None, *, as_json: bool
) -> T:
    async def in_context(runtime: Runtime) -> T:
        async with organization(runtime, subdomain) as ctx:
            return await work(ctx)

    return run_command(in_context, as_json=as_json)


async def _get(ctx: RealmContext, email: str) -> UserRecord:
    user = await UserRows(ctx.db, ctx.realm.id).find_by_delivery_email(email)
    if user is None:
        raise BadRequestError(f"No user has the email {email}")
    return user


def _describe(user: UserRecord) -> dict[str, object]:
    return {
        "user_id": user.id,
        "email": user.delivery_email,
        "full_name": user.full_name,
        "role": user.role.name.lower(),
        "is_active": user.is_active,
        "is_bot": user.is_bot,
    }


def _describe_key(key: ApiKeyRecord) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "is_login": not key.is_primary,
        "created_at": key.created_at.isoformat(timespec="seconds"),
        "last_used_at": None
        if key.last_used_at is None
        else key.last_used_at.isoformat(timespec="seconds"),
    }


def _answer_with_key(new: NewKey, file: Zuliprc | None, *, as_json: bool) -> None:
    """Print the key, or write it to the file that was asked for."""
    user = new.user
    text = f"{printable(user.delivery_email)} (user {user.id}) has the API key {new.api_key}"
    if file is not None:
        file.write(user, new.api_key, new.site)
        text = f"{file.path} has a new API key of {printable(user.delivery_email)}"
    print_result({**_describe(user), "api_key": new.api_key}, text, as_json=as_json)
