"""Bodies held in memory, and the HTTP answers made from them."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response


@dataclass(frozen=True)
class Stored:
    """A body and the headers that describe it, its entity tag among them."""

    body: bytes
    headers: Mapping[str, str]


def store(body: bytes, headers: Mapping[str, str], *, compress: bool) -> Stored:
    """`body` with `headers`, gzipped when `compress` is set; the tag is that of the bytes as they are sent."""
    described = dict(headers)
    if compress:
        body = gzip.compress(body, mtime=0)
        described["content-encoding"] = "gzip"
    described["etag"] = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    described["content-length"] = str(len(body))
    return Stored(body, described)


def accepts_gzip(request: Headers) -> bool:
    """Whether the client takes gzip: named in `Accept-Encoding`, and not with a weight of 0."""
    for offer in ",".join(request.getlist("accept-encoding")).lower().split(","):
        coding, _, weight = offer.replace(" ", "").partition(";q=")
        if coding == "gzip":
            return weight.strip("0.") != "" or weight == ""
    return False


def answer(stored: Stored, request: Headers) -> Response:
    """The response to a GET or HEAD (whose body the server leaves out): 304 when the client has it already."""
    known = {tag.strip().removeprefix("W/") for tag in request.get("if-none-match", "").split(",")}
    if "*" in known or stored.headers["etag"] in known:
        kept = ("etag", "vary", "cache-control")
        return Response(status_code=304, headers={name: stored.headers[name] for name in kept})
    return Response(stored.body, headers=stored.headers)
