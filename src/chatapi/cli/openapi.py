"""`chatapi openapi`: the OpenAPI document, from which other programs are generated."""

import json
from pathlib import Path
from typing import Annotated

import typer

from chatapi.cli.terminal import note
from chatapi.http.openapi import build_document
from chatapi.main import FEATURES


def print_openapi(
    output: Annotated[Path | None, typer.Option(help="File to write instead of stdout.")] = None,
    json_bodies: Annotated[
        bool,
        typer.Option(
            "--json-bodies",
            help="Declare JSON bodies only, for generators that support one content type.",
        ),
    ] = False,
) -> None:
    """Print the OpenAPI document; needs no database."""
    described = build_document(FEATURES, declares_forms=not json_bodies)
    document = json.dumps(described, indent=2) + "\n"
    if output is None:
        typer.echo(document, nl=False)
    else:
        output.write_text(document)
        note(f"Wrote {output}")
