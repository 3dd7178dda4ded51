"""`chatapi audit`: the audit log of an organization."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import RenderableType

from chatapi.audit.entries import AuditKind, AuditSource
from chatapi.auth.context import RealmContext
from chatapi.auth.runtime import Runtime
from chatapi.auth.user_rows import UserRows
from chatapi.auth.users import UserRecord
from chatapi.cli.operator import OrganizationOption, organization, run_command
from chatapi.cli.terminal import AsJson, note, print_result, table
from chatapi.core.errors import BadRequestError
from chatapi.features.realm import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    AuditLogFilter,
    AuditLogPage,
    AuditLogRecord,
    entry_payload,
    list_audit_log,
)

_HEADINGS = ("Id", "Time (UTC)", "By", "Kind", "Concerns", "Change", "From")
_FORMATS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"]


def audit(
    by: Annotated[
        str | None, typer.Option("--by", metavar="EMAIL", help="Only what this user did.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="EMAIL", help="Only what concerns this user.")
    ] = None,
    kind: Annotated[AuditKind | None, typer.Option(help="Only entries of this kind.")] = None,
    source: Annotated[AuditSource | None, typer.Option(help="Only what came from here.")] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=_FORMATS, help="Only from this time on, in UTC.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(formats=_FORMATS, help="Only before this time, in UTC.")
    ] = None,
    after_id: Annotated[int | None, typer.Option(min=0, help="Only higher ids.")] = None,
    before_id: Annotated[int | None, typer.Option(min=0, help="Only lower ids.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=MAX_LIMIT, help="At most so many entries.")
    ] = DEFAULT_LIMIT,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Show who changed which setting, role, permission or key, and who logged in; newest first."""

    async def work(runtime: Runtime) -> tuple[AuditLogPage, dict[int, UserRecord]]:
        async with organization(runtime, org) as ctx:
            users = await UserRows(ctx.db, ctx.realm.id).list_all()
            wanted = AuditLogFilter(
                acting_user_id=await _id_of(ctx, by),
                user_id=await _id_of(ctx, user),
                kind=kind,
                source=source,
                since=_in_utc(since),
                until=_in_utc(until),
                after_id=after_id,
                before_id=before_id,
                limit=limit,
            )
            return await list_audit_log(ctx, wanted), {each.id: each for each in users}

    page, users = run_command(work, as_json=as_json)
    print_result(
        {
            "entries": [entry_payload(entry) for entry in page.entries],
            "has_more": page.has_more,
        },
        _as_table(page.entries, users),
        as_json=as_json,
    )
    if page.has_more and not as_json:
        note(f"There are older entries: --before-id {page.entries[-1].id}")


async def _id_of(ctx: RealmContext, email: str | None) -> int | None:
    if email is None:
        return None
    found = await UserRows(ctx.db, ctx.realm.id).find_by_delivery_email(email)
    if found is None:
        raise BadRequestError(f"No user has the email {email}")
    return found.id


def _in_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)


def _as_table(entries: Iterable[AuditLogRecord], users: dict[int, UserRecord]) -> RenderableType:
    rows = [
        (
            entry.id,
            entry.created_at.strftime("%Y-%m-%d %H:%M:%S"),
            _actor(entry, users),
            entry.kind,
            _concerned(entry, users),
            _change(entry),
            entry.address,
        )
        for entry in entries
    ]
    return table(_HEADINGS, rows)


def _actor(entry: AuditLogRecord, users: dict[int, UserRecord]) -> str:
    if entry.acting_user_id is not None:
        return _named(entry.acting_user_id, users)
    return "unknown" if entry.source == AuditSource.API else entry.source.replace("_", " ")


def _concerned(entry: AuditLogRecord, users: dict[int, UserRecord]) -> str:
    if entry.user_id is not None:
        return _named(entry.user_id, users)
    if entry.channel_id is not None:
        return f"channel {entry.channel_id}"
    return "organization" if entry.group_id is None else f"group {entry.group_id}"


def _named(user_id: int, users: dict[int, UserRecord]) -> str:
    return users[user_id].delivery_email if user_id in users else f"user {user_id}"


def _change(entry: AuditLogRecord) -> str:
    values = ""
    if entry.old_value is not None and entry.new_value is not None:
        values = f"{json.dumps(entry.old_value)} -> {json.dumps(entry.new_value)}"
    elif entry.new_value is not None or entry.old_value is not None:
        values = json.dumps(entry.new_value if entry.old_value is None else entry.old_value)
    return ": ".join(filter(None, (entry.property, values)))
