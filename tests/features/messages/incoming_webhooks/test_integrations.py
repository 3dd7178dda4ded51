"""Every integration: a document is posted to a real server, and the message is read."""

from typing import Any

import httpx
import orjson
import pytest

from chatapi.channel_cache.records import ChannelRecord
from chatapi.features.messages.incoming_webhooks.integrations import INTEGRATIONS
from tests.factories import Person
from tests.features.messages.incoming_webhooks import documents
from tests.features.messages.incoming_webhooks.documents import github, gitlab
from tests.features.messages.incoming_webhooks.posting import post, posted
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success

ISSUE_LINK = "[#7 Doors stay open](https://github.com/acme/hello/issues/7)"
PULL_LINK = "[#8 Close the doors](https://github.com/acme/hello/pull/8)"
COMMENT = {"html_url": "https://github.com/acme/hello/c/1", "body": "Yes", "commit_id": "c" * 40}
HOME = documents.PROJECT["web_url"]

CASES: list[tuple[str, dict[str, str], Any, str, str]] = [
    (
        "helloworld",
        {},
        documents.HELLO,
        "Hello World",
        "Hello! Today's article is [Marilyn Monroe](https://en.example.org/Marilyn).",
    ),
    ("json", {}, {"b": [1, "x"]}, "JSON", '```json\n{\n  "b": [\n    1,\n    "x"\n  ]\n}\n```'),
    ("json", {}, "text", "JSON", '```json\n"text"\n```'),
    (
        "slack_incoming",
        {},
        documents.SLACK,
        "builds",
        (
            "Build [#1](https://ci.example.com/1) of **main** failed & *nobody* knows why\n\n"
            "**[Tests](https://ci.example.com/1/tests)**\n`a*b*c` failed\n**Branch**: main"
        ),
    ),
    (
        "slack_incoming",
        {},
        documents.SLACK_BLOCKS,
        "Slack",
        "## Deployed\n\n**Version** 2 is ~~not~~ live\n\n---\n\nby @ada",
    ),
    (
        "slack_incoming",
        {},
        documents.SLACK_PARTS,
        "Slack",
        (
            "**Host**\n\ndb1\n\n[load](https://ci.example.com/load.png)\n\n"
            "[Logs](https://ci.example.com/logs)\n\n"
            "Graph\n[image](https://ci.example.com/graph.png)"
        ),
    ),
    (
        "slack_incoming",
        {},
        {"attachments": [{"fallback": "Only this", "color": "good"}]},
        "Slack",
        "Only this",
    ),
    (
        "github",
        {"X-GitHub-Event": "ping"},
        github(zen="Keep it logically awesome.", hook_id=1),
        "hello",
        "GitHub sends events here now: Keep it logically awesome.",
    ),
    (
        "github",
        {"X-GitHub-Event": "push"},
        documents.GITHUB_PUSH,
        "hello / main",
        (
            "**ada** pushed [1 commit](https://github.com/acme/hello/compare/aaaaaaa...bbbbbbb)"
            " to branch main.\n"
            "* Close the doors. ([bbbbbbb](https://github.com/acme/hello/commit/bbbbbbb))"
        ),
    ),
    (
        "github",
        {"X-GitHub-Event": "push"},
        {**documents.GITHUB_PUSH, "ref": "refs/tags/v1", "deleted": True, "commits": []},
        "hello / v1",
        "**ada** deleted the tag v1.",
    ),
    (
        "github",
        {"X-GitHub-Event": "create"},
        github(ref="doors", ref_type="branch"),
        "hello / doors",
        "**ada** created the branch doors.",
    ),
    (
        "github",
        {"X-GitHub-Event": "delete"},
        github(ref="doors", ref_type="branch"),
        "hello / doors",
        "**ada** deleted the branch doors.",
    ),
    (
        "github",
        {"X-GitHub-Event": "issues"},
        github(action="opened", issue=documents.ISSUE),
        "hello / issue #7 Doors stay open",
        f"**ada** opened issue {ISSUE_LINK}.\n\n``` quote\nAll of them, @_**all**.\n```",
    ),
    (
        "github",
        {"X-GitHub-Event": "issue_comment"},
        github(action="created", issue=documents.ISSUE, comment=COMMENT),
        "hello / issue #7 Doors stay open",
        (
            "**ada** [commented](https://github.com/acme/hello/c/1)"
            f" on issue {ISSUE_LINK}.\n\n``` quote\nYes\n```"
        ),
    ),
    (
        "github",
        {"X-GitHub-Event": "pull_request"},
        github(action="opened", number=8, pull_request=documents.PULL_REQUEST),
        "hello / PR #8 Close the doors",
        f"**ada** opened PR {PULL_LINK} from doors into main.\n\n``` quote\nFixes #7.\n```",
    ),
    (
        "github",
        {"X-GitHub-Event": "pull_request"},
        github(action="closed", pull_request={**documents.PULL_REQUEST, "merged": True}),
        "hello / PR #8 Close the doors",
        f"**ada** merged PR {PULL_LINK}.",
    ),
    (
        "github",
        {"X-GitHub-Event": "pull_request_review"},
        github(
            action="submitted",
            pull_request=documents.PULL_REQUEST,
            review={"state": "changes_requested", "body": None, "html_url": "https://g.test/r"},
        ),
        "hello / PR #8 Close the doors",
        f"**ada** submitted a [review](https://g.test/r) of PR {PULL_LINK}: changes requested.",
    ),
    (
        "github",
        {"X-GitHub-Event": "pull_request_review_comment"},
        github(action="created", pull_request=documents.PULL_REQUEST, comment=COMMENT),
        "hello / PR #8 Close the doors",
        (
            "**ada** [commented](https://github.com/acme/hello/c/1)"
            f" on PR {PULL_LINK}.\n\n``` quote\nYes\n```"
        ),
    ),
    (
        "github",
        {"X-GitHub-Event": "commit_comment"},
        github(action="created", comment=COMMENT),
        "hello / commits",
        (
            "**ada** [commented](https://github.com/acme/hello/c/1)"
            " on commit ccccccc.\n\n``` quote\nYes\n```"
        ),
    ),
    (
        "github",
        {"X-GitHub-Event": "release"},
        github(
            action="published",
            release={"tag_name": "v1", "name": "One", "html_url": "https://g.test/v1", "body": ""},
        ),
        "hello / releases",
        "**ada** published release [One](https://g.test/v1).",
    ),
    (
        "github",
        {"X-GitHub-Event": "fork"},
        github(forkee={"full_name": "bob/hello", "html_url": "https://github.com/bob/hello"}),
        "hello",
        "**ada** forked the repository to [bob/hello](https://github.com/bob/hello).",
    ),
    (
        "github",
        {"X-GitHub-Event": "workflow_run"},
        github(
            action="completed",
            workflow_run={
                "name": "tests",
                "html_url": "https://g.test/run",
                "head_branch": "main",
                "status": "completed",
                "conclusion": "timed_out",
            },
        ),
        "hello / main",
        "Workflow [tests](https://g.test/run) on main: **timed out**.",
    ),
    (
        "gitlab",
        {"X-Gitlab-Event": "Push Hook"},
        documents.GITLAB_PUSH,
        "Gate / main",
        (
            f"**Ada Lovelace** pushed [1 commit]({HOME}/-/compare/{'a' * 40}...{'b' * 40})"
            f" to branch main.\n* Close the doors. ([bbbbbbbb]({HOME}/-/commit/bbbbbbbb))"
        ),
    ),
    (
        "gitlab",
        {},
        {**documents.GITLAB_PUSH, "object_kind": "tag_push", "ref": "refs/tags/v1"},
        "Gate / v1",
        "**Ada Lovelace** pushed the tag v1.",
    ),
    (
        "gitlab",
        {},
        {**documents.GITLAB_PUSH, "after": "0" * 40, "commits": []},
        "Gate / main",
        "**Ada Lovelace** deleted the branch main.",
    ),
    (
        "gitlab",
        {},
        gitlab(
            "issue",
            object_attributes={
                "iid": 3,
                "title": "Doors",
                "description": "Open",
                "action": "open",
                "url": f"{HOME}/-/issues/3",
            },
        ),
        "Gate / issue #3 Doors",
        f"**Ada Lovelace** opened issue [#3 Doors]({HOME}/-/issues/3).\n\n``` quote\nOpen\n```",
    ),
    (
        "gitlab",
        {},
        gitlab(
            "merge_request",
            object_attributes={
                "iid": 4,
                "title": "Close",
                "description": "",
                "action": "merge",
                "url": f"{HOME}/-/merge_requests/4",
            },
        ),
        "Gate / MR !4 Close",
        f"**Ada Lovelace** merged MR [!4 Close]({HOME}/-/merge_requests/4).",
    ),
    (
        "gitlab",
        {},
        gitlab(
            "note",
            object_attributes={
                "note": "Fine",
                "noteable_type": "MergeRequest",
                "url": f"{HOME}/n",
            },
            merge_request={"iid": 4, "title": "Close"},
        ),
        "Gate / MR !4 Close",
        f"**Ada Lovelace** [commented]({HOME}/n) on MR !4 Close.\n\n``` quote\nFine\n```",
    ),
    (
        "gitlab",
        {},
        gitlab("pipeline", object_attributes={"id": 31, "ref": "main", "status": "failed"}),
        "Gate / main",
        f"Pipeline [#31]({HOME}/-/pipelines/31) on main: **failed**.",
    ),
    (
        "gitlab",
        {},
        gitlab("build", ref="main", build_id=9, build_name="test", build_status="success"),
        "Gate / main",
        f"Job [test]({HOME}/-/jobs/9) on main: **success**.",
    ),
    (
        "gitlab",
        {},
        gitlab("release", name="One", url=f"{HOME}/r", action="create", description="New"),
        "Gate / releases",
        f"Release [One]({HOME}/r) was published.\n\n``` quote\nNew\n```",
    ),
    (
        "gitlab",
        {},
        gitlab("wiki_page", object_attributes={"title": "Home", "url": f"{HOME}/w"}),
        "Gate / wiki",
        f"**Ada Lovelace** changed the wiki page [Home]({HOME}/w).",
    ),
    (
        "alertmanager",
        {},
        documents.ALERTMANAGER,
        "DiskFull",
        (
            ":alert: **Firing** (1)\n"
            "* [Disk of web-1 is full](http://prometheus.example.com:9090/graph?g0.expr=disk)\n"
            "  2 MB are left\n  instance=web-1, severity=page\n"
            ":check: **Resolved** (1)\n* DiskFull\n  instance=web-2"
        ),
    ),
    (
        "grafana",
        {},
        documents.GRAFANA,
        "High load",
        (
            "**[FIRING:1] High load**\n"
            "* :alert: **[High load](https://grafana.example.com/alerting/1/edit)**: firing\n"
            "  The load is high\n  B = 44.2, C = 0\n"
            "  [dashboard](https://grafana.example.com/d/abc)"
            " · [silence](https://grafana.example.com/alerting/silence/new)"
        ),
    ),
    (
        "grafana",
        {},
        documents.GRAFANA_LEGACY,
        "Load",
        (
            ":alert: **[(Alerting) Load](https://grafana.example.com/d/abc)**\nIt is high\n"
            "* cpu: 97\n[image](https://grafana.example.com/image.png)"
        ),
    ),
    (
        "sentry",
        {"Sentry-Hook-Resource": "issue"},
        documents.SENTRY_ISSUE,
        "hello / ZeroDivisionError: division by zero",
        (
            "Issue [ZeroDivisionError: division by zero]"
            "(https://sentry.example.com/organizations/acme/issues/1170820242/)"
            " was created by Sentry.\n\n``` quote\ndoor in close\n```"
        ),
    ),
    (
        "sentry",
        {"Sentry-Hook-Resource": "event_alert"},
        documents.SENTRY_EVENT,
        "KeyError: 'door'",
        (
            "**[KeyError: 'door'](https://sentry.example.com/organizations/acme/issues/1/events/e4/)**"
            "\nAlert rule: More than 10 a minute\n\n``` quote\nhouse in open\n```"
        ),
    ),
    (
        "sentry",
        {"Sentry-Hook-Resource": "metric_alert"},
        {
            "action": "critical",
            "data": {
                "metric_alert": {"title": "Too many errors"},
                "description_title": "Critical: Too many errors",
                "description_text": "1000 events in 10 minutes",
                "web_url": "https://sentry.example.com/alerts/1/",
            },
        },
        "Critical: Too many errors",
        (
            "**[Critical: Too many errors](https://sentry.example.com/alerts/1/)**: critical"
            "\n\n``` quote\n1000 events in 10 minutes\n```"
        ),
    ),
    (
        "sentry",
        {},
        documents.SENTRY_PLUGIN,
        "hello / This is an example",
        (
            "**[This is an example](https://sentry.example.com/acme/hello/issues/1)**\nLevel: error"
            "\n\n``` quote\nraven.scripts.runner in main\n```"
        ),
    ),
]


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """Documents are read above the database; posting is tested on both."""
    return str(request.param)


