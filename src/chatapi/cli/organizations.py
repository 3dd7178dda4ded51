"""`chatapi org`: organizations."""

from typing import Annotated

import typer

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.cli.addresses import address_of, describe_move, warning_before_second
from chatapi.cli.confirmation import Yes, confirm, confirm_by_name
from chatapi.cli.errors import NothingToChangeError
from chatapi.cli.operator import load_settings, named_organization, organization, run_command
from chatapi.cli.terminal import AsJson, exit_with_error, print_result, printable, table
from chatapi.features.realm import create_organization, delete_organization, rename_organization

app = typer.Typer(no_args_is_help=True, help="Create, list, rename and delete organizations.")

Subdomain = Annotated[
    str, typer.Argument(metavar="SUBDOMAIN", help="The organization, as `org list` lists it.")
]


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What people call it.")],
    subdomain: Annotated[
        str | None, typer.Option(help="Its part of the host name; else made from the name.")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Create an organization; add its owner with `chatapi user create`.

    Before the second one it asks: from then on, the first is reached only at its own host name.
    """
    realms = run_command(_list_realms, as_json=as_json)
    warning = warning_before_second(realms, load_settings())
    if warning is not None:
        confirm(warning, yes=yes, as_json=as_json)
    realm = run_command(
        lambda runtime: create_organization(runtime, name, subdomain), as_json=as_json
    )
    text = f"Created {printable(realm.name)} with the subdomain {realm.subdomain}."
    print_result(_describe(realm), text, as_json=as_json)


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the organizations."""
    realms = run_command(_list_realms, as_json=as_json)
    is_single = sum(not realm.is_being_deleted for realm in realms) == 1
    settings = load_settings()
    rows = [(realm, address_of(realm, settings, is_single=is_single)) for realm in realms]
    print_result(
        {"organizations": [_describe(realm) | {"address": address} for realm, address in rows]},
        table(
            ["Subdomain", "Name", "Since", "Address"],
            [
                (realm.subdomain, realm.name, realm.date_created.date(), address)
                for realm, address in rows
            ],
        ),
        as_json=as_json,
    )


@app.command()
def rename(
    subdomain: Subdomain,
    name: Annotated[str | None, typer.Option(help="What people will call it.")] = None,
    new_subdomain: Annotated[
        str | None, typer.Option("--subdomain", help="Its new part of the host name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change the name of an organization, or its subdomain; running servers notice at once.

    With another subdomain, all clients of the organization must register again. If there are
    several organizations, they find it only at the new address.
    """
    if name is None and new_subdomain is None:
        exit_with_error(NothingToChangeError("--name, --subdomain or both"), as_json=as_json)

    async def work(runtime: Runtime) -> tuple[RealmRecord, RealmRecord, bool]:
        async with organization(runtime, subdomain) as ctx:
            is_single = len(await RealmRows(ctx.db).list_all()) == 1
            after = await rename_organization(ctx, name, new_subdomain)
            return ctx.realm, after, is_single

    before, after, is_single = run_command(work, as_json=as_json)
    settings = load_settings()
    text = f"{after.subdomain} is called {printable(after.name)}."
    if before.subdomain != after.subdomain:
        text += f" {describe_move(before, after, settings, is_single=is_single)}"
    address = address_of(after, settings, is_single=is_single)
    print_result(_describe(after) | {"address": address}, text, as_json=as_json)


@app.command()
def delete(subdomain: Subdomain, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete an organization with all its users, messages and files; this cannot be undone.

    Its clients are cut off first. If the command is interrupted, repeat it.
    """

    async def find(runtime: Runtime) -> RealmRecord:
        async with runtime.reading() as db:
            return await named_organization(db, subdomain, with_deleted=True)

    realm = run_command(find, as_json=as_json)
    confirm_by_name(
        f"This deletes {realm.name} ({realm.subdomain}) with all its users, messages and files, "
        "for ever.",
        realm.subdomain,
        yes=yes,
        as_json=as_json,
    )
    removed = run_command(lambda runtime: delete_organization(runtime, realm), as_json=as_json)
    text = f"Deleted {printable(realm.name)} ({realm.subdomain}): {removed} rows, and its files."
    print_result(_describe(realm) | {"removed_rows": removed}, text, as_json=as_json)


async def _list_realms(runtime: Runtime) -> list[RealmRecord]:
    async with runtime.reading() as db:
        return await RealmRows(db).list_with_deleted()


def _describe(realm: RealmRecord) -> dict[str, object]:
    return {"realm_id": realm.id, "subdomain": realm.subdomain, "name": realm.name}
