"""`chatapi doctor`: each fault is found where it is, with what to mend."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import redis

from chatapi.cli.doctor.database import check_file_system
from tests.support.command import COMMAND, PATIENCE_SECONDS, Command, Outcome
from tests.support.temporary_valkey import temporary_valkey


def examine(command: Command, *arguments: str) -> Outcome:
    return command.run("doctor", "--json", *arguments)


def found(outcome: Outcome, area: str, level: str) -> str:
    """The messages of one area and level, in one text."""
    return "\n".join(
        finding["message"]
        for finding in outcome.json["findings"]
        if (finding["area"], finding["level"]) == (area, level)
    )


class TestHealthyServer:
    def test_has_no_faults(self, command: Command) -> None:
        command.folder.chmod(0o700)
        (command.folder / "chatapi.sqlite3").chmod(0o600)
        healthy = command.with_settings(password_hash_kib="19456", password_hash_rounds="2")
        outcome = examine(healthy)
        assert outcome.status == 0
        levels = {finding["level"] for finding in outcome.json["findings"]}
        assert levels == {"ok"}, outcome.json
        areas = {finding["area"] for finding in outcome.json["findings"]}
        assert areas == {"settings", "files", "database", "bus", "proxy", "machine"}

    def test_is_reported_line_by_line(self, command: Command) -> None:
        lines = command.run("doctor").stdout.splitlines()
        assert "ok      database: the tables are up to date" in lines

    def test_that_was_never_started_is_not_created(self, empty_command: Command) -> None:
        new = empty_command.with_settings(data_dir=str(empty_command.folder / "new"))
        outcome = examine(new)
        assert outcome.status == 0
        assert "the first start creates it" in found(outcome, "database", "ok")
        assert not (empty_command.folder / "new").exists()


class TestSettings:
    def test_invalid_value_is_an_error(self, command: Command) -> None:
        outcome = examine(command.with_settings(queues_per_user="many"))
        assert outcome.status == 1
        assert "CHATAPI_QUEUES_PER_USER" in found(outcome, "settings", "error")

    def test_risky_values_are_warnings(self, command: Command) -> None:
        outcome = examine(
            command.with_settings(
                rate_limits="off",
                metrics="on",
                databse_url="x",
                jitsi_server_url="http://a.example",
            )
        )
        warnings = found(outcome, "settings", "warning")
        for name in ("RATE_LIMITS", "METRICS_PORT", "DATABSE_URL", "PASSWORD_HASH_KIB"):
            assert name in warnings


class TestFiles:
    def test_open_to_other_accounts_are_named_with_the_remedy(self, command: Command) -> None:
        database = command.folder / "chatapi.sqlite3"
        command.folder.chmod(0o755)
        database.chmod(0o644)
        warnings = found(examine(command), "files", "warning")
        assert f"chmod 700 {command.folder}" in warnings
        assert f"chmod 600 {database}" in warnings

    def test_no_folder_where_one_should_be_is_an_error(self, empty_command: Command) -> None:
        file = empty_command.folder / "data"
        file.write_text("")
        outcome = examine(empty_command.with_settings(data_dir=str(file)))
        assert outcome.status == 1
        assert "is not a folder" in found(outcome, "files", "error")


class TestDatabase:
    def test_without_tables_is_a_warning(self, postgres_command: Command) -> None:
        outcome = examine(postgres_command)
        assert "chatapi db upgrade" in found(outcome, "database", "warning")

    def test_with_too_few_connections_is_an_error(self, postgres_command: Command) -> None:
        outcome = examine(
            postgres_command.with_settings(database_pool_size="50"), "--workers", "90"
        )
        assert outcome.status == 1
        assert "max_connections" in found(outcome, "database", "error")

    def test_that_forgets_in_a_crash_is_an_error(self, postgres_command: Command) -> None:
        """The servers of tests run without fsync, to be fast."""
        assert "fsync is off" in found(examine(postgres_command), "database", "error")

    def test_that_does_not_answer_is_an_error(self, empty_command: Command) -> None:
        closed = empty_command.with_settings(database_url="postgresql://127.0.0.1:1/chat")
        outcome = examine(closed)
        assert outcome.status == 1
        assert "127.0.0.1:1/chat" in found(outcome, "database", "error")

    def test_file_on_a_network_file_system_is_an_error(self, tmp_path: Path) -> None:
        mounts = {"/": "ext4", str(tmp_path): "nfs4"}
        [finding] = check_file_system(tmp_path / "data" / "chatapi.sqlite3", mounts)
        assert (finding.level, "nfs4" in finding.message) == ("error", True)
        [finding] = check_file_system(Path("/srv/chatapi.sqlite3"), mounts)
        assert finding.level == "ok"


class TestBus:
    def test_that_evicts_is_a_warning(self, command: Command) -> None:
        with temporary_valkey(private=True) as valkey:
            connected = command.with_settings(redis_url=valkey.url)
            outcome = examine(connected)
            assert "answers" in found(outcome, "bus", "ok")
            assert found(outcome, "bus", "warning") == ""
            with redis.Redis.from_url(valkey.url) as server:
                server.config_set("maxmemory", "100mb")
                server.config_set("maxmemory-policy", "allkeys-lru")
            assert "noeviction" in found(examine(connected), "bus", "warning")

    def test_that_does_not_answer_is_an_error(self, command: Command) -> None:
        outcome = examine(command.with_settings(redis_url="redis://127.0.0.1:1/0"))
        assert outcome.status == 1
        assert "does not answer" in found(outcome, "bus", "error")

    def test_missing_between_processes_is_a_warning(self, command: Command) -> None:
        outcome = examine(command, "--workers", "2")
        assert "CHATAPI_REDIS_URL" in found(outcome, "bus", "warning")


@contextmanager
def answering(content: bytes) -> Iterator[str]:
    """The address of a web server that gives the same response to every request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