def test_every_integration_has_a_case() -> None:
    assert {name for name, *_ in CASES} == INTEGRATIONS.keys()


async def test_documents_become_messages(
    http: httpx.AsyncClient,
    client: ApiClient,
    owner: Person,
    webhook: Person,
    channel: ChannelRecord,
) -> None:
    for name, headers, document, topic, content in CASES:
        params = {"stream": channel.name}
        response = await post(http, name, webhook, params=params, headers=headers, json=document)
        message = await posted(client, owner, response)
        assert (message["subject"], message["content"]) == (topic, content)
        assert message["sender_id"] == webhook.user_id


async def test_slack_document_in_a_form_is_posted(
    http: httpx.AsyncClient, client: ApiClient, owner: Person, webhook: Person
) -> None:
    form = {"payload": orjson.dumps({"text": "Hello"}).decode()}
    response = await post(http, "slack_incoming", webhook, data=form)
    assert (await posted(client, owner, response))["content"] == "Hello"


IGNORED: list[tuple[str, dict[str, str], Any, str]] = [
    ("github", {"X-GitHub-Event": "star"}, github(action="created"), "star:created"),
    ("github", {"X-GitHub-Event": "team_add"}, github(), "team_add"),
    (
        "github",
        {"X-GitHub-Event": "issues"},
        github(action="labeled", issue=documents.ISSUE),
        "issues:labeled",
    ),
    ("gitlab", {}, gitlab("deployment"), "deployment"),
    ("gitlab", {}, gitlab("issue", object_attributes={"action": "update"}), "issue"),
    ("gitlab", {}, gitlab("pipeline", object_attributes={"status": "running"}), "pipeline"),
    ("sentry", {"Sentry-Hook-Resource": "installation"}, {"data": {}}, "installation"),
]


