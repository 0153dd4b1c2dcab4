"""Addresses: where this machine listens, what others call it, and the one at which a proxy serves the dashboard."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from eduverse_mesa.errors import EduverseError

_ELSEWHERE = ("192.0.2.1", 9)
"""A host that does not exist, by RFC 5737; nothing is ever sent to it."""
QUEUE = 1024
"""Connections that wait to be taken."""
_PREFIX = 64
"""Bits of an IPv6 address that a provider or a school gives to one network: a single machine may use all below them."""


class AddressError(EduverseError):
    """An address that is none, or cannot be listened on."""


def is_loopback(host: str) -> bool:
    """Return True if an address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_of(address: str) -> str | None:
    """The host in an address, or in //host:port; None where it is not well formed."""
    try:
        parts = urlsplit(address)
        _ = parts.port
        return parts.hostname or ""
    except ValueError:  # a bracket that is not closed, or a port that is no number
        return None


def is_from(origin: str, host: str) -> bool:
    """Return True if a page of this host says that it has sent something; an origin that is not well formed is
    another's."""
    return host_of(origin) is not None and urlsplit(origin).netloc == host


def network_of(address: str) -> str:
    """The address as it is counted where somebody may be made to wait: one machine has billions by IPv6."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((int(found), _PREFIX), strict=False))


def refused_host(header: str, *, loopback: bool, address: str) -> tuple[int, str] | None:
    """Status and words for a Host header that is none, or names another server; None where it is as it should be.

    A foreign page can make a name of its own point to this machine, and then read what is served here.
    """
    name = host_of(f"//{header}")
    if name is None:
        return 400, "This is no address."
    if loopback and not is_loopback(name) and not (address and name == host_of(address)):
        return 421, "This address is not served here."
    return None


def public_address(address: str) -> str:
    """The address at which browsers find the dashboard, tidied up; AddressError where it cannot be one."""
    if not address:
        return ""
    parts = urlsplit(address) if host_of(address) else None
    if parts is None or parts.scheme not in ("http", "https") or parts.path.strip("/") or parts.query or parts.fragment:
        raise AddressError(
            f"'{address}' is no address of a dashboard.",
            where="--address",
            mend="Give it like https://class.school.example, without anything after the host and its port.",
        )
    usual = {"http": 80, "https": 443}[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port not in (None, usual) else "")


def clear_warning(host: str, address: str) -> str:
    """Return a warning if passwords would travel through a network unencrypted; empty if they do not."""
    if is_loopback(host) or address.startswith("https:"):
        return ""
    return (
        "The connection is not encrypted: whoever is in the same network can read along, passwords and tokens too. "
        "Let a proxy on this machine serve it by HTTPS, and start it with --address https://... instead of --host."
    )


def lan_address(host: str) -> str:
    """Return the name by which other machines call the address that is listened on; if it is any, that of the way out
    of this one."""
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)  # of a datagram socket: chooses an interface, and sends nothing
        except OSError:
            return socket.gethostname()
        found = str(probe.getsockname()[0])
    return socket.gethostname() if is_loopback(found) else found


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at this address; AddressError where it cannot."""
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(QUEUE)  # whoever comes between our saying so and the first answer waits
    except OSError as error:
        sock.close()
        raise AddressError(
            f"cannot listen: {error.strerror or error}.",
            where=f"{host}:{port}",
            mend="Another program may be there; choose another port with --port, or --port 0 for any.",
        ) from None
    return sock
