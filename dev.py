#!/usr/bin/env python3
"""Installs, runs, tests and formats chatapi; needs only Python 3.11 and pip."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("CHATAPI_VENV", ROOT / ".venv")).absolute()
VENV_PYTHON = VENV / "bin" / "python"
RUNTIME_LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
LOCK_HEADER = "# Written by `python3 dev.py lock` from pyproject.toml.\n"
OLDEST_PYTHON = (3, 11)
NODE_FOLDER = ROOT / "tests" / "node"
"""The packages of Node.js that tests use: generators of TypeScript clients."""


class Step(NamedTuple):
    heading: str
    command: list[str]


# --- the virtual environment ---


def install(lock: Path) -> None:
    """Brings the virtual environment to the state of a lock file; does nothing if it is there."""
    if not venv_matches_interpreter():
        create_venv()
    stamp = stamp_of(lock)
    wanted = digest(lock)
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Installing {lock.name} into {VENV} ...", flush=True)
        # --no-deps: the lock is complete, so nothing outside of it may come in.
        only_locked_wheels = ["--require-hashes", "--no-deps", "--only-binary", ":all:"]
        quietly = ["--quiet", "--disable-pip-version-check"]
        run([*pip_command(), "install", *quietly, *only_locked_wheels, "-r", str(lock)])
        stamp.write_text(wanted)
        if lock == DEV_LOCK:
            # It holds the whole runtime lock at the same versions.
            stamp_of(RUNTIME_LOCK).write_text(digest(RUNTIME_LOCK))
    link_source()


def venv_matches_interpreter() -> bool:
    config = VENV / "pyvenv.cfg"
    if not VENV_PYTHON.exists() or not config.exists():
        return False
    settings = [line.partition("=") for line in config.read_text().splitlines()]
    versions = [value.strip() for name, _, value in settings if name.strip() == "version"]
    return versions == [".".join(map(str, sys.version_info[:3]))]


def create_venv() -> None:
    is_foreign_folder = VENV.is_dir() and any(VENV.iterdir()) and not (VENV / "pyvenv.cfg").exists()
    if is_foreign_folder:
        sys.exit(f"{VENV} is not a virtual environment; it is left untouched.")
    print(f"Creating {VENV} for Python {sys.version.split()[0]} ...", flush=True)
    # Without pip, because Debian splits ensurepip off into python3-venv; see pip_command().
    venv.create(VENV, with_pip=False, symlinks=True, clear=True)


def pip_command() -> list[str]:
    """The pip of this interpreter working on the inner one, or a pip put inside by ensurepip."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "--python", str(VENV_PYTHON)]
    if importlib.util.find_spec("ensurepip"):
        run([str(VENV_PYTHON), "-m", "ensurepip", "--upgrade", "--default-pip"])
        return [str(VENV_PYTHON), "-m", "pip"]
    sys.exit(
        f"{sys.executable} has neither pip nor ensurepip. "
        "Install pip first (on Debian and Ubuntu: apt-get install python3-pip)."
    )


def link_source() -> None:
    """Makes `import chatapi` and the `chatapi` command work without building the package."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site_packages = VENV / "lib" / version / "site-packages"
    write_if_changed(site_packages / "chatapi.pth", f"{ROOT / 'src'}\n")
    command = VENV / "bin" / "chatapi"
    # A shell script, because a Python shebang allows neither blanks nor long paths.
    # -P: a file in the current folder must not stand in for a module.
    write_if_changed(
        command,
        "#!/bin/sh\n"
        "# The same data as `dev.py run`, whatever the current folder.\n"
        f"CHATAPI_DATA_DIR=${{CHATAPI_DATA_DIR:-{shlex.quote(str(ROOT / '.chatapi'))}}}\n"
        "export CHATAPI_DATA_DIR\n"
        f'exec {shlex.quote(str(VENV_PYTHON))} -P -m chatapi "$@"\n',
    )
    command.chmod(0o755)


def write_if_changed(path: Path, content: str) -> None:
    if not path.exists() or path.read_text() != content:
        path.write_text(content)


def stamp_of(lock: Path) -> Path:
    return VENV / f"{lock.name}.sha256"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- Node.js ---


def install_node_packages() -> str:
    """Installs the locked packages; returns why they are missing, or an empty text."""
    npm = shutil.which("npm")
    if not shutil.which("node") or not npm:
        return "Node.js and npm are not installed"
    wanted = digest(NODE_FOLDER / "package-lock.json")
    stamp = NODE_FOLDER / "node_modules" / "package-lock.sha256"
    if stamp.exists() and stamp.read_text() == wanted:
        return ""
    print(f"Installing packages of Node.js into {stamp.parent} ...", flush=True)
    # --ignore-scripts: nothing that comes with a package is run on installing.
    command = [npm, "ci", "--ignore-scripts", "--silent"]
    if subprocess.run(command, cwd=NODE_FOLDER, check=False).returncode:
        return "`npm ci` failed in tests/node"
    stamp.write_text(wanted)
    return ""


# --- servers that run the files of deploy/ ---


def missing_servers() -> str:
    """Returns which programs are not installed, or an empty text."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin"])
    needed = ("nginx", "caddy", "systemd-analyze")
    missing = [name for name in needed if not shutil.which(name, path=path)]
    return f"{', '.join(missing)} not installed" if missing else ""


