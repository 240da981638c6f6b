"""The headers that tell a browser what this site may do, and the check of where a live connection comes from."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Collection, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


def content_security_policy(shell: str) -> str:
    """The policy for Streamlit's page: everything from here, and of inline scripts only those in `shell`.

    Components bring their script as a `blob:`; styles are set inline by Streamlit and by the pictures.
    """
    inline = re.findall(r"<script>(.*?)</script>", shell, flags=re.DOTALL)
    hashes = " ".join(f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in inline)
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src 'self' blob: 'wasm-unsafe-eval' {hashes}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "frame-ancestors 'self'",
            "form-action 'self'",
            "object-src 'none'",
            "base-uri 'self'",
        ]
    )


def security_headers(shell: str) -> dict[str, str]:
    """The headers every answer carries."""
    return {
        "content-security-policy": content_security_policy(shell),
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
    }


class Guard:
    """Adds `headers` to every answer and refuses live connections opened by another site's page.

    Streamlit would look up its own public address on the internet before it refused, and stand still meanwhile.
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str], allowed_origins: Collection[str] = ()) -> None:
        self.app = app
        self.headers = headers
        self.allowed_origins = allowed_origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or connection."""
        if scope["type"] == "websocket" and self._is_foreign(Headers(scope=scope)):
            await receive()  # the request to connect; closing before accepting answers it with 403
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await self.app(scope, receive, self._guarded(send))
        else:
            await self.app(scope, receive, send)

    def _is_foreign(self, request: Headers) -> bool:
        origin = request.get("origin")
        if origin is None or origin in self.allowed_origins:
            return False
        return origin.partition("://")[2] != request.get("host")

    def _guarded(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        return sending
