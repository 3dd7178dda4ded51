"""Validation of names, addresses and passwords, without a database."""

import pytest

from chatapi.core.errors import BadRequestError
from chatapi.features.users.rules import check_email, check_full_name, check_password

HOST = "acme.localhost"


class TestEmail:
    @pytest.mark.parametrize(
        "email",
        [
            "a@b.c",
            "iago@example.com",
            "first.last+tag@mail.example.co.uk",
            "o_o@localhost",
            "é@x.y",
        ],
    )
    def test_good(self, email: str) -> None:
        assert check_email(f" {email} ", HOST) == email

    @pytest.mark.parametrize(
        "email",
        [
            "",
            "nobody",
            "@example.com",
            "a@",
            "a@b@c.d",
            "a b@example.com",
            "a@exam ple.com",
            "a@-example.com",
            "a@example.com-",
            "a@example..com",
            "a@.example.com",
            "a@example.com.",
            f"a@{'x' * 64}.com",
            "Iago <iago@example.com>",
            "a@example.com,b@example.com",
            "a:b@example.com",
            "a@exämple.com",
            "a\n@example.com",
            "user7@acme.localhost",
            "USER7@ACME.localhost",
        ],
    )
    def test_bad(self, email: str) -> None:
        with pytest.raises(BadRequestError, match="not a valid email address"):
            check_email(email, HOST)

    def test_too_long(self) -> None:
        with pytest.raises(BadRequestError, match="email is too long"):
            check_email("x" * 254 + "@a.b", HOST)

    def test_generated_addresses_of_other_hosts_are_accepted(self) -> None:
        assert check_email("user7@example.com", HOST) == "user7@example.com"


class TestFullName:
    @pytest.mark.parametrize(
        "name", ["Iago", "Zoë Müller-O'Neil", "李小龍", "Robert (Bob) Jr.", "محمد", "A | B"]
    )
    def test_good(self, name: str) -> None:
        assert check_full_name(f" {name}\t") == name

    @pytest.mark.parametrize("name", ["", "  ", "\u3000"])
    def test_empty(self, name: str) -> None:
        with pytest.raises(BadRequestError, match="cannot be empty"):
            check_full_name(name)

    @pytest.mark.parametrize(
        "name",
        [
            "A*B",
            "A`B",
            "A\\B",
            "<b>",
            "A>B",
            'A"B',
            "a@b",
            "A\nB",
            "A\u202eB",
            "A\u00a0B",
            "Iago|7",
        ],
    )
    def test_bad_characters(self, name: str) -> None:
        with pytest.raises(BadRequestError, match="invalid characters"):
            check_full_name(name)

    def test_too_long(self) -> None:
        with pytest.raises(BadRequestError, match="full_name is too long"):
            check_full_name("x" * 101)


class TestPassword:
    def test_good(self) -> None:
        assert check_password(" sixsix") == " sixsix"

    def test_too_short(self) -> None:
        with pytest.raises(BadRequestError, match="new_password is too short"):
            check_password("five5", "new_password")
