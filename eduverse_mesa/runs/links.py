"""Join links, each of which lets one browser in and belongs to it from then on; and the search of texts for calls for
help."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from eduverse_mesa.errors import LessonError
from eduverse_mesa.hearing.lookout import tells_of_harm

Role = Literal["researcher", "teacher", "student"]


@dataclass(frozen=True, slots=True)
class JoinLink:
    """An invitation as it is handed out: the token is told only once and is not kept."""

    token: str
    role: Role
    agent: str | None
    """The agent whose seat it is for; None for a researcher, and for a student who takes any free seat."""


@dataclass(slots=True)
class Link:
    """The same as it is kept."""

    digest: bytes
    role: Role
    agent: str | None
    label: str
    browser: bytes = b""
    """The browser that it belongs to since it was first used."""


def digest(secret: str) -> bytes:
    """Return the hash that is kept of a token, or of what a browser is known by. They are long and random, so that a
    hash will do."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


class Links:
    """The invitations of a lesson."""

    def __init__(self) -> None:
        self._all: list[Link] = []

    def __iter__(self) -> Iterator[Link]:
        return iter(self._all)

    def add(self, role: Role, agent: str | None, label: str) -> JoinLink:
        """A new invitation."""
        token = secrets.token_urlsafe(24)
        self._all.append(Link(digest(token), role, agent, label))
        return JoinLink(token, role, agent)

    def find(self, token: str) -> Link | None:
        """The invitation of a token. All of them are compared, and none of them faster than another."""
        wanted, found = digest(token), None
        for link in self._all:
            if secrets.compare_digest(link.digest, wanted):
                found = link
        return found

    def role_of(self, token: str, browser: str) -> Role | None:
        """Return the role that the link gives this browser; None where the browser may not use it. Looking does not use
        it up."""
        link = self.find(token)
        return None if link is None or _belongs_to_another(link, browser) else link.role

    def use(self, token: str, browser: str) -> Link:
        """The invitation, if it is nobody else's; the first browser that uses it makes it its own."""
        link = self.find(token)
        if link is None:
            raise LessonError("this link leads to no lesson.", mend="Ask for a new one: it may have been taken back.")
        if _belongs_to_another(link, browser):
            raise LessonError(
                "this link was used by another browser.", mend="Each link lets in one; ask for one of your own."
            )
        link.browser = digest(browser)
        return link

    def take_back(self, token: str) -> bool:
        """Let an invitation lead nowhere from now on; whether there was one."""
        link = self.find(token)
        if link is not None:
            self._all.remove(link)
        return link is not None

    def clear(self) -> None:
        """Take all of them back."""
        self._all.clear()


def _belongs_to_another(link: Link, browser: str) -> bool:
    return bool(link.browser) and not secrets.compare_digest(link.browser, digest(browser))


_PIECE, _OVERLAP = 2000, 200
"""Characters that are read together, and how many of them once more with the next piece."""
_MOST = 16
"""Pieces of a text that are read: the time for one grows faster than its length."""


def calls_for_help(text: str) -> bool:
    """Return whether a text tells of harm, as far as it is read."""
    starts = range(0, max(1, len(text) - _OVERLAP), _PIECE - _OVERLAP)[:_MOST]
    return any(tells_of_harm(text[start : start + _PIECE]) for start in starts)
