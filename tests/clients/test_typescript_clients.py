"""TypeScript clients that two generators make of our document, used against a real server."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.clients.programs import run
from tests.factories import MakeUser
from tests.support.documented_responses import service_document

pytestmark = pytest.mark.slow

NODE = Path(__file__).parents[1] / "node"
GENERATORS = {
    "hey_api": ("openapi-ts", "--file", "hey_api.config.js"),
    # Without the option, a parameter that has a default would have to be sent.
    "openapi_fetch": (
        *("openapi-typescript", "openapi.json", "--output", "client.ts"),
        "--default-non-nullable=false",
    ),
}
"""The command that generates the client of each scenario; scenarios are in tests/node."""


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """Generators know nothing of databases, and take a while."""
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the document, the settings of the tools, and the packages of tests/node."""
    packages = NODE / "node_modules"
    assert packages.is_dir(), "`python3 dev.py install` installs the packages, if there is Node.js"
    (tmp_path / "node_modules").symlink_to(packages)
    for name in ("package.json", "tsconfig.json", "hey_api.config.js"):
        shutil.copy(NODE / name, tmp_path)
    (tmp_path / "openapi.json").write_text(json.dumps(service_document()))
    return tmp_path


@pytest.mark.node
@pytest.mark.parametrize("generator", GENERATORS)
async def test_client_is_consistent_and_does_what_a_program_needs(
    project: Path, url: str, make_user: MakeUser, generator: str
) -> None:
    ann = await make_user(password="a long one")
    shutil.copy(NODE / f"{generator}.ts", project / "scenario.ts")
    tools = f"{NODE / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    await run(project, *GENERATORS[generator], PATH=tools)
    # Checks the types of client and scenario, strictly, and translates them to JavaScript.
    await run(project, "tsc", PATH=tools)
    output = await run(project, "node", "compiled/scenario.js", url, ann.email, "a long one")
    assert output == "done\n"
