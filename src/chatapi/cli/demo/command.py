"""The command: runs the steps in small transactions, with a progress bar."""

import secrets
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from chatapi.auth.runtime import Runtime
from chatapi.cli.consoles import stderr
from chatapi.cli.demo.channels import CHANNELS
from chatapi.cli.demo.people import PEOPLE
from chatapi.cli.demo.play import perform_all
from chatapi.cli.demo.profiles import PROFILE_FIELDS, PROFILE_VALUES
from chatapi.cli.demo.step import AnyStep, Plan, batches
from chatapi.cli.operator import OrganizationOption, organization, run_command
from chatapi.cli.terminal import AsJson, print_result

_PASSWORD_BYTES = 9

STEPS: tuple[AnyStep, ...] = (PEOPLE, PROFILE_FIELDS, PROFILE_VALUES, CHANNELS)
"""In this order; a feature with demo data adds its step."""


def demo(
    people: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 50,
    org: OrganizationOption = None,
    as_json: AsJson = False,
) -> None:
    """Fill an organization with sample users, channels and conversations.

    Existing data is not changed, and a second run adds nothing that is already there.
    """
    password = secrets.token_urlsafe(_PASSWORD_BYTES)

    async def work(runtime: Runtime) -> None:
        plan = Plan(people, await runtime.passwords.hash(password))
        with _progress() as progress:
            for step in STEPS:
                await _run(runtime, org, step, plan, progress)
            task = progress.add_task("Conversations", total=None)
            await perform_all(
                runtime,
                org,
                plan,
                lambda done, total: progress.update(task, completed=done, total=total),
            )

    run_command(work, as_json=as_json)
    print_result(
        {"password": password}, f"New people have the password {password}", as_json=as_json
    )


async def _run(
    runtime: Runtime, org: str | None, step: AnyStep, plan: Plan, progress: Progress
) -> None:
    items = step.items(plan)
    task = progress.add_task(step.title, total=len(items))
    for batch in batches(items):
        async with organization(runtime, org) as ctx:
            await step.make(ctx, batch)
        progress.advance(task, len(batch))


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn(), console=stderr
    )