async def test_other_events_are_named_and_not_posted(
    http: httpx.AsyncClient, webhook: Person
) -> None:
    for name, headers, document, event in IGNORED:
        response = await post(http, name, webhook, headers=headers, json=document)
        assert assert_success(response) == {"ignored_event_type": event}


REFUSED: list[tuple[str, dict[str, str], Any, str]] = [
    ("helloworld", {}, {"featured_title": "x"}, "The document has no 'featured_url'"),
    ("helloworld", {}, {"featured_title": {}, "featured_url": "x"}, "'featured_title'"),
    ("helloworld", {}, ["x"], "The document has no 'featured_title'"),
    ("slack_incoming", {}, {"channel": "x"}, "no 'text', 'blocks' or 'attachments'"),
    ("github", {}, documents.GITHUB_PUSH, "The header X-GitHub-Event is missing"),
    ("github", {"X-GitHub-Event": "push"}, {}, "The document has no 'ref'"),
    (
        "github",
        {"X-GitHub-Event": "push"},
        {**documents.GITHUB_PUSH, "commits": [{"message": "x"}]},
        "The document has no 'commits[0].id'",
    ),
    (
        "github",
        {"X-GitHub-Event": "issues"},
        github(issue={}),
        "The document has no 'issue.number'",
    ),
    ("gitlab", {}, {}, "The document has no 'object_kind'"),
    ("grafana", {}, {"state": "ok"}, "The document has no 'title'"),
    ("alertmanager", {}, {"status": "firing"}, "The document has no 'alerts'"),
    ("sentry", {}, {"level": "error"}, "The document has no 'message'"),
]


