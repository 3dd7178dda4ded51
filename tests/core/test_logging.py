"""Logs: no secret, no control character, one line per entry."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Literal

import orjson
import pytest
import structlog

from chatapi.core.logging import configure_logging, escape_control_characters, hide_secrets
from chatapi.core.settings import Settings
from tests.support.log_lines import collected_log


class TestHideSecrets:
    @pytest.mark.parametrize(
        "name", ["password", "new_password", "api_key", "Authorization", "client_secret", "token"]
    )
    def test_by_name(self, name: str) -> None:
        assert hide_secrets(None, "", {name: "hunter2"}) == {name: "***"}

    @pytest.mark.parametrize(
        "text",
        [
            "cannot reach postgresql://chat:hunter2@db/chat",
            "redis://:hunter2@host:6379",
            "redis://:p@hunter2@host",
        ],
    )
    def test_in_addresses(self, text: str) -> None:
        (hidden,) = hide_secrets(None, "", {"reason": text}).values()
        assert "hunter2" not in str(hidden)
        assert "***@" in str(hidden)

    def test_leaves_the_rest_alone(self) -> None:
        entry = {"event": "request", "path": "/users/a@example.com", "status": 200}
        assert hide_secrets(None, "", dict(entry)) == entry


class TestEscapeControlCharacters:
    @pytest.mark.parametrize(
        ("text", "escaped"),
        [
            ("a\nb", "a\\nb"),
            ("a\r\tb", "a\\r\\tb"),
            ("\x1b[31m", "\\x1b[31m"),
            ("\x9b31m", "\\x9b31m"),
            ("\u2028", "\\u2028"),
            ("\u202egpj", "\\u202egpj"),
            ("\u2066\u200f", "\\u2066\\u200f"),
            ("ä€😀", "ä€😀"),
        ],
    )
    def test_in_what_users_sent(self, text: str, escaped: str) -> None:
        assert escape_control_characters(None, "", {"path": text}) == {"path": escaped}

    def test_tracebacks_keep_their_lines(self) -> None:
        entry = escape_control_characters(None, "", {"exception": "first\nsecond\x1b"})
        assert entry == {"exception": "first\nsecond\\x1b"}


class TestOutput:
    @pytest.fixture(autouse=True)
    def _restored(self) -> Iterator[None]:
        root = logging.getLogger()
        handlers, level = list(root.handlers), root.level
        yield
        root.handlers[:] = handlers
        root.setLevel(level)

    def configured(self, log_format: Literal["console", "json"]) -> structlog.stdlib.BoundLogger:
        configure_logging(Settings(log_format=log_format, log_level="info"))
        logger: structlog.stdlib.BoundLogger = structlog.get_logger("a test")
        return logger

    def test_json_is_one_object_per_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        logger = self.configured("json")
        logger.info("something", path="a\nb", api_key="hunter2")
        (line,) = capsys.readouterr().err.splitlines()
        entry = orjson.loads(line)
        assert entry["event"] == "something"
        assert entry["level"] == "info"
        assert entry["path"] == "a\\nb"
        assert entry["api_key"] == "***"
        assert entry["timestamp"].endswith("Z")

    def test_libraries_use_the_same_format(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.configured("json")
        logging.getLogger("library").warning("cannot reach %s", "redis://:hunter2@host")
        (line,) = capsys.readouterr().err.splitlines()
        assert orjson.loads(line)["event"] == "cannot reach redis://***@host"

    def test_console_format_is_readable(self, capsys: pytest.CaptureFixture[str]) -> None:
        logger = self.configured("console")
        logger.info("something", path="a\nb", password="hunter2")
        (line,) = capsys.readouterr().err.splitlines()
        assert "something" in line
        assert "hunter2" not in line

    def test_failures_come_with_their_traceback(self, capsys: pytest.CaptureFixture[str]) -> None:
        logger = self.configured("json")
        logger.error("failed", exc_info=LookupError("an inside detail"))
        entry = orjson.loads(capsys.readouterr().err)
        assert "LookupError: an inside detail" in entry["exception"]

    def test_less_severe_lines_are_left_out(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.configured("json").debug("chatter")
        assert capsys.readouterr().err == ""


def test_level_of_a_later_configuration_applies_to_loggers_that_were_used_before() -> None:
    log = structlog.get_logger()
    configure_logging(Settings(log_level="error"))
    log.error("first")
    configure_logging(Settings(log_level="warning"))
    with collected_log() as entries:
        log.warning("second")
    assert [entry["event"] for entry in entries] == ["second"]


@pytest.mark.parametrize(
    ("error", "is_written"), [(asyncio.CancelledError(), False), (OSError("no route"), True)]
)
def test_cancelled_work_is_no_error_of_a_library(
    capsys: pytest.CaptureFixture[str], error: BaseException, is_written: bool
) -> None:
    configure_logging(Settings(log_level="error", log_format="json"))
    logging.getLogger("sqlalchemy.pool").error("Exception terminating connection", exc_info=error)
    assert ("Exception terminating connection" in capsys.readouterr().err) is is_written
