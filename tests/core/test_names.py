"""Names are compared without regard to case, and in one Unicode normal form."""

from unicodedata import normalize

import pytest

from chatapi.core.names import name_key

SHIN = "\ufb2c"
"""One character that is three in every normal form."""


@pytest.mark.parametrize(
    "name", ["Café", "Ångström", "한글", "ΌΜΙΛΟΣ", "İstanbul", "Kelvin \u212a"]
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_equivalent_spellings_have_one_key(name: str, form: str) -> None:
    assert name_key(normalize(form, name)) == name_key(name)  # type: ignore[arg-type]  # a form


@pytest.mark.parametrize("name", ["Café", "İ" * 100, SHIN * 60, "a\u0301" * 50])
def test_key_is_its_own_key(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)


def test_letters_that_only_look_alike_stay_different() -> None:
    assert name_key("ﬁle") != name_key("file")


@pytest.mark.parametrize("name", [SHIN * 60, SHIN * 100, "İ" * 100])
def test_key_fits_into_its_column(name: str) -> None:
    assert len(name_key(name)) <= 100


def test_names_with_long_keys_have_different_keys() -> None:
    assert name_key(SHIN * 60) != name_key(SHIN * 59 + "a")
