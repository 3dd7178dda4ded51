"""Passwords: argon2id, off the event loop, and as slow for accounts without a password."""

import asyncio
from pathlib import Path

import pytest

from chatapi.auth.passwords import Passwords
from chatapi.core.settings import Settings
from tests.support.apps import make_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings("", tmp_path)


@pytest.fixture
def passwords(settings: Settings) -> Passwords:
    return Passwords(settings)


class TestHashing:
    async def test_is_argon2id_with_the_configured_cost(self, passwords: Passwords) -> None:
        assert (await passwords.hash("correct horse")).startswith("$argon2id$v=19$m=8,t=1,p=1$")

    async def test_defaults_are_the_recommended_ones(self) -> None:
        hashed = await Passwords(Settings()).hash("correct horse")
        assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")

    async def test_is_salted(self, passwords: Passwords) -> None:
        assert await passwords.hash("x") != await passwords.hash("x")

    async def test_fits_its_column(self, passwords: Passwords) -> None:
        assert len(await Passwords(Settings()).hash("ü" * 100)) <= 200


class TestVerifying:
    @pytest.mark.parametrize("password", ["correct horse", "ü" * 100, "p" * 200, " ", "密码"])
    async def test_right_password_is_accepted(self, passwords: Passwords, password: str) -> None:
        hashed = await passwords.hash(password)
        assert await passwords.verify(password, hashed)
        assert not await passwords.verify(password[:-1] + "?", hashed)

    async def test_account_without_password_accepts_none(self, passwords: Passwords) -> None:
        assert not await passwords.verify("anything", None)

    async def test_hashes_with_old_costs_are_still_verified(
        self, passwords: Passwords, settings: Settings
    ) -> None:
        costly = Passwords(settings.model_copy(update={"password_hash_kib": 64}))
        assert await passwords.verify("x", await costly.hash("x"))

    async def test_does_not_block_the_event_loop(self) -> None:
        costly = Passwords(Settings(password_hash_kib=65536, password_hash_rounds=4))
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0)
                beats += 1

        beating = asyncio.create_task(beat())
        await costly.hash("correct horse")
        beating.cancel()
        assert beats > 100
