"""`chatapi org`: organizations."""

from typing import Annotated

import typer

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.cli.operator import run_command
from chatapi.cli.terminal import AsJson, print_result, printable, table
from chatapi.features.realm import create_organization

app = typer.Typer(no_args_is_help=True, help="Create and list organizations.")


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What people call it.")],
    subdomain: Annotated[
        str | None, typer.Option(help="Its part of the host name; else made from the name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create an organization; add its owner with `chatapi user create`."""
    realm = run_command(
        lambda runtime: create_organization(runtime, name, subdomain), as_json=as_json
    )
    text = f"Created {printable(realm.name)} with the subdomain {realm.subdomain}."
    print_result(_describe(realm), text, as_json=as_json)


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the organizations."""
    realms = run_command(_list_realms, as_json=as_json)
    print_result(
        {"organizations": [_describe(realm) for realm in realms]},
        table(
            ["Subdomain", "Name", "Since"],
            [(realm.subdomain, realm.name, realm.date_created.date()) for realm in realms],
        ),
        as_json=as_json,
    )


async def _list_realms(runtime: Runtime) -> list[RealmRecord]:
    async with runtime.reading() as db:
        return await RealmRows(db).list_all()


def _describe(realm: RealmRecord) -> dict[str, object]:
    return {"realm_id": realm.id, "subdomain": realm.subdomain, "name": realm.name}
