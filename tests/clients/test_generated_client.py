"""A client that openapi-python-client generates from our document, used against a real server."""

import json
import sys
from pathlib import Path

import pytest

from chatapi.http.openapi import build_document
from chatapi.main import FEATURES
from tests.clients.programs import BIN, run
from tests.factories import MakeUser

SCENARIO = Path(__file__).with_name("generated_client_scenario.py")


@pytest.fixture(scope="module")
async def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generated package `chat_client`, and the scenario that uses it."""
    folder = tmp_path_factory.mktemp("generated")
    document = build_document(FEATURES, declares_forms=False)
    (folder / "openapi.json").write_text(json.dumps(document))
    target = ("--path", "openapi.json", "--output-path", "chat_client", "--meta", "none")
    # --fail-on-warning: a part of the document that the generator left out is a fault.
    generator = str(BIN / "openapi-python-client")
    await run(folder, generator, "generate", *target, "--fail-on-warning")
    scenario = SCENARIO.read_text().removeprefix("# mypy: ignore-errors\n")
    (folder / "scenario.py").write_text(scenario)
    return folder


@pytest.mark.slow
@pytest.mark.any_database
class TestGeneratedClient:
    async def test_types_of_all_endpoints_and_models_are_consistent(self, generated: Path) -> None:
        # The generator's own client.py, the same for all documents, is not strict.
        parts = ("chat_client/api", "chat_client/models", "scenario.py")
        await run(generated, "mypy", "--strict", "--follow-imports=silent", *parts)

    async def test_does_what_a_program_needs(
        self, generated: Path, url: str, make_user: MakeUser
    ) -> None:
        ann = await make_user(password="a long one")
        output = await run(generated, sys.executable, "scenario.py", url, ann.email, "a long one")
        assert output == "done"
