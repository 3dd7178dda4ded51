"""The wheel, installed into an environment that has only what the package depends on."""

import email
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path

import httpx
import pytest

import chatapi
from tests.support.command import PATIENCE_SECONDS, Command

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], PROJECT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment's programs, with the wheel installed."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=True)
    (site_packages,) = environment.glob("lib/python*/site-packages")
    link_dependencies(site_packages)
    target = ["--python", str(environment / "bin/python")]
    run([str(TOOLS / "uv"), "pip", "install", *target, "--offline", "--no-deps", str(wheel)], None)
    return environment / "bin"


def link_dependencies(site_packages: Path) -> None:
    """Link what the lock file names from the environment of the tests, since tests load nothing."""
    lock = (PROJECT / "requirements.lock").read_text()
    for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE):
        try:
            files = distribution(name).files or []
        except PackageNotFoundError:
            continue  # it is for another platform
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            link = site_packages / top
            if not link.exists():
                link.symlink_to(str(distribution(name).locate_file(top)))


def run(command: list[str], folder: Path | None) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=4 * PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestTheInstalledWheel:
    def test_serves_on_a_new_database_and_again_after_a_restart(
        self, installed: Path, tmp_path: Path
    ) -> None:
        # Isolated: PYTHONPATH of the tests names the checkout.
        program = (str(installed / "python"), "-I", "-m", "chatapi")
        command = Command(tmp_path, {"data_dir": str(tmp_path / "data")}, program)
        with command.serving() as first:
            first.read_greeting(last="^curl ")
            owner = (first.greeted("Owner's email"), first.greeted("API key"))
            first.end()
        with command.serving() as second:
            second.read_greeting(last="╯")
            answer = httpx.get(
                f"{second.url}/api/v1/users/me", auth=owner, timeout=PATIENCE_SECONDS
            )
            docs = httpx.get(f"{second.url}/docs", timeout=PATIENCE_SECONDS)
        assert answer.json()["is_owner"]
        assert docs.status_code == httpx.codes.OK

    def test_has_the_command_and_imports_nothing_of_the_checkout(self, installed: Path) -> None:
        where = "import chatapi; print(chatapi.__file__)"
        imported = run([str(installed / "python"), "-I", "-c", where], None)
        assert Path(imported.strip()).is_relative_to(installed.parent)
        assert chatapi.__version__ in run([str(installed / "chatapi"), "--version"], None)


class TestTheMetadata:
    def test_names_licence_readme_and_every_dependency(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            (path,) = [name for name in names if name.endswith(".dist-info/METADATA")]
            metadata = email.message_from_bytes(archive.read(path))
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
        assert metadata["License-Expression"] == "MIT"
        assert "# chatapi" in metadata.get_payload()
        named = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
        assert len(metadata.get_all("Requires-Dist", [])) == len(named)
        assert any(name.endswith("licenses/LICENSE") for name in names)
        assert "chatapi/py.typed" in names

    def test_contains_every_migration_and_no_compiled_file(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
        scripts = (PROJECT / "migrations/versions").glob("*.py")
        assert {f"chatapi/migrations/versions/{script.name}" for script in scripts} <= names
        assert not [name for name in names if "__pycache__" in name]

    def test_is_the_version_of_the_package_and_of_the_image(self, wheel: Path) -> None:
        image = (PROJECT / "Dockerfile").read_text()
        assert wheel.name.startswith(f"chatapi-{chatapi.__version__}-")
        assert f'org.opencontainers.image.version="{chatapi.__version__}"' in image