async def test_document_of_another_form_is_refused_by_what_it_lacks(
    http: httpx.AsyncClient, webhook: Person
) -> None:
    for name, headers, document, complaint in REFUSED:
        response = await post(http, name, webhook, headers=headers, json=document)
        assert complaint in assert_error(response)


@pytest.mark.parametrize("name", sorted(INTEGRATIONS))
async def test_body_that_is_not_json_is_refused(
    http: httpx.AsyncClient, webhook: Person, name: str
) -> None:
    headers = {"X-GitHub-Event": "push", "Content-Type": "application/json"}
    for body, complaint in (
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff", "not valid UTF-8"),
        (b"[" * 200 + b"]" * 200, "nested more than 100 levels deep"),
        (b'"\\u0000"', "NUL"),
    ):
        response = await post(http, name, webhook, headers=headers, content=body)
        assert complaint in assert_error(response)


@pytest.mark.slow
async def test_every_integration_refuses_hostile_documents_without_a_failure(
    http: httpx.AsyncClient, webhook: Person
) -> None:
    hostile: list[Any] = [None, 0, "", [], {}, [[]], {"data": 1}, {"alerts": 1}, {"commits": "x"}]
    hostile += [{"object_kind": kind} for kind in ("push", "issue", "note", "pipeline", "build")]
    for name in INTEGRATIONS:
        for document in hostile:
            # No other integration reads the header.
            events = ("push", "issues", "ping", "release") if name == "github" else ("push",)
            for event in events:
                headers = {"X-GitHub-Event": event, "Sentry-Hook-Resource": "issue"}
                response = await post(http, name, webhook, headers=headers, json=document)
                assert response.status in {200, 400}, (name, document, event, response.body)
