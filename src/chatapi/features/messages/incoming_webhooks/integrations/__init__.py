"""The integrations, one module each; to add one, write its module and add it here."""

from chatapi.features.messages.incoming_webhooks.integration import Integration
from chatapi.features.messages.incoming_webhooks.integrations import (
    alertmanager,
    github,
    gitlab,
    grafana,
    helloworld,
    json_document,
    sentry,
    slack_incoming,
)

INTEGRATIONS: dict[str, Integration] = {
    module.INTEGRATION.name: module.INTEGRATION
    for module in (
        alertmanager,
        github,
        gitlab,
        grafana,
        helloworld,
        json_document,
        sentry,
        slack_incoming,
    )
}
"""By the name in the path of the request."""
