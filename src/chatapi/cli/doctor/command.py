"""The command: runs all checks and prints their findings."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Annotated

import typer
from rich.text import Text

from chatapi.cli.doctor.bus import check_bus
from chatapi.cli.doctor.database import check_database
from chatapi.cli.doctor.files import check_files
from chatapi.cli.doctor.finding import Finding, Level
from chatapi.cli.doctor.machine import check_machine
from chatapi.cli.doctor.proxy import check_proxy
from chatapi.cli.doctor.settings import SETTINGS, check_settings
from chatapi.cli.errors import InvalidSettingsError
from chatapi.cli.operator import load_settings
from chatapi.cli.terminal import AsJson, print_result, printable

_STYLES = {Level.OK: "green", Level.WARNING: "yellow", Level.ERROR: "red"}


def doctor(
    url: Annotated[
        str | None,
        typer.Option(
            help="Address at which clients reach the server. [default: CHATAPI_PUBLIC_URL]",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that serve, on all hosts together.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Check settings, database, bus, proxy, files and machine; nothing is changed.

    Each line says what to mend. The exit status is 1 if there is an error.
    """
    findings = asyncio.run(_examine(url, workers))
    worst = Level.ERROR if _has(findings, Level.ERROR) else Level.OK
    print_result(
        {"findings": [finding.to_json() for finding in findings]}, _lines(findings), as_json=as_json
    )
    if worst is Level.ERROR:
        raise typer.Exit(1)


async def _examine(url: str | None, workers: int) -> list[Finding]:
    return [finding async for finding in _check_all(url, workers)]


async def _check_all(url: str | None, workers: int) -> AsyncIterator[Finding]:
    try:
        settings = load_settings()
    except InvalidSettingsError as error:
        # Whatever else is wrong may be due to these.
        yield SETTINGS.error(error.msg)
        return
    for finding in check_settings(settings):
        yield finding
    # Before the database, which makes its own files private when it is opened.
    for finding in check_files(settings):
        yield finding
    for finding in await check_database(settings, workers):
        yield finding
    for finding in await check_bus(settings, workers):
        yield finding
    for finding in await check_proxy(settings, url):
        yield finding
    for finding in check_machine(settings):
        yield finding


def _has(findings: Iterable[Finding], level: Level) -> bool:
    return any(finding.level is level for finding in findings)


def _lines(findings: Iterable[Finding]) -> Text:
    lines = Text()
    for finding in findings:
        lines.append(f"{finding.level:<8}", _STYLES[finding.level])
        lines.append(f"{finding.area}: {printable(finding.message)}\n")
    lines.rstrip()
    return lines
