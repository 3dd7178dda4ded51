"""The JavaScript of the docs page: syntax, imports and types, by the compiler of TypeScript."""

import subprocess

import pytest

from tests.support.server_process import PROJECT

NODE = PROJECT / "tests/node"


@pytest.mark.slow
@pytest.mark.node
def test_modules_have_no_type_errors() -> None:
    command = [str(NODE / "node_modules/.bin/tsc"), "-p", str(NODE / "tsconfig.docs.json")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert checked.stdout == ""
    assert checked.returncode == 0


def test_modules_are_short_and_say_what_they_are_for() -> None:
    for module in (PROJECT / "src/chatapi/http/pages/static/docs").glob("*.js"):
        lines = module.read_text().splitlines()
        assert len(lines) <= 400, module
        assert lines[0].startswith("// "), module
