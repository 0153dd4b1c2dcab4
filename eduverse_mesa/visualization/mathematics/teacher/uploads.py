"""A form that comes with a file: what it holds as text. The size was bounded before it is read."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser

KIND = "multipart/form-data"
MOST = 50
"""Fields and files that one form may hold."""


def read_parts(content_type: str, body: bytes) -> dict[str, list[str]]:
    """The fields of a form; ValueError where it is none, or a file in it is no text."""
    head = f"Content-Type: {content_type}\r\nMIME-Version: 1.0\r\n\r\n".encode("ascii")
    whole = BytesParser(policy=policy.HTTP).parsebytes(head + body)
    if not whole.is_multipart():
        raise ValueError("this is no form")
    found: dict[str, list[str]] = {}
    for number, part in enumerate(whole.iter_parts()):
        if number >= MOST or part.is_multipart():
            raise ValueError("this form holds too much")
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise ValueError("this is no field")
        is_file = part.get_param("filename", header="content-disposition") is not None
        # What is no text is told to whoever chose the file: it is kept so that this can be seen.
        text = content.decode("utf-8", "surrogateescape" if is_file else "strict")
        found.setdefault(name, []).append(text)
    return found
