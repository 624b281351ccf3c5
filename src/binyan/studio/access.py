"""Who may ask what: the studio's own page from this machine, or, where a project is shared, whoever has a link with a token."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from typing import Any

from binyan.explore.guard import MOST_HEADER_BYTES, MOST_HEADERS
from binyan.studio.imports import MOST_BYTES

LONGEST_QUESTION = 2 << 20
"""Bytes of a question, which may hold many decisions."""

BINARY = {"/api/upload": MOST_BYTES, "/api/open": 512 << 20, "/api/add-model": 512 << 20}
"""Where files go, and the most bytes of them."""


@dataclass(frozen=True)
class Access:
    """Tokens of a shared project: that of its owner and that of links to read it. Without sharing nothing but loopback is served."""

    shared: bool = False
    owner: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    reader: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def rights(self, token: str) -> str:
        """What a token allows: "write", "read", or nothing."""
        if not self.shared:
            return "write"
        given = token.encode("utf-8", "replace")
        if hmac.compare_digest(given, self.owner.encode()):
            return "write"
        return "read" if hmac.compare_digest(given, self.reader.encode()) else ""


def refusal(scope: Any) -> tuple[str, int] | None:
    """Why a request is not answered, and the status of that; None where it is. Without regard to tokens."""
    pairs = scope["headers"]
    if len(pairs) > MOST_HEADERS or sum(len(name) + len(value) for name, value in pairs) > MOST_HEADER_BYTES:
        return "the request has too many headers, or too long ones", 431
    headers = dict(pairs)
    is_binary = scope["path"] in BINARY
    most = BINARY.get(scope["path"], LONGEST_QUESTION)
    length = headers.get(b"content-length", b"0")
    is_long = not length.isdigit() or len(length) > 12 or int(length) > most
    if is_long or b"transfer-encoding" in headers:
        return f"this request has at most {most >> 20} MB", 413
    if "/api/" not in scope["path"]:
        return None
    own = b"%s://%s" % (scope.get("scheme", "http").encode(), headers.get(b"host", b""))
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin") or headers.get(b"origin", own) != own:
        return "only the studio's own page may ask", 403
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    wanted = b"application/octet-stream" if is_binary else b"application/json"
    if scope["method"] == "POST" and kind != wanted:
        return f"this request has the content type {wanted.decode()}", 415
    return None
