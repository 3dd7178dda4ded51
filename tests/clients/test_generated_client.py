"""A client that openapi-python-client generates from our document, used against a real server."""

import json
import sys
from pathlib import Path

import pytest

from chatapi.http.openapi import build_document
from chatapi.main import FEATURES
from tests.clients.programs import BIN, run
from tests.factories import MakeUser

pytestmark = pytest.mark.slow

SCENARIO = Path(__file__).with_name("generated_client_scenario.py")


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """The generator knows nothing of databases, and takes a while."""
    return str(request.param)


async def generate(folder: Path) -> None:
    """Add the generated package `chat_client` to a folder, and the scenario that uses it."""
    document = build_document(FEATURES, declares_forms=False)
    (folder / "openapi.json").write_text(json.dumps(document))
    target = ("--path", "openapi.json", "--output-path", "chat_client", "--meta", "none")
    # --fail-on-warning: a part of the document that the generator left out is a fault.
    generator = str(BIN / "openapi-python-client")
    await run(folder, generator, "generate", *target, "--fail-on-warning")
    scenario = SCENARIO.read_text().removeprefix("# mypy: ignore-errors\n")
    (folder / "scenario.py").write_text(scenario)


async def test_client_is_consistent_and_does_what_a_program_needs(
    tmp_path: Path, url: str, make_user: MakeUser
) -> None:
    ann = await make_user(password="a long one")
    await generate(tmp_path)
    # The generator's own client.py, the same for all documents, is not strict.
    parts = ("chat_client/api", "chat_client/models", "scenario.py")
    await run(tmp_path, "mypy", "--strict", "--follow-imports=silent", *parts)
    output = await run(tmp_path, sys.executable, "scenario.py", url, ann.email, "a long one")
    assert output == "done"