# --- processes ---


def run(command: list[str], env: dict[str, str] | None = None) -> None:
    """Runs a command in the project folder and leaves with its exit status if it fails."""
    status = subprocess.run(command, cwd=ROOT, check=False, env=env).returncode
    if status:
        sys.exit(f"Failed with status {status}: {shlex.join(command)}")


def replace_process(command: list[str]) -> None:
    """Becomes the command, so that signals reach it and its exit status is ours."""
    os.chdir(ROOT)
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606 - no shell is the point


def run_steps(steps: list[Step]) -> None:
    """Runs the steps in order and stops at the first one that fails."""
    begin = time.monotonic()
    for number, step in enumerate(steps, start=1):
        print(f"\n=== {number}/{len(steps)} {step.heading} ===", flush=True)
        step_begin = time.monotonic()
        status = subprocess.run(step.command, cwd=ROOT, check=False).returncode
        print(f"--- {step.heading}: {time.monotonic() - step_begin:.1f} s", flush=True)
        if status:
            total = time.monotonic() - begin
            print(f"\nFAILED at {step.heading} (status {status}) after {total:.1f} s")
            sys.exit(status if status > 0 else 1)
    print(f"\nPASSED {len(steps)} steps in {time.monotonic() - begin:.1f} s")


def tool(name: str) -> str:
    return str(VENV / "bin" / name)


# --- the checks ---


def lint_steps() -> list[Step]:
    return [
        Step("ruff check", [tool("ruff"), "check", "."]),
        Step("ruff format", [tool("ruff"), "format", "--check", "."]),
    ]


def types_step() -> Step:
    targets = ["src", "tests", "benchmarks", "reference", "dev.py"]
    return Step("mypy", [tool("mypy"), *(name for name in targets if (ROOT / name).exists())])


def format_code(place: str) -> None:
    run([tool("ruff"), "check", "--quiet", "--select", "I", "--fix-only", place])
    run([tool("ruff"), "format", place])


def imports_step() -> Step:
    return Step("import-linter", [tool("lint-imports")])


