"""The docs page as a reference: contents, search, guides, deep links; on a laptop and a phone."""

import pytest

from chatapi.http.pages import guide_names
from tests.browser.conftest import KeepScreenshot
from tests.support.docs_page import DocsPage, Site, quoted
from tests.support.waiting import until_true

pytestmark = pytest.mark.browser

PATIENCE_MILLISECONDS = 15_000
"""The goal is 2,000 on two idle cores; those of a test run are not idle."""
UNFOLD_VIEW = """async (hash) => {
    location.hash = hash;
    await new Promise((resolve) => setTimeout(resolve));
    document.querySelectorAll('main details').forEach((each) => each.open = true);
    await new Promise((resolve) => setTimeout(resolve));
    const { scrollWidth, clientWidth } = document.documentElement;
    if (!document.querySelector('#view h1')) return `${hash} is empty`;
    return scrollWidth > clientWidth ? `${hash} is ${scrollWidth} wide` : '';
}"""


COVERED = """((covering, covered) => {
    const boxes = (selector) => [...document.querySelectorAll(selector)]
        .map((each) => each.getBoundingClientRect());
    const meet = (one, other) => one.left < other.right && other.left < one.right
        && one.top < other.bottom && other.top < one.bottom;
    if (!boxes(covering).length || !boxes(covered).length) return ['nothing to compare'];
    return boxes(covering).filter((one) => boxes(covered).some((other) => meet(one, other)));
})"""
"""The elements of one selector that lie on elements of another."""


class TestContents:
    async def test_first_group_is_visible_soon(self, docs: DocsPage, width: int) -> None:
        shown_after = await docs.page.evaluate("performance.now()")

        assert shown_after < PATIENCE_MILLISECONDS
        groups = await docs.page.evaluate(
            "[...document.querySelectorAll('main h2.group')].map((group) => group.innerText)"
        )
        assert groups[:2] == ["Server and login", "Users"]
        assert docs.page.complaints == []

    async def test_loads_modules_and_document_once(self, docs: DocsPage) -> None:
        loaded = [file for file in docs.page.requested if file.endswith((".js", ".json", ".css"))]
        assert len(loaded) > 20
        assert len(loaded) == len(set(loaded))

    async def test_operation_is_reached_by_the_sidebar(
        self, docs: DocsPage, width: int, keep_screenshot: KeepScreenshot
    ) -> None:
        sidebar = "getComputedStyle(document.querySelector('.sidebar')).visibility"
        if width < 800:
            assert await docs.page.evaluate(sidebar) == "hidden"
            await docs.page.click("#menu")
        assert await docs.page.evaluate(sidebar) == "visible"
        await docs.page.click("details[data-tag=Reactions] summary")
        await keep_screenshot("sidebar")
        await docs.page.click(".sidebar a[href='#add_reaction']")

        await docs.page.wait_for("document.querySelector('.operation')")
        assert await docs.title() == "Add a reaction to a message"
        if width < 800:
            assert await docs.page.evaluate(sidebar) == "hidden"

    async def test_every_view_fits_the_screen(self, docs: DocsPage, width: int) -> None:
        """Opens all of them, one after the other, with everything that can be unfolded.

        On a screen where hardly anything is too wide, one in three.
        """
        links = await docs.page.evaluate(
            "[...document.querySelectorAll('.sidebar a')].map((link) => link.hash || '#')"
        )
        assert len(links) > 150
        for link in links if width < 800 else links[::3]:
            assert await docs.page.evaluate(f"({UNFOLD_VIEW})({quoted(link)})") == ""
        assert docs.page.complaints == []


class TestOperation:
    async def test_deep_link_survives_a_reload(self, docs: DocsPage) -> None:
        await docs.open("#get_messages")
        assert await docs.title() == "Get messages"
        await docs.page.command("Page.reload")
        await docs.page.wait_for("!document.querySelector('.sidebar .group')")
        await docs.wait_until_loaded()

        assert await docs.title() == "Get messages"
        assert "Get messages" in await docs.page.evaluate("document.title")

    async def test_tells_parameters_access_and_errors(self, docs: DocsPage) -> None:
        await docs.go_to("#send_message")

        shown = await docs.page.evaluate("document.querySelector('.reference').innerText")
        assert "Who may call it: Logged-in users." in shown
        assert "at most 10000 characters" in shown
        assert "STREAM_DOES_NOT_EXIST" in shown
        assert 'One of "direct", "channel", "stream", "private"' in shown

    async def test_event_union_is_unfolded_by_type(
        self, docs: DocsPage, keep_screenshot: KeepScreenshot
    ) -> None:
        await docs.go_to("#get_events")
        unfold = """(label) => {
            const summary = [...document.querySelectorAll('.reference summary')]
                .find((each) => each.innerText.startsWith(label));
            summary.scrollIntoView();
            return new Promise((resolve) => {
                summary.parentElement.addEventListener('toggle', () => resolve(), { once: true });
                summary.click();
            });
        }"""
        for label in ("events", 'type: "stream"', 'op: "create"'):
            await docs.page.evaluate(f"({unfold})({label!r})")
        await keep_screenshot("event")

        names = await docs.page.evaluate(
            "[...document.querySelectorAll('.reference .name')].map((name) => name.innerText)"
        )
        assert {'type: "message"', 'op: "update"', "streams"} <= set(names)

    @pytest.mark.parametrize("place", ["#no_such_operation", "#%", "#tag/%E0%A4%A"])
    async def test_unknown_place_is_reported(self, docs: DocsPage, place: str) -> None:
        await docs.open(place)
        assert await docs.title() == "Not found"


