"""Which texts count as web addresses that a browser can open."""

import pytest

from chatapi.core.web_addresses import is_web_address


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost",
        "https://example.com/a/b?c=d&e=%20#f",
        "https://example.com:8443/",
        "https://bücher.example/ä",
        "https://[::1]:9000/",
        "HTTPS://EXAMPLE.COM",
    ],
)
def test_web_address_is_recognized(text: str) -> None:
    assert is_web_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com",
        "//example.com",
        "https:",
        "https://",
        "https:///path",
        "https://:80/",
        "https://example.com:99999/",
        "https://example.com:x/",
        "https://[::1/",
        "ftp://example.com",
        "javascript:alert(1)",
        "data:text/html,x",
        " https://example.com",
        "https://exa mple.com",
        "https://example.com/\n",
        'https://example.com/"onclick="x',
        "https://example.com/<script>",
        "https://example.com/" + "x" * 2_000,
    ],
)
def test_other_text_is_no_web_address(text: str) -> None:
    assert not is_web_address(text)
