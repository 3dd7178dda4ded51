"""`chatapi db`: migrations, checks and backups of the database."""

import typer

from chatapi.cli.backups import backup, restore, verify
from chatapi.cli.operator import run_on_database
from chatapi.cli.terminal import AsJson, print_result
from chatapi.db.migrate import pending_changes, upgrade_database

app = typer.Typer(no_args_is_help=True, help="Migrate, check, back up and restore the database.")
app.command()(backup)
app.command()(restore)
app.command()(verify)


@app.command()
def upgrade(as_json: AsJson = False) -> None:
    """Apply all missing migrations; does nothing if there are none."""
    run_on_database(upgrade_database, as_json=as_json, writes=True)
    print_result({}, "The database is up to date.", as_json=as_json)


@app.command()
def check(as_json: AsJson = False) -> None:
    """Compare the database with what the code expects; exit status 1 if they differ."""
    pending = run_on_database(pending_changes, as_json=as_json)
    text = "\n".join(["The database differs:", *pending] if pending else ["Nothing is pending."])
    print_result({"pending": pending}, text, as_json=as_json)
    if pending:
        raise typer.Exit(1)
