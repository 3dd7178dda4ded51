"""Documents in the forms that other programs send: few fields, real names and nesting."""

from typing import Any

REPOSITORY = {
    "id": 186853002,
    "name": "hello",
    "full_name": "acme/hello",
    "html_url": "https://github.com/acme/hello",
    "owner": {"login": "acme", "id": 21031067},
    "private": False,
}
SENDER = {"login": "ada", "id": 1, "html_url": "https://github.com/ada", "type": "User"}
ISSUE = {
    "number": 7,
    "title": "Doors stay open",
    "html_url": "https://github.com/acme/hello/issues/7",
    "user": SENDER,
    "state": "open",
    "body": "All of them, @**all**.",
    "labels": [],
}
PULL_REQUEST = {
    "number": 8,
    "title": "Close the doors",
    "html_url": "https://github.com/acme/hello/pull/8",
    "user": SENDER,
    "body": "Fixes #7.",
    "merged": False,
    "head": {"ref": "doors", "sha": "a" * 40},
    "base": {"ref": "main", "sha": "b" * 40},
}
GITHUB_PUSH = {
    "ref": "refs/heads/main",
    "before": "a" * 40,
    "after": "b" * 40,
    "created": False,
    "deleted": False,
    "forced": False,
    "compare": "https://github.com/acme/hello/compare/aaaaaaa...bbbbbbb",
    "commits": [
        {
            "id": "b" * 40,
            "message": "Close the doors.\n\nAll of them.",
            "url": "https://github.com/acme/hello/commit/bbbbbbb",
            "author": {"name": "Ada", "email": "ada@example.com", "username": "ada"},
            "added": [],
            "removed": [],
            "modified": ["door.py"],
        }
    ],
    "repository": REPOSITORY,
    "pusher": {"name": "ada", "email": "ada@example.com"},
    "sender": SENDER,
}


def github(**event: Any) -> dict[str, Any]:
    return {**event, "repository": REPOSITORY, "sender": SENDER}


PROJECT = {
    "id": 15,
    "name": "Gate",
    "web_url": "https://gitlab.example.com/acme/hello",
    "path_with_namespace": "acme/hello",
    "default_branch": "main",
}
GITLAB_USER = {"id": 1, "name": "Ada Lovelace", "username": "ada"}
GITLAB_PUSH = {
    "object_kind": "push",
    "event_name": "push",
    "before": "a" * 40,
    "after": "b" * 40,
    "ref": "refs/heads/main",
    "user_name": "Ada Lovelace",
    "user_username": "ada",
    "project": PROJECT,
    "commits": [
        {
            "id": "b" * 40,
            "message": "Close the doors.",
            "title": "Close the doors.",
            "url": "https://gitlab.example.com/acme/hello/-/commit/bbbbbbbb",
            "author": {"name": "Ada Lovelace", "email": "ada@example.com"},
        }
    ],
    "total_commits_count": 1,
}


def gitlab(kind: str, **event: Any) -> dict[str, Any]:
    return {"object_kind": kind, "user": GITLAB_USER, "project": PROJECT, **event}


