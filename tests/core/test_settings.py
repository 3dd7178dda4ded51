"""Settings: from the environment, in common spellings, refused when they are wrong."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from chatapi.core.settings import Settings
from tests.support.authorities import PrivateAuthority


class TestDatabaseUrl:
    @pytest.mark.parametrize(
        ("given", "understood"),
        [
            ("postgres://u:p@host:5432/db", "postgresql+asyncpg://u:p@host:5432/db"),
            ("postgresql://u:p@host/db", "postgresql+asyncpg://u:p@host/db"),
            ("postgresql+asyncpg://host/db", "postgresql+asyncpg://host/db"),
            ("postgresql+psycopg://host/db", "postgresql+asyncpg://host/db"),
            ("sqlite:///chat.sqlite3", "sqlite+aiosqlite:///chat.sqlite3"),
            ("sqlite:////var/lib/chat.sqlite3", "sqlite+aiosqlite:////var/lib/chat.sqlite3"),
            ("sqlite+aiosqlite:///x", "sqlite+aiosqlite:///x"),
        ],
    )
    def test_spellings(self, given: str, understood: str) -> None:
        assert Settings(database_url=given).effective_database_url == understood

    @pytest.mark.parametrize(
        "given", ["mysql://u:hunter2@host/db", "host:5432/db", "hunter2", "://", "postgres:x"]
    )
    def test_others_are_refused_without_repeating_the_value(self, given: str) -> None:
        with pytest.raises(ValidationError, match="must start with sqlite:// or post") as refused:
            Settings(database_url=given)
        assert "hunter2" not in str(refused.value)

    def test_without_one_a_file_in_the_data_folder(self) -> None:
        settings = Settings(data_dir=Path("/var/lib/chatapi"))
        url = "sqlite+aiosqlite:////var/lib/chatapi/chatapi.sqlite3"
        assert settings.effective_database_url == url


class TestPublicUrl:
    def test_loses_its_trailing_slash(self) -> None:
        url = Settings(public_url="https://chat.example.com/").public_url
        assert url == "https://chat.example.com"

    @pytest.mark.parametrize("given", ["chat.example.com", "ftp://x", "javascript:x"])
    def test_must_be_a_web_address(self, given: str) -> None:
        with pytest.raises(ValidationError, match="must start with http"):
            Settings(public_url=given)


class TestAccelLocation:
    @pytest.mark.parametrize(
        "given", ["_uploads/", "/_uploads", "/", "/a b/", "/a//", "https://x/", "/$x/", "/a\nb/"]
    )
    def test_must_be_a_path_between_slashes(self, given: str) -> None:
        with pytest.raises(ValidationError, match="must be a path like /_uploads/"):
            Settings(accel_location=given)

    def test_needs_files_in_the_data_folder(self) -> None:
        bucket = "https://key:hunter2@s3.example.com/bucket"
        with pytest.raises(ValidationError, match="not CHATAPI_UPLOADS_URL") as refused:
            Settings(uploads_url=bucket, accel_location="/_uploads/")
        assert "hunter2" not in str(refused.value)


class TestEnvironment:
    def test_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATAPI_RATE_LIMITS", "off")
        monkeypatch.setenv("CHATAPI_QUEUES_PER_USER", "7")
        settings = Settings()
        assert settings.rate_limits == "off"
        assert settings.queues_per_user == 7

    def test_empty_is_unset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATAPI_QUEUES_PER_USER", "")
        assert Settings().queues_per_user == 100

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("RATE_LIMITS", "maybe"),
            ("MAX_BODY_BYTES", "0"),
            ("HEARTBEAT_SECONDS", "60"),
            ("HEARTBEAT_SECONDS", "0"),
            ("EVENT_LOG_HOURS", "-1"),
            ("LOG_LEVEL", "loud"),
            ("ACCESS_LOG", "perhaps"),
        ],
    )
    def test_nonsense_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        monkeypatch.setenv(f"CHATAPI_{name}", value)
        with pytest.raises(ValidationError, match=name.lower()):
            Settings()


class TestSettings:
    def test_each_has_a_description(self) -> None:
        for name, field in Settings.model_fields.items():
            assert field.description, name

    def test_are_frozen(self) -> None:
        with pytest.raises(ValidationError):
            Settings().rate_limits = "off"  # type: ignore[misc]  # what the test is about


class TestTrustedProxies:
    def test_no_proxy_is_trusted_by_default(self) -> None:
        assert Settings().trusted_proxies == ""

    def test_addresses_and_networks(self) -> None:
        assert Settings(trusted_proxies="127.0.0.1, 10.0.0.0/8,").trusted_proxies == (
            "127.0.0.1,10.0.0.0/8"
        )

    @pytest.mark.parametrize("given", ["*", "proxy.example.com", "10.0.0.1/8", "127.0.0.1,*"])
    def test_others_are_refused(self, given: str) -> None:
        with pytest.raises(ValidationError, match="must be addresses or networks"):
            Settings(trusted_proxies=given)


class TestCorsOrigins:
    def test_none_are_listed_by_default(self) -> None:
        assert Settings().cors_origins == ""

    def test_are_kept_as_browsers_send_them(self) -> None:
        listed = " https://App.example.com/ ,http://localhost:5173,, capacitor://localhost"
        assert Settings(cors_origins=listed).cors_origins == (
            "https://app.example.com,http://localhost:5173,capacitor://localhost"
        )

    @pytest.mark.parametrize(
        "given",
        [
            "*",
            "https://*",
            "https://*.example.com",
            "null",
            "app.example.com",
            "https://a/b",
            "a,*",
        ],
    )
    def test_wildcards_and_what_is_no_origin_are_refused(self, given: str) -> None:
        with pytest.raises(ValidationError, match="must be origins"):
            Settings(cors_origins=given)


class TestAuthorities:
    def test_file_with_certificates_is_accepted(self, tmp_path: Path) -> None:
        file = str(PrivateAuthority(tmp_path).file)
        assert Settings(outgoing_webhook_ca_file=file).outgoing_webhook_ca_file == file

    def test_missing_file_is_refused_with_its_reason(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CHATAPI_OUTGOING_WEBHOOK_CA_FILE", str(tmp_path / "none.pem"))
        with pytest.raises(ValidationError, match=r"cannot be read \(No such file or directory\)"):
            Settings()

    @pytest.mark.parametrize("content", ["", "no certificate", "-----BEGIN CERTIFICATE-----\nx"])
    def test_file_without_certificates_is_refused(self, tmp_path: Path, content: str) -> None:
        file = tmp_path / "empty.pem"
        file.write_text(content)
        with pytest.raises(ValidationError, match="must be a file with certificates in PEM"):
            Settings(outgoing_webhook_ca_file=str(file))