class TestSearch:
    async def test_finds_a_word_of_a_description(
        self, docs: DocsPage, keep_screenshot: KeepScreenshot
    ) -> None:
        [best, *_others] = await docs.search("highlighted")
        await keep_screenshot("search")
        assert best.startswith("#get_messages")
        assert "where the matches are highlighted" in best

    async def test_excerpts_have_whole_words(self, docs: DocsPage) -> None:
        results = await docs.search("heartbeat event")
        [found] = [result for result in results if "Poll and acknowledge" in result]
        excerpt = found.splitlines()[-1]
        assert excerpt.startswith("… ")
        assert excerpt.endswith(" …")
        await docs.go_to("#guide/event-loop")
        guide = await docs.page.evaluate("document.querySelector('.guide').textContent")
        assert f" {excerpt.strip('… ')} " in " ".join(guide.split())

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("send_message", "#send_message"),
            ("widget_content", "#send_message"),
            ("propagate_mode", "#edit_message"),
            ("realm_user", "#get_events"),
            ("heartbeat", "#guide/event-loop/poll-and-acknowledge"),
            ("RATE_LIMIT_HIT", "#guide/errors/try-again"),
        ],
    )
    async def test_finds_names_events_and_guides(
        self, docs: DocsPage, text: str, found: str
    ) -> None:
        results = [result.partition(" ")[0] for result in await docs.search(text)]
        assert found in results

    async def test_says_that_nothing_was_found(self, docs: DocsPage) -> None:
        assert await docs.search("xyzzy") == []
        shown = await docs.page.evaluate("document.querySelector('#search-results').innerText")
        assert shown == "Nothing found"

    async def test_is_used_by_the_keyboard_alone(self, docs: DocsPage) -> None:
        await docs.page.press("/")
        assert await docs.page.evaluate("document.activeElement.id") == "search-field"
        await docs.page.command("Input.insertText", text="reaction")
        second = await docs.page.evaluate(
            "document.querySelectorAll('#search-results li')[1].dataset.href"
        )
        await docs.page.press("ArrowDown")
        await docs.page.press("Enter")

        await docs.page.wait_for(f"location.hash === '{second}'")

    async def test_escape_closes_it(self, docs: DocsPage) -> None:
        await docs.search("reaction")
        await docs.page.press("Escape")
        assert await docs.page.evaluate("document.querySelector('#search-results').hidden")


class TestGuides:
    @pytest.mark.parametrize("name", guide_names())
    async def test_is_shown(
        self, docs: DocsPage, name: str, keep_screenshot: KeepScreenshot
    ) -> None:
        await docs.go_to(f"#guide/{name}")

        assert await docs.title()
        assert await docs.overflow() <= 0
        await keep_screenshot(name)
        assert docs.page.complaints == []

    @pytest.mark.parametrize("name", ["event-loop", "first-message"])
    async def test_button_to_copy_covers_no_code(self, docs: DocsPage, name: str) -> None:
        await docs.go_to(f"#guide/{name}")
        assert await docs.page.evaluate(f"{COVERED}('.guide .copy', '.guide pre')") == []

    async def test_error_codes_are_not_broken(self, docs: DocsPage) -> None:
        await docs.go_to("#guide/errors")

        lines = await docs.page.evaluate(
            "[...document.querySelectorAll('td:first-child code')].map("
            "(code) => code.getClientRects().length)"
        )

        assert len(lines) > 20
        assert set(lines) == {1}
        frames = "[...document.querySelectorAll('.guide .table')]"
        wider = f"{frames}.filter((frame) => frame.scrollWidth > frame.clientWidth).length"
        assert await docs.page.evaluate(wider) == 0

    async def test_code_is_for_this_server(self, docs: DocsPage, site: Site) -> None:
        await docs.go_to("#guide/first-message")

        code = await docs.page.evaluate("document.querySelector('.guide pre').innerText")
        assert f"{site.url}/api/v1/messages" in code

    async def test_can_be_read_without_javascript(self, docs: DocsPage, site: Site) -> None:
        await docs.page.command("Emulation.setScriptExecutionDisabled", value=True)
        # Another query, so that the page is loaded again.
        await docs.page.open(f"{site.url}/docs?plain")

        async def shows_errors() -> bool:
            # Asked from here: the page cannot wait by itself without JavaScript.
            shown = await docs.page.evaluate("document.body?.innerText ?? ''")
            return "RATE_LIMIT_HIT" in shown

        await until_true(shows_errors)