ALERTMANAGER = {
    "version": "4",
    "groupKey": '{}:{alertname="DiskFull"}',
    "status": "firing",
    "receiver": "chat",
    "groupLabels": {"alertname": "DiskFull"},
    "commonLabels": {"alertname": "DiskFull", "severity": "page"},
    "commonAnnotations": {},
    "externalURL": "http://alerts.example.com:9093",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "DiskFull", "instance": "web-1", "severity": "page"},
            "annotations": {"summary": "Disk of web-1 is full", "description": "2 MB are left"},
            "startsAt": "2026-01-01T10:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus.example.com:9090/graph?g0.expr=disk",
            "fingerprint": "c5d2f2e1",
        },
        {
            "status": "resolved",
            "labels": {"alertname": "DiskFull", "instance": "web-2"},
            "annotations": {},
            "startsAt": "2026-01-01T09:00:00Z",
            "endsAt": "2026-01-01T10:00:00Z",
            "generatorURL": "",
            "fingerprint": "0f2b7c11",
        },
    ],
}
GRAFANA = {
    "receiver": "chat",
    "status": "firing",
    "orgId": 1,
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "High load", "zone": "us-1"},
            "annotations": {"summary": "The load is high"},
            "startsAt": "2026-01-01T10:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "values": {"B": 44.2, "C": 0},
            "generatorURL": "https://grafana.example.com/alerting/1/edit",
            "fingerprint": "1f4c6a07",
            "silenceURL": "https://grafana.example.com/alerting/silence/new",
            "dashboardURL": "https://grafana.example.com/d/abc",
            "panelURL": "",
        }
    ],
    "groupLabels": {},
    "commonLabels": {"alertname": "High load"},
    "externalURL": "https://grafana.example.com/",
    "version": "1",
    "title": "[FIRING:1] High load",
    "state": "alerting",
    "message": "**Firing**",
}
GRAFANA_LEGACY = {
    "dashboardId": 1,
    "evalMatches": [{"value": 97, "metric": "cpu", "tags": {}}],
    "imageUrl": "https://grafana.example.com/image.png",
    "message": "It is high",
    "orgId": 1,
    "panelId": 2,
    "ruleId": 3,
    "ruleName": "Load",
    "ruleUrl": "https://grafana.example.com/d/abc",
    "state": "alerting",
    "title": "[Alerting] Load",
}
SENTRY_ISSUE = {
    "action": "created",
    "installation": {"uuid": "a8e5d37a"},
    "data": {
        "issue": {
            "id": "1170820242",
            "title": "ZeroDivisionError: division by zero",
            "culprit": "door in close",
            "level": "error",
            "status": "unresolved",
            "web_url": "https://sentry.example.com/organizations/acme/issues/1170820242/",
            "project": {"id": "1", "name": "Hello", "slug": "hello"},
        }
    },
    "actor": {"type": "application", "id": "sentry", "name": "Sentry"},
}
SENTRY_EVENT = {
    "action": "triggered",
    "data": {
        "event": {
            "event_id": "e4874d664c3540c1a32eab185f12c5ab",
            "title": "KeyError: 'door'",
            "culprit": "house in open",
            "web_url": "https://sentry.example.com/organizations/acme/issues/1/events/e4/",
        },
        "triggered_rule": "More than 10 a minute",
    },
}
SENTRY_PLUGIN = {
    "project_name": "hello",
    "message": "This is an example",
    "id": "27379932",
    "culprit": "raven.scripts.runner in main",
    "url": "https://sentry.example.com/acme/hello/issues/1",
    "level": "error",
    "event": {"title": "This is an example", "event_id": "5faf7c0d"},
}
SLACK = {
    "channel": "#builds",
    "username": "CI",
    "icon_emoji": ":robot_face:",
    "text": "Build <https://ci.example.com/1|#1> of *main* failed &amp; _nobody_ knows why",
    "attachments": [
        {
            "fallback": "1 test failed",
            "color": "danger",
            "title": "Tests",
            "title_link": "https://ci.example.com/1/tests",
            "text": "`a*b*c` failed",
            "fields": [{"title": "Branch", "value": "main", "short": True}],
        }
    ],
}
SLACK_BLOCKS = {
    "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": "Deployed"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "*Version* 2 is ~not~ live"}},
        {"type": "divider"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "by <@U123|ada>"}]},
    ]
}
SLACK_PARTS = {
    "blocks": [
        {"type": "section", "fields": [{"text": "*Host*"}, {"text": "db1"}]},
        {"type": "image", "alt_text": "load", "image_url": "https://ci.example.com/load.png"},
        {
            "type": "actions",
            "elements": [
                {"text": {"text": "Logs"}, "url": "https://ci.example.com/logs"},
                {"text": {"text": "Restart"}, "action_id": "restart"},
            ],
        },
        {"type": "input", "label": {"text": "Reason"}},
    ],
    "attachments": [{"text": "Graph", "image_url": "https://ci.example.com/graph.png"}],
}
HELLO = {"featured_title": "Marilyn Monroe", "featured_url": "https://en.example.org/Marilyn"}
