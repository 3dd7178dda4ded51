"""Manifests of Kubernetes, compose.yaml and environment files: valid, and about this server."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from chatapi.core.settings import Settings
from chatapi.main import FEATURES
from reference.settings import environment_file
from tests.support.server_process import PROJECT

DEPLOY = PROJECT / "deploy"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OLDEST_KUBERNETES = "1.31"
VARIABLE = re.compile(r"\bCHATAPI_[A-Z_]+\b")
VARIABLES = {f"CHATAPI_{name.upper()}" for name in Settings.model_fields}
NOT_OF_THE_SERVER = {"CHATAPI_DATABASE_PASSWORD"}
"""Only for compose.yaml, which puts it into an address."""
AFTER_GRACE_SECONDS = 5
"""The server ends at most four seconds after the time it gives to requests."""


def manifest(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "kubernetes" / f"{name}.yaml").read_text())
    return loaded


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = manifest("deployment")["spec"]["template"]["spec"]
    return spec


def container() -> dict[str, Any]:
    (only,) = pod()["containers"]
    found: dict[str, Any] = only
    return found


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text())
    return loaded


class TestSchemas:
    @pytest.mark.parametrize("version", [OLDEST_KUBERNETES, kubernetes_validate.latest_version()])
    @pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: str(path.name))
    def test_manifests_are_valid(self, path: Path, version: str) -> None:
        loaded = yaml.safe_load(path.read_text())
        if loaded["kind"] != "Kustomization":
            kubernetes_validate.validate(loaded, version, strict=True)

    def test_kustomization_lists_all_that_is_applied_together(self) -> None:
        listed = set(manifest("kustomization")["resources"])
        separate = {"kustomization.yaml", "secret.example.yaml", "migration.yaml"}
        assert listed == {path.name for path in MANIFESTS} - separate


class TestDeployment:
    def test_probes_ask_paths_that_exist_at_the_port_that_is_served(self) -> None:
        paths = {route.path for feature in FEATURES for route in feature.chat_routes}
        ports = {port["name"]: str(port["containerPort"]) for port in container()["ports"]}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            asked = container()[probe]["httpGet"]
            assert asked["path"] in paths
            assert container()["args"][-1] == ports[asked["port"]]
        (service,) = manifest("service")["spec"]["ports"]
        assert service["targetPort"] in ports

    def test_metrics_have_a_port_that_the_ingress_does_not_reach(self) -> None:
        settings = manifest("config")["data"]
        ports = {port["name"]: str(port["containerPort"]) for port in container()["ports"]}
        assert settings["CHATAPI_METRICS_PORT"] == ports["metrics"] != ports["http"]
        for rule in manifest("network-policy")["spec"]["ingress"]:
            (source,) = rule["from"]
            (name,) = source["namespaceSelector"]["matchLabels"].values()
            (port,) = rule["ports"]
            wanted = "metrics" if name == "monitoring" else "http"
            assert str(port["port"]) == ports[wanted]

    def test_stopping_takes_no_longer_than_a_pod_may_take(self) -> None:
        grace = int(manifest("config")["data"]["CHATAPI_SHUTDOWN_GRACE_SECONDS"])
        _, pause = container()["lifecycle"]["preStop"]["exec"]["command"]
        allowed = pod()["terminationGracePeriodSeconds"]
        assert int(pause) + grace + AFTER_GRACE_SECONDS <= allowed

    def test_limits_of_the_ingress_are_those_of_the_server(self) -> None:
        annotations = manifest("ingress")["metadata"]["annotations"]
        values = {name.rpartition("/")[2]: value for name, value in annotations.items()}
        assert values["proxy-body-size"] == f"{largest_body_mib()}m"
        assert float(values["proxy-read-timeout"]) > 60

    def test_selectors_choose_the_pods(self) -> None:
        labels = manifest("deployment")["spec"]["template"]["metadata"]["labels"]
        assert manifest("deployment")["spec"]["selector"]["matchLabels"] == labels
        assert manifest("service")["spec"]["selector"] == labels
        assert manifest("pod-disruption-budget")["spec"]["selector"]["matchLabels"] == labels
        assert manifest("network-policy")["spec"]["podSelector"]["matchLabels"] == labels

    def test_migration_is_the_job_of_one_process(self) -> None:
        assert manifest("config")["data"]["CHATAPI_MIGRATE_ON_START"] == "false"
        (job,) = manifest("migration")["spec"]["template"]["spec"]["containers"]
        assert job["args"] == ["db", "upgrade"]
        assert job["envFrom"] == container()["envFrom"]


class TestImage:
    def test_account_of_the_pods_is_the_one_of_the_image(self) -> None:
        account = pod()["securityContext"]
        user = f"USER {account['runAsUser']}:{account['runAsGroup']}"
        assert user in (PROJECT / "Dockerfile").read_text().splitlines()


class TestSettings:
    @pytest.mark.parametrize(
        "path",
        [
            PROJECT / "compose.yaml",
            PROJECT / "Dockerfile",
            PROJECT / "docs/deployment.md",
            *(path for path in sorted(DEPLOY.rglob("*")) if path.is_file()),
        ],
        ids=lambda path: str(path.relative_to(PROJECT)),
    )
    def test_every_variable_is_a_setting(self, path: Path) -> None:
        named = set(VARIABLE.findall(path.read_text()))
        assert named - NOT_OF_THE_SERVER <= VARIABLES

    def test_environment_file_has_all_settings(self) -> None:
        """Write it with `python3 dev.py reference`."""
        example = (DEPLOY / "chatapi.env.example").read_text()
        assert example == environment_file()
        assert set(re.findall(r"^#(CHATAPI_\w+)=", example, re.MULTILINE)) == VARIABLES

    def test_compose_reads_the_environment_file(self) -> None:
        server = compose()["services"]["chatapi"]
        assert server["env_file"] == [{"path": "chatapi.env", "required": False}]
        assert "chatapi.env" in (PROJECT / ".gitignore").read_text().splitlines()

    def test_compose_gives_requests_their_time(self) -> None:
        server = compose()["services"]["chatapi"]
        grace = int(server["environment"]["CHATAPI_SHUTDOWN_GRACE_SECONDS"])
        allowed = int(server["stop_grace_period"].removesuffix("s"))
        assert grace + AFTER_GRACE_SECONDS <= allowed


def largest_body_mib() -> int:
    """The largest file, and the fields beside it."""
    settings = Settings.model_construct()
    return settings.max_file_upload_size_mib + settings.max_body_bytes // (1024 * 1024)
