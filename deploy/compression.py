"""Gzip for the files that make up the front end.

Streamlit sends them as they lie on disk, since its own compression would work anew for every visitor. Here each
file is compressed once, when it is first asked for, and kept: the set of files is fixed, and so is the memory.
"""

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deploy.stored import Stored, accepts_gzip, answer, store

MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
# The name of each of these files changes with its content, so no copy can ever be stale.
IMMUTABLE = "public, max-age=31536000, immutable"


def text_files(folder: Path, address: str) -> Iterator[tuple[str, Path]]:
    """The address and the path of every file in `folder` that is worth compressing."""
    for path in folder.rglob("*"):
        if path.suffix in MEDIA_TYPES and path.is_file():
            yield f"{address}/{path.relative_to(folder).as_posix()}", path


class Compressed:
    """Sends the known files gzipped, from memory; all else, and clients without gzip, are the inner app's."""

    def __init__(self, app: ASGIApp, files: Mapping[str, Path]) -> None:
        self.app = app
        self.files = files
        self._ready: dict[str, Stored] = {}
        self._one_at_a_time = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; parts of a file (`Range`) are left to the inner app, which sends them uncompressed."""
        address = scope["path"] if scope["type"] == "http" else ""
        if address not in self.files or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        request = Headers(scope=scope)
        if "range" in request or not accepts_gzip(request):
            await self.app(scope, receive, varying(send))
            return
        if address not in self._ready:
            await run_in_threadpool(self._compress, address)
        stored = self._ready[address]
        await answer(stored, request)(scope, receive, send)

    def _compress(self, address: str) -> None:
        with self._one_at_a_time:  # many first visitors at once: the work is done once
            if address not in self._ready:
                path = self.files[address]
                headers = {
                    "content-type": MEDIA_TYPES[path.suffix],
                    "cache-control": IMMUTABLE,
                    "vary": "Accept-Encoding",
                }
                self._ready[address] = store(path.read_bytes(), headers, compress=True)


def varying(send: Send) -> Send:
    """`send`, telling caches on the way that the answer depends on `Accept-Encoding`."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).add_vary_header("Accept-Encoding")
        await send(message)

    return sending
