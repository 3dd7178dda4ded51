"""The units for systemd: valid for the real one, closed to the rest of the system."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.proxies import filled_in, find_program
from tests.support.server_process import PROJECT

FOLDER = PROJECT / "deploy" / "systemd"
UNITS = sorted(path.name for path in FOLDER.glob("chatapi*.*") if "sysusers" not in path.name)
MOST_EXPOSURE = 20
"""Tenths, from 0 (closed) to 100; what systemd calls OK ends at 49."""
AFTER_GRACE_SECONDS = 5
pytestmark = pytest.mark.deploy


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units with a program that exists, since the server is not installed here."""
    program = {"/opt/chatapi/bin/chatapi": sys.executable}
    for name in UNITS:
        text = filled_in(f"systemd/{name}", {} if name.endswith(".timer") else program)
        (tmp_path / name.replace("@", "@8000")).write_text(text)
    return tmp_path


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [find_program("systemd-analyze"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_all_units_are_valid(units: Path) -> None:
    checked = analyze("verify", "--man=no", *(str(unit) for unit in sorted(units.iterdir())))
    # Unknown settings are only warnings, which do not change the status.
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", ["chatapi@8000.service", "chatapi-backup.service"])
def test_services_are_closed_to_the_system(units: Path, name: str) -> None:
    limit = ["--offline=true", f"--threshold={MOST_EXPOSURE}", "--no-pager"]
    checked = analyze("security", *limit, str(units / name))
    assert checked.returncode == 0, checked.stdout


def test_server_has_its_time_to_stop() -> None:
    unit = (FOLDER / "chatapi@.service").read_text()
    grace = re.search(r"CHATAPI_SHUTDOWN_GRACE_SECONDS=(\d+)", unit)
    allowed = re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    assert grace is not None
    assert allowed is not None
    assert int(grace[1]) + AFTER_GRACE_SECONDS <= int(allowed[1])


def test_account_can_be_created() -> None:
    created = subprocess.run(
        [find_program("systemd-sysusers"), "--dry-run", str(FOLDER / "chatapi.sysusers.conf")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert created.returncode == 0, created.stderr