@pytest.mark.slow
class TestProxy:
    def test_address_that_leads_to_the_server_is_fine(self, command: Command) -> None:
        with command.serving() as serving:
            serving.read_greeting(last="Docs")
            reached = examine(command, "--url", serving.url)
            assert "leads to the server" in found(reached, "proxy", "ok")
            # As behind a proxy that does not tell the server which address clients use.
            hidden = command.with_settings(public_url="https://chat.example.com")
        with hidden.serving() as serving:
            serving.read_greeting(last="Docs")
            outcome = examine(hidden, "--url", serving.url)
            assert "https://chat.example.com" in found(outcome, "proxy", "warning")

    @pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nonsense", "http://"])
    def test_address_that_leads_nowhere_is_an_error(self, command: Command, url: str) -> None:
        outcome = examine(command, "--url", url)
        assert outcome.status == 1
        assert found(outcome, "proxy", "error")

    @pytest.mark.parametrize("content", [b"<html>", b"5", b"[]"])
    def test_address_of_another_service_is_an_error(self, command: Command, content: bytes) -> None:
        with answering(content) as url:
            outcome = examine(command, "--url", url)
        assert outcome.status == 1
        assert "is not answered by chatapi" in found(outcome, "proxy", "error")

    def test_proxy_that_is_not_trusted_is_a_warning(self, command: Command) -> None:
        outcome = examine(command, "--url", "https://127.0.0.1:1")
        assert "CHATAPI_TRUSTED_PROXIES" in found(outcome, "proxy", "warning")


def test_few_open_files_are_a_warning(command: Command) -> None:
    limited = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -n 512; exec "$@"', "sh", *COMMAND, "doctor", "--json"],
        cwd=command.folder,
        env=command.environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=PATIENCE_SECONDS,
    )
    outcome = Outcome(limited.returncode, limited.stdout, "")
    assert "may open 512 files" in found(outcome, "machine", "warning")
