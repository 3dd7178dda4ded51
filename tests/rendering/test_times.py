"""Timestamps that clients show in the reader's time zone."""

from html import escape

import pytest

from chatapi.rendering import render_markdown


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02T03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04", "2026-01-02T03:04:00Z"),
        ("2026-01-02 03:04", "2026-01-02T03:04:00Z"),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
        ("1767323045", "2026-01-02T03:04:05Z"),
    ],
)
def test_renders(written: str, moment: str) -> None:
    html = render_markdown(f"<time:{written}>")
    assert html == f'<p><time datetime="{moment}">{written}</time></p>'


@pytest.mark.parametrize(
    "written",
    [
        "soon",
        "2026-13-01",
        "9999999999999999999",
        "0001-01-01T00:00:00+10:00",
        "9999-12-31T23:59:59-10:00",
        "²",
        '" onclick="x',
    ],
)
def test_that_cannot_be_read_stay_text(written: str) -> None:
    assert (
        render_markdown(f"<time:{written}>") == f"<p>{escape(f'<time:{written}>', quote=False)}</p>"
    )


@pytest.mark.parametrize("text", ["<time:>", "<time>", "`<time:2026-01-02>`"])
def test_stays_text(text: str) -> None:
    html = render_markdown(text)
    assert "<time" not in html
