"""The proxies of deploy/, run with the example files that are there."""

import os
import pwd
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.factories import Person
from tests.support.authorities import PrivateAuthority
from tests.support.child_server import dying_with_parent
from tests.support.client import basic_auth
from tests.support.server_process import PROJECT, free_port

START_TIMEOUT_SECONDS = 120
REQUEST_TIMEOUT_SECONDS = 120
HOST = "127.0.0.1"
_PLACES = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where Debian installs servers; these folders are not in the PATH of every account."""


@dataclass(frozen=True)
class Backend:
    """What the example is filled in with: the servers behind the proxy, and their uploads."""

    ports: tuple[int, int]
    uploads: Path


@dataclass(frozen=True)
class Proxy:
    """A running proxy, and the authority that signed its certificate."""

    port: int
    plain_port: int
    authority: Path

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}"

    def client(self, person: Person | None = None, address: str = HOST) -> httpx.AsyncClient:
        """A client of the API that connects from an address of this machine."""
        transport = httpx.AsyncHTTPTransport(verify=self.tls(), local_address=address)
        return httpx.AsyncClient(
            base_url=self.url,
            auth=basic_auth(person),
            timeout=REQUEST_TIMEOUT_SECONDS,
            transport=transport,
        )

    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.authority))


def filled_in(example: str, replacements: Mapping[str, str]) -> str:
    """The text of a file of deploy/ with parts replaced; each of them must be there."""
    text = (PROJECT / "deploy" / example).read_text()
    for old, new in replacements.items():
        assert old in text, f"deploy/{example} no longer has: {old}"
        text = text.replace(old, new)
    return text


def _prepare(folder: Path) -> tuple[Proxy, Path]:
    """Choose ports, and make a certificate in the folder."""
    authority = PrivateAuthority(folder)
    certificate = authority.certify(HOST)
    return Proxy(free_port(), free_port(), authority.file), certificate


@contextmanager
def nginx(folder: Path, backend: Backend, changes: Mapping[str, str]) -> Iterator[Proxy]:
    """Runs nginx with deploy/nginx/chatapi.conf; `changes` are further parts to replace."""
    proxy, certificate = _prepare(folder)
    live = "/etc/letsencrypt/live/chat.example.com"
    site = filled_in(
        "nginx/chatapi.conf",
        {
            f"{live}/fullchain.pem": str(certificate),
            f"{live}/privkey.pem": str(certificate),
            "chat.example.com": HOST,
            "server 127.0.0.1:8000 ": f"server 127.0.0.1:{backend.ports[0]} ",
            "server 127.0.0.1:8001 ": f"server 127.0.0.1:{backend.ports[1]} ",
            "listen 80;": f"listen {HOST}:{proxy.plain_port};",
            "listen [::]:80;": "",
            "listen 443 ssl http2;": f"listen {HOST}:{proxy.port} ssl http2;",
            "listen [::]:443 ssl http2;": "",
            "/var/lib/chatapi/uploads/": f"{backend.uploads}/",
            **changes,
        },
    )
    (folder / "chatapi.conf").write_text(site)
    temporary = "".join(
        f"    {kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # Only root may choose an account; otherwise it is the one of the tests.
    account = f"user {pwd.getpwuid(0).pw_name};\n" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{account}daemon off;\npid {folder}/nginx.pid;\nerror_log stderr;\n"
        f"events {{ worker_connections 256; }}\n"
        f"http {{\n    access_log off;\n{temporary}    include {folder}/chatapi.conf;\n}}\n"
    )
    command = [find_program("nginx"), "-p", str(folder), "-e", "stderr"]
    with _running([*command, "-c", str(folder / "nginx.conf")], folder, proxy):
        yield proxy


@contextmanager
def caddy(folder: Path, backend: Backend, changes: Mapping[str, str]) -> Iterator[Proxy]:
    """Runs Caddy with deploy/caddy/Caddyfile; `changes` are further parts to replace."""
    proxy, certificate = _prepare(folder)
    ports = f"\thttp_port {proxy.plain_port}\n\thttps_port {proxy.port}\n"
    options = f"\tadmin off\n\tskip_install_trust\n{ports}\tdefault_bind {HOST}\n"
    site = filled_in(
        "caddy/Caddyfile",
        {
            "\nchat.example.com {\n": f"\n{HOST} {{\n\ttls {certificate} {certificate}\n",
            "127.0.0.1:8000 127.0.0.1:8001": " ".join(f"{HOST}:{port}" for port in backend.ports),
            "/var/lib/chatapi/uploads": str(backend.uploads),
            "\tgrace_period 5s\n": f"\tgrace_period 1s\n{options}",
            **changes,
        },
    )
    (folder / "Caddyfile").write_text(site)
    command = [find_program("caddy"), "run", "--config", str(folder / "Caddyfile")]
    with _running(command, folder, proxy, XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder)):
        yield proxy


@contextmanager
def _running(command: list[str], folder: Path, proxy: Proxy, **environment: str) -> Iterator[None]:
    log = folder / "proxy.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **environment},
            preexec_fn=dying_with_parent(signal.SIGTERM),  # noqa: PLW1509 - it only calls prctl
        )
    try:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not _listens(proxy.port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The proxy did not start: {log.read_text()}")
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(START_TIMEOUT_SECONDS)


def _listens(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex((HOST, port)) == 0


def find_program(name: str) -> str:
    path = os.pathsep.join([os.environ.get("PATH", ""), *_PLACES])
    if found := shutil.which(name, path=path):
        return found
    raise FileNotFoundError(f"These tests need {name}: on Debian, apt-get install {name}.")