def write_bytecode() -> None:
    """Let Python keep what it compiles, even where the environment says otherwise.

    A test run starts hundreds of processes; compiling the source takes longer than all else that
    each of them does to start. A benchmark of the start would measure little else.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_step(*, full: bool, left_out: list[str], extra: list[str]) -> Step:
    markers = ["-m", f"not ({' or '.join(left_out)})"] if left_out else []
    selection = [*([] if full else ["--quick"]), *markers]
    # One worker more than a small machine has cores: tests wait for servers and child processes.
    # Each further one spends a quarter of a minute on finding the tests and warming its caches.
    # Idle workers take tests from others: some take a minute, and many a hundredth of a second.
    workers = ["-n", "3", "--dist", "worksteal"]
    return Step("pytest", [tool("pytest"), *workers, *selection, *extra])


def chosen_tests(extra: list[str]) -> bool:
    """Whether files or folders of tests are named, and not only options of pytest."""
    named = [(ROOT / argument.partition("::")[0]).resolve() for argument in extra]
    return any(path.exists() and path.is_relative_to(ROOT / "tests") for path in named)


# --- the commands ---


def install_command(_options: argparse.Namespace, _extra: list[str]) -> None:
    install(DEV_LOCK)
    if reason := install_node_packages():
        print(f"{reason}: tests of TypeScript clients cannot run.")


def run_command(_options: argparse.Namespace, extra: list[str]) -> None:
    install(RUNTIME_LOCK)
    replace_process([str(VENV_PYTHON), "-P", "-m", "chatapi", "serve", *extra])


def test_command(options: argparse.Namespace, extra: list[str]) -> None:
    install(DEV_LOCK)
    write_bytecode()
    if chosen_tests(extra):
        replace_process([tool("pytest"), *extra])
    left_out = [] if options.browser else ["browser"]
    for marker, what, is_missing in (
        ("node", "tests of TypeScript clients", install_node_packages()),
        ("deploy", "tests of deploy/", missing_servers()),
    ):
        if is_missing:
            print(f"{is_missing}: {what} are left out.", flush=True)
            if options.full:
                sys.exit("They belong to --full.")
            left_out.append(marker)
    tests = pytest_step(full=options.full, left_out=left_out, extra=extra)
    run_steps([*lint_steps(), types_step(), imports_step(), tests])


def bench_command(_options: argparse.Namespace, extra: list[str]) -> None:
    install(DEV_LOCK)
    write_bytecode()
    replace_process([str(VENV_PYTHON), "-m", "benchmarks", *extra])


def reference_command(_options: argparse.Namespace, _extra: list[str]) -> None:
    install(DEV_LOCK)
    replace_process([str(VENV_PYTHON), "-m", "reference"])


def examples_command(_options: argparse.Namespace, _extra: list[str]) -> None:
    install(DEV_LOCK)
    replace_process([str(VENV_PYTHON), "-m", "tests.examples"])


def fmt_command(_options: argparse.Namespace, _extra: list[str]) -> None:
    install(DEV_LOCK)
    format_code(".")


def lint_command(_options: argparse.Namespace, _extra: list[str]) -> None:
    install(DEV_LOCK)
    run_steps([*lint_steps(), imports_step()])


def types_command(_options: argparse.Namespace, _extra: list[str]) -> None:
    install(DEV_LOCK)
    run_steps([types_step()])


def migration_command(options: argparse.Namespace, _extra: list[str]) -> None:
    install(DEV_LOCK)
    versions = (ROOT / "migrations" / "versions").glob("[0-9]*.py")
    number = 1 + max((int(version.name[:4]) for version in versions), default=0)
    # Compared with an empty database, whatever state the one of this folder is in.
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "CHATAPI_DATABASE_URL": "", "CHATAPI_DATA_DIR": folder}
        run([tool("alembic"), "upgrade", "head"], env=env)
        revision = [tool("alembic"), "revision", "--autogenerate", "--rev-id", f"{number:04}"]
        run([*revision, "-m", options.message], env=env)
    format_code("migrations")


def lock_command(options: argparse.Namespace, _extra: list[str]) -> None:
    uv = find_uv()
    upgrade = ["--upgrade"] if options.upgrade else []
    compile_lock(uv, RUNTIME_LOCK, upgrade)
    # The constraint keeps the versions of both files equal.
    compile_lock(uv, DEV_LOCK, [*upgrade, "--group", "dev", "--constraint", RUNTIME_LOCK.name])


def find_uv() -> str:
    """Any uv will do: insisting on the locked one would need the lock to make the lock."""
    for candidate in (tool("uv"), shutil.which("uv")):
        if candidate and Path(candidate).exists():
            return candidate
    install(DEV_LOCK)
    return tool("uv")


def compile_lock(uv: str, lock: Path, options: list[str]) -> None:
    oldest = ".".join(map(str, OLDEST_PYTHON))
    for_every_host = ["--universal", "--python-version", oldest, "--only-binary", ":all:"]
    # The header would hold the command line, and the others the addresses of an index.
    bare = ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    written = ["--quiet", "--generate-hashes", "--output-file", lock.name]
    run([uv, "pip", "compile", "pyproject.toml", *for_every_host, *bare, *written, *options])
    content = lock.read_text()
    if "://" in content:
        sys.exit(f"{lock.name} holds an address; only names, versions and hashes belong in it.")
    lock.write_text(LOCK_HEADER + content.removeprefix(LOCK_HEADER))
    print(f"Wrote {lock.name}")


def parse_arguments(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="dev.py", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str,
        action: Callable[[argparse.Namespace, list[str]], None],
        summary: str,
        passes_on: str = "",
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=summary,
            description=summary,
            allow_abbrev=False,
            epilog=f"Further arguments go to {passes_on}." if passes_on else None,
        )
        command.set_defaults(action=action, passes_on=passes_on)
        return command

    add("install", install_command, "make the virtual environment with all development tools")
    add("run", run_command, "install what is needed and start the server", "`chatapi serve`")
    test = add("test", test_command, "run every check and the tests, or only those named", "pytest")
    test.add_argument(
        "--full", action="store_true", help="include slow tests, and try all that random tests can"
    )
    test.add_argument("--browser", action="store_true", help="include tests that need a Chromium")
    add("bench", bench_command, "run the benchmarks", "`python -m benchmarks`")
    add("reference", reference_command, "write the generated pages of docs/ and deploy/")
    add("examples", examples_command, "record the examples of the OpenAPI document")
    add("fmt", fmt_command, "sort the imports and format the code")
    add("lint", lint_command, "check style, format and import rules")
    add("types", types_command, "check the types")
    migration = add("migration", migration_command, "write a migration from changed tables")
    migration.add_argument("message", help="what the migration does, in a few words")
    lock = add("lock", lock_command, "write both lock files from pyproject.toml")
    lock.add_argument("--upgrade", action="store_true", help="take the newest allowed versions")

    options, extra = parser.parse_known_args(arguments)
    if extra and not options.passes_on:
        parser.error(f"unrecognized arguments: {shlex.join(extra)}")
    return options, extra


def main() -> None:
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        sys.exit(f"chatapi needs Python {wanted} or newer; this is {sys.version.split()[0]}.")
    options, extra = parse_arguments(sys.argv[1:])
    options.action(options, extra)


if __name__ == "__main__":
    main()
