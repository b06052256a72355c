"""Addresses of servers, and how they can reach whoever asks them."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

from freshness import __version__
from freshness.errors import UsageError

# A mail address, a web address, or a user page of a wiki.
_CONTACT = re.compile(r"\S@\S|\S\.\S|User:\S", re.I)


def checked_address(address: str, key: str, example: str) -> SplitResult:
    """The address taken apart; raises ``UsageError`` that names the config's key.

    The message never repeats the address, since there may be a password in it.
    """
    try:
        parts = urlsplit(address)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        (parts.hostname or "").encode("idna")
    except ValueError:
        fine = False
    if not fine or not address.isascii() or not address.isprintable() or " " in address:
        raise UsageError(f"{key} is no http(s) address in ASCII such as {example}")
    return parts


def user_agent(contact: str, host: str, section: str) -> str:
    """What a server is told of who asks; raises ``UsageError`` that names the config's section.

    A public server must be told how to reach whoever asks; others need no contact.
    """
    contact = contact.strip()
    if not (contact.isascii() and contact.isprintable()):
        raise UsageError(f"{section}.contact has characters that no HTTP header can carry; use plain ASCII")
    if not contact and is_public(host):
        raise UsageError(
            f"{section}.contact is not set, and {host} must be told in the User-Agent how to reach whoever"
            f" asks: put your mail or web address into contact under [{section}] in freshness.toml, or into"
            f" FRESHNESS_{section.upper()}__CONTACT"
        )
    if contact and is_public(host) and not _CONTACT.search(contact):
        raise UsageError(
            f"{section}.contact is {contact!r}, by which nobody is reached; {host} wants a mail or web"
            " address"
        )
    return f"freshness/{__version__}" + (f" ({contact})" if contact else "")


def is_public(host: str) -> bool:
    """Whether somebody else may run it: anything but a private address or a name without a dot."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host
