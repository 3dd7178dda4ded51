"""Tells systemd that the service is ready (`Type=notify`)."""

import os
import socket

import structlog

log = structlog.get_logger(__name__)

_ADDRESS = "NOTIFY_SOCKET"


def notify_ready() -> None:
    """Report that requests are served from now on; does nothing without a service manager."""
    address = os.environ.get(_ADDRESS)
    if not address:
        return
    # A name in the abstract namespace begins with a zero byte, which is written as @.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"READY=1", target)
    except OSError as error:
        log.warning("service_manager_not_notified", reason=error.strerror)
