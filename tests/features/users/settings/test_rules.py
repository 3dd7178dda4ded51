"""Validation of settings, and values derived from them."""

import pytest

from chatapi.core.errors import BadRequestError
from chatapi.features.users.settings.rules import check_timezone, language_name, stored_settings


@pytest.mark.parametrize("name", ["", "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])
def test_time_zones_of_the_database_are_known(name: str) -> None:
    assert check_timezone(name) == name


@pytest.mark.parametrize("name", ["Berlin", "europe/berlin", "../etc/passwd", "UTC "])
def test_other_time_zones_are_refused(name: str) -> None:
    with pytest.raises(BadRequestError):
        check_timezone(name)


def test_languages_have_names() -> None:
    assert language_name("fr") == "français"
    assert language_name("pt-BR") == language_name("pt_BR") == "Português Brasileiro"
    assert language_name("tlh") == "tlh"


def test_only_differences_are_stored() -> None:
    stored = stored_settings({"emojiset": "text"}, {"enter_sends": True, "color_scheme": 1})
    assert stored == {"emojiset": "text", "enter_sends": True}
    assert stored_settings(stored, {"emojiset": "google", "enter_sends": False}) == {}
