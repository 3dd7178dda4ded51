"""Initials and addresses of pictures, without a database."""

import pytest

from chatapi.features.users.avatar_addresses import (
    Avatar,
    avatar_url,
    drawn_picture_url,
    initials_of,
    medium_avatar_url,
)

EMAIL = "iago@example.com"


@pytest.mark.parametrize(
    ("name", "initials"),
    [
        ("Ada Lovelace", "AL"),
        ("ada", "A"),
        ("Ada King Lovelace", "AL"),
        ("Bob Bob", "BB"),
        ("Élodie Ñandú", "EN"),
        ("R2 (droid)", "RD"),
        ("3PO", "3"),
        ("中文 名字", ""),
        ("Жанна d'Arc", "D"),
        ("- -", ""),
        ("", ""),
    ],
)
def test_initials_are_latin_letters_and_digits(name: str, initials: str) -> None:
    assert initials_of(name) == initials


def test_name_without_latin_letters_has_an_address_too() -> None:
    assert drawn_picture_url(1, "中文") == "/user_avatars/default/137/_.png"


def test_client_computes_gravatars_only() -> None:
    gravatar = Avatar(7, "Iago", 1)
    drawn = gravatar._replace(default="J")
    uploaded = gravatar._replace(path="2/ab/token/avatar.png")
    assert avatar_url(gravatar, EMAIL, client_computes=True) is None
    assert avatar_url(drawn, EMAIL, client_computes=True) == "/user_avatars/default/239/I.png"
    url = avatar_url(uploaded, EMAIL, client_computes=True)
    assert url == "/user_avatars/2/ab/token/avatar.png"
    assert [each.source for each in (gravatar, drawn, uploaded)] == ["G", "J", "U"]


def test_larger_pictures_have_addresses_of_their_own() -> None:
    gravatar = Avatar(7, "Iago", 1)
    assert medium_avatar_url(gravatar, EMAIL).endswith("&s=500")
    drawn = gravatar._replace(default="J")
    assert medium_avatar_url(drawn, EMAIL) == "/user_avatars/default/239/I-medium.png"
    uploaded = gravatar._replace(path="2/ab/token/avatar.png")
    assert medium_avatar_url(uploaded, EMAIL) == "/user_avatars/2/ab/token/avatar-medium.png"
